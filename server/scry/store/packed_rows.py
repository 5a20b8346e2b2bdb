"""Rows of vectors as they lie on disk: five bits a number, unpacked to the bytes that the kernels multiply.

A vector is turned first, by a Hadamard transform with fixed signs, which evens its numbers out: the largest, by which
the step between two levels is chosen, is then about as large in every vector (Suresh, Yu, Kumar, McMahan: Distributed
Mean Estimation with Limited Communication, ICML 2017). A turn changes no cosine between two turned vectors. It is made
of sums and differences of single numbers alone, so that it gives the same bits however many vectors are turned at once.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Kind = TypeVar("Kind", bound=np.generic)

LEVELS = 15
"""The highest whole number of a row, and the lowest below 0."""

STEP = 8
"""A number of a row counts so much in the bytes that are multiplied: its sign is then the byte's own."""

ROW_MOST = LEVELS * STEP

_EIGHT = 8
"""Numbers are packed in eights: an upper part of four bits each, two in a byte, then the lowest bits of all eight."""

AT_ONCE = 512
"""Rows that are packed or unpacked at once: what is made of them meanwhile stays in a processor's cache."""

_SIGNS = b"a turn's signs"
"""What they are made of: which they are does not matter, but they are part of the layout."""


def _spread() -> NDArray[np.uint64]:
    """For eight lowest bits in a byte, the eight bytes that have each at its place."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return np.frombuffer(bits * np.uint8(STEP), np.uint64)


_LOWEST = _spread()


def padded(dimension: int) -> int:
    """How many numbers a row of vectors of this dimension has; those beyond the dimension are 0."""
    return -(-dimension // _EIGHT) * _EIGHT


def row_type(dimension: int) -> np.dtype[np.void]:
    """A row on disk: 0.65 bytes a number, and 6."""
    width = padded(dimension)
    return np.dtype(
        [("number", "<u4"), ("scale", "<f2"), ("upper", "u1", (width // 2,)), ("lowest", "u1", (width // _EIGHT,))]
    )


def turned(vectors: Vectors) -> Vectors:
    """Vectors (n, d) turned, of the same lengths and with the same products among them; padded with zeros."""
    count, dimension = vectors.shape
    width = padded(dimension)
    block = width & -width  # the largest power of 2 that divides it
    values, other = np.zeros((count, width), np.float32), np.zeros((count, width), np.float32)
    values[:, :dimension] = vectors
    values *= _signs(width)
    for _ in range(block.bit_length() - 1):
        halves = np.reshape(values, (-1, 2, block // 2))
        sums = np.reshape(other, (-1, block // 2, 2))
        np.add(halves[:, 0], halves[:, 1], out=sums[:, :, 0])
        np.subtract(halves[:, 0], halves[:, 1], out=sums[:, :, 1])
        values, other = other, values
    values /= np.float32(math.sqrt(block))
    return values


@cache
def _signs(width: int) -> Vectors:
    bits = np.unpackbits(np.frombuffer(hashlib.shake_128(_SIGNS).digest(width // _EIGHT), np.uint8))
    return 2 * bits.astype(np.float32) - 1


def pack_rows(numbers: Sequence[int], vectors: Vectors) -> bytes:
    """Rows as they lie on disk, of (n, d) unit vectors; zeros stay zeros."""
    rows = np.zeros(len(numbers), row_type(vectors.shape[1]))
    rows["number"] = numbers
    for start in range(0, len(rows), AT_ONCE):
        _fill(rows[start : start + AT_ONCE], turned(vectors[start : start + AT_ONCE]))
    return rows.tobytes()


def _fill(rows: NDArray[np.void], values: Vectors) -> None:
    largest = np.maximum(values.max(axis=1), -values.min(axis=1))
    rows["scale"] = np.where(largest > 0, largest / LEVELS, 1.0)
    whole = np.rint(values / rows["scale"].astype(np.float32)[:, None])
    bits = np.minimum(np.maximum(whole, -LEVELS), LEVELS).astype(np.int8).astype(np.uint8)
    upper = bits >> 1 & 0x0F
    rows["upper"] = upper[:, 1::2] << 4 | upper[:, ::2]
    rows["lowest"] = np.packbits(bits & 1, axis=1, bitorder="little")


class Unpacking:
    """Unpacks rows of vectors of one dimension, `AT_ONCE` at a time at most, always by way of the same memory."""

    def __init__(self, dimension: int) -> None:
        width = padded(dimension)
        self._halves = np.empty((AT_ONCE, width // 2), np.uint16)
        self._eights = np.empty((AT_ONCE, width // _EIGHT), np.uint64)

    def unpack(self, rows: NDArray[np.void], into: NDArray[np.int8]) -> None:
        """Fills `into` (n, padded d) with the numbers of packed rows, each times `STEP`."""
        count = len(rows)
        halves, eights = self._halves[:count], self._eights[:count]
        pairs = _seen_as(into, np.uint16)
        pairs[...] = rows["upper"]
        np.left_shift(pairs, 8, out=halves)
        np.left_shift(pairs, 4, out=pairs)
        np.bitwise_or(pairs, halves, out=pairs)
        np.bitwise_and(pairs, 0xF0F0, out=pairs)
        np.take(_LOWEST, rows["lowest"], out=eights, mode="clip")  # no place is beyond its end
        whole = _seen_as(into, np.uint64)
        np.bitwise_or(whole, eights, out=whole)


def _seen_as(rows: NDArray[np.int8], kind: type[Kind]) -> NDArray[Kind]:
    """The same memory as larger numbers."""
    return np.ndarray((len(rows), rows.shape[1] // np.dtype(kind).itemsize), kind, rows)
