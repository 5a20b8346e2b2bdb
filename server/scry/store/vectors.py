"""Vectors on disk as rows of bytes, searched exactly.

A row is a document's unit vector, brought to whole numbers of one byte, with the scale that brings it back. A query is
brought to whole numbers up to 511. Their products and sums stay below 2**24, where single precision is exact: so scores
do not depend on how a linear algebra library splits the sum, and are equal in every process (F10).

Rows are only appended. How many of them count is written in SQLite with the generation; what is beyond was written
before a crash and is cut off. A file holds vectors of one embedder alone.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scry.core.errors import IndexUnavailable

Vectors = NDArray[np.float32]

_ROW_MOST = 127
_EXACT = 2**24 - 1


def pack_rows(numbers: Sequence[int], vectors: Vectors) -> bytes:
    """Rows as they lie on disk, of (n, d) unit vectors; zeros stay zeros."""
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    scales = np.where(largest > 0, largest / _ROW_MOST, 1.0).astype(np.float32)
    rows = np.zeros(len(numbers), _row_type(vectors.shape[1]))
    rows["number"] = numbers
    rows["scale"] = scales
    rows["row"] = np.rint(vectors / scales[:, None])
    return rows.tobytes()


def _row_type(dimension: int) -> np.dtype[np.void]:
    return np.dtype([("number", "<u4"), ("scale", "<f4"), ("row", "i1", (dimension,))])


class VectorFile:
    """Rows of one embedder in one file: read by anyone, appended to by the indexer alone."""

    def __init__(self, path: Path, dimension: int) -> None:
        """Names the file; nothing is read or written yet."""
        self._path = path
        self._type = _row_type(dimension)
        self._numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        self._scales: Vectors = np.zeros(0, np.float32)
        self._matrix: Vectors = np.zeros((0, dimension), np.float32)
        self._query_most = min(511, _EXACT // (_ROW_MOST * dimension))

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._path

    def load(self, count: int) -> None:
        """Sees the first `count` rows; raises IndexUnavailable when the file holds fewer."""
        have = len(self._numbers)
        if count == have:
            return
        if count < have:
            have = 0
        with self._path.open("rb") as file:
            file.seek(have * self._type.itemsize)
            data = file.read((count - have) * self._type.itemsize)
        if len(data) < (count - have) * self._type.itemsize:
            raise IndexUnavailable(f"{self._path} is shorter than the index says; rebuild the index")
        rows = np.frombuffer(data, self._type)
        self._numbers = np.concatenate([self._numbers[:have], rows["number"].astype(np.int64)])
        self._scales = np.concatenate([self._scales[:have], rows["scale"]])
        self._matrix = np.concatenate([self._matrix[:have], rows["row"].astype(np.float32)])

    def search(self, query: Vectors, limit: int, allowed: NDArray[np.int64] | None = None) -> list[tuple[int, float]]:
        """The `limit` rows nearest to a unit vector as (number, cosine), nearest first, equal ones by number.

        allowed: sorted numbers to search among.
        """
        cosines = self._cosines(query)
        if allowed is not None:
            cosines = np.where(np.isin(self._numbers, allowed), cosines, -2.0)
        count = min(limit, len(cosines))
        if count == 0:
            return []
        nearest = np.argpartition(-cosines, count - 1)[:count]
        nearest = nearest[np.lexsort((self._numbers[nearest], -cosines[nearest]))]
        return [(int(self._numbers[i]), float(cosines[i])) for i in nearest if cosines[i] > -2.0]

    def _cosines(self, query: Vectors) -> NDArray[np.float64]:
        largest = float(np.abs(query).max(initial=0.0))
        if largest == 0.0:
            return np.full(len(self._numbers), -2.0)
        scale = largest / self._query_most
        whole = np.rint(query / scale).astype(np.float32)
        return np.round((self._matrix @ whole).astype(np.float64) * self._scales * scale, 6)

    # Writing ------------------------------------------------------------------------------------------------------

    def append(self, count: int, rows: bytes) -> int:
        """Writes packed rows durably after the first `count`; returns how many there are then."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        handle = os.open(self._path, flags, 0o600)
        try:
            os.ftruncate(handle, count * self._type.itemsize)
            os.lseek(handle, 0, os.SEEK_END)
            view = memoryview(rows)
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        return count + len(rows) // self._type.itemsize

    def kept(self, numbers: NDArray[np.int64]) -> bytes:
        """The packed rows of those documents that are among `numbers` (sorted), in order, for a file without the
        dead.
        """
        rows = np.zeros(len(self._numbers), self._type)
        rows["number"], rows["scale"], rows["row"] = self._numbers, self._scales, self._matrix
        return rows[np.isin(self._numbers, numbers)].tobytes()

    def numbers(self) -> NDArray[np.int64]:
        """The documents that have a row here, dead ones included."""
        return self._numbers
