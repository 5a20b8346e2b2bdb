"""Read and keep the statistics of the documents that one searcher of a word index sees, by which BM25 counts.

The number and the length of the living documents follow from what each commit adds and removes. So the writer stores
them with the commit's opstamp, a number that tantivy gives to each commit and that merges keep. Whoever sees another
commit reads the length of all documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import tantivy
from msgspec import Struct, field

from scry.core.decoding import decode_json


class Explained(Struct, frozen=True):
    """One step of an explanation of tantivy's. details: the steps that it is made of."""

    value: float
    description: str
    details: tuple[Explained, ...] = ()


class TermStatistics(Struct, frozen=True):
    """A stem's living documents, inverse document frequency, BM25 weight, and the boost that has tantivy count so."""

    living: int
    idf: float
    weight: float = 0.0
    boost: float = 1.0


class WordTotals(Struct, frozen=True, array_like=True):
    """Number and length of the living documents of the commit with this opstamp."""

    opstamp: int
    documents: int
    length: int


def name_terms(terms: Sequence[str], held: Mapping[int, int]) -> dict[int, list[str]]:
    """Return the terms that each document holds, in their order. held: by doc_key, bit i for term i."""
    numbered = [(1 << bit, term) for bit, term in enumerate(terms)]
    return {doc_key: [term for value, term in numbered if bits & value] for doc_key, bits in held.items()}


class Snapshot(Struct):
    """The documents that one searcher sees.

    opstamp: of the commit; 0 if not known. documents, length, average: number, length and average length of the living
    documents; -1 documents if not known yet, which takes a pass over them. counted, counted_average: number and average
    length as tantivy counts them, deleted documents and balance included; 0 if not read yet.
    """

    searcher: tantivy.Searcher
    version: int = 0
    opstamp: int = 0
    documents: int = -1
    length: int = 0
    average: float = 1.0
    counted: int = 0
    counted_average: float = 1.0
    terms: dict[str, TermStatistics] = field(default_factory=dict[str, TermStatistics])

    def count_documents(self) -> int:
        """Return the number of living documents; the first call reads their length, too, unless it is known."""
        if self.documents < 0:
            documents, self.length = count_documents(self.searcher, tantivy.Query.all_query())
            self.average = self.length / max(1, documents)
            self.documents = documents  # last: another thread reads the length once this is set
        return self.documents

    def take_totals(self, totals: WordTotals | None) -> None:
        """Take the number and the length of the documents, where they are those of this commit."""
        if totals is not None and totals.opstamp == self.opstamp > 0 and self.documents < 0:
            self.length, self.average = totals.length, totals.length / max(1, totals.documents)
            self.documents = totals.documents


def count_documents(searcher: tantivy.Searcher, query: tantivy.Query) -> tuple[int, int]:
    """Return the number of living documents that a query finds, without those of the balance, and their length."""
    parts = {"count": {"value_count": {"field": "length"}}, "sum": {"sum": {"field": "length"}}}
    found = cast("dict[str, dict[str, float]]", searcher.aggregate(query, parts))  # pyright: ignore[reportUnknownMemberType]
    return int(found["count"]["value"]), int(found["sum"]["value"])


class _Commit(Struct):
    """The part of tantivy's `meta.json` that numbers the commit."""

    opstamp: int


def settled_opstamp(before: bytes, after: bytes) -> int:
    """Return the opstamp of a commit by `meta.json` before and after it was opened; 0 where it was not the same."""
    opstamp = decode_json(before, _Commit).opstamp
    return opstamp if after == before or decode_json(after, _Commit).opstamp == opstamp else 0
