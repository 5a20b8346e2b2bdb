"""A shelf: knowledge documents of one place of truth, in tables of their own (store.shelf_tables).

It lies in a SQLite file of its owner's, with the vectors in files beside it; nothing of it is in the code's index. All
writing is done in a transaction of the owner's, by any process.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from scry.core.knowledge import ALL, Entry
from scry.store.database import marks, parts, path_to_sql
from scry.store.packed_rows import Vectors
from scry.store.shelf_reader import COLUMNS, ShelfReader
from scry.store.vector_sets import Maker

_DEAD_ROWS = 64
"""So many vectors of removed documents may lie about, beside a fifth of all, before their file is rewritten."""


class Shelf(ShelfReader):
    """A shelf with its writing half. Vectors that were removed leave the disk with `drop_dead_vectors` and `tidy`."""

    def put(self, entries: Sequence[Entry]) -> list[int]:
        """Puts documents here, each in place of the one with its doc_id; returns their numbers."""
        self.remove([entry.doc_id for entry in entries])
        stems = [self._postings.stems_of(entry.terms) for entry in entries]
        numbers = [self._insert(entry, " ".join(held)) for entry, held in zip(entries, stems, strict=True)]
        self._postings.add(dict(zip(numbers, stems, strict=True)))
        self._raise_generation()
        return [number + self.first for number in numbers]

    def remove(self, doc_ids: Sequence[str]) -> None:
        """Takes documents away with all their words; their vectors no longer count."""
        rows: list[tuple[int, str]] = []
        for part in parts(doc_ids):
            rows += self.select(f"SELECT number, terms FROM documents WHERE doc_id IN ({marks(part)})", part)
        self._postings.remove({number: terms.split() for number, terms in rows})
        self._db.executemany("DELETE FROM documents WHERE number = ?", [(number,) for number, _ in rows])
        if rows:
            self._raise_generation()

    def publish_vectors(self, maker: Maker, numbers: Sequence[int], vectors: Vectors) -> None:
        """Adds documents' unit vectors to the embedder's set, which is begun where there is none.

        Documents that are no more are passed over.
        """
        found = self._vectors.of(maker.identity) or self._vectors.begin(maker)
        there = {row[0] for row in self._rows("doc_id", self._own(numbers))}
        kept = [place for place, number in enumerate(self._own(numbers)) if number in there]
        self._vectors.append(found, [numbers[place] - self.first for place in kept], vectors[kept])
        self._raise_generation()

    def drop_dead_vectors(self, *, all_of_them: bool = False) -> None:
        """Writes the vectors anew where many are of documents that are no more; or wherever a single one is."""
        self._look()
        for found in self._vectors.all():
            dead = found.rows - self._vectors.count(found)
            if dead > (0 if all_of_them else _DEAD_ROWS + found.rows // 5):
                self._vectors.rewrite(found, self._numbers_among(ALL))
                self._raise_generation()

    @property
    def has_unreadable_vectors(self) -> bool:
        """Whether the file of some vectors is gone or damaged."""
        with self._reading():
            return bool(self._vectors.unreadable())

    def drop_unreadable_vectors(self) -> None:
        """Forgets these: then documents lack them, and they are made again."""
        for found in self._vectors.unreadable():
            self._vectors.drop(found)
            self._raise_generation()

    def tidy(self) -> None:
        """Outside a transaction: deletes the files of vectors that are in use no more."""
        with self._reading():
            self._vectors.remove_unused()

    def _insert(self, entry: Entry, terms: str) -> int:
        values = (
            entry.doc_id,
            entry.content_type,
            entry.kind or entry.content_type,
            entry.title,
            entry.text,
            entry.snippet,
            entry.time,
            path_to_sql(entry.path),
            entry.line,
            json.dumps(entry.code_refs),
            json.dumps(entry.domains),
            entry.session_id,
            terms,
        )
        sql = f"INSERT INTO documents ({COLUMNS}, terms) VALUES ({marks(values)})"
        return int(self._db.execute(sql, values).lastrowid or 0)

    def _raise_generation(self) -> None:
        self._db.execute(
            "INSERT INTO shelf_state VALUES ('generation', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
        )
        self._look()
