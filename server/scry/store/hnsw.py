"""A snapshot of which rows of a vector file lie near to each other, for finding the nearest of many quickly.

Hierarchical navigable small worlds (Malkov, Yashunin: Efficient and robust approximate nearest neighbor search using
HNSW graphs, 2016), by usearch. A snapshot covers the first rows of one vector file; it is written beside, renamed, and
never changed. Everyone reads the same one, with one thread, so what it finds does not depend on who asks. What it finds
are candidates: their cosines come from the rows themselves.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scry.store.vectors import VectorFile, Vectors

if TYPE_CHECKING:
    from usearch.index import Index  # imported where it is needed: it takes 60 ms, and small projects never need it

WORTH_ROWS = 50_000
"""From so many rows on there is a snapshot. Looking at all of 50,000 takes 4 ms, as long as all else of a question."""

TAIL_ROWS = 20_000
"""So many rows that came later are looked at one by one, in 2 ms; with more, a snapshot of all takes its place."""

_CONNECTIVITY = 16
_EXPANSION_ADD = 128
_EXPANSION_SEARCH = 1024
"""Candidates that a search keeps. On 100,000 real vectors and questions of words it finds 0.992 of the nearest 10 and
0.996 of the nearest 200; with 512 it is 0.989 and 0.994, with 2048 0.993 and 0.997 (docs/decisions.md)."""

_MOST = 127

_AT_ONCE = 500
"""Rows that are added between two looks at whether something else goes first: 0.2 s of work."""


class Hnsw:
    """One snapshot, mapped into memory. Any thread may search."""

    @classmethod
    def open(cls, path: Path, dimension: int, rows: int) -> Hnsw | None:
        """rows: how many it covers. None when the file is damaged. Raises FileNotFoundError."""
        if not path.exists():
            raise FileNotFoundError(path)
        index = _empty(dimension)
        try:
            index.view(os.fspath(path))  # pyright: ignore[reportUnknownMemberType]
        except RuntimeError:
            return None
        return cls(index, rows) if len(index) == rows else None

    def __init__(self, index: Index, rows: int) -> None:
        """Use `open`."""
        self.rows = rows
        self._index = index
        self._lock = threading.Lock()

    def nearest(self, query: Vectors, count: int) -> NDArray[np.int64]:
        """Places of rows that are likely the nearest to a vector that is not zero, in ascending order."""
        whole = np.rint(query / np.abs(query).max() * _MOST).astype(np.int8)
        with self._lock:
            found = self._index.search(whole, min(count, self.rows), threads=1)
        return np.sort(np.asarray(found.keys).astype(np.int64))


def write_hnsw(path: Path, file: VectorFile, rows: int, before: Path | None, checkpoint: Callable[[], None]) -> None:
    """Writes a snapshot of the first `rows` of a loaded file, durably and all at once.

    before: a snapshot of fewer rows of the same file, which is gone on from. checkpoint: called every 0.2 s; it may
    block, or raise Cancelled, and then nothing is written. Raises OSError.
    """
    index = _empty(file.dimension)
    if before is not None:
        index.load(os.fspath(before))  # pyright: ignore[reportUnknownMemberType]
    for start in range(len(index), rows, _AT_ONCE):
        checkpoint()
        places = np.arange(start, min(rows, start + _AT_ONCE))
        index.add(places.astype(np.uint64), file.rows_at(places), threads=1)
    draft = path.with_name(path.name + ".new")
    index.save(os.fspath(draft))  # pyright: ignore[reportUnknownMemberType]
    with draft.open("rb+") as written:
        os.fsync(written.fileno())
    draft.replace(path)


def _empty(dimension: int) -> Index:
    """Rows are compared as they are kept, in bytes of their own scale: the cosine does not see the scale. With vectors
    of half precision a snapshot finds no more, and is twice as large.
    """
    from usearch.index import Index

    return Index(
        ndim=dimension,
        metric="cos",
        dtype="i8",
        connectivity=_CONNECTIVITY,
        expansion_add=_EXPANSION_ADD,
        expansion_search=_EXPANSION_SEARCH,
        enable_key_lookups=False,
    )
