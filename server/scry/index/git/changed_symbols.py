"""Map the lines that commits changed to the symbols that a file holds now.

Lines are followed from the newest commit back: every commit's hunks say where a line of the file after the commit stood
before it. A line rewritten since then stands for its replacement, a line deleted since then for its place. So a commit
changed the innermost documents that now contain its lines or the places of its deletions.

This is exact for a file whose commits follow one another. Where lines of history were merged, commits are taken in the
order of their time, and a line may be off by the lines that the other branch added above it. Uncommitted edits shift
lines as well. Both are errors of a few lines, which mostly stay inside the same document.
"""

from __future__ import annotations

import logging
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from scry.core.doc_id import file_doc_id
from scry.core.types import FileFault, IndexingStage
from scry.index.parse.documents import last_line
from scry.index.parse.parser_version import reading_version
from scry.store.history.commits import Hunk
from scry.store.history.store import HistoryStore
from scry.store.index.store import IndexStore
from scry.store.sqlite.database import STORE_ERRORS

log = logging.getLogger(__name__)

MAX_TRACED_LINES = 100_000
"""Lines of a file that are followed; later ones are not."""


class DocumentLineRange(Struct, frozen=True):
    """The lines of a document in its file: 0-based, `last` included."""

    doc_id: str
    first: int
    last: int


_BATCH_FILES = 200


def update_changed_documents(history: HistoryStore, index: IndexStore, checkpoint: Callable[[], None]) -> None:
    """Map commits to documents for every file whose commits or documents changed, and store the result.

    A file for which that fails has no commits at its documents, and is recorded as a fault.
    """
    indexed = {path: file_id for file_id, path, _, _ in index.files.indexed_files()}
    traced_files = history.traced_files(index.documents.key_space).items()
    stale = [path for path, traced in traced_files if indexed.get(path, 0) != traced]
    for start in range(0, len(stale), _BATCH_FILES):
        checkpoint()
        batch = stale[start : start + _BATCH_FILES]
        changes: dict[str, tuple[int, Mapping[str, Sequence[int]]]] = {}
        faults: dict[str, str] = {}
        for path in batch:
            try:
                changes[path] = (indexed.get(path, 0), _changes_of_file(path, history, index))
            except STORE_ERRORS:
                raise
            except Exception as error:
                log.warning("the commits of %r are not traced to its symbols", path, exc_info=True)
                changes[path] = (indexed.get(path, 0), {})
                faults[file_doc_id(path)] = str(FileFault.from_error(IndexingStage.CHANGED_LINES, error))
        history.save_changed_symbols(changes)
        history.record_faults(faults, map(file_doc_id, batch), reading_version())


def _changes_of_file(path: str, history: HistoryStore, index: IndexStore) -> Mapping[str, Sequence[int]]:
    """Return the commits that changed each document of a file, by doc_id; nothing for a file that is not indexed."""
    _, keys_and_ids = index.documents.doc_keys_in_file(path)
    if not keys_and_ids:
        return {}
    documents = index.documents.get_documents([doc_key for doc_key, _ in keys_and_ids]).values()
    lines = [DocumentLineRange(d.doc_id, d.symbol.span.start.line, last_line(d.symbol)) for d in documents]
    length = max(document.last for document in lines) + 1
    return map_commits_to_documents(length, lines, history.changed_lines(path))


def map_commits_to_documents(
    line_count: int, documents: Sequence[DocumentLineRange], commits: Iterable[tuple[int, Sequence[Hunk]]]
) -> Mapping[str, list[int]]:
    """Return the doc_keys of the commits that changed each document, by the document's doc_id. Pure.

    line_count: lines of the file now. commits: doc_key and hunks of each, the newest first.
    """
    owners = _innermost_documents(min(line_count, MAX_TRACED_LINES), documents)
    current = array("I", range(len(owners) - 1))
    """For each line of the file as it was after the commit in the loop, the number of that line now."""
    changed: dict[int, dict[int, None]] = {}
    for doc_key, hunks in commits:
        for owner in sorted({owners[line] for hunk in hunks for line in _current_lines(hunk, current)} - {-1}):
            changed.setdefault(owner, {})[doc_key] = None
        current = _lines_before_commit(current, hunks, no_line=len(owners) - 1)
    return {documents[owner].doc_id: list(doc_keys) for owner, doc_keys in sorted(changed.items())}


def _innermost_documents(line_count: int, documents: Sequence[DocumentLineRange]) -> array[int]:
    """Return the index of each line's innermost document, -1 for none, and a last -1 for lines that no longer exist."""
    owners = array("i", [-1]) * (line_count + 1)
    by_extent = sorted(range(len(documents)), key=lambda i: (documents[i].first, -documents[i].last))
    for index in by_extent:
        document = documents[index]
        last = min(document.last, line_count - 1)
        if last >= document.first:
            owners[document.first : last + 1] = array("i", [index]) * (last + 1 - document.first)
    return owners


def _current_lines(hunk: Hunk, current: array[int]) -> Iterable[int]:
    """Return the current lines of a hunk's new side; for a mere deletion the line before it."""
    _, _, first, count = hunk
    if count:
        return current[max(0, first - 1) : first - 1 + count]
    return current[first - 1 : first] if first else current[:1]


def _lines_before_commit(current: array[int], hunks: Sequence[Hunk], no_line: int) -> array[int]:
    """Return `current` for the file as it was before the commit, whose hunks' old sides are lines of that file."""
    before = array("I")
    end = 0
    for _, old_count, new, new_count in hunks:
        start = new - 1 if new_count else new
        before.extend(current[end:start])
        end = start + new_count
        replacement = current[start:end] or current[max(0, start - 1) : start] or current[:1] or array("I", [no_line])
        before.extend(_resize_lines(replacement, old_count))
        if len(before) > MAX_TRACED_LINES:
            return before[:MAX_TRACED_LINES]
    before.extend(current[end:])
    return before[:MAX_TRACED_LINES]


def _resize_lines(lines: array[int], count: int) -> array[int]:
    """Return `count` of these lines, the last one repeated where there are too few."""
    return lines[:count] if count <= len(lines) else lines + lines[-1:] * (count - len(lines))
