"""The words of the documents on a shelf: which hold a term, ranked by BM25 against the statistics of the code index.

Robertson, Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond (2009), with the constants and the idf of
the code's word index, so that the scores of both can stand in one list. How rare a word is, is asked of the code alone:
a shelf of three notes knows nothing of that, and a note's score does not depend on the other notes.
"""

from __future__ import annotations

import math
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.store.lexical import LexicalIndex
from scry.store.stems import Stems

K1, B = 1.2, 0.75
"""As in tantivy, which ranks the code."""

AVERAGE_LENGTH = 150
"""Terms of an average document of code, about, its name counted five times and so on (see index.terms). It is fixed, so
that a note's score depends on no length but its own. Notes are shorter: a word of theirs counts about as much as one in
a short function."""

_BLOCK = 4096
_MOST = 65_535
_ROW = np.dtype([("number", "<u4"), ("times", "<u2"), ("length", "<u2")])


class Scored(Struct, frozen=True):
    """Documents with their scores, by rising number.

    highest: what no score can exceed.
    """

    numbers: NDArray[np.int64]
    scores: NDArray[np.float64]
    highest: float = 1.0

    def best(self, most: int) -> Scored:
        """The `most` documents of the highest score, and all that equal the last."""
        if len(self.scores) <= most:
            return self
        return self.at_least(float(np.partition(self.scores, -most)[-most]))

    def pairs(self) -> list[tuple[int, float]]:
        """Each number with its score."""
        return list(zip(self.numbers.tolist(), self.scores.tolist(), strict=True))

    def of(self, number: int) -> float | None:
        """One document's score; None where it has none."""
        place = int(np.searchsorted(self.numbers, number))
        return float(self.scores[place]) if place < len(self.numbers) and self.numbers[place] == number else None

    def at_least(self, least: float) -> Scored:
        """Those that score so much."""
        left = self.scores >= least
        return Scored(self.numbers[left], self.scores[left], self.highest)

    def among(self, numbers: NDArray[np.int64]) -> Scored:
        """Those that are among these."""
        left = np.isin(self.numbers, numbers, assume_unique=True)
        return Scored(self.numbers[left], self.scores[left], self.highest)


NONE = Scored(np.zeros(0, np.int64), np.zeros(0))


class Postings:
    """The postings of one shelf. The caller holds the shelf's lock, and for writing its transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._stems = Stems()

    # Reading ------------------------------------------------------------------------------------------------------

    def score(self, terms: Sequence[str], code: LexicalIndex) -> Scored:
        """Every document that holds one of the terms, with its BM25."""
        numbers: list[NDArray[np.int64]] = []
        scores: list[NDArray[np.float64]] = []
        highest = 0.0
        for stem, count in Counter(self._stems.of(term) for term in terms).items():
            weight = count * _rarity(stem, code) * (K1 + 1)
            highest += weight
            rows = self._rows(stem) if stem else None
            if rows is None:
                continue
            norm = K1 * (1 - B + B * rows["length"].astype(np.float64) / AVERAGE_LENGTH)
            times = rows["times"].astype(np.float64)
            numbers.append(rows["number"].astype(np.int64))
            scores.append(weight * times / (times + norm))
        return _sum(numbers, scores, highest)

    def holding(self, terms: Sequence[str], numbers: Sequence[int]) -> dict[int, list[str]]:
        """For each of the documents, the terms that it holds, in their order."""
        found: dict[int, list[str]] = {number: [] for number in numbers}
        wanted = np.array(sorted(numbers), np.int64)
        for term in terms:
            rows = self._rows(self._stems.of(term))
            if rows is not None:
                held = rows["number"]
                places = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
                for number in wanted[held[places] == wanted].tolist():
                    found[number].append(term)
        return found

    def _rows(self, stem: str) -> NDArray[np.void] | None:
        blocks = self._db.execute("SELECT data FROM postings WHERE term = ? ORDER BY block", (stem,)).fetchall()
        return np.frombuffer(b"".join(data for (data,) in blocks), _ROW) if blocks else None

    # Writing ------------------------------------------------------------------------------------------------------

    def stems_of(self, terms: Iterable[str]) -> Counter[str]:
        """How often a document of these terms holds each stem."""
        return Counter(stem for term in terms if (stem := self._stems.of(term)))

    def add(self, documents: Mapping[int, Counter[str]]) -> None:
        """Takes documents in, by number, that are not yet here."""
        added: dict[tuple[str, int], list[tuple[int, int, int]]] = defaultdict(list)
        for number, stems in sorted(documents.items()):
            length = min(_MOST, stems.total())
            for stem, times in stems.items():
                added[stem, number // _BLOCK].append((number, min(_MOST, times), length))
        for (stem, block), rows in added.items():
            before = self._block(stem, block)
            merged = np.concatenate([before, np.array(rows, _ROW)])
            self._save(stem, block, merged[np.argsort(merged["number"], kind="stable")])

    def remove(self, documents: Mapping[int, Iterable[str]]) -> None:
        """Takes documents out; given with the stems that they hold."""
        removed: dict[tuple[str, int], list[int]] = defaultdict(list)
        for number, stems in documents.items():
            for stem in stems:
                removed[stem, number // _BLOCK].append(number)
        for (stem, block), numbers in removed.items():
            rows = self._block(stem, block)
            self._save(stem, block, rows[~np.isin(rows["number"], numbers)])

    def _block(self, stem: str, block: int) -> NDArray[np.void]:
        row = self._db.execute("SELECT data FROM postings WHERE term = ? AND block = ?", (stem, block)).fetchone()
        return np.frombuffer(row[0] if row else b"", _ROW)

    def _save(self, stem: str, block: int, rows: NDArray[np.void]) -> None:
        if len(rows):
            self._db.execute("INSERT OR REPLACE INTO postings VALUES (?, ?, ?)", (stem, block, rows.tobytes()))
        else:
            self._db.execute("DELETE FROM postings WHERE term = ? AND block = ?", (stem, block))


def _rarity(stem: str, code: LexicalIndex) -> float:
    """The idf of a stem in the code; never negative."""
    held = code.frequency_of_stem(stem)
    return math.log(1 + (max(0, code.size - held) + 0.5) / (held + 0.5))


def _sum(numbers: Sequence[NDArray[np.int64]], scores: Sequence[NDArray[np.float64]], highest: float) -> Scored:
    if not numbers:
        return NONE
    every = np.concatenate(numbers)
    least = int(every.min())
    sums: NDArray[np.float64] = np.bincount(every - least, np.concatenate(scores)).astype(np.float64)
    held = np.flatnonzero(sums)
    return Scored(held + least, sums[held], highest)
