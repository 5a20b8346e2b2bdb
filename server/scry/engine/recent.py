"""Recent, without words: what changed lately, files and commits, the newest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from scry.core.errors import Cancelled
from scry.core.types import Answer, Candidate, Document, Hit, Outline, Question
from scry.engine.changes import NOT_COMMITTED, Change, Clock, written
from scry.engine.composite import weighted_sum
from scry.engine.files import file_document, file_outline, file_structures
from scry.engine.query_id import new_query_id
from scry.engine.reading import UNFUSED, Reading
from scry.engine.recency import DAY_S, recency_part
from scry.engine.scope import changes_in_scope
from scry.engine.snippet import cut
from scry.engine.words import ago, count
from scry.store.file_reader import FileFacts
from scry.store.history_reader import HistoryReader, describe_commit
from scry.store.history_rows import Commit
from scry.store.index_store import IndexStore

DAYS = 7
"""So far back it looks where no days are given."""

FILES_OF_A_COMMIT = 5
"""A list of commits shows at most so many files of one, those first that most files import: a commit of a hundred
files is one change. The commit's own line says how many it has."""

NOTHING_CHANGED = "nothing changed in the last"
"""How it begins what it says where there are no changes in the days that were asked for."""

_BATCH = 100


class Entry(Struct, frozen=True):
    """A commit, or a file with its last change."""

    change: Change
    commit: Commit | None = None
    file: FileFacts | None = None

    @property
    def content_type(self) -> str:
        """Of the result that it becomes."""
        return self.file.content_type if self.file is not None else "commit"


def list_changes(
    question: Question, clock: Clock, days: int | None, reading: Reading, cancelled: Callable[[], bool]
) -> Answer:
    """The changes of some days, 7 if none are given, the newest first.

    Where there were none and no days were given, the newest there are; the notice says so, unless the history is still
    being read: then newer ones may come.
    """
    bound = days or DAYS
    entries = _first(question, clock, clock.now - bound * DAY_S, cancelled)
    notice = ""
    if not entries:
        newest = _first(question, clock, 0.0, cancelled)
        notice = "" if reading.state.history == "pending" else _none_since(newest, clock.now, bound, shown=days is None)
        entries = newest if days is None else []
    return Answer(
        question=question,
        query_id=new_query_id(),
        scoring=UNFUSED,
        index=reading.state,
        hits=tuple(_hits(entries, clock)),
        faults=reading.faults,
        notice="; ".join(words for words in (_without_history(clock, reading.state.history), notice) if words),
    )


def _without_history(clock: Clock, history: str) -> str:
    """history: its state, as the index says it."""
    if clock.history is not None:
        return ""
    why = "the history is not read yet" if history == "pending" else "there is no git history here"
    return f"{why}: ordered by the files' own times"


def _none_since(newest: Sequence[Entry], now: float, days: int, *, shown: bool) -> str:
    if not newest:
        return ""
    first = newest[0]
    name = describe_commit(first.commit) if first.commit else (first.file.path if first.file else "")
    words = f"{NOTHING_CHANGED} {count(days, 'day')}; the newest change is {name}, {ago(now - first.change.time)}"
    return f"{words}; the newest changes are shown instead" if shown else words


def _first(question: Question, clock: Clock, since: float, cancelled: Callable[[], bool]) -> list[Entry]:
    found: list[Entry] = []
    for entry in changes_since(clock, since, types=changes_in_scope(question), cancelled=cancelled):
        found.append(entry)
        if len(found) == question.limit:
            break
    return found


def changes_since(
    clock: Clock, since: float, *, types: Sequence[str] | None = None, cancelled: Callable[[], bool] = lambda: False
) -> Iterator[Entry]:
    """All changes since a time, the newest first: what is not committed, then each commit with the files that it was
    the last to change. types: only these content types; None for all.

    Raises Cancelled when nobody waits any more.
    """
    most = FILES_OF_A_COMMIT if types is None or "commit" in types else None
    for entry in _all_changes(clock, since, most, cancelled):
        if types is None or entry.content_type in types:
            yield entry


def _all_changes(clock: Clock, since: float, most: int | None, cancelled: Callable[[], bool]) -> Iterator[Entry]:
    """most: files of one commit; None for all."""
    edited = clock.store.files_named(sorted(clock.edited))
    changes = clock.of_files(list(edited))
    newest = sorted(edited.values(), key=lambda file: (-file.mtime_ns, file.path))
    yield from (Entry(changes[file.path], file=file) for file in newest)
    if clock.history is None:
        yield from _written(clock, since, cancelled)
    else:
        yield from _committed(clock.history, clock.store, set(clock.edited), since, most, cancelled)


def _written(clock: Clock, since: float, cancelled: Callable[[], bool]) -> Iterator[Entry]:
    """Each file by its own time, those that are edited left out."""
    offset = 0
    while files := clock.store.newest_files(since, offset, _BATCH):
        _raise_if_withdrawn(cancelled)
        yield from (Entry(written(file), file=file) for file in files if file.path not in clock.edited)
        offset += len(files)


def _committed(
    history: HistoryReader,
    store: IndexStore,
    seen: set[str],
    since: float,
    most: int | None,
    cancelled: Callable[[], bool],
) -> Iterator[Entry]:
    """Each commit, with at most so many of the files that no later one changed. seen: files that are listed before."""
    offset = 0
    while commits := history.newest_commits(since, offset, _BATCH):
        _raise_if_withdrawn(cancelled)
        changed = history.files_of([commit.number for commit in commits])
        files = store.files_named(sorted({path for paths in changed.values() for path in paths} - seen))
        for commit in commits:
            yield Entry(Change(commit.time, "committed", commit), commit=commit)
            new = [files[path] for path in changed.get(commit.number, []) if path in files and path not in seen]
            seen.update(file.path for file in new)
            new.sort(key=lambda file: (-file.importers, file.path))
            change = Change(commit.time, f"changed in {commit.sha[:7]}", commit)
            yield from (Entry(change, file=file) for file in new[:most])
        offset += len(commits)


def _raise_if_withdrawn(cancelled: Callable[[], bool]) -> None:
    if cancelled():
        raise Cancelled("the question was withdrawn")


def _hits(entries: Sequence[Entry], clock: Clock) -> Iterator[Hit]:
    structures = file_structures([entry.file for entry in entries if entry.file], clock.history)
    commits = [entry.commit.number for entry in entries if entry.commit]
    documents = clock.history.documents(commits) if clock.history is not None and commits else {}
    for rank, entry in enumerate(entries, 1):
        part = recency_part(entry.change.time, clock.now, entry.change.what)
        when = (ago(clock.now - entry.change.time),)
        if entry.file is not None:
            candidate = Candidate(file_outline(entry.file), {}, 0.0, (), weighted_sum([part]))
            document = file_document(entry.file, int(entry.change.time))
            yield Hit(rank, candidate, document, structures[entry.file.path], _snippet(entry.change), (part,), (), when)
        elif entry.commit is not None:
            document = documents[entry.commit.number]
            candidate = Candidate(_commit_outline(document), {}, 0.0, (), weighted_sum([part]))
            yield Hit(rank, candidate, document, None, describe_commit(entry.commit), (part,), (), when)


def _commit_outline(document: Document) -> Outline:
    return Outline(document.number, document.doc_id, "commit", "", "", "commit", "")


def _snippet(change: Change) -> str:
    """The last commit in words; that there are edits which are in none comes before it."""
    if change.commit is None:
        return change.what
    words = describe_commit(change.commit)
    return cut(f"{NOT_COMMITTED}; before that {words}" if change.what == NOT_COMMITTED else words)
