"""Rewrites the word index without what was deleted, so that its statistics, and so all scores, equal a fresh one's
(F10).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from scry.index.contents import ProjectParser
from scry.index.documents import make_documents
from scry.store.index_store import IndexStore
from scry.store.lexical import LexicalEntry

_FILES_PER_COMPACTION_BATCH = 40


def compact_word_index(store: IndexStore, contents: ProjectParser, checkpoint: Callable[[], None] = lambda: None) -> int:
    """Does so from the stored texts; returns the generation. checkpoint: may raise Cancelled; then nothing changes."""
    return store.rewrite_lexical(_lexical_entries(store, contents, checkpoint))


def _lexical_entries(store: IndexStore, contents: ProjectParser, checkpoint: Callable[[], None]) -> Iterator[LexicalEntry]:
    indexed = iter([file for file in store.all_files().values() if file.skip is None])
    while part := list(islice(indexed, _FILES_PER_COMPACTION_BATCH)):
        checkpoint()
        texts = [(file.path, file.hash, store.get_text(file.path) or "") for file in part]
        for path, parsed in contents.parse_stored_texts(texts).items():
            file_id, numbers = store.doc_keys_in_file(path)
            by_id = {doc_id: number for number, doc_id in numbers}
            for document in make_documents(path, parsed):
                yield LexicalEntry(by_id[document.doc_id], file_id, document.terms)
