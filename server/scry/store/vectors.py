"""Vectors on disk as rows of bytes, searched exactly.

A row is a document's unit vector, turned (see `packed_rows`) and brought to whole numbers of one byte, with the scale
that brings it back. A query is turned likewise and brought to whole numbers up to 511, and these to a coarse and a fine
part of one byte each, for which processors have instructions. Their products and sums are whole numbers of 32 bits: so
scores do not depend on how the sum is split, and are equal in every process (F10).

Rows are only appended. How many of them count is written in SQLite with the generation; what is beyond was written
before a crash and is cut off. A file holds vectors of one embedder alone.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scry.core.errors import IndexDamaged, IndexUnavailable
from scry.store.packed_rows import ROW_MOST, Vectors, row_type, turned

_EXACT = 2**24 - 1
"""What a product and its parts stay below, with much room, whatever the dimension."""

_COARSE = 4
"""The coarse part of a query counts so much: 127 of these and a fine part of up to 3 are 511."""

_FEW = 0.1
"""Share of the rows that is copied to be compared. A copy of most of 100,000 takes 30 MB, which the allocator keeps for
each thread that ever made one."""

_NO_COSINE = -2.0
"""Below any cosine: a row that is not searched, or a query without a direction."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """Views of the mapped file as it was at one time: whoever searches them is not disturbed by what comes after."""

    numbers: NDArray[np.integer]
    scales: Vectors
    matrix: NDArray[np.int8]

    @classmethod
    def of(cls, rows: NDArray[np.void]) -> _Rows:
        return cls(rows["number"], rows["scale"], rows["row"])

    def at(self, places: NDArray[np.int64]) -> _Rows:
        return _Rows(self.numbers[places], self.scales[places], self.matrix[places])

    def products(self, whole: NDArray[np.int64]) -> NDArray[np.int64]:
        """Each row times the query in whole numbers: exact, however many rows are taken at once."""
        if not len(self.numbers):
            return np.zeros(0, np.int64)
        from numkong import dots_pack, dots_packed  # here: who has no vectors needs none of it

        coarse = (whole / _COARSE).astype(np.int64)  # towards 0
        parts = dots_pack(np.stack([coarse, whole - _COARSE * coarse]).astype(np.int8))
        products = np.asarray(dots_packed(self.matrix, parts)).astype(np.int64)
        return _COARSE * products[:, 0] + products[:, 1]


class VectorFile:
    """Rows of one embedder in one file: read by anyone, appended to by the indexer alone.

    `load` is called by one thread at a time; any other may search meanwhile.
    """

    def __init__(self, path: Path, dimension: int) -> None:
        """Names the file; nothing is read or written yet."""
        self._path = path
        self.dimension = dimension
        self._type = row_type(dimension)
        self._rows = _Rows.of(np.zeros(0, self._type))
        self._query_most = min(511, _EXACT // (ROW_MOST * dimension))

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._path

    def load(self, count: int) -> None:
        """Sees the first `count` rows; raises IndexUnavailable when the file holds fewer, or what are no rows."""
        if count == self.size:
            return
        if count == 0:  # an empty file can't be mapped
            self._rows = _Rows.of(np.zeros(0, self._type))
            return
        rows = _Rows.of(self._mapped(count))
        if not np.isfinite(rows.scales[min(self.size, count) :]).all():
            raise IndexDamaged(f"{self._path} is damaged; rebuild the index")
        self._rows = rows

    def _mapped(self, count: int) -> NDArray[np.void]:
        try:
            return np.asarray(np.memmap(self._path, self._type, "r", shape=(count,)))
        except ValueError as error:
            raise IndexUnavailable(f"{self._path} is shorter than the index says; rebuild the index") from error

    def cosines(self, query: Vectors) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Each row's document, and its cosine with a unit vector, in the order of the rows; as `search` gives them."""
        rows = self._rows
        return rows.numbers.astype(np.int64), self._cosines(rows, query)

    def search(self, query: Vectors, limit: int, allowed: NDArray[np.int64] | None = None) -> list[tuple[int, float]]:
        """The `limit` rows nearest to a unit vector as (number, cosine), nearest first, equal ones by number.

        allowed: sorted numbers to search among.
        """
        numbers, cosines = self._compared(query, allowed)
        count = min(limit, len(cosines))
        if count == 0:
            return []
        last = len(cosines) - count
        nearest = np.flatnonzero(cosines >= np.partition(cosines, last)[last])  # with all that equal the last one
        nearest = nearest[np.lexsort((numbers[nearest], -cosines[nearest]))][:count]
        return [(int(numbers[i]), float(cosines[i])) for i in nearest if cosines[i] > _NO_COSINE]

    def _compared(
        self, query: Vectors, allowed: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """The rows to search among, by number, and their cosines. Few are copied out of the file; where they are many,
        all are compared where they lie.
        """
        rows = self._rows
        if allowed is None:
            return rows.numbers, self._cosines(rows, query)
        places = np.flatnonzero(np.isin(rows.numbers, allowed))
        if len(places) < _FEW * len(rows.numbers):
            rows = rows.at(places)
            return rows.numbers, self._cosines(rows, query)
        return rows.numbers[places], self._cosines(rows, query)[places]

    def _cosines(self, rows: _Rows, query: Vectors) -> NDArray[np.float64]:
        query = turned(query[None])[0]
        largest = float(np.abs(query).max(initial=0.0))
        if largest == 0.0:
            return np.full(len(rows.numbers), _NO_COSINE)
        scale = largest / self._query_most
        whole = np.rint(query / scale).astype(np.int64)
        return np.round(rows.products(whole) * rows.scales.astype(np.float64) * scale, 6)

    @property
    def size(self) -> int:
        """How many rows are seen."""
        return len(self._rows.numbers)

    # Writing ------------------------------------------------------------------------------------------------------

    def holds(self, count: int) -> bool:
        """Whether the file has so many rows."""
        try:
            return self._path.stat().st_size >= count * self._type.itemsize
        except FileNotFoundError:
            return count == 0

    def append(self, count: int, rows: bytes) -> int:
        """Writes packed rows durably after the first `count`; returns how many there are then.

        Raises IndexUnavailable when the file holds fewer.
        """
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        handle = os.open(self._path, flags, 0o600)
        try:
            if os.fstat(handle).st_size < count * self._type.itemsize:
                raise IndexUnavailable(f"{self._path} is shorter than the index says; rebuild the index")
            os.ftruncate(handle, count * self._type.itemsize)
            os.lseek(handle, 0, os.SEEK_END)
            view = memoryview(rows)
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        return count + len(rows) // self._type.itemsize

    def kept(self, count: int, numbers: NDArray[np.int64]) -> bytes:
        """Of the first `count` packed rows those of documents that are among `numbers` (sorted), in order, for a file
        without the dead. Raises IndexUnavailable when the file holds fewer.
        """
        rows = self._mapped(count) if count else np.zeros(0, self._type)  # an empty file can't be mapped
        return rows[np.isin(rows["number"], numbers)].tobytes()
