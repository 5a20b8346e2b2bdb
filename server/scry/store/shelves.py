"""All the shelves that a question may read, as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import ALL, Chosen, shelf_of
from scry.core.types import Document, Outline
from scry.store.packed_rows import Vectors
from scry.store.postings import NONE, Scored
from scry.store.shelf_reader import ShelfReader, Words

T = TypeVar("T")


class Shelves(Struct, frozen=True):
    """Those that hold something, by name. troubles: why others can't be read; their oracles say so.

    A shelf that fails while it is read costs what it holds; `by_words` and `by_meaning` of one shelf raise.
    """

    shelves: Mapping[str, ShelfReader]
    troubles: Mapping[str, str] = field(default_factory=dict[str, str])

    def by_words(self, words: Words, chosen: Chosen = ALL) -> Scored:
        """See ShelfReader."""
        return self._all(lambda shelf: shelf.by_words(words, chosen))

    def by_meaning(self, identity: str, query: Vectors, chosen: Chosen = ALL) -> Scored:
        """See ShelfReader."""
        return self._all(lambda shelf: shelf.by_meaning(identity, query, chosen))

    def outlines(self, numbers: Sequence[int]) -> dict[int, Outline]:
        """What ranking reads of these documents, of those that are there."""
        return self._of(numbers, lambda shelf, own: shelf.outlines(own))

    def documents(self, numbers: Sequence[int]) -> dict[int, Document]:
        """These documents, of those that are there."""
        return self._of(numbers, lambda shelf, own: shelf.documents(own))

    def holding(self, terms: Sequence[str], numbers: Sequence[int]) -> dict[int, list[str]]:
        """For each of the documents, the terms that it holds, in their order."""
        return self._of(numbers, lambda shelf, own: shelf.holding(terms, own))

    def order_of_names(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each of these documents where it stands among them by its doc_id; -1 for one that is no more."""
        if not len(numbers):
            return numbers
        first, last = shelf_of(int(numbers.min())), shelf_of(int(numbers.max()))
        if first == last:
            try:
                return self.shelves[first].order_of_names(numbers)
            except IndexUnavailable:
                return np.full(len(numbers), -1)
        outlines = self.outlines(numbers.tolist())
        names = {doc_id: place for place, doc_id in enumerate(sorted(each.doc_id for each in outlines.values()))}
        places = [names[outlines[number].doc_id] if number in outlines else -1 for number in numbers.tolist()]
        return np.array(places, np.int64)

    def number_named(self, doc_id: str) -> int | None:
        """The number of the document with this doc_id."""
        for shelf in self.shelves.values():
            try:
                found = shelf.numbers_named([doc_id])
            except IndexUnavailable:
                continue
            if found:
                return found[doc_id]
        return None

    def shelf(self, name: str) -> ShelfReader | None:
        """One shelf; None when it holds nothing. Raises IndexUnavailable when it can't be read."""
        if name in self.troubles:
            raise IndexUnavailable(self.troubles[name])
        return self.shelves.get(name)

    def _all(self, search: Callable[[ShelfReader], Scored]) -> Scored:
        found: list[Scored] = []
        for shelf in sorted(self.shelves.values(), key=lambda shelf: shelf.first):
            try:
                found.append(search(shelf))
            except IndexUnavailable:  # its own oracle says so
                continue
        if len(found) == 1:
            return found[0]
        parts = [NONE, *found]
        return Scored(np.concatenate([p.numbers for p in parts]), np.concatenate([p.scores for p in parts]))

    def _of(self, numbers: Sequence[int], read: Callable[[ShelfReader, list[int]], dict[int, T]]) -> dict[int, T]:
        by_shelf: dict[str, list[int]] = defaultdict(list)
        for number in numbers:
            by_shelf[shelf_of(number)].append(number)
        found: dict[int, T] = {}
        for name, own in by_shelf.items():
            try:
                found |= read(self.shelves[name], own) if name in self.shelves else {}
            except IndexUnavailable:
                continue
        return found
