"""Quantize vectors, and write and search a vector file, exactly.

Quantization rotates each vector by a Hadamard transform with fixed signs, which evens its numbers out: the largest, by
which the range of a byte is chosen, is then about as large in every vector (Suresh, Yu, Kumar, McMahan: Distributed
Mean Estimation with Limited Communication, ICML 2017). A rotation keeps the product of two rotated vectors. It is made
of sums and differences of single numbers, so that its bits do not depend on how many vectors are rotated at once.

A query is rotated likewise and quantized up to 511, and split into a coarse and a fine part of one byte each, for which
processors have instructions. Products and sums are integers below 2 ** 24, so scores do not depend on how the sum is
split (F10). A search multiplies all rows by the coarse part, and by the fine part those that may be among the nearest.

Rows are only appended, in blocks: a row count, a length, a CRC-32, and of all rows the document keys, the scales and
the numbers, which are not compressed (docs/decisions/0143). The number of rows that count is written in SQLite with the
generation; rows beyond it were written before a crash and are cut off.
"""

from __future__ import annotations

import hashlib
import math
import os
import struct
import zlib
from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from scry.core.errors import IndexDamaged, IndexUnavailable
from scry.core.platform import BINARY, available_cpus
from scry.store.selection import DocumentMask, in_mask

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

FloatRows = NDArray[np.float32]

MAX_QUANTIZED = 127
"""The highest quantized value of a row; its negative is the lowest."""

MIN_SCALE = 0.0016
"""The smallest scale; larger only in a row whose largest number would not fit a byte otherwise, one of four. The error
of a cosine then has a standard deviation of this divided by the root of 12: 0.0005. Shares of a result have to add up
to its score within 0.002 (W3), which is four times that."""

_ROWS_AT_ONCE = 512
"""Rows quantized at once: their intermediate values stay in the cache of a processor."""

_BLOCK_ROWS = 1024
"""Rows of a block at most. Larger blocks are mapped anew each by the allocator of the system."""

_BLOCK_HEADER = struct.Struct("<II")
"""Header of each block: its row count, and its length after the header."""

_ROTATION_SEED = b"a turn's signs"
"""Seed of the signs of the rotation: an arbitrary value, but part of the format."""


class QuantizedVectors(NamedTuple):
    """Quantized vectors of documents: n document keys, n scales, and a matrix (n, d)."""

    doc_keys: NDArray[np.uint32]
    scales: FloatRows
    matrix: NDArray[np.int8]

    @classmethod
    def empty(cls, count: int, dimension: int) -> QuantizedVectors:
        """Return uninitialized arrays for `count` rows."""
        return cls(np.empty(count, np.uint32), np.empty(count, np.float32), np.empty((count, dimension), np.int8))

    def select(self, positions: NDArray[np.int64] | slice) -> QuantizedVectors:
        """Return the rows at these positions: a view for a slice, a copy otherwise."""
        return QuantizedVectors(self.doc_keys[positions], self.scales[positions], self.matrix[positions])

    def split(self) -> Generator[QuantizedVectors]:
        """Yield the rows in parts of _ROWS_COMPARED_AT_ONCE."""
        for start in range(0, len(self.doc_keys), _ROWS_COMPARED_AT_ONCE):
            yield self.select(slice(start, start + _ROWS_COMPARED_AT_ONCE))

    def copy_from(self, position: int, rows: QuantizedVectors) -> None:
        """Copy rows in, the first to this position."""
        for mine, theirs in zip(self, rows, strict=True):
            mine[position : position + len(rows.doc_keys)] = theirs


def rotate(vectors: FloatRows) -> FloatRows:
    """Return vectors (n, d) rotated: their lengths and the products among them stay."""
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
    """Return (n, d) unit vectors quantized; zeros stay zeros."""
    rows = QuantizedVectors.empty(len(doc_keys), vectors.shape[1])
    rows.doc_keys[:] = doc_keys
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        part, values = rows.select(slice(start, start + _ROWS_AT_ONCE)), rotate(vectors[start : start + _ROWS_AT_ONCE])
        largest = np.maximum(values.max(axis=1), -values.min(axis=1))
        np.maximum(largest / MAX_QUANTIZED, np.float32(MIN_SCALE), out=part.scales)
        np.rint(values / part.scales[:, None], out=part.matrix, casting="unsafe")
    return rows


def compare_packed(packed: Mapping[str, bytes], query: FloatRows) -> dict[str, float]:
    """Return the cosine of each row that `pack_rows` packed, by its key; rows of another length are left out."""
    dtype = np.dtype([("scale", "<f4"), ("row", np.int8, len(query))])
    if any(map(dtype.itemsize.__ne__, map(len, packed.values()))):
        packed = {key: data for key, data in packed.items() if len(data) == dtype.itemsize}
    rows = np.frombuffer(b"".join(packed.values()), dtype)
    quantized = QuantizedVectors(np.zeros(len(rows), np.uint32), rows["scale"], np.ascontiguousarray(rows["row"]))
    return dict(zip(packed, exact_cosines(quantized, query).tolist(), strict=True))


def pack_blocks(rows: QuantizedVectors) -> bytes:
    """Return rows as the bytes of blocks: of each its header, a CRC-32, document keys, scales and numbers."""
    blocks: list[bytes] = []
    for start in range(0, len(rows.doc_keys), _BLOCK_ROWS):
        doc_keys, scales, matrix = rows.select(slice(start, start + _BLOCK_ROWS))
        data = doc_keys.astype("<u4").tobytes() + scales.astype("<f4").tobytes() + matrix.tobytes()
        blocks += (_BLOCK_HEADER.pack(len(doc_keys), len(data) + 4), zlib.crc32(data).to_bytes(4, "little"), data)
    return b"".join(blocks)


def unpack_block(block: bytes, count: int, dimension: int) -> QuantizedVectors:
    """Return the rows of a block, as views of its bytes. Raises IndexDamaged."""
    data = memoryview(block)[4:]
    if len(data) != (8 + dimension) * count or zlib.crc32(data) != int.from_bytes(block[:4], "little"):
        raise IndexDamaged("a block of vectors is damaged; rebuild the index")
    doc_keys = np.frombuffer(data, "<u4", count)
    scales = np.frombuffer(data, "<f4", count, 4 * count)
    matrix = np.frombuffer(data, np.int8, offset=8 * count)
    return QuantizedVectors(doc_keys, scales, np.reshape(matrix, (count, dimension)))


def iter_block_headers(file: BinaryIO, offset: int) -> Generator[tuple[int, int, int]]:
    """Yield the row count, start and end of each complete block from an offset on.

    Raises IndexDamaged for bytes that are no block.
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


_MAX_EXACT_PRODUCT = 2**24 - 1
"""An upper bound of a product and of its parts, with a wide margin, whatever the dimension."""

_COARSE_FACTOR = 4
"""Factor of the coarse part of a query: 127 times this and a fine part of up to 3 are 511."""

_MAX_COARSE = 127
"""The highest coarse part; its negative is the lowest."""

_COPY_SHARE = 0.1
"""Share of rows up to which they are copied to be compared: the allocator keeps 30 MB for each thread that copied most
of 100,000."""

_GROWTH_FACTOR = 1.25
"""Rows allocated for each row loaded: memory that was never written to is not used."""

_NO_COSINE = -2.0
"""A value below any cosine: for a query without a direction."""

_ROWS_COMPARED_AT_ONCE = 32_768
"""Rows compared at once: their products stay in the cache of a processor, and no array grows with the index."""

_QUERIES_KEPT = 16
"""Queries whose nearest rows are kept: those that a person repeats, and those that an editor asks again."""

_ESTIMATE_MARGIN = 4e-6
"""Cosine by which an estimate may be below that of a row that ranks before it: twice the step of a rounded cosine and
the error of single precision."""


def exact_cosines(rows: QuantizedVectors, query: FloatRows) -> NDArray[np.float64]:
    """Return the cosine of each row with a unit vector, from exact integer products: equal for any number of rows."""
    parts, scale = _split_query(query.tobytes())
    if not scale or not len(rows.doc_keys):
        return np.full(len(rows.doc_keys), _NO_COSINE)
    from simsimd import cdist  # imported late: not needed without vectors

    products = np.asarray(cdist(rows.matrix, parts, metric="dot"))
    products = _COARSE_FACTOR * products[:, 0] + products[:, 1]
    return np.round(products * rows.scales.astype(np.float64) * scale, 6)


@lru_cache(4)
def _split_query(packed: bytes) -> tuple[NDArray[np.int8], float]:
    """Return the coarse and the fine part of a query, and its scale, which is 0 without a direction."""
    query = rotate(np.frombuffer(packed, np.float32)[None])[0]
    parts = np.zeros((2, len(query)), np.int8)
    scale = float(np.abs(query).max(initial=0.0)) / min(511, _MAX_EXACT_PRODUCT // (MAX_QUANTIZED * len(query)))
    if scale:
        quantized = np.rint(query / scale)
        coarse = np.maximum(np.minimum(np.rint(quantized / _COARSE_FACTOR), _MAX_COARSE), -_MAX_COARSE)
        parts[0] = coarse
        parts[1] = quantized - _COARSE_FACTOR * coarse
    return parts, scale


_Searched = dict["tuple[bytes, int]", "tuple[int, list[tuple[int, float]]]"]
"""By query and limit: how many first rows were searched, and the nearest of them."""


class _LoadedRows(Struct):
    """A view of the loaded rows: later ones do not disturb a search. searched: of the last queries of all rows.

    Rows are only appended, so a query that is repeated after a save is compared with the new rows alone.
    """

    rows: QuantizedVectors
    searched: _Searched = field(default_factory=_Searched)

    def nearest(self, query: bytes, parts: NDArray[np.int8], scale: float, limit: int) -> list[tuple[int, float]]:
        """Return the nearest of all rows, as `_nearest_rows`. query: that of the parts and the scale."""
        count = len(self.rows.doc_keys)
        first, nearest = self.searched.get((query, limit), (0, []))
        if not 0 < first <= count:
            first, nearest = 0, []
        if first < count:
            added = _nearest_in_threads(self.rows.select(slice(first, count)), parts, scale, limit)
            nearest = sorted([*nearest, *added], key=_by_rank)[:limit]
            self.searched.pop((query, limit), None)
            self.searched[query, limit] = count, nearest
            if len(self.searched) > _QUERIES_KEPT:
                self.searched.pop(next(iter(self.searched)), None)
        return list(nearest)


def _by_rank(row: tuple[int, float]) -> tuple[float, int]:
    return -row[1], row[0]


class VectorFile:
    """Rows of one embedder in one file: read by any process, appended to by the indexer alone.

    `load` is called by one thread at a time; any other may search meanwhile.
    """

    def __init__(self, path: Path, dimension: int) -> None:
        """Name the file; nothing is read or written yet."""
        self._path = path
        self.dimension = dimension
        self._buffer = QuantizedVectors.empty(0, dimension)
        self._loaded = _LoadedRows(self._buffer)
        self._end_offset = 0  # end of the last loaded block in the file
        self._counted = (0, 0)  # a number of first rows, and where they end in the file

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self._path

    def load(self, count: int) -> None:
        """Load the first `count` rows.

        Raises IndexUnavailable when the file holds fewer, IndexDamaged when it holds something else.
        """
        loaded = len(self._loaded.rows.doc_keys)
        if count < loaded:
            self._buffer = QuantizedVectors.empty(0, self.dimension)
            self._loaded = _LoadedRows(self._buffer)
            self._end_offset = loaded = 0
        if count == loaded:
            return
        buffer = self._buffer
        if count > len(buffer.doc_keys):
            buffer = QuantizedVectors.empty(int(count * _GROWTH_FACTOR), self.dimension)
            buffer.copy_from(0, self._loaded.rows)
        # `rows` keeps the block before alive until the next one is read: freed earlier, its memory would return to the
        # system, and allocating it again takes as long as everything else.
        ends: list[int] = []
        for rows, end in self._read_blocks(self._end_offset, count - loaded):
            buffer.copy_from(loaded, rows)
            loaded += len(rows.doc_keys)
            ends.append(end)
        self._end_offset = ends[-1]
        self._buffer = buffer
        self._loaded = _LoadedRows(buffer.select(slice(0, count)), self._loaded.searched)

    def _read_blocks(self, offset: int, count: int) -> Generator[tuple[QuantizedVectors, int]]:
        """Yield the blocks of the next `count` rows from an offset on, and their ends in the file; raises as `load`."""
        with self._path.open("rb") as file:
            headers = iter_block_headers(file, offset)
            while count:
                header = next(headers, None)
                if header is None:
                    raise IndexUnavailable(self._too_short)
                new, first, end = header
                if new > count:
                    raise IndexDamaged(f"{self._path} is damaged; rebuild the index")
                file.seek(first)
                yield unpack_block(file.read(end - first), new, self.dimension), end
                count -= new

    @property
    def _too_short(self) -> str:
        return f"{self._path} is shorter than the index says; rebuild the index"

    def cosines(self, query: FloatRows, only: int | None = None) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the document of each row and its cosine as `search` gives it, in row order. only: one document's."""
        rows = self._loaded.rows
        rows = rows if only is None else rows.select(np.flatnonzero(rows.doc_keys == only))
        return rows.doc_keys.astype(np.int64), exact_cosines(rows, query)

    def search(
        self, query: FloatRows, limit: int, allowed: DocumentMask | None = None, *, unread: int = 0
    ) -> list[tuple[int, float]]:
        """Return the `limit` rows nearest to a unit vector as (key, cosine), nearest first, equal ones by key.

        allowed: only documents that this mask leaves. unread: search so many first rows of the file while it is
        read, and keep none, instead of the loaded ones; raises as `load`, and FileNotFoundError.
        """
        parts, scale = _split_query(query.tobytes())
        if not scale:
            return []
        if unread:
            return _nearest_rows(map(itemgetter(0), self._read_blocks(0, unread)), parts, scale, limit, allowed)
        loaded = self._loaded
        rows = loaded.rows
        if allowed is not None and np.count_nonzero(allowed) < _COPY_SHARE * len(rows.doc_keys):  # few rows are copied
            rows, allowed = rows.select(np.flatnonzero(in_mask(allowed, rows.doc_keys))), None
        if allowed is not None or rows is not loaded.rows or len(rows.doc_keys) < _ROWS_COMPARED_AT_ONCE:
            return _nearest_in_threads(rows, parts, scale, limit, allowed)
        return loaded.nearest(query.tobytes(), parts, scale, limit)

    def search_like(self, doc_key: int, limit: int) -> list[tuple[int, float]]:
        """Return the `limit` rows nearest to that of a document, itself included, as `search`; none without a row."""
        rows = self._loaded.rows
        own = np.flatnonzero(rows.doc_keys == doc_key)[:1]
        if not len(own):
            return []
        parts = np.zeros((2, self.dimension), np.int8)
        parts[0] = rows.matrix[own[0]]
        return _nearest_in_threads(rows, parts, float(rows.scales[own[0]]) / _COARSE_FACTOR, limit)

    # Writing ------------------------------------------------------------------------------------------------------

    def has_rows(self, count: int) -> bool:
        """Return whether the file holds `count` rows, by its block headers."""
        try:
            with self._path.open("rb") as file:
                return self._find_end(file, count) is not None
        except FileNotFoundError:
            return count == 0
        except IndexDamaged:
            return False

    def append(self, count: int, rows: QuantizedVectors) -> int:
        """Write rows durably after the first `count`; return the new number of rows.

        Raises IndexUnavailable when the file holds fewer, IndexDamaged when it holds something else.
        """
        flags = os.O_RDWR | os.O_CREAT | BINARY
        with os.fdopen(os.open(self._path, flags, 0o600), "r+b") as file:
            end = self._find_end(file, count)
            if end is None:
                raise IndexUnavailable(self._too_short)
            file.truncate(end)
            file.seek(end)
            file.write(pack_blocks(rows))
            file.flush()
            os.fsync(file.fileno())
            self._counted = (count + len(rows.doc_keys), file.tell())
        return count + len(rows.doc_keys)

    def _find_end(self, file: BinaryIO, count: int) -> int | None:
        """Return where the first `count` rows end, as `_find_end_offset`, which reads only what is not known yet."""
        known, start = self._counted if self._counted[0] <= count else (0, 0)
        end = _find_end_offset(file, count - known, start)
        if end is not None:
            self._counted = (count, end)
        return end

    def live_rows(self, count: int, live_doc_keys: NDArray[np.int64]) -> QuantizedVectors:
        """Return those of the first `count` rows whose documents are among these (sorted), in order.

        Raises as `load`.
        """
        self.load(count)
        rows = self._loaded.rows
        return rows.select(np.flatnonzero(np.isin(rows.doc_keys, live_doc_keys)))


_MAX_THREADS, _ROWS_PER_THREAD = 4, 100_000
"""Threads of one search at most, and the rows that each has at least: they take it 1 ms."""


@cache
def _threads() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor  # only where there are so many rows

    return ThreadPoolExecutor(_MAX_THREADS - 1, "vectors")


def _nearest_in_threads(
    rows: QuantizedVectors,
    parts: NDArray[np.int8],
    scale: float,
    limit: int,
    allowed: DocumentMask | None = None,
) -> list[tuple[int, float]]:
    """Return the nearest rows as `_nearest_rows`: each thread searches a part of them, and exact cosines decide."""
    count = len(rows.doc_keys)
    threads = min(_MAX_THREADS, available_cpus(), count // _ROWS_PER_THREAD)
    if threads < 2:
        return _nearest_rows(rows.split(), parts, scale, limit, allowed)
    share = -(-count // threads)
    own, *others = [rows.select(slice(start, start + share)).split() for start in range(0, count, share)]
    searches = [_threads().submit(_nearest_rows, each, parts, scale, limit, allowed) for each in others]
    found = _nearest_rows(own, parts, scale, limit, allowed)
    for search in searches:
        found += search.result()
    return sorted(found, key=_by_rank)[:limit]


def _nearest_rows(
    rows: Iterable[QuantizedVectors],
    parts: NDArray[np.int8],
    scale: float,
    limit: int,
    allowed: DocumentMask | None = None,
) -> list[tuple[int, float]]:
    """Return the `limit` rows with the highest cosines as (key, cosine), nearest first, equal ones by key.

    A product with the coarse part is within `doubt` of the whole product. Rows that cannot reach the `limit` best by
    that, in single precision, are left out; of the others whole products are made, and cosines of the best of them.
    parts, scale: of the query. allowed: as of `search`.
    """
    from simsimd import cdist  # imported late: not needed without vectors

    coarse, fine = parts[:1], parts[1:]
    doubt, margin, least = MAX_QUANTIZED * float(np.abs(fine).sum(dtype=np.int64)), _ESTIMATE_MARGIN / scale, -math.inf
    doc_keys, scales, products = np.zeros(0, np.uint32), np.zeros(0, np.float32), np.zeros(0)
    for some in rows:
        found = _COARSE_FACTOR * np.asarray(cdist(some.matrix, coarse, metric="dot"))[:, 0]
        highest = np.multiply(found + doubt, some.scales, dtype=np.float32)
        near = np.flatnonzero(highest >= least)
        near = near if allowed is None else near[in_mask(allowed, some.doc_keys[near])]
        if len(near) > 2 * limit > 0:
            lowest = np.multiply(found[near] - doubt, some.scales[near], dtype=np.float32)
            near = near[highest[near] >= np.partition(lowest, len(near) - limit)[len(near) - limit] - margin]
        if not len(near):
            continue
        doc_keys, scales = np.concatenate([doc_keys, some.doc_keys[near]]), np.concatenate([scales, some.scales[near]])
        whole = found[near] + np.asarray(cdist(some.matrix[near], fine, metric="dot"))[:, 0] if doubt else found[near]
        products = np.concatenate([products, whole])
        if len(products) > 2 * limit > 0:
            estimates = np.multiply(products, scales, dtype=np.float32)
            least = float(np.partition(estimates, len(products) - limit)[len(products) - limit]) - margin
            kept = estimates >= least
            doc_keys, scales, products = doc_keys[kept], scales[kept], products[kept]
    cosines = np.round(products * scales.astype(np.float64) * scale, 6)
    nearest = np.lexsort((doc_keys, -cosines))[:limit]
    return list(zip(doc_keys[nearest].tolist(), cosines[nearest].tolist(), strict=True))


def _find_end_offset(file: BinaryIO, count: int, start: int) -> int | None:
    """Return where the block ends that holds the last of `count` rows from an offset on; None where there are fewer.

    Raises IndexDamaged.
    """
    size, end = 0, start
    headers = iter_block_headers(file, start)
    while size < count:
        header = next(headers, None)
        if header is None:
            return None
        new, _, end = header
        size += new
    return end if end <= file.seek(0, os.SEEK_END) else None
