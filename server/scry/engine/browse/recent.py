"""List recent changes, files and commits, newest first (recent without a query).

Recent, without words: what changed lately, files and commits, the newest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from scry.core.errors import Cancelled
from scry.core.text import format_age, format_count
from scry.core.types import Answer, Candidate, Document, DocumentHeader, Hit, SearchQuery
from scry.engine.browse.changes import DAY_S, UNCOMMITTED, ChangeDates, LastChange, change_from_mtime, recency_part
from scry.engine.browse.files import file_document, file_header, file_structures
from scry.engine.browse.orient import weighted_sum
from scry.engine.context import new_query_id
from scry.engine.project_index import UNFUSED_SCORING, IndexView
from scry.engine.search.results import truncate
from scry.engine.search.retrieve import allowed_change_types
from scry.store.history.commits import Commit, describe_commit
from scry.store.history.reader import HistoryReader
from scry.store.index.files import IndexedFileInfo
from scry.store.index.store import IndexStore

DEFAULT_DAYS = 7
"""So far back it looks where no days are given."""

MAX_FILES_PER_COMMIT = 5
"""A list of commits shows at most so many files of one, those first that most files import: a commit of a hundred
files is one change. The commit's own line says how many it has."""

NOTHING_CHANGED_PREFIX = "nothing changed in the last"
"""How it begins what it says where there are no changes in the days that were asked for."""

_BATCH_SIZE = 100


class ChangeEntry(Struct, frozen=True):
    """A commit, or a file with its last change."""

    change: LastChange
    commit: Commit | None = None
    file: IndexedFileInfo | None = None

    @property
    def content_type(self) -> str:
        """Of the result that it becomes."""
        return self.file.content_type if self.file is not None else "commit"


def list_changes(
    question: SearchQuery, clock: ChangeDates, days: int | None, reading: IndexView, cancelled: Callable[[], bool]
) -> Answer:
    """The changes of some days, 7 if none are given, the newest first.

    Where there were none and no days were given, the newest there are; the notice says so, unless the history is still
    being read: then newer ones may come.
    """
    bound = days or DEFAULT_DAYS
    entries = _first_changes(question, clock, clock.now - bound * DAY_S, cancelled)
    notice = ""
    if not entries:
        newest = _first_changes(question, clock, 0.0, cancelled)
        notice = (
            ""
            if reading.state.history == "pending"
            else _describe_no_changes(newest, clock.now, bound, shown=days is None)
        )
        entries = newest if days is None else []
    return Answer(
        question=question,
        query_id=new_query_id(),
        scoring=UNFUSED_SCORING,
        index=reading.state,
        hits=tuple(_make_change_hits(entries, clock)),
        faults=reading.faults,
        notice="; ".join(words for words in (_describe_missing_history(clock, reading.state.history), notice) if words),
    )


def _describe_missing_history(clock: ChangeDates, history: str) -> str:
    """history: its state, as the index says it."""
    if clock.history is not None:
        return ""
    why = "the history is not read yet" if history == "pending" else "there is no git history here"
    return f"{why}: ordered by the files' own times"


def _describe_no_changes(newest: Sequence[ChangeEntry], now: float, days: int, *, shown: bool) -> str:
    if not newest:
        return ""
    first = newest[0]
    name = describe_commit(first.commit) if first.commit else (first.file.path if first.file else "")
    age = format_age(now - first.change.time)
    words = f"{NOTHING_CHANGED_PREFIX} {format_count(days, 'day')}; the newest change is {name}, {age}"
    return f"{words}; the newest changes are shown instead" if shown else words


def _first_changes(
    question: SearchQuery, clock: ChangeDates, since: float, cancelled: Callable[[], bool]
) -> list[ChangeEntry]:
    found: list[ChangeEntry] = []
    for entry in changes_since(clock, since, types=allowed_change_types(question), cancelled=cancelled):
        found.append(entry)
        if len(found) == question.limit:
            break
    return found


def changes_since(
    clock: ChangeDates,
    since: float,
    *,
    types: Sequence[str] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[ChangeEntry]:
    """All changes since a time, the newest first: what is not committed, then each commit with the files that it was
    the last to change. types: only these content types; None for all.

    Raises Cancelled when nobody waits any more.
    """
    most = MAX_FILES_PER_COMMIT if types is None or "commit" in types else None
    for entry in _all_changes(clock, since, most, cancelled):
        if types is None or entry.content_type in types:
            yield entry


def _all_changes(
    clock: ChangeDates, since: float, most: int | None, cancelled: Callable[[], bool]
) -> Iterator[ChangeEntry]:
    """most: files of one commit; None for all."""
    edited = clock.store.files.get_files(sorted(clock.edited))
    changes = clock.of_files(list(edited))
    newest = sorted(edited.values(), key=lambda file: (-file.mtime_ns, file.path))
    yield from (ChangeEntry(changes[file.path], file=file) for file in newest)
    if clock.history is None:
        yield from _changes_by_mtime(clock, since, cancelled)
    else:
        yield from _committed_changes(clock.history, clock.store, set(clock.edited), since, most, cancelled)


def _changes_by_mtime(clock: ChangeDates, since: float, cancelled: Callable[[], bool]) -> Iterator[ChangeEntry]:
    """Each file by its own time, those that are edited left out."""
    offset = 0
    while files := clock.store.files.recently_modified_files(since, offset, _BATCH_SIZE):
        _raise_if_cancelled(cancelled)
        yield from (ChangeEntry(change_from_mtime(file), file=file) for file in files if file.path not in clock.edited)
        offset += len(files)


def _committed_changes(
    history: HistoryReader,
    store: IndexStore,
    seen: set[str],
    since: float,
    most: int | None,
    cancelled: Callable[[], bool],
) -> Iterator[ChangeEntry]:
    """Each commit, with at most so many of the files that no later one changed. seen: files that are listed before."""
    offset = 0
    while commits := history.newest_commits(since, offset, _BATCH_SIZE):
        _raise_if_cancelled(cancelled)
        changed = history.files_by_commit([commit.doc_key for commit in commits])
        files = store.files.get_files(sorted({path for paths in changed.values() for path in paths} - seen))
        for commit in commits:
            yield ChangeEntry(LastChange(commit.time, "committed", commit), commit=commit)
            new = [files[path] for path in changed.get(commit.doc_key, []) if path in files and path not in seen]
            seen.update(file.path for file in new)
            new.sort(key=lambda file: (-file.importers, file.path))
            change = LastChange(commit.time, f"changed in {commit.sha[:7]}", commit)
            yield from (ChangeEntry(change, file=file) for file in new[:most])
        offset += len(commits)


def _raise_if_cancelled(cancelled: Callable[[], bool]) -> None:
    if cancelled():
        raise Cancelled("the question was withdrawn")


def _make_change_hits(entries: Sequence[ChangeEntry], clock: ChangeDates) -> Iterator[Hit]:
    structures = file_structures([entry.file for entry in entries if entry.file], clock.history)
    commits = [entry.commit.doc_key for entry in entries if entry.commit]
    documents = clock.history.get_documents(commits) if clock.history is not None and commits else {}
    for rank, entry in enumerate(entries, 1):
        part = recency_part(entry.change.time, clock.now, entry.change.description)
        when = (format_age(clock.now - entry.change.time),)
        if entry.file is not None:
            candidate = Candidate(file_header(entry.file), {}, 0.0, (), weighted_sum([part]))
            document = file_document(entry.file, int(entry.change.time))
            yield Hit(
                rank,
                candidate,
                document,
                structures[entry.file.path],
                _describe_change(entry.change),
                (part,),
                (),
                when,
            )
        elif entry.commit is not None:
            document = documents[entry.commit.doc_key]
            candidate = Candidate(_commit_header(document), {}, 0.0, (), weighted_sum([part]))
            yield Hit(rank, candidate, document, None, describe_commit(entry.commit), (part,), (), when)


def _commit_header(document: Document) -> DocumentHeader:
    return DocumentHeader(document.doc_key, document.doc_id, "commit", "", "", "commit", "")


def _describe_change(change: LastChange) -> str:
    """The last commit in words; that there are edits which are in none comes before it."""
    if change.commit is None:
        return change.description
    words = describe_commit(change.commit)
    return truncate(f"{UNCOMMITTED}; before that {words}" if change.description == UNCOMMITTED else words)
