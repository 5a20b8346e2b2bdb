"""Ties the changed lines of commits to the documents that the index holds now, where either has changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from scry.index.changed_lines import DocumentLineRange, map_commits_to_documents
from scry.index.documents import last_line
from scry.store.history import HistoryStore
from scry.store.index_store import IndexStore

_BATCH_FILES = 200


def update_changed_documents(history: HistoryStore, index: IndexStore, checkpoint: Callable[[], None]) -> None:
    """Brings the documents that each commit changed up to both stores."""
    indexed = {path: file_id for file_id, path, _, _ in index.indexed_files()}
    stale = [path for path, traced in history.traced_files().items() if indexed.get(path, 0) != traced]
    for start in range(0, len(stale), _BATCH_FILES):
        checkpoint()
        batch = stale[start : start + _BATCH_FILES]
        history.save_changed_symbols({path: (indexed.get(path, 0), _changes_of_file(path, history, index)) for path in batch})


def _changes_of_file(path: str, history: HistoryStore, index: IndexStore) -> Mapping[str, Sequence[int]]:
    """By doc_id, the commits that changed each document of a file; none for a file that is not indexed."""
    _, numbered = index.doc_keys_in_file(path)
    if not numbered:
        return {}
    documents = index.get_documents([number for number, _ in numbered]).values()
    lines = [DocumentLineRange(d.doc_id, d.symbol.span.start.line, last_line(d.symbol)) for d in documents]
    length = max(document.last for document in lines) + 1
    return map_commits_to_documents(length, lines, history.changed_lines(path))
