"""Rows of vectors as they lie on disk: whole numbers of the vector turned, in blocks that are compressed.

The turn, a Hadamard transform with fixed signs, evens a vector's numbers out: the largest, by which a byte's range is
chosen, is then about as large in every vector (Suresh, Yu, Kumar, McMahan: Distributed Mean Estimation with Limited
Communication, ICML 2017). A turn changes no product of two turned vectors. It is made of sums and differences of
single numbers alone, so that it gives the same bits however many vectors are turned at once.

Turned numbers lie around 0 as in a bell, so that a step between two whole numbers that suits the largest leaves the
others less than a byte to say: a block's bytes are written by their frequency, as zstd does. A block stands by itself:
how many rows it holds, how long it is, and these, compressed, with a checksum.
"""

from __future__ import annotations

import hashlib
import math
import os
import struct
from collections.abc import Generator, Sequence
from functools import cache
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scry.core.errors import IndexDamaged
from scry.store.frames import compress_frame, decompress_frame

FloatRows = NDArray[np.float32]

MAX_QUANTIZED = 127
"""The highest whole number of a row, and the lowest below 0."""

MIN_SCALE = 0.0016
"""What one is worth, at the least: more only in a row whose largest number would not fit a byte otherwise, one of
four. The error of a cosine has then a standard deviation of this through the root of 12: 0.0005. Shares of a result
are to add up to its score within 0.002 (acceptance W3), which is four times that."""

_ROWS_AT_ONCE = 512
"""Rows that are brought to whole numbers at once: what is made of them meanwhile stays in a processor's cache."""

_BLOCK_ROWS = 1024
"""Rows of a block at most: those of 4,096 are so large that the system's allocator maps each anew, and take no byte
less."""

_BLOCK_HEADER = struct.Struct("<II")
"""Before each block: its rows, and its bytes after this."""

_ROTATION_SEED = b"a turn's signs"
"""What they are made of: which they are does not matter, but they are part of the layout."""


class QuantizedVectors(NamedTuple):
    """Documents' vectors in whole numbers: n numbers of documents, n steps, and a matrix (n, d)."""

    doc_keys: NDArray[np.uint32]
    scales: FloatRows
    matrix: NDArray[np.int8]

    @classmethod
    def empty(cls, count: int, dimension: int) -> QuantizedVectors:
        """Room for so many."""
        return cls(np.empty(count, np.uint32), np.empty(count, np.float32), np.empty((count, dimension), np.int8))

    def select(self, positions: NDArray[np.int64] | slice) -> QuantizedVectors:
        """Some of them: a view where a slice says which, a copy otherwise."""
        return QuantizedVectors(self.doc_keys[positions], self.scales[positions], self.matrix[positions])

    def copy_from(self, position: int, rows: QuantizedVectors) -> None:
        """Copies rows in, the first to this place."""
        for mine, theirs in zip(self, rows, strict=True):
            mine[position : position + len(rows.doc_keys)] = theirs


def rotate(vectors: FloatRows) -> FloatRows:
    """Vectors (n, d) turned, of the same lengths and with the same products among them."""
    width = vectors.shape[1]
    block = width & -width  # the largest power of 2 that divides it
    values = vectors * _rotation_signs(width)
    other = np.empty_like(values)
    for _ in range(block.bit_length() - 1):
        halves = np.reshape(values, (-1, 2, block // 2))
        sums = np.reshape(other, (-1, block // 2, 2))
        np.add(halves[:, 0], halves[:, 1], out=sums[:, :, 0])
        np.subtract(halves[:, 0], halves[:, 1], out=sums[:, :, 1])
        values, other = other, values
    values /= np.float32(math.sqrt(block))
    return values


@cache
def _rotation_signs(width: int) -> FloatRows:
    bits = np.unpackbits(np.frombuffer(hashlib.shake_128(_ROTATION_SEED).digest(-(-width // 8)), np.uint8))[:width]
    return 2 * bits.astype(np.float32) - 1


def quantize(doc_keys: Sequence[int], vectors: FloatRows) -> QuantizedVectors:
    """Rows of (n, d) unit vectors; zeros stay zeros."""
    rows = QuantizedVectors.empty(len(doc_keys), vectors.shape[1])
    rows.doc_keys[:] = doc_keys
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        part, values = rows.select(slice(start, start + _ROWS_AT_ONCE)), rotate(vectors[start : start + _ROWS_AT_ONCE])
        largest = np.maximum(values.max(axis=1), -values.min(axis=1))
        np.maximum(largest / MAX_QUANTIZED, np.float32(MIN_SCALE), out=part.scales)
        np.rint(values / part.scales[:, None], out=part.matrix, casting="unsafe")
    return rows


def pack_blocks(rows: QuantizedVectors) -> bytes:
    """Rows as they lie on disk."""
    blocks: list[bytes] = []
    for start in range(0, len(rows.doc_keys), _BLOCK_ROWS):
        numbers, steps, matrix = rows.select(slice(start, start + _BLOCK_ROWS))
        apart = np.diff(numbers, prepend=np.uint32(0))  # mostly ones, which take no room
        block = compress_frame(apart.tobytes() + steps.tobytes() + matrix.tobytes())
        blocks += (_BLOCK_HEADER.pack(len(numbers), len(block)), block)
    return b"".join(blocks)


def unpack_block(block: bytes, count: int, dimension: int) -> QuantizedVectors:
    """The rows of a block. Raises IndexDamaged."""
    data = decompress_frame(block)
    if len(data) != (8 + dimension) * count:
        raise IndexDamaged("a block of vectors is of another size than it says; rebuild the index")
    numbers = np.cumsum(np.frombuffer(data, np.uint32, count), dtype=np.uint32)
    steps = np.frombuffer(data, np.float32, count, 4 * count)
    matrix = np.frombuffer(data, np.int8, offset=8 * count)
    return QuantizedVectors(numbers, steps, np.reshape(matrix, (count, dimension)))


def iter_block_headers(file: BinaryIO, offset: int) -> Generator[tuple[int, int, int]]:
    """The blocks from a place on, as far as they are there: how many rows, where its bytes begin, where they end.

    Raises IndexDamaged for what is no block.
    """
    size = file.seek(0, os.SEEK_END)
    while offset + _BLOCK_HEADER.size <= size:
        file.seek(offset)
        count, length = _BLOCK_HEADER.unpack(file.read(_BLOCK_HEADER.size))
        if not 0 < count <= _BLOCK_ROWS:
            raise IndexDamaged(f"{file.name} is damaged; rebuild the index")
        first, offset = offset + _BLOCK_HEADER.size, offset + _BLOCK_HEADER.size + length
        if offset > size:
            return
        yield count, first, offset
