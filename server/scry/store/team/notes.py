"""Store the beliefs, patterns and session notes of a team's repositories, and read those of one as a note store.

Notes are few, and replaced as a whole with each generation: the number of a note is its place among those of its
repository by doc_id. Which repositories hold notes near a question is found by the words of all visible notes
(`postings`, with the statistics of the code as in store.notes.postings) and by their vectors; the notes of these
repositories are then read by one statement and scored here, by the formulas of store.notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from scry.core.decoding import decode_json, json_decoder
from scry.core.knowledge import ALL_KNOWLEDGE, FIRST_DOC_KEYS, PROJECT_NOTES, KnowledgeDocument, KnowledgeFilter
from scry.core.types import Document, DocumentHeader, Point, Span, Symbol
from scry.store.bm25 import BM25_K1, length_norms
from scry.store.index.rows import compress_frame, decompress_frame
from scry.store.lexical import stem_of
from scry.store.notes.postings import AVERAGE_DOCUMENT_TERMS, NO_DOCUMENTS, ScoredDocuments
from scry.store.notes.project_notes import NO_STANDING, BeliefStanding, BeliefTarget
from scry.store.notes.reader import WordQuery
from scry.store.team.database import TeamDatabase, decode_text, encode_text
from scry.store.team.postings import DocumentTerms, FileTerms, pack_terms
from scry.store.vectors import FloatRows, exact_cosines, quantize

if TYPE_CHECKING:
    from typing_extensions import LiteralString

FIRST_NOTE_KEY = FIRST_DOC_KEYS[PROJECT_NOTES]

EXACT_NOTES = 20_000
"""Visible notes up to which all vectors are compared: their policy compares one number, which takes 1 µs a row."""

_NEAREST_NOTES = 200
"""Nearest notes whose repositories may take part."""


class NoteContent(Struct, frozen=True):
    """The part of a note that results show. entry: without its terms. reach: what a belief covers, best first.

    file: the text of the note's file.
    """

    entry: KnowledgeDocument
    standing: BeliefStanding = NO_STANDING
    reach: tuple[BeliefTarget, ...] = ()
    file: str = ""


class TeamNote(Struct, frozen=True):
    """A note to be published. terms: the stems of its words."""

    content: NoteContent
    terms: DocumentTerms
    vector: FloatRows


_encode_content = msgspec.json.Encoder().encode
_decode_content = json_decoder(NoteContent)


# Writing --------------------------------------------------------------------------------------------------------------


def replace_notes(database: TeamDatabase, repository_id: int, notes: Sequence[TeamNote]) -> None:
    """Replace the notes of a repository, in the transaction of its publication. notes: by doc_id."""
    from pgvector import HalfVector

    connection = database.connection
    connection.execute("DELETE FROM notes WHERE repository_id = %s", (repository_id,))
    if not notes:
        return
    sql = "COPY notes FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(sql) as copy:
        copy.set_types(("int4", "int4", "bytea", "text", "bytea", "bytea", "bytea", "bytea", "halfvec", "bytea"))
        for number, note in enumerate(notes):
            entry = note.content.entry
            copy.write_row(
                (
                    repository_id,
                    number,
                    encode_text(entry.doc_id),
                    entry.content_type,
                    encode_text(entry.kind or entry.content_type),
                    encode_text(entry.title),
                    msgspec.json.encode(entry.domains),
                    pack_terms([note.terms]),
                    HalfVector(note.vector),
                    compress_frame(_encode_content(replace(note.content, entry=replace(entry, terms=())))),
                )
            )


# Reading --------------------------------------------------------------------------------------------------------------


class _NoteRow(Struct, frozen=True):
    doc_id: str
    content_type: str
    kind: str
    title: str
    domains: tuple[str, ...]
    length: int
    frequencies: dict[bytes, int]


class _Rows(Struct, frozen=True):
    """The notes of a repository in the order of their numbers, with their vectors as one array."""

    notes: Sequence[_NoteRow]
    vectors: FloatRows


_NO_ROWS = _Rows((), np.zeros((0, 1), np.float32))


class RepositoryNotes:
    """The notes of one repository of a team, with the methods of store.notes.reader.NoteSource."""

    def __init__(self, database: TeamDatabase, repository: int, count: int, identity: str) -> None:
        """Use `TeamReader`. count: the number of notes. identity: that of the embedder of the team's vectors."""
        self._database = database
        self._identity = identity
        self._rows: _Rows | None = None if count else _NO_ROWS
        self._contents: dict[int, NoteContent] = {}
        self.repository = repository
        self.first_doc_key = FIRST_NOTE_KEY

    @property
    def is_read(self) -> bool:
        """Whether the notes were read."""
        return self._rows is not None

    @property
    def is_empty(self) -> bool:
        """Whether there is no note."""
        return not self._read().notes

    def set_rows(self, rows: _Rows) -> None:
        """Keep the notes."""
        self._rows = rows

    def add_content(self, doc_key: int, content: NoteContent) -> None:
        """Keep what results show of a note."""
        self._contents[doc_key] = content

    # Searching ----------------------------------------------------------------------------------------------------

    def search_words(self, query: WordQuery, filters: KnowledgeFilter = ALL_KNOWLEDGE) -> ScoredDocuments:
        """Return every note that holds one of the terms, by rounded BM25 with the statistics of the team's code."""
        notes = self._read().notes
        scores, ceiling = np.zeros(len(notes)), 0.0
        norms = length_norms(np.array([note.length for note in notes], np.int64), AVERAGE_DOCUMENT_TERMS)
        for stem, count in Counter(map(stem_of, query.terms)).items():
            weight = count * query.code_index.inverse_document_frequency(stem) * (BM25_K1 + 1)
            ceiling += weight
            if stem:
                times = np.array([note.frequencies.get(stem.encode("utf-8", "surrogatepass"), 0) for note in notes])
                scores += np.where(times > 0, weight * times / (times + norms), 0.0)
        found = np.flatnonzero((scores > 0) & self._passes(filters))
        if not len(found):
            return NO_DOCUMENTS
        return ScoredDocuments(found + FIRST_NOTE_KEY, np.round(scores[found], query.digits), ceiling)

    def search_vectors(
        self, identity: str, query: FloatRows, filters: KnowledgeFilter = ALL_KNOWLEDGE
    ) -> ScoredDocuments:
        """Return every note by its cosine with a query vector; none where the team's vectors are of another model."""
        rows = self._read()
        if identity != self._identity or not rows.notes:
            return NO_DOCUMENTS
        cosines = exact_cosines(quantize(range(len(rows.vectors)), rows.vectors), query)
        found = np.flatnonzero(self._passes(filters))
        return ScoredDocuments(found + FIRST_NOTE_KEY, cosines[found])

    def matched_terms(self, terms: Sequence[str], doc_keys: Sequence[int]) -> dict[int, list[str]]:
        """Return for each of these notes the terms that it holds, in their order."""
        stems = [(term, stem_of(term).encode("utf-8", "surrogatepass")) for term in terms]
        held = {doc_key: self._row(doc_key) for doc_key in doc_keys}
        return {
            doc_key: [term for term, stem in stems if note is not None and stem in note.frequencies]
            for doc_key, note in held.items()
        }

    # Notes --------------------------------------------------------------------------------------------------------

    def headers(self, doc_keys: Sequence[int]) -> dict[int, DocumentHeader]:
        """Return the headers of these notes: without a path, so that no boost for code applies."""
        return {
            doc_key: DocumentHeader(doc_key, note.doc_id, note.content_type, "", note.title, note.kind, "")
            for doc_key in doc_keys
            if (note := self._row(doc_key)) is not None
        }

    def get_documents(self, doc_keys: Sequence[int]) -> dict[int, Document]:
        """Return these notes as documents, by key; others are absent."""
        return {key: _note_document(key, content.entry) for key, content in self.contents(doc_keys).items()}

    def contents(self, doc_keys: Sequence[int]) -> dict[int, NoteContent]:
        """Return what results show of these notes, by key; others are absent."""
        read_note_contents(self._database, [(self, doc_keys)])
        return {doc_key: self._contents[doc_key] for doc_key in doc_keys if doc_key in self._contents}

    def unread_numbers(self, doc_keys: Sequence[int]) -> list[int]:
        """Return the numbers of those of these notes whose content was not read."""
        return [doc_key - FIRST_NOTE_KEY for doc_key in doc_keys if doc_key not in self._contents]

    def doc_keys_by_id(self, doc_ids: Sequence[str]) -> dict[str, int]:
        """Return the keys of the notes with these doc_ids, by doc_id."""
        keys = {note.doc_id: FIRST_NOTE_KEY + number for number, note in enumerate(self._read().notes)}
        return {doc_id: keys[doc_id] for doc_id in doc_ids if doc_id in keys}

    def doc_id_order(self, doc_keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the position of each of these notes among all by doc_id; -1 for one that does not exist."""
        numbers = doc_keys - FIRST_NOTE_KEY
        return np.where(numbers < len(self._read().notes), numbers, -1)

    def text_of_file(self, path: str) -> str | None:
        """Return the text of a note's file; None where no note stands in it."""
        every = [FIRST_NOTE_KEY + number for number in range(len(self._read().notes))]
        files = {content.entry.path: content.file for content in self.contents(every).values()}
        return files.get(path)

    def _passes(self, filters: KnowledgeFilter) -> NDArray[np.bool_]:
        """Return for each note whether it passes the filters."""
        notes = self._read().notes
        if filters == ALL_KNOWLEDGE:
            return np.ones(len(notes), np.bool_)
        passing = [filters.allows_type(each.content_type) and filters.allows_domains(each.domains) for each in notes]
        return np.array(passing, np.bool_)

    def _row(self, doc_key: int) -> _NoteRow | None:
        notes, number = self._read().notes, doc_key - FIRST_NOTE_KEY
        return notes[number] if 0 <= number < len(notes) else None

    def _read(self) -> _Rows:
        if self._rows is None:
            read_notes(self._database, [self])
        return self._rows or _NO_ROWS


def _note_document(doc_key: int, entry: KnowledgeDocument) -> Document:
    start = Point(entry.line, 0, 0)
    span = Span(start, start)
    kind = entry.kind or entry.content_type
    return Document(
        doc_key,
        entry.doc_id,
        entry.content_type,
        entry.path,
        "markdown",
        Symbol(entry.title, kind, "", entry.snippet, entry.text, span, span, ""),
        time=entry.time,
        code_refs=entry.code_refs,
        domains=entry.domains,
        session_id=entry.session_id,
    )


# Reading many repositories by one statement ---------------------------------------------------------------------------


def nearest_note_repositories(database: TeamDatabase, query: FloatRows, visible: int) -> list[int]:
    """Return the repositories of the notes nearest to a unit vector, the nearest first. visible: how many all have."""
    from pgvector import HalfVector

    # Adding nothing to the distance keeps the planner from the graph of vectors.
    order: LiteralString = "vector <#> %s" if visible > EXACT_NOTES else "(vector <#> %s) + 0"
    sql = f"SELECT repository_id FROM notes ORDER BY {order} LIMIT %s"
    return list(dict.fromkeys(row[0] for row in database.select(sql, (HalfVector(query), _NEAREST_NOTES))))


def read_notes(database: TeamDatabase, wanted: Sequence[RepositoryNotes]) -> None:
    """Read the notes of several repositories, but for what only results show."""
    missing = {notes.repository: notes for notes in wanted if not notes.is_read}
    if not missing:
        return
    sql = (
        "SELECT repository_id, doc_id, content_type, kind, title, domains, terms, vector FROM notes "
        "WHERE repository_id = ANY(%s) ORDER BY repository_id, number"
    )
    rows: dict[int, list[_NoteRow]] = {repository: [] for repository in missing}
    vectors: dict[int, list[NDArray[np.float32]]] = {repository: [] for repository in missing}
    for repository, doc_id, content_type, kind, title, domains, terms, vector in database.select(sql, (list(missing),)):
        unpacked = FileTerms.unpack(terms)
        [(length, numbers, frequencies)] = unpacked.documents
        held = {unpacked.vocabulary[number]: count for number, count in zip(numbers, frequencies, strict=True)}
        about = tuple(decode_json(domains, list[str]))
        names = decode_text(doc_id), content_type, decode_text(kind), decode_text(title)
        rows[repository].append(_NoteRow(*names, about, length, held))
        vectors[repository].append(vector.to_numpy())
    for repository, notes in missing.items():
        own = rows[repository]
        notes.set_rows(_Rows(own, np.array(vectors[repository], np.float32)) if own else _NO_ROWS)


def read_note_contents(database: TeamDatabase, wanted: Sequence[tuple[RepositoryNotes, Sequence[int]]]) -> None:
    """Read what results show of notes of several repositories."""
    if (unread := query_note_contents(wanted)) is not None:
        sql, values, add = unread
        for row in database.select(sql, values):
            add(*row)


def query_note_contents(
    wanted: Sequence[tuple[RepositoryNotes, Sequence[int]]],
) -> tuple[LiteralString, Sequence[object], Callable[[int, int, bytes], None]] | None:
    """Return the query of what results show of notes, its values, and what takes a row; None where all were read."""
    places = [(notes, number) for notes, keys in wanted for number in notes.unread_numbers(keys)]
    if not places:
        return None
    by_repository = {notes.repository: notes for notes, _ in places}
    sql: LiteralString = (
        "SELECT n.repository_id, n.number::bigint, n.content FROM unnest(%s::integer[], %s::bigint[]) "
        "AS wanted(repository, number) JOIN notes n ON n.repository_id = wanted.repository AND n.number = wanted.number"
    )

    def add(repository: int, number: int, content: bytes) -> None:
        by_repository[repository].add_content(FIRST_NOTE_KEY + number, _decode_content(decompress_frame(content)))

    return sql, ([notes.repository for notes, _ in places], [number for _, number in places]), add
