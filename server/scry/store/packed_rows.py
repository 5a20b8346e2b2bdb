"""Rows of vectors as they lie on disk: five bits a number, unpacked to the bytes that the kernels multiply.

A vector is turned first, by a Hadamard transform with fixed signs, which evens its numbers out: the largest, by which
the step between two levels is chosen, is then about as large in every vector (Suresh, Yu, Kumar, McMahan: Distributed
Mean Estimation with Limited Communication, ICML 2017). A turn changes no cosine between two turned vectors. It is made
of sums and differences of single numbers alone, so that it gives the same bits however many vectors are turned at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

LEVELS = 15
"""The highest whole number of a row, and the lowest below 0."""

STEP = 8
"""A number of a row counts so much in the bytes that are multiplied: its sign is then the byte's own."""

ROW_MOST = LEVELS * STEP

_EIGHT = 8
"""Numbers are packed in eights: an upper part of four bits each, two in a byte, then the lowest bits of all eight."""

_PACKED_AT_ONCE, _AT_ONCE = 256, 2048
"""Rows that are packed and unpacked at once: of 256 numbers they are half a MB, which stays in a processor's cache."""

_SIGNS_SEED = 20_260
"""Which signs does not matter. They are part of the layout."""


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
    return np.random.RandomState(_SIGNS_SEED).choice(np.array([-1, 1], np.float32), width)


def pack_rows(numbers: Sequence[int], vectors: Vectors) -> bytes:
    """Rows as they lie on disk, of (n, d) unit vectors; zeros stay zeros."""
    rows = np.zeros(len(numbers), row_type(vectors.shape[1]))
    rows["number"] = numbers
    for start in range(0, len(rows), _PACKED_AT_ONCE):
        _fill(rows[start : start + _PACKED_AT_ONCE], turned(vectors[start : start + _PACKED_AT_ONCE]))
    return rows.tobytes()


def _fill(rows: NDArray[np.void], values: Vectors) -> None:
    largest = np.maximum(values.max(axis=1), -values.min(axis=1))
    rows["scale"] = np.where(largest > 0, largest / LEVELS, 1.0)
    whole = np.rint(values / rows["scale"].astype(np.float32)[:, None])
    bits = np.minimum(np.maximum(whole, -LEVELS), LEVELS).astype(np.int8).astype(np.uint8)
    upper = bits >> 1 & 0x0F
    rows["upper"] = upper[:, 1::2] << 4 | upper[:, ::2]
    rows["lowest"] = np.packbits(bits & 1, axis=1, bitorder="little")


def unpack_rows(rows: NDArray[np.void], into: NDArray[np.int8]) -> None:
    """Fills `into` (n, padded d) with the numbers of packed rows, each times `STEP`."""
    for start in range(0, len(rows), _AT_ONCE):
        part = rows[start : start + _AT_ONCE]
        pairs = part["upper"].astype(np.uint16)
        upper = np.frombuffer((pairs << 8 | pairs << 4) & 0xF0F0, np.int8)
        lowest = np.frombuffer(_LOWEST[part["lowest"]], np.int8)
        into[start : start + _AT_ONCE] = np.reshape(upper | lowest, (len(part), -1))
