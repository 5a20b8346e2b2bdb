"""List recent changes, files and commits, the newest first (recent without a query)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from scry.core.doc_id import new_query_id
from scry.core.notices import Notice
from scry.core.text import format_age
from scry.core.types import Answer, Candidate, Document, DocumentHeader, Hit, SearchQuery
from scry.engine.browse.changes import DAY_S, UNCOMMITTED, ChangeDates, LastChange, change_from_mtime, recency_part
from scry.engine.browse.files import file_document, file_header, file_structures
from scry.engine.browse.orient import weighted_sum
from scry.engine.context import RequestContext
from scry.engine.index_view import UNFUSED_SCORING, IndexView
from scry.engine.notices import HistoryMissing, NothingChanged
from scry.engine.search.query import allows_commits, leaves_change
from scry.engine.search.results import truncate
from scry.store.history.commits import Commit, describe_commit
from scry.store.history.reader import HistoryReader
from scry.store.index.files import IndexedFileInfo
from scry.store.index.store import IndexStore

DEFAULT_DAYS = 7
"""Days to look back where the request names none."""

MAX_FILES_PER_COMMIT = 5
"""Files of one commit in a list of commits, the most imported first: a commit of a hundred files is one change.

The commit's own line says how many it has."""

_BATCH_SIZE = 100


class ChangeEntry(Struct, frozen=True):
    """A commit, or a file with its last change."""

    change: LastChange
    commit: Commit | None = None
    file: IndexedFileInfo | None = None


def list_changes(
    question: SearchQuery, clock: ChangeDates, days: int | None, reading: IndexView, context: RequestContext
) -> Answer:
    """Return the changes of some days, DEFAULT_DAYS if None is given, the newest first.

    Without any, and without requested days, return the newest older ones with a notice; but not while the history is
    still being read, because newer ones may follow.
    """
    bound = days or DEFAULT_DAYS
    entries = _first_changes(question, clock, clock.now - bound * DAY_S, context)
    notices = _history_notices(clock, reading)
    if not entries:
        newest = _first_changes(question, clock, 0.0, context)
        if newest and reading.state.history != "pending":
            notices.append(_no_changes_notice(newest[0], clock.now, bound, are_older_shown=days is None))
        entries = newest if days is None else []
    return Answer(
        question=question,
        query_id=new_query_id(),
        scoring=UNFUSED_SCORING,
        index=reading.state,
        hits=tuple(_make_change_hits(entries, clock)),
        faults=reading.faults,
        notices=tuple(notices),
    )


def _history_notices(clock: ChangeDates, reading: IndexView) -> list[Notice]:
    return [] if clock.history is not None else [HistoryMissing(is_pending=reading.state.history == "pending")]


def _no_changes_notice(newest: ChangeEntry, now: float, days: int, *, are_older_shown: bool) -> NothingChanged:
    name = describe_commit(newest.commit) if newest.commit else (newest.file.path if newest.file else "")
    return NothingChanged(days, are_older_shown, name, now - newest.change.time)


def _first_changes(
    question: SearchQuery, clock: ChangeDates, since: float, context: RequestContext
) -> list[ChangeEntry]:
    is_left, has_commits, entries = leaves_change(question), allows_commits(question), list[ChangeEntry]()
    for entry in _all_changes(clock, since, MAX_FILES_PER_COMMIT if has_commits else None, context):
        file = entry.file
        if has_commits if file is None else is_left(file.path, file.language, file.content_type):
            entries.append(entry)
        if len(entries) == question.limit:
            break
    return entries


def _all_changes(clock: ChangeDates, since: float, most: int | None, context: RequestContext) -> Iterator[ChangeEntry]:
    """Yield all changes since a time, the newest first: uncommitted edits, then each commit with the files that it was
    the last to change.

    most: files of one commit; None for all. Raises Cancelled when nobody waits any more.
    """
    edited = clock.store.files.get_files(sorted(clock.edited))
    changes = clock.of_files(list(edited))
    newest = sorted(edited.values(), key=lambda file: (-file.mtime_ns, file.path))
    yield from (ChangeEntry(changes[file.path], file=file) for file in newest)
    if clock.history is None:
        yield from _changes_by_mtime(clock, since, context)
    else:
        yield from _committed_changes(clock.history, clock.store, set(clock.edited), since, most, context)


def _changes_by_mtime(clock: ChangeDates, since: float, context: RequestContext) -> Iterator[ChangeEntry]:
    """Yield each file by its modification time, edited ones left out."""
    offset = 0
    while files := clock.store.files.recently_modified_files(since, offset, _BATCH_SIZE):
        context.raise_if_cancelled()
        yield from (ChangeEntry(change_from_mtime(file), file=file) for file in files if file.path not in clock.edited)
        offset += len(files)


def _committed_changes(
    history: HistoryReader,
    store: IndexStore,
    seen: set[str],
    since: float,
    most: int | None,
    context: RequestContext,
) -> Iterator[ChangeEntry]:
    """Yield each commit, with at most `most` of the files that no later commit changed. seen: files listed before."""
    offset = 0
    while commits := history.newest_commits(since, offset, _BATCH_SIZE):
        context.raise_if_cancelled()
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
    """Describe the last commit in words, after a remark on uncommitted edits if there are any."""
    if change.commit is None:
        return change.description
    words = describe_commit(change.commit)
    return truncate(f"{UNCOMMITTED}; before that {words}" if change.description == UNCOMMITTED else words)
