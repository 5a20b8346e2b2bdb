"""Search notes by words and by meaning, in one note store or in all."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from msgspec import MsgspecError, Struct, field
from numpy.typing import NDArray

from scry.core.decoding import decode_json
from scry.core.errors import IndexUnavailable
from scry.core.knowledge import ALL_KNOWLEDGE, KnowledgeFilter, note_store_of
from scry.core.types import Document, DocumentHeader, Point, Span, Symbol
from scry.store.lexical import LexicalIndex
from scry.store.notes.database import NoteDatabase
from scry.store.notes.postings import NO_DOCUMENTS, NotePostings, ScoredDocuments
from scry.store.sqlite.database import decode_path, placeholders
from scry.store.vector_sets import VectorSets
from scry.store.vectors import FloatRows


class WordQuery(Struct, frozen=True):
    """A search by words.

    code_index: the lexical index of the code, whose statistics BM25 uses. digits: to which scores are rounded.
    """

    terms: Sequence[str]
    code_index: LexicalIndex
    digits: int


NOTE_COLUMNS = "doc_id, content_type, kind, title, text, snippet, time, path, line, code_refs, domains, session_id"
_MAX_CACHED_SCORES = 8


class VectorFaults(Struct, frozen=True):
    """Documents that could not be encoded: the version of Scry that failed, "" for none, and the reasons by row id."""

    version: str = ""
    reasons: dict[int, str] = {}


NO_FAULTS = VectorFaults()


class NoteSource(Protocol):
    """A note store as questions read it: a `NoteReader`, or one that knows further documents."""

    @property
    def first_doc_key(self) -> int:
        """The key of the first document."""
        ...

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to find."""
        ...

    def search_words(self, query: WordQuery, filters: KnowledgeFilter = ALL_KNOWLEDGE) -> ScoredDocuments:
        """See `NoteReader.search_words`."""
        ...

    def search_vectors(
        self, identity: str, query: FloatRows, filters: KnowledgeFilter = ALL_KNOWLEDGE
    ) -> ScoredDocuments:
        """See `NoteReader.search_vectors`."""
        ...

    def matched_terms(self, terms: Sequence[str], doc_keys: Sequence[int]) -> dict[int, list[str]]:
        """See `NoteReader.matched_terms`."""
        ...

    def headers(self, doc_keys: Sequence[int]) -> dict[int, DocumentHeader]:
        """See `NoteReader.headers`."""
        ...

    def get_documents(self, doc_keys: Sequence[int]) -> dict[int, Document]:
        """See `NoteReader.get_documents`."""
        ...

    def doc_keys_by_id(self, doc_ids: Sequence[str]) -> dict[str, int]:
        """See `NoteReader.doc_keys_by_id`."""
        ...

    def doc_id_order(self, doc_keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `NoteReader.doc_id_order`."""
        ...


class NoteReader:
    """A note store, open for reading. Every method may be called from any thread, and raises IndexUnavailable."""

    def __init__(self, database: NoteDatabase) -> None:
        """Read from an open file."""
        self._database = database
        self._select = database.select
        self._read_errors = database.read_errors
        self.first_doc_key = database.first_doc_key
        self.postings = NotePostings(database.connection)
        self.vectors = VectorSets(database.path.parent, database.connection)
        self._generation_seen = -1
        self._headers: dict[int, DocumentHeader] = {}
        self._scores: dict[tuple[object, ...], ScoredDocuments] = {}
        self._filtered: dict[KnowledgeFilter, NDArray[np.int64]] = {}
        self._doc_id_order: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is no document."""
        return not self._select("SELECT 1 FROM documents LIMIT 1")

    def vector_faults(self) -> VectorFaults:
        """Return the documents that are found by their words alone, since they could not be encoded."""
        rows = self._select("SELECT value FROM shelf_state WHERE key = 'vector_faults'")
        try:
            return decode_json(str(rows[0][0]), VectorFaults) if rows else NO_FAULTS
        except MsgspecError:  # a damaged list of faults is no reason to make no vectors
            return NO_FAULTS

    def list_vector_faults(self) -> dict[str, str]:
        """Return the same documents by doc_id, with the reason."""
        reasons = self.vector_faults().reasons
        sql = "SELECT number, doc_id FROM documents WHERE number IN ({})"
        return {doc_id: reasons[row_id] for row_id, doc_id in self._database.select_in(sql, list(reasons))}

    def vector_files(self) -> list[Path]:
        """Return the files of the vectors."""
        with self._database.read_errors():
            return self.vectors.files()

    # Searching ----------------------------------------------------------------------------------------------------

    def search_words(self, query: WordQuery, filters: KnowledgeFilter = ALL_KNOWLEDGE) -> ScoredDocuments:
        """Return every document that holds one of the terms, by rounded BM25 with the statistics of the code."""
        with self._read_errors():
            return self._apply_filter(
                self._cached_scores((query.code_index.version, *query.terms), lambda: self._score_words(query)), filters
            )

    def search_vectors(
        self, identity: str, query: FloatRows, filters: KnowledgeFilter = ALL_KNOWLEDGE
    ) -> ScoredDocuments:
        """Return every document with a vector of that embedder, by its cosine with a query vector."""
        with self._read_errors():
            key = (identity, query.tobytes())
            return self._apply_filter(self._cached_scores(key, lambda: self._score_vectors(identity, query)), filters)

    def matched_terms(self, terms: Sequence[str], doc_keys: Sequence[int]) -> dict[int, list[str]]:
        """Return for each of these documents the terms that it holds, in their order."""
        with self._read_errors():
            matched = self.postings.matched_terms(terms, self._row_ids(doc_keys))
        return {doc_key + self.first_doc_key: held for doc_key, held in matched.items()}

    # Documents ----------------------------------------------------------------------------------------------------

    def headers(self, doc_keys: Sequence[int]) -> dict[int, DocumentHeader]:
        """Return the headers of these documents: without a path, so that no boost for code applies."""
        with self._read_errors():
            self._refresh_cache()
            known = self._headers
            missing = self._row_ids([doc_key for doc_key in doc_keys if doc_key not in known])
            for row_id, doc_id, kind, content_type, title in self._select_rows(
                "doc_id, kind, content_type, title", missing
            ):
                known[row_id + self.first_doc_key] = DocumentHeader(
                    row_id + self.first_doc_key, doc_id, content_type, "", title, kind, ""
                )
            return {doc_key: known[doc_key] for doc_key in doc_keys if doc_key in known}

    def get_documents(self, doc_keys: Sequence[int]) -> dict[int, Document]:
        """Return the documents with these keys, by key; deleted ones are absent."""
        with self._read_errors():
            rows = self._select_rows(NOTE_COLUMNS, self._row_ids(doc_keys))
        return {row[0] + self.first_doc_key: _read_note_document(row[0] + self.first_doc_key, *row[1:]) for row in rows}

    def doc_keys_by_id(self, doc_ids: Sequence[str]) -> dict[str, int]:
        """Return the keys of the documents with these doc_ids, by doc_id."""
        rows = self._database.select_in("SELECT doc_id, number FROM documents WHERE doc_id IN ({})", doc_ids)
        return {doc_id: doc_key + self.first_doc_key for doc_id, doc_key in rows}

    def doc_id_order(self, doc_keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the position of each of these documents among all by doc_id; -1 for a deleted one."""
        with self._read_errors():
            self._refresh_cache()
            row_ids, positions = self._row_ids_in_doc_id_order()
            own_keys = doc_keys - self.first_doc_key
            indices = np.searchsorted(row_ids, own_keys)
            indices[indices == len(row_ids)] = 0
            return (
                np.where(row_ids[indices] == own_keys, positions[indices], -1)
                if len(row_ids)
                else np.full(len(own_keys), -1)
            )

    def list_doc_ids(self, types: frozenset[str] | None = None) -> list[str]:
        """Return the doc_ids of all documents of these types, in order."""
        where, values = _type_condition(types)
        return [row[0] for row in self._select(f"SELECT doc_id FROM documents {where} ORDER BY doc_id", values)]

    # Internals ----------------------------------------------------------------------------------------------------

    def _score_words(self, query: WordQuery) -> ScoredDocuments:
        scored = self.postings.score(query.terms, query.code_index)
        return ScoredDocuments(
            scored.doc_keys + self.first_doc_key, np.round(scored.scores, query.digits), scored.score_ceiling
        )

    def _score_vectors(self, identity: str, query: FloatRows) -> ScoredDocuments:
        vector_set = self.vectors.find_by_identity(identity)
        if vector_set is None:
            return NO_DOCUMENTS
        try:
            doc_keys, cosines = self.vectors.open_file(vector_set).cosines(query)
        except (IndexUnavailable, FileNotFoundError):  # found by words; see `NoteStore.drop_unreadable_vectors`
            return NO_DOCUMENTS
        if (doc_keys[1:] < doc_keys[:-1]).any():
            order = np.argsort(doc_keys)
            doc_keys, cosines = doc_keys[order], cosines[order]
        row_ids = self._filtered_row_ids(ALL_KNOWLEDGE)
        if len(row_ids) != len(doc_keys) or not np.array_equal(row_ids, doc_keys):
            alive = np.isin(doc_keys, row_ids)
            doc_keys, cosines = doc_keys[alive], cosines[alive]
        return ScoredDocuments(doc_keys + self.first_doc_key, cosines)

    def _cached_scores(self, key: tuple[object, ...], make: Callable[[], ScoredDocuments]) -> ScoredDocuments:
        """Return scores, computed once: several oracles search for the same query."""
        self._refresh_cache()
        if key not in self._scores:
            if len(self._scores) >= _MAX_CACHED_SCORES:
                self._scores.clear()
            self._scores[key] = make()
        return self._scores[key]

    def _apply_filter(self, scored: ScoredDocuments, filters: KnowledgeFilter) -> ScoredDocuments:
        if filters == ALL_KNOWLEDGE:
            return scored
        among = self._filtered_row_ids(filters)
        return (
            scored
            if len(among) == len(self._filtered_row_ids(ALL_KNOWLEDGE))
            else scored.restrict_to(among + self.first_doc_key)
        )

    def _refresh_cache(self) -> None:
        """Forget values that were read before the last change."""
        generation = self._database.generation
        if generation != self._generation_seen:
            self._generation_seen = generation
            self._headers.clear()
            self._scores.clear()
            self._filtered.clear()
            self._doc_id_order = None

    def _filtered_row_ids(self, filters: KnowledgeFilter) -> NDArray[np.int64]:
        """Return the row ids of all documents that pass the filters, ascending, as of the last refresh."""
        if filters not in self._filtered:
            if len(self._filtered) >= _MAX_CACHED_SCORES:
                self._filtered.clear()
            where, values = _type_condition(filters.types)
            columns = "number, domains" if filters.filters_domains else "number"
            rows = self._select(f"SELECT {columns} FROM documents {where} ORDER BY number", values)
            if filters.filters_domains:
                rows = [row for row in rows if filters.allows_domains(json.loads(row[1]))]
            self._filtered[filters] = np.array([row[0] for row in rows], np.int64)
        return self._filtered[filters]

    def _row_ids_in_doc_id_order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the row ids of all documents, ascending, and the position of each by doc_id."""
        if self._doc_id_order is None:
            rows = self._select("SELECT number FROM documents ORDER BY doc_id")
            by_name = np.array([doc_key for (doc_key,) in rows], np.int64)
            positions = np.argsort(by_name)
            self._doc_id_order = by_name[positions], positions
        return self._doc_id_order

    def _row_ids(self, doc_keys: Sequence[int]) -> list[int]:
        return [doc_key - self.first_doc_key for doc_key in doc_keys]

    def _select_rows(self, columns: str, row_ids: Sequence[int]) -> list[Any]:
        """Return row id and these columns of each of the documents."""
        return self._database.select_in(f"SELECT number, {columns} FROM documents WHERE number IN ({{}})", row_ids)


def _type_condition(types: frozenset[str] | None) -> tuple[str, list[str]]:
    """Return a condition on documents, and its values."""
    values = sorted(types or ())
    return ("" if types is None else f"WHERE content_type IN ({placeholders(values)})"), values


def _read_note_document(doc_key: int, *row: Any) -> Document:  # noqa: ANN401 — columns of many types
    doc_id, content_type, kind, title, text, snippet, time, path, line, code_refs, domains, session_id = row
    start = Point(line, 0, 0)
    span = Span(start, start)
    return Document(
        doc_key,
        doc_id,
        content_type,
        decode_path(path),
        "markdown",
        Symbol(title, kind, "", snippet, text, span, span, ""),
        time=time,
        code_refs=tuple(json.loads(code_refs)),
        domains=tuple(json.loads(domains)),
        session_id=session_id,
    )


T = TypeVar("T")


class NoteStores(Struct, frozen=True):
    """The note stores that hold something, by name.

    errors: why others cannot be read, by name; their oracles report it. A store that fails while it is read costs its
    own notes; `search_words` and `search_vectors` of a single store raise.
    """

    readers: Mapping[str, NoteSource]
    errors: Mapping[str, str] = field(default_factory=dict[str, str])

    def search_words(self, query: WordQuery, filters: KnowledgeFilter = ALL_KNOWLEDGE) -> ScoredDocuments:
        """Search all stores; see `NoteReader.search_words`."""
        return self._search_all(lambda store: store.search_words(query, filters))

    def search_vectors(
        self, identity: str, query: FloatRows, filters: KnowledgeFilter = ALL_KNOWLEDGE
    ) -> ScoredDocuments:
        """Search all stores; see `NoteReader.search_vectors`."""
        return self._search_all(lambda store: store.search_vectors(identity, query, filters))

    def headers(self, doc_keys: Sequence[int]) -> dict[int, DocumentHeader]:
        """Return the headers of these documents that exist, by key."""
        return self._read_by_store(doc_keys, lambda store, own_keys: store.headers(own_keys))

    def get_documents(self, doc_keys: Sequence[int]) -> dict[int, Document]:
        """Return those of these documents that exist, by key."""
        return self._read_by_store(doc_keys, lambda store, own_keys: store.get_documents(own_keys))

    def matched_terms(self, terms: Sequence[str], doc_keys: Sequence[int]) -> dict[int, list[str]]:
        """Return for each of these documents the terms that it holds, in their order."""
        return self._read_by_store(doc_keys, lambda store, own_keys: store.matched_terms(terms, own_keys))

    def doc_id_order(self, doc_keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the position of each of these documents among them by doc_id; -1 for a deleted one."""
        if not len(doc_keys):
            return doc_keys
        first, last = note_store_of(int(doc_keys.min())), note_store_of(int(doc_keys.max()))
        if first == last:
            try:
                return self.readers[first].doc_id_order(doc_keys)
            except IndexUnavailable:
                return np.full(len(doc_keys), -1)
        headers = self.headers(doc_keys.tolist())
        names = {doc_id: position for position, doc_id in enumerate(sorted(each.doc_id for each in headers.values()))}
        positions = [names[headers[doc_key].doc_id] if doc_key in headers else -1 for doc_key in doc_keys.tolist()]
        return np.array(positions, np.int64)

    def find_doc_key(self, doc_id: str) -> int | None:
        """Return the key of the document with this doc_id."""
        for store in self.readers.values():
            try:
                doc_keys = store.doc_keys_by_id([doc_id])
            except IndexUnavailable:
                continue
            if doc_keys:
                return doc_keys[doc_id]
        return None

    def get_reader(self, name: str) -> NoteSource | None:
        """Return one note store; None when it is empty. Raises IndexUnavailable when it cannot be read."""
        if name in self.errors:
            raise IndexUnavailable(self.errors[name])
        return self.readers.get(name)

    def _search_all(self, search: Callable[[NoteSource], ScoredDocuments]) -> ScoredDocuments:
        scored: list[ScoredDocuments] = []
        for store in sorted(self.readers.values(), key=lambda store: store.first_doc_key):
            try:
                scored.append(search(store))
            except IndexUnavailable:  # the oracle of this store reports it
                continue
        if len(scored) == 1:
            return scored[0]
        parts = [NO_DOCUMENTS, *scored]
        return ScoredDocuments(np.concatenate([p.doc_keys for p in parts]), np.concatenate([p.scores for p in parts]))

    def _read_by_store(
        self, doc_keys: Sequence[int], read: Callable[[NoteSource, list[int]], dict[int, T]]
    ) -> dict[int, T]:
        keys_by_store: dict[str, list[int]] = defaultdict(list)
        for doc_key in doc_keys:
            keys_by_store[note_store_of(doc_key)].append(doc_key)
        values: dict[int, T] = {}
        for name, own_keys in keys_by_store.items():
            try:
                values |= read(self.readers[name], own_keys) if name in self.readers else {}
            except IndexUnavailable:
                continue
        return values
