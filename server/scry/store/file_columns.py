"""What ranking files reads of all files of a folder: one array a column, for there may be 100,000 of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.faces import is_entry_file, is_readme
from scry.store.database import decode_path

ENTRY_POINT = "entry_point"
"""The flag of a file at which a program or package starts."""


class FileColumns(Struct, frozen=True, eq=False):
    """The indexed files at or below a folder, in the order of their paths; every array has a value for each.

    importers: how many files import it. centralities: the level of each, as a place in `levels`. is_entry: whether a
    program starts there. depths: how many folders it lies in. faces: whether it shows what a folder offers. readmes:
    whether it is one, of any folder. folders: all that hold files.
    """

    paths: Sequence[str]
    importers: NDArray[np.int64]
    centralities: NDArray[np.int64]
    levels: Sequence[str]
    is_entry_point: NDArray[np.bool_]
    depths: NDArray[np.int64]
    is_facade: NDArray[np.bool_]
    is_readme: NDArray[np.bool_]
    folders: frozenset[str]

    @classmethod
    def from_rows(cls, rows: Sequence[Any]) -> FileColumns:
        """From rows of path, importers, centrality and flags, by path as SQLite sorts them."""
        if rows and isinstance(rows[-1][0], bytes):  # SQLite sorts paths that are no UTF-8 after all others
            rows = sorted(rows, key=lambda row: decode_path(row[0]))
        paths = [decode_path(row[0]) for row in rows]
        levels = sorted({row[2] for row in rows})
        places = {level: place for place, level in enumerate(levels)}
        folders = frozenset(path[: max(path.rfind("/"), 0)] for path in paths)
        return cls(
            paths,
            np.array([row[1] for row in rows], np.int64),
            np.array([places[row[2]] for row in rows], np.int64),
            levels,
            np.array([ENTRY_POINT in row[3] for row in rows], np.bool_),
            np.array([path.count("/") for path in paths], np.int64),
            np.array([is_entry_file(path, folders) for path in paths], np.bool_),
            np.array([is_readme(path) for path in paths], np.bool_),
            folders,
        )

    def __len__(self) -> int:
        return len(self.paths)
