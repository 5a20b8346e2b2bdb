"""The reading half of a shelf: knowledge documents found by words and by meaning."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import ALL, FIRST_NUMBERS, Chosen
from scry.core.types import Document, Outline, Point, Span, Symbol
from scry.store.database import marks, parts, path_from_sql
from scry.store.lexical import LexicalIndex
from scry.store.packed_rows import Vectors
from scry.store.postings import NONE, Postings, Scored
from scry.store.vector_sets import VectorSets


class Words(Struct, frozen=True):
    """What to look for by words: the terms, the code's word index, against whose statistics BM25 is reckoned, and to
    how many digits it is rounded.
    """

    terms: Sequence[str]
    code: LexicalIndex
    digits: int


COLUMNS = "doc_id, content_type, kind, title, text, snippet, time, path, line, code_refs, domains, session_id"
_SCORES_KEPT = 8


class ShelfReader:
    """What questions read of a shelf. Every method may be called from any thread, and raises IndexUnavailable."""

    def __init__(self, name: str, folder: Path, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        """name: of core.knowledge. folder: for the vectors; no index's and no other shelf's. lock: the connection's."""
        self.name = name
        self.first = FIRST_NUMBERS[name]
        self._db = connection
        self._lock = lock
        self._postings = Postings(connection)
        self._vectors = VectorSets(folder, connection)
        self._seen = -1
        self._outlines: dict[int, Outline] = {}
        self._scores: dict[tuple[object, ...], Scored] = {}
        self._among: dict[Chosen, NDArray[np.int64]] = {}
        self._names: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    @property
    def generation(self) -> int:
        """Rises with every change of the documents or their vectors."""
        rows = self.select("SELECT value FROM shelf_state WHERE key = 'generation'")
        return int(rows[0][0]) if rows else 0

    @property
    def is_empty(self) -> bool:
        """Whether no document stands here."""
        return not self.select("SELECT 1 FROM documents LIMIT 1")

    # Searching ----------------------------------------------------------------------------------------------------

    def by_words(self, words: Words, chosen: Chosen = ALL) -> Scored:
        """Every document that holds one of the terms, by BM25 against the code's statistics, rounded."""
        with self._reading():
            return self._only(self._remembered((words.code.state, *words.terms), lambda: self._score(words)), chosen)

    def by_meaning(self, identity: str, query: Vectors, chosen: Chosen = ALL) -> Scored:
        """Every document with a vector of that embedder, by its cosine with a question's vector."""
        with self._reading():
            key = (identity, query.tobytes())
            return self._only(self._remembered(key, lambda: self._compare(identity, query)), chosen)

    def holding(self, terms: Sequence[str], numbers: Sequence[int]) -> dict[int, list[str]]:
        """For each of the documents, the terms that it holds, in their order."""
        with self._reading():
            held = self._postings.holding(terms, self._own(numbers))
        return {number + self.first: found for number, found in held.items()}

    # Documents ----------------------------------------------------------------------------------------------------

    def outlines(self, numbers: Sequence[int]) -> dict[int, Outline]:
        """What ranking reads of these documents: no path, so that no rule for code moves them."""
        with self._reading():
            self._look()
            known = self._outlines
            missing = self._own([number for number in numbers if number not in known])
            for own, doc_id, kind, content_type, title in self._rows("doc_id, kind, content_type, title", missing):
                known[own + self.first] = Outline(own + self.first, doc_id, content_type, "", title, kind, "")
            return {number: known[number] for number in numbers if number in known}

    def documents(self, numbers: Sequence[int]) -> dict[int, Document]:
        """These documents; those that are no more are absent."""
        with self._reading():
            rows = self._rows(COLUMNS, self._own(numbers))
        return {row[0] + self.first: _read_document(row[0] + self.first, *row[1:]) for row in rows}

    def numbers_named(self, doc_ids: Sequence[str]) -> dict[str, int]:
        """The numbers of the documents with these doc_ids, by doc_id."""
        found: dict[str, int] = {}
        for part in parts(doc_ids):
            rows = self.select(f"SELECT doc_id, number FROM documents WHERE doc_id IN ({marks(part)})", part)
            found |= {doc_id: number + self.first for doc_id, number in rows}
        return found

    def order_of_names(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each of these documents where it stands among all by its doc_id; -1 for one that is no more."""
        with self._reading():
            self._look()
            there, places = self._named()
            own = numbers - self.first
            at = np.searchsorted(there, own)
            at[at == len(there)] = 0
            return np.where(there[at] == own, places[at], -1) if len(there) else np.full(len(own), -1)

    def doc_ids(self, types: frozenset[str] | None = None) -> list[str]:
        """The doc_ids of all documents of these types, in order."""
        where, values = _of_types(types)
        return [row[0] for row in self.select(f"SELECT doc_id FROM documents {where} ORDER BY doc_id", values)]

    def lacking(self, identity: str, most: int) -> list[tuple[int, str, str]]:
        """The first `most` documents without a vector of this embedder: number, title and text of each."""
        with self._reading():
            found = self._vectors.of(identity)
            where = found.lacking if found else "true"
            sql = f"SELECT number, title, text FROM documents WHERE {where} ORDER BY number LIMIT ?"
            return [(row[0] + self.first, row[1], row[2]) for row in self.select(sql, (most,))]

    # Inside -------------------------------------------------------------------------------------------------------

    def _score(self, words: Words) -> Scored:
        found = self._postings.score(words.terms, words.code)
        return Scored(found.numbers + self.first, np.round(found.scores, words.digits), found.highest)

    def _compare(self, identity: str, query: Vectors) -> Scored:
        found = self._vectors.of(identity)
        if found is None:
            return NONE
        try:
            numbers, cosines = self._vectors.reading(found).cosines(query)
        except (IndexUnavailable, FileNotFoundError):  # its words are found; `Shelf.drop_unreadable_vectors` mends it
            return NONE
        if (numbers[1:] < numbers[:-1]).any():
            order = np.argsort(numbers)
            numbers, cosines = numbers[order], cosines[order]
        there = self._numbers_among(ALL)
        if len(there) != len(numbers) or not np.array_equal(there, numbers):
            alive = np.isin(numbers, there)
            numbers, cosines = numbers[alive], cosines[alive]
        return Scored(numbers + self.first, cosines)

    def _remembered(self, key: tuple[object, ...], make: Callable[[], Scored]) -> Scored:
        """Several oracles ask the same of one question."""
        self._look()
        if key not in self._scores:
            if len(self._scores) >= _SCORES_KEPT:
                self._scores.clear()
            self._scores[key] = make()
        return self._scores[key]

    def _only(self, scored: Scored, chosen: Chosen) -> Scored:
        if chosen == ALL:
            return scored
        among = self._numbers_among(chosen)
        return scored if len(among) == len(self._numbers_among(ALL)) else scored.among(among + self.first)

    def _look(self) -> None:
        """Forgets what was read before the last change."""
        generation = self.generation
        if generation != self._seen:
            self._seen = generation
            self._outlines.clear()
            self._scores.clear()
            self._among.clear()
            self._names = None

    def _numbers_among(self, chosen: Chosen) -> NDArray[np.int64]:
        """The shelf's own numbers of all documents that are chosen, rising, as of the last look."""
        if chosen not in self._among:
            if len(self._among) >= _SCORES_KEPT:
                self._among.clear()
            where, values = _of_types(chosen.types)
            columns = "number, domains" if chosen.asks_for_domains else "number"
            rows = self.select(f"SELECT {columns} FROM documents {where} ORDER BY number", values)
            if chosen.asks_for_domains:
                rows = [row for row in rows if chosen.has_domains(json.loads(row[1]))]
            self._among[chosen] = np.array([row[0] for row in rows], np.int64)
        return self._among[chosen]

    def _named(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The own numbers of all documents, rising, and where each stands by its doc_id, as of the last look."""
        if self._names is None:
            rows = self.select("SELECT number FROM documents ORDER BY doc_id")
            by_name = np.array([number for (number,) in rows], np.int64)
            places = np.argsort(by_name)
            self._names = by_name[places], places
        return self._names

    def _own(self, numbers: Sequence[int]) -> list[int]:
        return [number - self.first for number in numbers]

    def _rows(self, columns: str, numbers: Sequence[int]) -> list[Any]:
        """The own number and these columns of each of the documents."""
        found: list[Any] = []
        for part in parts(numbers):
            found += self.select(f"SELECT number, {columns} FROM documents WHERE number IN ({marks(part)})", part)
        return found

    def select(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        """Rows of a statement on the file, for its owner."""
        with self._reading():
            return self._db.execute(sql, values).fetchall()

    @contextmanager
    def _reading(self) -> Generator[None]:
        try:
            with self._lock:
                yield
        except (sqlite3.Error, FileNotFoundError) as error:
            raise IndexUnavailable(f"the {self.name} notes can't be read: {error}") from error


def _of_types(types: frozenset[str] | None) -> tuple[str, list[str]]:
    """A condition on documents, and its values."""
    values = sorted(types or ())
    return ("" if types is None else f"WHERE content_type IN ({marks(values)})"), values


def _read_document(number: int, *row: Any) -> Document:  # noqa: ANN401 — columns of many types
    doc_id, content_type, kind, title, text, snippet, time, path, line, code_refs, domains, session_id = row
    start = Point(line, 0, 0)
    place = Span(start, start)
    return Document(
        number,
        doc_id,
        content_type,
        path_from_sql(path),
        "markdown",
        Symbol(title, kind, "", snippet, text, place, place, ""),
        time=time,
        code_refs=tuple(json.loads(code_refs)),
        domains=tuple(json.loads(domains)),
        session_id=session_id,
    )
