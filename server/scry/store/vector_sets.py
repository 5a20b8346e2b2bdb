"""Which vectors there are: one set an embedder, of which one answers and at most one is being filled.

Two embedders' vectors are never compared: a set knows its embedder's identity, and a question is encoded by that one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scry.store.vectors import VectorFile, Vectors, pack_rows


@dataclass(frozen=True, slots=True)
class VectorSet:
    """A row of `vector_sets`."""

    id: int
    identity: str
    dimension: int
    file: str
    rows: int
    active: bool


class VectorSets:
    """The vector sets of one index. The caller holds the index's lock, and for writing its transaction."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self._folder = folder
        self._db = connection
        self._open: dict[str, VectorFile] = {}

    def all(self) -> list[VectorSet]:
        """Every set, the oldest first."""
        rows = self._db.execute("SELECT id, identity, dimension, file, rows, active FROM vector_sets ORDER BY id")
        return [VectorSet(row[0], row[1], row[2], row[3], row[4], bool(row[5])) for row in rows]

    def active(self) -> VectorSet | None:
        """The set that answers."""
        return next((found for found in self.all() if found.active), None)

    def of(self, identity: str) -> VectorSet | None:
        """The set of an embedder."""
        return next((found for found in self.all() if found.identity == identity), None)

    def reading(self, found: VectorSet) -> VectorFile:
        """The set's rows, as many as count."""
        file = self._open.get(found.file)
        if file is None:
            file = self._open[found.file] = VectorFile(self._folder / found.file, found.dimension)
        file.load(found.rows)
        return file

    def begin(self, identity: str, dimension: int) -> VectorSet:
        """A set for an embedder that has none; it answers at once where no other does."""
        active = int(self.active() is None)
        cursor = self._db.execute(
            "INSERT INTO vector_sets (identity, dimension, file, rows, active) VALUES (?, ?, '', 0, ?)",
            (identity, dimension, active),
        )
        set_id = int(cursor.lastrowid or 0)
        self._db.execute("UPDATE vector_sets SET file = ? WHERE id = ?", (f"vectors-{set_id}-1", set_id))
        return VectorSet(set_id, identity, dimension, f"vectors-{set_id}-1", 0, bool(active))

    def append(self, found: VectorSet, numbers: Sequence[int], vectors: Vectors) -> None:
        """Writes rows; they count once the transaction is done."""
        file = VectorFile(self._folder / found.file, found.dimension)
        rows = file.append(found.rows, pack_rows(numbers, vectors))
        self._db.execute("UPDATE vector_sets SET rows = ? WHERE id = ?", (rows, found.id))
        self._db.executemany("UPDATE documents SET vectors = ? WHERE number = ?", [(found.id, n) for n in numbers])

    def activate(self, found: VectorSet) -> None:
        """Lets a set answer from now on, and forgets all others."""
        self._db.execute("DELETE FROM vector_sets WHERE id != ?", (found.id,))
        self._db.execute("UPDATE vector_sets SET active = 1 WHERE id = ?", (found.id,))

    def rewrite(self, found: VectorSet, alive: NDArray[np.int64]) -> None:
        """Writes a set's rows anew without those of documents that are no more. alive: sorted numbers."""
        stem, _, version = found.file.rpartition("-")
        name = f"{stem}-{int(version) + 1}"
        rows = VectorFile(self._folder / name, found.dimension).append(0, self.reading(found).kept(alive))
        self._db.execute("UPDATE vector_sets SET file = ?, rows = ? WHERE id = ?", (name, rows, found.id))

    def remove_unused(self) -> None:
        """Deletes the files that no set names, outside any transaction."""
        used = {found.file for found in self.all()}
        for path in self._folder.glob("vectors-*"):
            if path.name not in used:
                path.unlink(missing_ok=True)
                self._open.pop(path.name, None)
