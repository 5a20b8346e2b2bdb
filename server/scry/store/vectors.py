"""Vectors on disk as packed rows, and in memory as rows of bytes, searched exactly.

A row is a document's unit vector, brought to whole numbers, with the scale that brings it back (`packed_rows` says how
it lies on disk). A query is turned as rows are and brought to whole numbers up to 511, and these to a coarse and a fine
part of one byte each, for which processors have instructions. Their products and sums are whole numbers of 32 bits: so
scores do not depend on how the sum is split, and are equal in every process (F10).

Rows are only appended, so that of a file that has grown only what is new is unpacked. How many of them count is written
in SQLite with the generation; what is beyond was written before a crash and is cut off. A file holds vectors of one
embedder alone.
"""

from __future__ import annotations

import mmap
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scry.core.errors import IndexDamaged, IndexUnavailable
from scry.store.packed_rows import AT_ONCE, ROW_MOST, STEP, Unpacking, Vectors, padded, row_type, turned

_EXACT = 2**24 - 1
"""What a product and its parts stay below, with much room, whatever the dimension."""

_COARSE = 4
"""The coarse part of a query counts so much: 127 of these and a fine part of up to 3 are 511."""

_FEW = 0.1
"""Share of the rows that is copied to be compared. A copy of most of 100,000 takes 30 MB, which the allocator keeps for
each thread that ever made one."""

_ROOM = 1.25
"""Rows get so much more room than they need: a saved file adds to it, and while an index is made, where rows come in
hundreds of pieces, they are moved a few times only. Room that nothing was written to takes no memory."""

_NO_COSINE = -2.0
"""Below any cosine: a row that is not searched, or a query without a direction."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows as they were at one time, unpacked: whoever searches them is not disturbed by what comes after."""

    numbers: NDArray[np.integer]
    scales: Vectors
    matrix: NDArray[np.int8]

    @classmethod
    def room_for(cls, count: int, dimension: int) -> _Rows:
        """Rows to be filled. Memory that was never written is not resident, and what is freed goes back at once: an
        allocator would keep it.
        """
        width = padded(dimension)
        matrix = np.frombuffer(_memory(max(1, count * width)), np.int8, count * width)
        return cls(np.zeros(count, np.uint32), np.zeros(count, np.float32), np.reshape(matrix, (count, width)))

    def first(self, count: int) -> _Rows:
        return self.between(0, count)

    def between(self, start: int, end: int) -> _Rows:
        return _Rows(self.numbers[start:end], self.scales[start:end], self.matrix[start:end])

    def at(self, places: NDArray[np.int64]) -> _Rows:
        return _Rows(self.numbers[places], self.scales[places], self.matrix[places])

    def take(self, others: _Rows) -> None:
        """Begins with these others."""
        part = self.first(len(others.numbers))
        part.numbers[:], part.scales[:], part.matrix[:] = others.numbers, others.scales, others.matrix

    def fill(self, rows: NDArray[np.void], unpacking: Unpacking) -> None:
        """Takes over packed rows, as many as these. Raises ValueError for what was never packed."""
        scales = rows["scale"].astype(np.float32)
        if not np.isfinite(scales).all():
            raise ValueError("a scale is no number")
        self.numbers[:], self.scales[:] = rows["number"], scales / STEP
        unpacking.unpack(rows, self.matrix)

    def products(self, whole: NDArray[np.int64]) -> NDArray[np.int64]:
        """Each row times the query in whole numbers: exact, however many rows are taken at once."""
        if not len(self.numbers):
            return np.zeros(0, np.int64)
        from numkong import dots_pack, dots_packed  # here: who has no vectors needs none of it

        coarse = (whole / _COARSE).astype(np.int64)  # towards 0
        parts = dots_pack(np.stack([coarse, whole - _COARSE * coarse]).astype(np.int8))
        products = np.asarray(dots_packed(self.matrix, parts)).astype(np.int64)
        return _COARSE * products[:, 0] + products[:, 1]


def _memory(size: int) -> mmap.mmap:
    """Zeros, in the largest pages that the system has: a large matrix is filled in half the time."""
    if not hasattr(mmap, "MAP_PRIVATE"):  # Windows
        return mmap.mmap(-1, size)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel without
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


class VectorFile:
    """Rows of one embedder in one file: read by anyone, appended to by the indexer alone.

    `load` is called by one thread at a time; any other may search meanwhile.
    """

    def __init__(self, path: Path, dimension: int) -> None:
        """Names the file; nothing is read or written yet."""
        self._path = path
        self.dimension = dimension
        self._type = row_type(dimension)
        self._room = self._rows = _Rows.room_for(0, dimension)
        self._query_most = min(511, _EXACT // (ROW_MOST * padded(dimension)))

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._path

    def load(self, count: int) -> None:
        """Sees the first `count` rows; raises IndexUnavailable when the file holds fewer, or what are no rows."""
        seen = self.size
        if count == seen:
            return
        if count < seen:  # others may still search the rest, so that its room is not filled again
            self._room, seen = _Rows.room_for(0, self.dimension), 0
        room = self._room
        if count > len(room.numbers):
            room = _Rows.room_for(int(_ROOM * count) + AT_ONCE, self.dimension)
            room.take(self._rows.first(seen))
        self._read(seen, room.between(seen, count))
        self._room, self._rows = room, room.first(count)

    def _read(self, start: int, into: _Rows) -> None:
        """Reads and unpacks the rows from the `start`th on. Raises FileNotFoundError when the file is gone."""
        size, piece, unpacking = len(into.numbers), bytearray(AT_ONCE * self._type.itemsize), Unpacking(self.dimension)
        with self._path.open("rb", buffering=0) as file:
            file.seek(start * self._type.itemsize)
            for place in range(0, size, AT_ONCE):
                part = into.between(place, min(size, place + AT_ONCE))
                wanted = memoryview(piece)[: len(part.numbers) * self._type.itemsize]
                if file.readinto(wanted) < len(wanted):
                    raise self._too_short()
                try:
                    part.fill(np.frombuffer(wanted, self._type), unpacking)
                except ValueError as error:
                    raise IndexDamaged(f"{self._path} is damaged; rebuild the index") from error

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
        nearest = nearest[cosines[nearest] > _NO_COSINE]
        return list(zip(numbers[nearest].tolist(), cosines[nearest].tolist(), strict=True))

    def _compared(
        self, query: Vectors, allowed: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """The rows to search among, by number, and their cosines. Few are copied together; where they are many, all are
        compared where they lie.
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
                raise self._too_short()
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
        if count == 0:  # an empty file can't be mapped
            return b""
        try:
            rows = np.memmap(self._path, self._type, "r", shape=(count,))
        except ValueError as error:
            raise self._too_short() from error
        return rows[np.isin(rows["number"], numbers)].tobytes()

    def _too_short(self) -> IndexUnavailable:
        return IndexUnavailable(f"{self._path} is shorter than the index says; rebuild the index")
