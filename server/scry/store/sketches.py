"""One bit for each number of a vector: enough to tell which rows of many can be among the nearest to a question.

After Gao, Long: RaBitQ: quantizing high-dimensional vectors with a theoretical error bound for approximate nearest
neighbor search, 2024. A row is rotated, so that no number of it weighs more than another, and of each number its sign
is kept, with the factor that makes of the signs' product with a question an estimate of the cosine. The estimate's
error does not depend on the row, and falls with the root of the dimension: who looks at all rows that are estimated to
lie at most `margin` below what is wanted misses next to none (docs/decisions.md, *Sketches instead of a graph*).

The rotation is a Hadamard matrix with random signs, a multiple of a rotation, by whole numbers: so every sign is exact,
and the same on every machine. A file of sketches lies beside a file of rows, and covers the first of them, in their
order. It is only appended to, and can be made anew of the rows at any time.
"""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scry.store.vectors import VectorFile, Vectors

WORTH_ROWS = 200_000
"""From so many rows on they are sketched. Looking at all of so many takes 8 ms, about as long as choosing by sketches;
of 65,000 it takes 2.5 ms, and choosing 6 (docs/decisions.md, 69)."""

_MARGIN = 1.92
"""What an estimate may be wrong by, times the root of the dimension: 0.12 for 256 numbers, 2.7 times its deviation."""

_PLANES = 3
"""Bits for how large a number of the question is, beside its sign. With 4 as many are found."""

_BLOCK = 8_192
"""Rows whose estimates are made at once: what is worked on stays in the processor's cache."""

_SEED = b"scry sketches 1"


class _Block(NamedTuple):
    """Up to `_BLOCK` sketches, word by word. Whoever reads knows how many count."""

    numbers: NDArray[np.uint32]
    gains: NDArray[np.float32]
    words: NDArray[np.uint64]


class SketchFile:
    """The sketches of one file of rows. `load` is called by one thread at a time; any other may search meanwhile."""

    def __init__(self, rows: Path, dimension: int) -> None:
        """rows: the file of the rows themselves. Nothing is read yet."""
        self._path = rows.with_name(sketches_of(rows.name))
        self._dimension = dimension
        self._type = _sketch_type(dimension)
        self._blocks: list[_Block] = []
        self.size = 0
        self.margin = _MARGIN / dimension**0.5

    def load(self, count: int) -> None:
        """Sees the first `count` sketches, or as many as there are."""
        if count < self.size:
            self._blocks, self.size = [], 0
        if count == self.size or not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self.size * self._type.itemsize)
            data = file.read((count - self.size) * self._type.itemsize)
        self._take(np.frombuffer(data[: len(data) - len(data) % self._type.itemsize], self._type))

    def _take(self, sketches: NDArray[np.void]) -> None:
        blocks, size = list(self._blocks), self.size
        while len(sketches):
            start = size % _BLOCK
            if start == 0:
                blocks.append(_empty_block(sketches["words"].shape[1]))
            part, sketches = sketches[: _BLOCK - start], sketches[_BLOCK - start :]
            block, end = blocks[-1], start + len(part)
            block.numbers[start:end], block.gains[start:end] = part["number"], part["gain"]
            block.words[:, start:end] = np.transpose(part["words"])
            size += len(part)
        self._blocks, self.size = blocks, size

    def places(self, allowed: NDArray[np.int64]) -> NDArray[np.int64]:
        """Places of the rows of these documents (sorted numbers), in ascending order."""
        numbers = np.concatenate([block.numbers for block in self._blocks])[: self.size]
        listed = np.zeros(int(numbers.max(initial=0)) + 1, np.bool_)
        listed[allowed[allowed < len(listed)]] = True
        return np.flatnonzero(listed[numbers])

    def estimates(self, query: Vectors) -> Vectors:
        """About the cosine of each row with a unit vector, in the order of the rows."""
        size = self.size
        asked = _Asked.of(query)
        parts = [asked.compare(block) for block in self._blocks]
        return np.concatenate(parts)[:size]

    # Writing ------------------------------------------------------------------------------------------------------

    def cut(self, count: int) -> None:
        """Forgets the sketches of rows from `count` on, which are about to be overwritten."""
        if self._path.exists() and self._path.stat().st_size > count * self._type.itemsize:
            os.truncate(self._path, count * self._type.itemsize)

    def extend(self, rows: VectorFile) -> None:
        """Durably sketches the rows of a loaded file that have no sketch yet."""
        with self._path.open("ab") as file:
            have = file.tell() // self._type.itemsize
            file.truncate(have * self._type.itemsize)
            for start in range(have, rows.size, _BLOCK):
                file.write(self._sketch(rows, np.arange(start, min(rows.size, start + _BLOCK))))
            file.flush()
            os.fsync(file.fileno())

    def _sketch(self, rows: VectorFile, places: NDArray[np.int64]) -> bytes:
        numbers, scales, matrix = rows.at(places)
        turned = matrix @ _rotation(self._dimension)
        sums = np.abs(turned).sum(axis=1, dtype=np.float64)
        squares = np.square(turned, dtype=np.float64).sum(axis=1)
        made = np.zeros(len(places), self._type)
        made["number"] = numbers
        made["gain"] = scales * squares / np.maximum(sums, 1.0) / turned.shape[1]
        made["words"] = _pack(turned >= 0)
        return made.tobytes()


class _Asked(NamedTuple):
    """A question as sketches are compared to it: signs, and the bits of how large its numbers are, the lowest first.

    total: the sum of these; unit: what 1 of it is worth.
    """

    signs: NDArray[np.uint64]
    planes: NDArray[np.uint64]
    total: int
    unit: float

    @classmethod
    def of(cls, query: Vectors) -> _Asked:
        turned = query @ _rotation(len(query))
        sizes = np.abs(turned)
        unit = float(sizes.max(initial=0.0)) / (2**_PLANES - 1) or 1.0
        whole = np.rint(sizes / unit).astype(np.uint8)
        planes = [_pack((whole >> plane & 1).astype(np.bool_)) for plane in range(_PLANES)]
        return cls(_pack(turned >= 0), np.array(planes), int(whole.sum()), unit)

    def compare(self, block: _Block) -> Vectors:
        """The sum of the question's numbers, each with the sign that it and the row's have together."""
        differing = block.words ^ self.signs[:, None]
        against = np.zeros(block.words.shape[1], np.uint16)
        for plane, bits in enumerate(self.planes):
            against += np.bitwise_count(differing & bits[:, None]).sum(axis=0, dtype=np.uint16) << plane
        return (self.total - 2.0 * against).astype(np.float32) * (block.gains * np.float32(self.unit))


def sketches_of(rows: str) -> str:
    """The name of the file that holds the sketches of a file of rows."""
    return rows + ".sketches"


@lru_cache(maxsize=2)
def _rotation(dimension: int) -> Vectors:
    """(d, p) of 1 and -1, for p the next power of two: a Hadamard matrix (Sylvester's), its rows with random signs."""
    width = _padded(dimension)
    matrix = np.ones((1, 1), np.float32)
    while len(matrix) < width:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    random = np.frombuffer(hashlib.shake_256(_SEED).digest(width), np.uint8)
    return matrix[:dimension] * np.where(random[:dimension, None] & 1, np.float32(1), np.float32(-1))


def _padded(dimension: int) -> int:
    """At least 64: bits are compared by words of so many."""
    return max(64, 1 << (dimension - 1).bit_length())


def _pack(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """The last axis as words of 64 bits."""
    return np.packbits(bits, axis=-1).view(np.uint64)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def _sketch_type(dimension: int) -> np.dtype[np.void]:
    return np.dtype([("number", "<u4"), ("gain", "<f4"), ("words", "<u8", (_padded(dimension) // 64,))])


def _empty_block(words: int) -> _Block:
    return _Block(np.zeros(_BLOCK, np.uint32), np.zeros(_BLOCK, np.float32), np.zeros((words, _BLOCK), np.uint64))
