"""Find when files and documents last changed, and score how recent that is. Pure, but for reading the index and
history.

recency = 1 / (1 + age in days / HALF_DAYS): 1 for a change now, 0.5 after a week, 0.19 after a month, 0.02 after a
year. It falls fast at first and never to 0, so that among old documents the later one still comes first.

The time of a change is that of the last commit, now for uncommitted edits, and without git the file's own time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from scry.core.text import format_age
from scry.core.types import Adjustment, Document, ScorePart
from scry.store.history.commits import Commit, describe_commit
from scry.store.history.reader import HistoryReader
from scry.store.index.files import IndexedFileInfo
from scry.store.index.store import IndexStore

DAY_S = 86_400

HALF_DAYS = 7.0
"""One week: the default span of `recent`."""


def recency_score(time: float, now: float) -> float:
    """Return the recency of a change, 0 to 1. Both times are in seconds since the epoch; a future one counts as now."""
    return 1.0 / (1.0 + max(0.0, now - time) / DAY_S / HALF_DAYS)


def recency_adjustment(time: float, now: float, what: str) -> Adjustment:
    """Return the factor of a document that find ranked. what: the change, such as `changed in 3f9c2b7`."""
    return Adjustment("recency", recency_score(time, now), f"{what}, {format_age(now - time)}")


def recency_part(time: float, now: float, what: str) -> ScorePart:
    """Return the score of a change in a list without a query: its recency is the only part."""
    return ScorePart("recency", recency_score(time, now), 1.0, f"{what}, {format_age(now - time)}")


UNCOMMITTED = "edited and not committed"


class LastChange(Struct, frozen=True):
    """The last change of a file or document.

    time: in seconds since the epoch. description: the change in words. commit: the commit of the change, if any.
    """

    time: float
    description: str
    commit: Commit | None = None

    @property
    def commit_description(self) -> str:
        """Return the evidence that a person reads beside the time."""
        return self.description if self.commit is None else describe_commit(self.commit)


class ChangeDates(Struct, frozen=True):
    """The sources that date the last change of a document.

    history: None without git. edited: files with uncommitted or unsaved edits; they count as changed now.
    """

    now: float
    store: IndexStore
    history: HistoryReader | None
    edited: frozenset[str]

    def of_documents(self, documents: Sequence[Document]) -> dict[str, LastChange]:
        """Return the last change of each document by doc_id.

        It is the change of the symbol itself where its lines were traced, else that of its file.
        """
        in_files = [document for document in documents if document.path]
        own = {} if self.history is None else self.history.last_commits_by_doc_id([d.doc_id for d in in_files])
        files = self.of_files(list(dict.fromkeys(document.path for document in in_files)))
        changes: dict[str, LastChange] = {}
        for document in documents:
            if document.time is not None:
                changes[document.doc_id] = LastChange(
                    document.time, "committed" if document.content_type == "commit" else "noted"
                )
            elif document.path in self.edited:
                changes[document.doc_id] = files[document.path]
            elif commit := own.get(document.doc_id):
                changes[document.doc_id] = LastChange(commit.time, f"changed in {commit.sha[:7]}", commit)
            elif document.path in files:
                changes[document.doc_id] = _from_file_change(files[document.path], whole=document.symbol.kind == "file")
        return changes

    def of_files(self, paths: Sequence[str]) -> dict[str, LastChange]:
        """Return the last change of each file by path."""
        commits: Mapping[str, Commit] = {} if self.history is None else self.history.last_commits(paths)
        return {path: change for path in paths if (change := self._of_file(path, commits.get(path)))}

    def _of_file(self, path: str, commit: Commit | None) -> LastChange | None:
        if path in self.edited:
            return LastChange(self.now, UNCOMMITTED, commit)
        if commit is not None:
            return LastChange(commit.time, f"changed in {commit.sha[:7]}", commit)
        file = self.store.files.get_file(path)
        return None if file is None else change_from_mtime(file)


def change_from_mtime(file: IndexedFileInfo) -> LastChange:
    """Return the change of a file without a known commit, dated by its modification time."""
    return LastChange(file.mtime_ns / 1e9, "written, by the file's own time")


def _from_file_change(change: LastChange, *, whole: bool) -> LastChange:
    return change if whole else LastChange(change.time, f"its file was {change.description}", change.commit)
