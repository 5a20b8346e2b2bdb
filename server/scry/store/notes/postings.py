"""Inverted index of notes in SQLite, ranked by BM25 with the statistics of the code.

Robertson, Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond (2009), with the constants and the idf of
the code's lexical index, so that the scores of both are comparable. The idf comes from the code alone: a store of three
notes has no statistics of its own, and the score of a note does not depend on other notes.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.store.bm25 import BM25_K1, length_norms
from scry.store.lexical import LexicalIndex, stem_of

AVERAGE_DOCUMENT_TERMS = 150
"""Approximate number of terms of an average document of code, its name counted five times and so on.

It is fixed, so that the score of a note depends on no length but its own. Notes are shorter: a word of a note counts
about as much as one in a short function.
"""

_BLOCK_DOCUMENTS = 4096
_MAX_U16 = 65_535
_POSTING_DTYPE = np.dtype([("number", "<u4"), ("times", "<u2"), ("length", "<u2")])


class ScoredDocuments(Struct, frozen=True):
    """Documents with their scores, ordered by key. score_ceiling: an upper bound of every score."""

    doc_keys: NDArray[np.int64]
    scores: NDArray[np.float64]
    score_ceiling: float = 1.0

    def top(self, limit: int) -> ScoredDocuments:
        """Return the `limit` documents of the highest score, and all that equal the last."""
        if len(self.scores) <= limit:
            return self
        return self.with_min_score(float(np.partition(self.scores, -limit)[-limit]))

    def as_pairs(self) -> list[tuple[int, float]]:
        """Return each key with its score."""
        return list(zip(self.doc_keys.tolist(), self.scores.tolist(), strict=True))

    def score_of(self, doc_key: int) -> float | None:
        """Return the score of one document; None where it has none."""
        return self.scores_of([doc_key])[0]

    def scores_of(self, doc_keys: Sequence[int]) -> list[float | None]:
        """Return the score of each of these documents; None where it has none."""
        if not len(self.doc_keys):
            return [None] * len(doc_keys)
        keys = np.array(doc_keys, np.int64)
        places = np.minimum(np.searchsorted(self.doc_keys, keys), len(self.doc_keys) - 1)
        held, scores = (self.doc_keys[places] == keys).tolist(), self.scores[places].tolist()
        return [score if is_held else None for is_held, score in zip(held, scores, strict=True)]

    def with_min_score(self, min_score: float) -> ScoredDocuments:
        """Return the documents with at least this score."""
        selected = self.scores >= min_score
        return ScoredDocuments(self.doc_keys[selected], self.scores[selected], self.score_ceiling)

    def restrict_to(self, doc_keys: NDArray[np.int64]) -> ScoredDocuments:
        """Return the documents that are among these."""
        selected = np.isin(self.doc_keys, doc_keys, assume_unique=True)
        return ScoredDocuments(self.doc_keys[selected], self.scores[selected], self.score_ceiling)


NO_DOCUMENTS = ScoredDocuments(np.zeros(0, np.int64), np.zeros(0))


class NotePostings:
    """The postings of one note store. The caller holds the lock of the store, and for writing its transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    # Reading ------------------------------------------------------------------------------------------------------

    def score(self, terms: Sequence[str], code: LexicalIndex) -> ScoredDocuments:
        """Return every document that holds one of the terms, with its BM25."""
        row_ids: list[NDArray[np.int64]] = []
        scores: list[NDArray[np.float64]] = []
        ceiling = 0.0
        for stem, count in Counter(stem_of(term) for term in terms).items():
            weight = count * code.inverse_document_frequency(stem) * (BM25_K1 + 1)
            ceiling += weight
            rows = self._read_rows(stem) if stem else None
            if rows is None:
                continue
            norm = length_norms(rows["length"].astype(np.int64), AVERAGE_DOCUMENT_TERMS)
            times = rows["times"].astype(np.float64)
            row_ids.append(rows["number"].astype(np.int64))
            scores.append(weight * times / (times + norm))
        return _sum_scores(row_ids, scores, ceiling)

    def matched_terms(self, terms: Sequence[str], doc_keys: Sequence[int]) -> dict[int, list[str]]:
        """Return for each of these documents the terms that it holds, in their order."""
        terms_by_row: dict[int, list[str]] = {row_id: [] for row_id in doc_keys}
        wanted = np.array(sorted(doc_keys), np.int64)
        for term in terms:
            rows = self._read_rows(stem_of(term))
            if rows is not None:
                row_keys = rows["number"]
                indexes = np.minimum(np.searchsorted(row_keys, wanted), len(row_keys) - 1)
                for row_id in wanted[row_keys[indexes] == wanted].tolist():
                    terms_by_row[row_id].append(term)
        return terms_by_row

    def _read_rows(self, stem: str) -> NDArray[np.void] | None:
        blocks = self._db.execute("SELECT data FROM postings WHERE term = ? ORDER BY block", (stem,)).fetchall()
        return np.frombuffer(b"".join(data for (data,) in blocks), _POSTING_DTYPE) if blocks else None

    # Writing ------------------------------------------------------------------------------------------------------

    def count_stems(self, terms: Iterable[str]) -> Counter[str]:
        """Return how often a document of these terms holds each stem."""
        return Counter(stem for term in terms if (stem := stem_of(term)))

    def add(self, documents: Mapping[int, Counter[str]]) -> None:
        """Add documents, by row id, that are not yet here."""
        added: dict[tuple[str, int], list[tuple[int, int, int]]] = defaultdict(list)
        for row_id, stems in sorted(documents.items()):
            length = min(_MAX_U16, stems.total())
            for stem, times in stems.items():
                added[stem, row_id // _BLOCK_DOCUMENTS].append((row_id, min(_MAX_U16, times), length))
        for (stem, block), rows in added.items():
            before = self._read_block(stem, block)
            merged = np.concatenate([before, np.array(rows, _POSTING_DTYPE)])
            self._write_block(stem, block, merged[np.argsort(merged["number"], kind="stable")])

    def remove(self, documents: Mapping[int, Iterable[str]]) -> None:
        """Remove documents, given with the stems that they hold."""
        removed: dict[tuple[str, int], list[int]] = defaultdict(list)
        for row_id, stems in documents.items():
            for stem in stems:
                removed[stem, row_id // _BLOCK_DOCUMENTS].append(row_id)
        for (stem, block), row_ids in removed.items():
            rows = self._read_block(stem, block)
            self._write_block(stem, block, rows[~np.isin(rows["number"], row_ids)])

    def _read_block(self, stem: str, block: int) -> NDArray[np.void]:
        row = self._db.execute("SELECT data FROM postings WHERE term = ? AND block = ?", (stem, block)).fetchone()
        return np.frombuffer(row[0] if row else b"", _POSTING_DTYPE)

    def _write_block(self, stem: str, block: int, rows: NDArray[np.void]) -> None:
        if len(rows):
            self._db.execute("INSERT OR REPLACE INTO postings VALUES (?, ?, ?)", (stem, block, rows.tobytes()))
        else:
            self._db.execute("DELETE FROM postings WHERE term = ? AND block = ?", (stem, block))


def _sum_scores(
    row_ids: Sequence[NDArray[np.int64]], scores: Sequence[NDArray[np.float64]], highest: float
) -> ScoredDocuments:
    if not row_ids:
        return NO_DOCUMENTS
    every = np.concatenate(row_ids)
    least = int(every.min())
    sums: NDArray[np.float64] = np.bincount(every - least, np.concatenate(scores)).astype(np.float64)
    row_keys = np.flatnonzero(sums)
    return ScoredDocuments(row_keys + least, sums[row_keys], highest)
