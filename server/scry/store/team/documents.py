"""The documents of one repository of a team, with the methods of store.index.DocumentTable that answer questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import groupby
from operator import itemgetter
from typing import Any

from scry.core.doc_id import possible_names_of_doc_ids
from scry.core.text import normalize_name
from scry.core.types import Document, DocumentHeader, FileStructure, Symbol
from scry.store.index.rows import (
    encode_kind,
    hash_name_key,
    hash_names,
    read_doc_ids,
    read_documents,
    read_headers,
)
from scry.store.selection import FileSelection
from scry.store.team.contents import ResultFile
from scry.store.team.database import TeamDatabase, decode_text, encode_text
from scry.store.team.vectors import FROM_DOCUMENTS

_FIRST = itemgetter(0)

ContentId = tuple[bytes, int]
"""What a document is a copy of, wherever it lies: the digest of its file's content, and its position in the file."""

HEADER_COLUMNS = (
    "wanted.key, c.content_type, f.path, d.name, d.kind, d.container, d.ordinal, d.place, c.digest, d.position"
)


class RepositoryDocuments:
    """The documents of one repository. content_ids: of those whose headers were read, by key."""

    def __init__(self, database: TeamDatabase, repository: int) -> None:
        self._database = database
        self.repository = repository
        self.content_ids: dict[int, ContentId] = {}
        self._headers: dict[int, DocumentHeader] = {}
        self._documents: dict[int, Document] = {}
        self._keys_by_id: dict[str, tuple[int, int] | None] = {}
        self._documents_of_file: dict[str, list[Document]] = {}

    def headers(self, doc_keys: Sequence[int]) -> dict[int, DocumentHeader]:
        """Return the headers of the documents with these keys; others are absent."""
        missing = [doc_key for doc_key in doc_keys if doc_key not in self._headers]
        if missing:
            repositories = [self.repository] * len(missing)
            self.add_headers(
                self._database.select(f"SELECT {HEADER_COLUMNS} {FROM_DOCUMENTS}", (repositories, missing))
            )
        return {doc_key: self._headers[doc_key] for doc_key in doc_keys if doc_key in self._headers}

    def add_headers(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Keep the headers of these rows of HEADER_COLUMNS."""
        headers = read_headers(list(map(_header_row, rows)))
        self.content_ids.update({row[0]: row[8:10] for row in rows})
        self._headers.update({header.doc_key: header for header in headers})

    def add_documents(self, documents: Sequence[Document]) -> None:
        """Keep documents with their descriptions."""
        self._documents.update({document.doc_key: document for document in documents})

    def get_documents(self, doc_keys: Sequence[int], *, with_descriptions: bool = True) -> dict[int, Document]:
        """Return the documents with these keys, by key. with_descriptions: with signature and doc comment."""
        missing = [doc_key for doc_key in doc_keys if doc_key not in self._documents]
        found = {doc_key: self._documents[doc_key] for doc_key in doc_keys if doc_key in self._documents}
        if missing:
            values = [self.repository] * len(missing), missing
            rows = self._database.select(f"SELECT {DOCUMENT_COLUMNS} {FROM_DOCUMENTS}", values)
            files = self._read_files({row[1] for row in rows}) if with_descriptions else {}
            read = read_team_documents(rows, files)
            found.update({document.doc_key: document for document in read})
        return found

    def _read_files(self, first_keys: Set[int]) -> dict[int, ResultFile]:
        """Return texts and descriptions of files by the keys of their first documents."""
        sql = (
            "SELECT f.first_key, c.text FROM files f JOIN contents c ON c.id = f.content_id "
            "WHERE f.repository_id = %s AND f.first_key = ANY(%s)"
        )
        rows = self._database.select(sql, (self.repository, list(first_keys)))
        return {first_key: ResultFile(packed, FileStructure()) for first_key, packed in rows}

    def doc_keys_by_id(self, doc_ids: Sequence[str], left: FileSelection | None = None) -> dict[str, int]:
        """Return the keys of the documents with these doc_ids, by doc_id. left: only documents of these files."""
        read_doc_keys(self._database, [(self, doc_ids)])
        allowed = None if left is None else frozenset(left.ids)
        found = {doc_id: place for doc_id in doc_ids if (place := self._keys_by_id[doc_id]) is not None}
        return {doc_id: key for doc_id, (key, file) in found.items() if allowed is None or file in allowed}

    def find_by_doc_id(self, doc_id: str) -> list[Document]:
        """Return the documents with this doc_id: one or none."""
        return list(self.get_documents(list(self.doc_keys_by_id([doc_id]).values())).values())

    def doc_keys_in_file(self, path: str) -> tuple[int, list[tuple[int, str]]]:
        """Return the id of a file, and key and doc_id of each of its documents."""
        sql = "SELECT first_key, documents FROM files WHERE repository_id = %s AND path = %s"
        for first_key, count in self._database.select(sql, (self.repository, encode_text(path))):
            headers = self.headers(range(first_key, first_key + count))
            return first_key, [(doc_key, header.doc_id) for doc_key, header in headers.items()]
        return 0, []

    def top_level_documents(self, path: str) -> list[Document]:
        """Return the documents of a file that no other document of it encloses, in the order of the file."""
        symbols = [(document, document.symbol) for document in self._documents_in_file(path)]
        enclosing = {_qualified_name(symbol) for _, symbol in symbols}
        return [
            document
            for document, symbol in symbols
            if not symbol.container or (symbol.kind != "section" and symbol.container not in enclosing)
        ]

    def direct_members(self, document: Document) -> list[Document]:
        """Return the documents that a document encloses directly, in the order of the file."""
        qualified = _qualified_name(document.symbol)
        return [each for each in self._documents_in_file(document.path) if each.symbol.container == qualified]

    def _documents_in_file(self, path: str) -> list[Document]:
        """Return all documents of a file with their descriptions, in its order; read once."""
        if path not in self._documents_of_file:
            keys = [doc_key for doc_key, _ in self.doc_keys_in_file(path)[1]]
            read = self.get_documents(keys)
            self._documents_of_file[path] = [read[doc_key] for doc_key in sorted(read)]
        return self._documents_of_file[path]

    def symbol_names_with_prefix(self, *_: object) -> list[str]:
        """Return nothing: the spellings of a team's names are not searched for similar ones."""
        return []

    def outermost_by_name(self, keys: Sequence[str], kinds: Sequence[str]) -> list[tuple[str, str]]:
        """Return path and name of the documents in no container, of these kinds, whose normalized name is a key."""
        sql = (
            "SELECT f.path, d.name FROM documents d JOIN files f ON f.content_id = d.content_id "
            "AND f.repository_id = %s WHERE d.name_key = ANY(%s) AND d.container = '' AND d.kind = ANY(%s)"
        )
        values = self.repository, [hash_name_key(key) for key in keys], list(map(encode_kind, kinds))
        found = [(decode_text(path), decode_text(name)) for path, name in self._database.select(sql, values)]
        return [(path, name) for path, name in found if normalize_name(name) in keys]

    def unknown_doc_ids(self, doc_ids: Sequence[str]) -> list[str]:
        """Return those of these doc_ids whose keys were not looked up, and take all as absent until they are added."""
        missing = [doc_id for doc_id in doc_ids if doc_id not in self._keys_by_id]
        self._keys_by_id.update(dict.fromkeys(missing))
        return missing

    def add_doc_keys(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Keep the keys of these rows of a header and the id of its file, of those documents that are looked up."""
        wanted = self._keys_by_id
        header_rows = list(map(_header_row, rows))
        doc_ids = read_doc_ids([row[2:-1] for row in header_rows])
        found = [at for at, doc_id in enumerate(doc_ids) if doc_id in wanted]
        headers = read_headers([header_rows[at] for at in found], [doc_ids[at] for at in found])
        for at, header in zip(found, headers, strict=True):
            row = rows[at]
            self._headers[header.doc_key] = header
            self.content_ids[header.doc_key] = row[8:10]
            wanted[header.doc_id] = header.doc_key, row[-1]

    def headers_by_name(self, keys: Sequence[str]) -> list[DocumentHeader]:
        """Return the headers of the documents whose normalized name is one of `keys`."""
        sql = (
            "SELECT f.first_key + d.position, c.content_type, f.path, d.name, d.kind, d.container, d.ordinal, d.place "
            "FROM documents d JOIN files f ON f.content_id = d.content_id AND f.repository_id = %s "
            "JOIN contents c ON c.id = d.content_id WHERE d.name_key = ANY(%s)"
        )
        rows = self._database.select(sql, (self.repository, [hash_name_key(key) for key in keys]))
        return [each for each in read_headers(list(map(_header_row, rows))) if normalize_name(each.name) in keys]

    def count_existing(self, doc_keys: Sequence[int]) -> int:
        """Return the number of documents that exist among those with these keys."""
        return len(self.headers(doc_keys))


def _qualified_name(symbol: Symbol) -> str:
    return f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name


DOCUMENT_COLUMNS = (
    "wanted.key, f.first_key, c.content_type, f.path, c.language, d.name, d.kind, d.container, d.ordinal, d.place"
)


def read_team_documents(rows: Sequence[tuple[Any, ...]], files: Mapping[int, ResultFile]) -> list[Document]:
    """Return the documents of rows of DOCUMENT_COLUMNS. files: by id, those whose descriptions are wanted."""
    descriptions = {
        first_key: {first_key + at: each for at, each in file.descriptions().items()}
        for first_key, file in files.items()
    }
    decoded = [(*row[:3], decode_text(row[3]), row[4], *_decode_names(row[5:8]), *row[8:]) for row in rows]
    return read_documents(decoded, descriptions)


def _header_row(row: Sequence[Any]) -> tuple[Any, ...]:
    """Return a row that begins with key, content type, path, name, kind, container, ordinal and place as read_headers
    takes it.
    """
    key, content_type, path, name, kind, container, ordinal, place, *_ = row
    name, kind, container = _decode_names((name, kind, container))
    return key, content_type, decode_text(path), name, kind, container, ordinal, None if name else place, place


def _decode_names(names: Sequence[Any]) -> tuple[str, str, str]:
    """Return name, kind and container of a row as texts."""
    return decode_text(names[0]), names[1], decode_text(names[2])


def read_doc_keys(database: TeamDatabase, wanted: Sequence[tuple[RepositoryDocuments, Sequence[str]]]) -> None:
    """Read keys and headers of documents of several repositories by their doc_ids."""
    places: dict[tuple[int, bytes, bytes, int], None] = {}
    for documents, doc_ids in wanted:
        named = possible_names_of_doc_ids(documents.unknown_doc_ids(doc_ids))
        for name_key, (path, container, _) in zip(hash_names([name for *_, name in named]), named, strict=True):
            places[documents.repository, encode_text(path), encode_text(container), name_key] = None
    if not places:
        return
    by_repository = {documents.repository: documents for documents, _ in wanted}
    # With OFFSET 0 the planner looks each path and name up; otherwise it reads all files of the visible repositories,
    # and all documents of a file.
    sql = (
        "WITH wanted AS (SELECT repository, path, array_agg(container) AS containers, array_agg(name_key) AS name_keys "
        "FROM unnest(%s::integer[], %s::bytea[], %s::bytea[], %s::integer[]) "
        "AS w(repository, path, container, name_key) GROUP BY repository, path) "
        "SELECT wanted.repository, f.first_key + d.position, c.content_type, wanted.path, d.name, d.kind, d.container, "
        "d.ordinal, d.place, c.digest, d.position, f.first_key FROM wanted "
        "CROSS JOIN LATERAL (SELECT first_key, content_id FROM files "
        "WHERE repository_id = wanted.repository AND path = wanted.path OFFSET 0) f "
        "CROSS JOIN LATERAL (SELECT content_type, digest FROM contents WHERE id = f.content_id OFFSET 0) c "
        "CROSS JOIN LATERAL (SELECT * FROM documents WHERE content_id = f.content_id "
        "AND name_key = ANY(wanted.name_keys) AND (container = ANY(wanted.containers) OR name = '') OFFSET 0) d"
    )
    values = [[place[at] for place in places] for at in range(4)]
    rows = database.select(sql, values)
    for repository, part in groupby(sorted(rows, key=_FIRST), _FIRST):
        by_repository[repository].add_doc_keys([row[1:] for row in part])
