"""Which vectors there are: one set an embedder, of which one answers and at most one more is being filled.

Two embedders' vectors are never compared: a set knows its embedder's identity, and a question is encoded by that one.
The two sets have the slots 1 and 2; a document's `vectors` is the sum of the slots of those sets that hold a row of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.errors import IndexUnavailable
from scry.store.packed_rows import Vectors, in_whole_numbers
from scry.store.vectors import VectorFile

_SLOTS = 3
"""The sum of both slots."""

_ANSWERING = 1
"""The slot of the set that answers. What it lacks has an index; what one lacks that is being filled is looked for."""


class Maker(Struct, frozen=True):
    """Who makes vectors: the setting that chose the embedder, and the embedder's identity and dimension."""

    model: str
    identity: str
    dimension: int


class VectorSet(Struct, frozen=True):
    """A row of `vector_sets`."""

    id: int
    maker: Maker
    file: str
    rows: int
    active: bool
    slot: int

    @property
    def having(self) -> str:
        """The condition that this set holds a row of a document."""
        return f"vectors IN ({self.slot}, {_SLOTS})"

    @property
    def lacking(self) -> str:
        """… and that it holds none: letter by letter that of the index `documents_lacking`, where it is slot 1's."""
        return f"vectors IN (0, {_SLOTS - self.slot})"


class VectorSets:
    """The vector sets of one index. The caller holds the index's lock, and for writing its transaction."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self._folder = folder
        self._db = connection
        self._open: dict[str, VectorFile] = {}

    def all(self) -> list[VectorSet]:
        """Every set, the oldest first."""
        columns = "id, model, identity, dimension, file, rows, active, slot"
        rows = self._db.execute(f"SELECT {columns} FROM vector_sets ORDER BY id")
        return [VectorSet(row[0], Maker(*row[1:4]), row[4], row[5], bool(row[6]), row[7]) for row in rows]

    def active(self) -> VectorSet | None:
        """The set that answers."""
        return next((found for found in self.all() if found.active), None)

    def filling(self) -> VectorSet | None:
        """The set that is to answer once it is complete."""
        return next((found for found in self.all() if not found.active), None)

    def of(self, identity: str) -> VectorSet | None:
        """The set of an embedder."""
        return next((found for found in self.all() if found.maker.identity == identity), None)

    def reading(self, found: VectorSet) -> VectorFile:
        """The set's rows, as many as count. Raises FileNotFoundError when the set was given up meanwhile."""
        file = self._open.get(found.file)
        if file is None:
            self._open = {name: file for name, file in self._open.items() if (self._folder / name).exists()}
            file = self._open[found.file] = VectorFile(self._folder / found.file, found.maker.dimension)
        file.load(found.rows)
        return file

    def count(self, found: VectorSet) -> int:
        """How many documents have a row in this set: all but those that lack one, which are mostly few."""
        total = self._db.execute("SELECT count(*) FROM documents").fetchone()[0]
        lacking = self._db.execute(f"SELECT count(*) FROM documents WHERE {found.lacking}").fetchone()[0]
        return int(total - lacking)

    def begin(self, maker: Maker) -> VectorSet:
        """A set for an embedder that has none; it answers at once where no other does.

        Another set that was being filled is given up: there are two slots.
        """
        for abandoned in self.all():
            if not abandoned.active:
                self.drop(abandoned)
        active = self.active()
        slot = _SLOTS - _ANSWERING if active else _ANSWERING
        cursor = self._db.execute(
            "INSERT INTO vector_sets (model, identity, dimension, active, slot, file, rows) "
            "VALUES (?, ?, ?, ?, ?, '', 0)",
            (maker.model, maker.identity, maker.dimension, int(active is None), slot),
        )
        set_id = int(cursor.lastrowid or 0)
        name = f"vectors-{set_id}-1"
        self._db.execute("UPDATE vector_sets SET file = ? WHERE id = ?", (name, set_id))
        return VectorSet(set_id, maker, name, 0, active is None, slot)

    def append(self, found: VectorSet, numbers: Sequence[int], vectors: Vectors) -> None:
        """Writes rows; they count once the transaction is done."""
        file = VectorFile(self._folder / found.file, found.maker.dimension)
        rows = file.append(found.rows, in_whole_numbers(numbers, vectors))
        self._db.execute("UPDATE vector_sets SET rows = ? WHERE id = ?", (rows, found.id))
        self._db.executemany(
            "UPDATE documents SET vectors = vectors | ? WHERE number = ?", [(found.slot, number) for number in numbers]
        )

    def activate(self, found: VectorSet) -> None:
        """Lets a set answer from now on, and forgets all others. It gets the slot that answers."""
        for other in self.all():
            if other.id != found.id:
                self.drop(other)
        self._db.execute("UPDATE vector_sets SET active = 1, slot = ? WHERE id = ?", (_ANSWERING, found.id))
        if found.slot != _ANSWERING:
            self._db.execute("UPDATE documents SET vectors = ? WHERE vectors = ?", (_ANSWERING, found.slot))

    def drop(self, found: VectorSet) -> None:
        """Forgets a set; `remove_unused` then deletes its file."""
        self._db.execute("DELETE FROM vector_sets WHERE id = ?", (found.id,))
        self._db.execute(f"UPDATE documents SET vectors = vectors - ? WHERE {found.having}", (found.slot,))

    def damaged(self) -> list[VectorSet]:
        """The sets whose file is gone, or holds fewer rows than count."""
        return [
            found
            for found in self.all()
            if not VectorFile(self._folder / found.file, found.maker.dimension).holds(found.rows)
        ]

    def unreadable(self) -> list[VectorSet]:
        """The same, and those whose rows were never packed: all are read, which takes long where they are many."""
        return [found for found in self.all() if not self._is_readable(found)]

    def _is_readable(self, found: VectorSet) -> bool:
        try:
            VectorFile(self._folder / found.file, found.maker.dimension).load(found.rows)
        except (IndexUnavailable, FileNotFoundError):
            return False
        return True

    def rewrite(self, found: VectorSet, alive: NDArray[np.int64]) -> None:
        """Writes a set's rows anew without those of documents that are no more. alive: sorted numbers."""
        stem, _, version = found.file.rpartition("-")
        name = f"{stem}-{int(version) + 1}"
        kept = VectorFile(self._folder / found.file, found.maker.dimension).kept(found.rows, alive)
        rows = VectorFile(self._folder / name, found.maker.dimension).append(0, kept)
        self._db.execute("UPDATE vector_sets SET file = ?, rows = ? WHERE id = ?", (name, rows, found.id))

    def remove_unused(self) -> None:
        """Deletes the files that no set names, outside any transaction."""
        used = {found.file for found in self.all()}
        for path in self._folder.glob("vectors-*"):
            if path.name not in used:
                self._open.pop(path.name, None)
                with suppress(PermissionError):  # Windows: another process still reads it; it goes the next time
                    path.unlink(missing_ok=True)
