"""Rewrites the word index without what was deleted, so that its statistics, and so all scores, equal a fresh one's
(F10).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from scry.index.contents import Contents
from scry.index.documents import make_documents
from scry.store.index_store import IndexStore
from scry.store.lexical import LexicalEntry

_FILES_AT_ONCE = 40


def compact(store: IndexStore, contents: Contents, checkpoint: Callable[[], None] = lambda: None) -> int:
    """Does so from the stored texts; returns the generation. checkpoint: may raise Cancelled; then nothing changes."""
    return store.rewrite_lexical(_entries(store, contents, checkpoint))


def _entries(store: IndexStore, contents: Contents, checkpoint: Callable[[], None]) -> Iterator[LexicalEntry]:
    indexed = iter([file for file in store.files().values() if file.skip is None])
    while part := list(islice(indexed, _FILES_AT_ONCE)):
        checkpoint()
        texts = [(file.path, file.hash, store.text(file.path) or "") for file in part]
        for path, parsed in contents.parse_again(texts).items():
            file_id, numbers = store.numbers_of(path)
            by_id = {doc_id: number for number, doc_id in numbers}
            for document in make_documents(path, parsed):
                yield LexicalEntry(by_id[document.doc_id], file_id, document.terms)
