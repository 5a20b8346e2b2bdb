"""All the shelves that a question may read, as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import ALL_KNOWLEDGE, KnowledgeFilter, note_store_of
from scry.core.types import Document, DocumentHeader
from scry.store.packed_rows import FloatRows
from scry.store.postings import NO_DOCUMENTS, ScoredDocuments
from scry.store.shelf_reader import NoteReader, WordQuery

T = TypeVar("T")


class NoteStores(Struct, frozen=True):
    """Those that hold something, by name. troubles: why others can't be read; their oracles say so.

    A shelf that fails while it is read costs what it holds; `by_words` and `by_meaning` of one shelf raise.
    """

    readers: Mapping[str, NoteReader]
    errors: Mapping[str, str] = field(default_factory=dict[str, str])

    def search_words(self, query: WordQuery, filters: KnowledgeFilter = ALL_KNOWLEDGE) -> ScoredDocuments:
        """See ShelfReader."""
        return self._search_all(lambda shelf: shelf.search_words(query, filters))

    def search_vectors(self, identity: str, query: FloatRows, filters: KnowledgeFilter = ALL_KNOWLEDGE) -> ScoredDocuments:
        """See ShelfReader."""
        return self._search_all(lambda shelf: shelf.search_vectors(identity, query, filters))

    def headers(self, doc_keys: Sequence[int]) -> dict[int, DocumentHeader]:
        """What ranking reads of these documents, of those that are there."""
        return self._read_by_store(doc_keys, lambda shelf, own: shelf.headers(own))

    def get_documents(self, doc_keys: Sequence[int]) -> dict[int, Document]:
        """These documents, of those that are there."""
        return self._read_by_store(doc_keys, lambda shelf, own: shelf.get_documents(own))

    def matched_terms(self, terms: Sequence[str], doc_keys: Sequence[int]) -> dict[int, list[str]]:
        """For each of the documents, the terms that it holds, in their order."""
        return self._read_by_store(doc_keys, lambda shelf, own: shelf.matched_terms(terms, own))

    def doc_id_order(self, doc_keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each of these documents where it stands among them by its doc_id; -1 for one that is no more."""
        if not len(doc_keys):
            return doc_keys
        first, last = note_store_of(int(doc_keys.min())), note_store_of(int(doc_keys.max()))
        if first == last:
            try:
                return self.readers[first].doc_id_order(doc_keys)
            except IndexUnavailable:
                return np.full(len(doc_keys), -1)
        outlines = self.headers(doc_keys.tolist())
        names = {doc_id: place for place, doc_id in enumerate(sorted(each.doc_id for each in outlines.values()))}
        places = [names[outlines[number].doc_id] if number in outlines else -1 for number in doc_keys.tolist()]
        return np.array(places, np.int64)

    def find_doc_key(self, doc_id: str) -> int | None:
        """The number of the document with this doc_id."""
        for shelf in self.readers.values():
            try:
                found = shelf.doc_keys_by_id([doc_id])
            except IndexUnavailable:
                continue
            if found:
                return found[doc_id]
        return None

    def get_reader(self, name: str) -> NoteReader | None:
        """One shelf; None when it holds nothing. Raises IndexUnavailable when it can't be read."""
        if name in self.errors:
            raise IndexUnavailable(self.errors[name])
        return self.readers.get(name)

    def _search_all(self, search: Callable[[NoteReader], ScoredDocuments]) -> ScoredDocuments:
        found: list[ScoredDocuments] = []
        for shelf in sorted(self.readers.values(), key=lambda shelf: shelf.first_doc_key):
            try:
                found.append(search(shelf))
            except IndexUnavailable:  # its own oracle says so
                continue
        if len(found) == 1:
            return found[0]
        parts = [NO_DOCUMENTS, *found]
        return ScoredDocuments(np.concatenate([p.doc_keys for p in parts]), np.concatenate([p.scores for p in parts]))

    def _read_by_store(self, doc_keys: Sequence[int], read: Callable[[NoteReader, list[int]], dict[int, T]]) -> dict[int, T]:
        by_shelf: dict[str, list[int]] = defaultdict(list)
        for number in doc_keys:
            by_shelf[note_store_of(number)].append(number)
        found: dict[int, T] = {}
        for name, own in by_shelf.items():
            try:
                found |= read(self.readers[name], own) if name in self.readers else {}
            except IndexUnavailable:
                continue
        return found
