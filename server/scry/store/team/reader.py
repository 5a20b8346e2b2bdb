"""Read a team's repositories as oracles and results read a project's index: documents, files and vectors.

A question reads one snapshot. `TeamReader` finds by words and by vectors which repositories can hold a result, all
visible ones searched together; each of these is then read as a project of its own, through `RepositoryIndex`, which has
the methods of store.index.IndexStore that answer questions. So what ranks, boosts and explains results is the same code
for local projects and for a team's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from scry.core.doc_id import simple_names_of_doc_ids
from scry.core.errors import IndexDamaged
from scry.core.text import normalize_name
from scry.core.types import Document, DocumentHeader, FileStructure
from scry.store.history.commits import FIRST_COMMIT_KEY
from scry.store.index.rows import (
    hash_name_key,
    hash_names,
    read_documents,
    read_headers,
    unpack_descriptions,
    unpack_text,
)
from scry.store.team.database import TeamDatabase, decode_text, encode_text
from scry.store.team.history import RepositoryHistory
from scry.store.team.lexical import RepositoryWords, TeamWords
from scry.store.team.postings import Integers
from scry.store.team.schema import CODE_WORDS, COMMIT_WORDS
from scry.store.vector_sets import EmbedderInfo, EmbedderMismatch
from scry.store.vectors import FloatRows, exact_cosines, quantize

_FIRST = itemgetter(0)

EF_SEARCH = "600"
"""Candidates that a search of the graph of vectors keeps. It finds 99.2 % of the nearest 200 and all of the nearest
10; with 400 98.6 and 99.5 %, for 60 % of the time (docs/decisions/0105)."""

EXACT_DOCUMENTS = 5_000
"""Visible documents up to which all vectors are compared instead, so that small teams lose nothing to the graph.
Each of them is checked by the policy, which at 15,000 takes 40 ms of the server's CPU."""


class RepositoryInfo(Struct, frozen=True):
    """A visible repository, with its statistics as of the snapshot."""

    repository_id: int
    name: str
    url: str
    commit: str
    generation: int
    documents: int
    length: int
    commits: int
    commit_length: int
    cochange_commits: int


class TeamReader:
    """The visible repositories of a team as of one moment. Use it, and all that it returns, inside one snapshot.

    embedder: of the team's vectors; None before the first was stored.
    """

    def __init__(self, database: TeamDatabase) -> None:
        """Read which repositories there are."""
        self._database = database
        sql = (
            "SELECT id, name, url, encode(commit_id, 'hex'), generation, documents, length, commits, commit_length, "
            "cochange_commits FROM repositories WHERE commit_id IS NOT NULL ORDER BY name"
        )
        self.repositories = {row[0]: RepositoryInfo(*row) for row in database.select(sql)}
        infos = self.repositories.values()
        self.words = TeamWords(
            database, CODE_WORDS, sum(each.documents for each in infos), sum(each.length for each in infos)
        )
        self.commit_words = TeamWords(
            database, COMMIT_WORDS, sum(each.commits for each in infos), sum(each.commit_length for each in infos)
        )
        self._opened: dict[int, RepositoryIndex] = {}
        rows = database.select("SELECT value FROM meta WHERE key = 'embedder'")
        self.embedder = msgspec.json.decode(rows[0][0], type=EmbedderInfo) if rows else None

    def open(self, repository_id: int) -> RepositoryIndex:
        """Return a visible repository's index."""
        if repository_id not in self._opened:
            self._opened[repository_id] = RepositoryIndex(self._database, self, self.repositories[repository_id])
        return self._opened[repository_id]

    def nearest_repositories(self, query: FloatRows, limit: int) -> list[int]:
        """Return the repositories that have any of the `limit` documents nearest to a unit vector, the nearest first.

        Documents that several repositories share count once. Each repository keeps its part of the result, for
        `RepositoryVectors.nearest`.
        """
        from pgvector import HalfVector

        uses_graph = "on" if self.words.documents > EXACT_DOCUMENTS else "off"
        with self._database.settings(
            hnsw__ef_search=EF_SEARCH, hnsw__iterative_scan="strict_order", enable_indexscan=uses_graph
        ):
            rows = self._database.select(
                "SELECT content_id, position, vector FROM documents ORDER BY vector <#> %s LIMIT %s",
                (HalfVector(query), limit),
                prepare=False,
            )
        cosines = _exact_cosines(query, [row[2] for row in rows])
        scored = {(row[0], row[1]): cosine for row, cosine in zip(rows, cosines, strict=True)}
        sql = "SELECT repository_id, content_id, first_key FROM files WHERE content_id = ANY(%s)"
        near: dict[int, list[tuple[int, float]]] = {}
        first_keys: dict[int, list[tuple[int, int]]] = {}
        for repository, content, first_key in self._database.select(sql, (list({key[0] for key in scored}),)):
            first_keys.setdefault(content, []).append((repository, first_key))
        for (content, position), cosine in scored.items():
            for repository, first_key in first_keys.get(content, ()):
                near.setdefault(repository, []).append((first_key + position, cosine))
        for repository, pairs in near.items():
            self.open(repository).vectors.prefetched = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
        return sorted(near, key=lambda repository: (-max(cosine for _, cosine in near[repository]), repository))

    def prefetch(self, terms: Sequence[str], repositories: Sequence[int], depth: int) -> None:
        """Read what oracles ask of these repositories first, by one statement each for all of them: the postings of the
        terms, and the headers of the best `depth` documents by words and of the nearest by vectors.
        """
        self.words.read_postings(terms, repositories)
        self.commit_words.read_postings(terms, repositories)
        wanted: list[tuple[int, int]] = []
        for repository in repositories:
            index = self.open(repository)
            keys = {key for key, _ in index.lexical.search(terms, depth)}
            index.vectors.prefetched = index.vectors.prefetched or []  # no vector of it is among the nearest
            keys.update(key for key, _ in index.vectors.prefetched)
            wanted += [(repository, key) for key in keys]
        sql = f"SELECT wanted.repository, {_HEADER_COLUMNS} {_FROM_DOCUMENTS}"
        values = [repository for repository, _ in wanted], [key for _, key in wanted]
        rows = self._database.select(sql, values) if wanted else []
        for repository, part in groupby(sorted(rows, key=_FIRST), _FIRST):
            self.open(repository).documents.add_headers([row[1:] for row in part])


class RepositoryIndex:
    """One repository of a team, with the parts of an IndexStore that answer questions."""

    def __init__(self, database: TeamDatabase, reader: TeamReader, info: RepositoryInfo) -> None:
        """Use `TeamReader.open`."""
        self.info = info
        self.files = RepositoryFiles(database, info.repository_id)
        self.documents = RepositoryDocuments(database, info.repository_id, self.files)
        self.lexical = RepositoryWords(
            reader.words, info.repository_id, info.generation, key_ranges=self.files.key_ranges
        )
        self.vectors = RepositoryVectors(database, reader, info, self.files)
        commit_words = RepositoryWords(
            reader.commit_words, info.repository_id, info.generation, first_key=FIRST_COMMIT_KEY
        )
        self.history = RepositoryHistory(database, info.repository_id, info.cochange_commits, commit_words)

    def refresh(self) -> int:
        """Return the generation that is read, which is that of the snapshot."""
        return self.info.generation


class RepositoryFiles:
    """The files of one repository. The id of a file is the key of its first document."""

    def __init__(self, database: TeamDatabase, repository: int) -> None:
        self._database = database
        self._repository = repository
        self._ranges: dict[int, int] | None = None
        self._indexed: list[tuple[int, str, str, str]] | None = None

    def indexed_files(self) -> list[tuple[int, str, str, str]]:
        """Return id, path, language and content type of every file."""
        if self._indexed is None:
            sql = (
                "SELECT f.first_key, f.path, c.language, c.content_type, f.documents FROM files f "
                "JOIN contents c ON c.id = f.content_id WHERE f.repository_id = %s AND f.documents > 0 "
                "ORDER BY f.first_key"
            )
            rows = self._database.select(sql, (self._repository,))
            self._ranges = {row[0]: row[4] for row in rows}
            self._indexed = [(row[0], decode_text(row[1]), row[2], row[3]) for row in rows]
        return self._indexed

    def key_ranges(self, file_ids: Sequence[int]) -> tuple[Integers, Integers]:
        """Return the first key of each of these files and the one behind its last, ascending."""
        self.indexed_files()
        ranges = self._ranges or {}
        firsts = np.array(sorted(file for file in file_ids if file in ranges), np.int64)
        counts = np.array([ranges[first] for first in firsts.tolist()], np.int64)
        return firsts, firsts + counts

    def get_text(self, path: str) -> str | None:
        """Return the text of a file as it was indexed; None also where it is damaged."""
        sql = (
            "SELECT c.text FROM files f JOIN contents c ON c.id = f.content_id "
            "WHERE f.repository_id = %s AND f.path = %s"
        )
        rows = self._database.select(sql, (self._repository, encode_text(path)))
        try:
            return unpack_text(rows[0][0]) if rows else None
        except IndexDamaged:
            return None

    def get_structures(self, paths: Sequence[str]) -> dict[str, FileStructure]:
        """Return the structure (importers, centrality, flags) of these files, by path."""
        sql = "SELECT path, importers, centrality, flags FROM files WHERE repository_id = %s AND path = ANY(%s)"
        rows = self._database.select(sql, (self._repository, list(map(encode_text, paths))))
        return {decode_text(row[0]): FileStructure(row[1], row[2], None, tuple(row[3].split())) for row in rows}


_FROM_DOCUMENTS = (
    "FROM unnest(%s::integer[], %s::bigint[]) AS wanted(repository, key) JOIN LATERAL (SELECT * FROM files "
    "WHERE repository_id = wanted.repository AND first_key <= wanted.key ORDER BY first_key DESC LIMIT 1) f "
    "ON wanted.key < f.first_key + f.documents "
    "JOIN documents d ON d.content_id = f.content_id AND d.position = wanted.key - f.first_key "
    "JOIN contents c ON c.id = f.content_id"
)
"""The documents with some keys, with their files and contents."""

_HEADER_COLUMNS = "wanted.key, c.content_type, f.path, d.name, d.kind, d.container, d.ordinal, d.place"


class RepositoryDocuments:
    """The documents of one repository."""

    def __init__(self, database: TeamDatabase, repository: int, files: RepositoryFiles) -> None:
        self._database = database
        self._repository = repository
        self._files = files
        self._headers: dict[int, DocumentHeader] = {}

    def headers(self, doc_keys: Sequence[int]) -> dict[int, DocumentHeader]:
        """Return the headers of the documents with these keys; others are absent."""
        missing = [doc_key for doc_key in doc_keys if doc_key not in self._headers]
        if missing:
            repositories = [self._repository] * len(missing)
            self.add_headers(
                self._database.select(f"SELECT {_HEADER_COLUMNS} {_FROM_DOCUMENTS}", (repositories, missing))
            )
        return {doc_key: self._headers[doc_key] for doc_key in doc_keys if doc_key in self._headers}

    def add_headers(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Keep the headers of these rows of _HEADER_COLUMNS."""
        headers = read_headers(list(map(_header_row, rows)))
        self._headers.update({header.doc_key: header for header in headers})

    def get_documents(self, doc_keys: Sequence[int], *, with_descriptions: bool = True) -> dict[int, Document]:
        """Return the documents with these keys, by key. with_descriptions: with signature and doc comment."""
        sql = (
            "SELECT wanted.key, f.first_key, c.content_type, f.path, c.language, d.name, d.kind, d.container, "
            f"d.ordinal, d.place {_FROM_DOCUMENTS}"
        )
        rows = self._database.select(sql, ([self._repository] * len(doc_keys), list(doc_keys)))
        files = {int(row[1]) for row in rows} if with_descriptions else set[int]()
        rows = [(*row[:3], decode_text(row[3]), row[4], *_decode_names(row[5:8]), *row[8:]) for row in rows]
        return {document.doc_key: document for document in read_documents(rows, self._descriptions(files))}

    def _descriptions(self, file_ids: Iterable[int]) -> Mapping[int, Mapping[int, tuple[str, str]]]:
        sql = (
            "SELECT f.first_key, c.text FROM files f JOIN contents c ON c.id = f.content_id "
            "WHERE f.repository_id = %s AND f.first_key = ANY(%s) AND f.documents > 0"
        )
        found: dict[int, dict[int, tuple[str, str]]] = {}
        wanted = sorted(file_ids)
        for first_key, text in self._database.select(sql, (self._repository, wanted)) if wanted else ():
            try:
                found[first_key] = {first_key + at: each for at, each in unpack_descriptions(text).items()}
            except IndexDamaged:
                continue
        return found

    def doc_keys_by_id(self, doc_ids: Sequence[str], files: Sequence[int] | None = None) -> dict[str, int]:
        """Return the keys of the documents with these doc_ids, by doc_id. files: only documents of these files."""
        named = simple_names_of_doc_ids(doc_ids)
        hashes = hash_names([name for name, _ in named])
        wanted = dict.fromkeys(zip(hashes, (encode_text(path) for _, path in named), strict=True))
        sql = (
            "SELECT f.first_key + d.position, c.content_type, f.path, d.name, d.kind, d.container, d.ordinal, d.place, "
            "f.first_key FROM unnest(%s::integer[], %s::bytea[]) AS wanted(name_key, path) "
            "JOIN files f ON f.repository_id = %s AND f.path = wanted.path "
            "JOIN documents d ON d.content_id = f.content_id AND d.name_key = wanted.name_key "
            "JOIN contents c ON c.id = f.content_id"
        )
        values = ([key for key, _ in wanted], [path for _, path in wanted], self._repository)
        rows = self._database.select(sql, values) if wanted else []
        headers = read_headers([_header_row(row[:-1]) for row in rows])
        self._headers.update({header.doc_key: header for header in headers})
        allowed = None if files is None else frozenset(files)
        found = {
            header.doc_id: header.doc_key
            for header, row in zip(headers, rows, strict=True)
            if allowed is None or row[-1] in allowed
        }
        return {doc_id: found[doc_id] for doc_id in doc_ids if doc_id in found}

    def headers_by_name(self, keys: Sequence[str]) -> list[DocumentHeader]:
        """Return the headers of the documents whose normalized name is one of `keys`."""
        sql = (
            "SELECT f.first_key + d.position, c.content_type, f.path, d.name, d.kind, d.container, d.ordinal, d.place "
            "FROM documents d JOIN files f ON f.content_id = d.content_id AND f.repository_id = %s "
            "JOIN contents c ON c.id = d.content_id WHERE d.name_key = ANY(%s)"
        )
        rows = self._database.select(sql, (self._repository, [hash_name_key(key) for key in keys]))
        return [each for each in read_headers(list(map(_header_row, rows))) if normalize_name(each.name) in keys]

    def count_existing(self, doc_keys: Sequence[int]) -> int:
        """Return the number of documents that exist among those with these keys."""
        return len(self.headers(doc_keys))


def _header_row(row: Sequence[Any]) -> tuple[Any, ...]:
    """Return a row of key, content type, path, name, kind, container, ordinal and place as read_headers takes it."""
    key, content_type, path, name, kind, container, ordinal, place = row
    name, kind, container = _decode_names((name, kind, container))
    return key, content_type, decode_text(path), name, kind, container, ordinal, None if name else place, place


def _decode_names(names: Sequence[Any]) -> tuple[str, str, str]:
    """Return name, kind and container of a row as texts."""
    return decode_text(names[0]), names[1], decode_text(names[2])


class RepositoryVectors:
    """The vectors of one repository's documents.

    prefetched: its part of the nearest documents of all repositories, nearest first; None where that was not searched.
    """

    def __init__(
        self, database: TeamDatabase, reader: TeamReader, info: RepositoryInfo, files: RepositoryFiles
    ) -> None:
        self._database = database
        self._reader = reader
        self._info = info
        self._files = files
        self.prefetched: list[tuple[int, float]] | None = None

    @property
    def embedder(self) -> EmbedderInfo | None:
        """The embedder of the vectors."""
        return self._reader.embedder

    def nearest(
        self, identity: str, query: FloatRows, limit: int, files: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return the documents nearest to a unit vector, as (key, cosine), nearest first; see VectorIndex.nearest.

        Where all repositories were searched together, return this one's part of that; otherwise all its vectors are
        compared. Raises EmbedderMismatch.
        """
        self._require_embedder(identity)
        if self.prefetched is not None and files is None:
            return self.prefetched[:limit]
        return self._search_exactly(query, files)[:limit]

    def above_cosine(
        self, identity: str, query: FloatRows, min_cosine: float, files: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return all documents with at least this cosine; otherwise as `nearest`."""
        self._require_embedder(identity)
        return [pair for pair in self._search_exactly(query, files) if pair[1] >= min_cosine]

    def cosine_of(self, identity: str, query: FloatRows, doc_key: int) -> float | None:
        """Return the cosine of one document, as `nearest` gives it; None for an unknown one."""
        self._require_embedder(identity)
        rows = self._database.select(f"SELECT d.vector {_FROM_DOCUMENTS}", ([self._info.repository_id], [doc_key]))
        return _exact_cosines(query, [rows[0][0]])[0] if rows else None

    def _require_embedder(self, identity: str) -> None:
        embedder = self.embedder
        if embedder is None or embedder.identity != identity:
            stored = embedder.identity if embedder else "no embedder"
            raise EmbedderMismatch(f"the team's vectors are of {stored}, the question's is of {identity}")

    def _search_exactly(self, query: FloatRows, files: Sequence[int] | None) -> list[tuple[int, float]]:
        sql = (
            "SELECT f.first_key + d.position, d.vector FROM files f JOIN documents d ON d.content_id = f.content_id "
            "WHERE f.repository_id = %s AND (%s::bigint[] IS NULL OR f.first_key = ANY(%s))"
        )
        wanted = None if files is None else list(files)
        rows = self._database.select(sql, (self._info.repository_id, wanted, wanted))
        cosines = _exact_cosines(query, [row[1] for row in rows])
        pairs = [(row[0], cosine) for row, cosine in zip(rows, cosines, strict=True)]
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def _exact_cosines(query: FloatRows, vectors: Sequence[Any]) -> list[float]:
    """Return the cosines with a query of vectors as pgvector returns them, as a local index computes them."""
    if not vectors:
        return []
    rows = np.array([vector.to_numpy() for vector in vectors], np.float32)
    return exact_cosines(quantize(range(len(rows)), rows), query).tolist()
