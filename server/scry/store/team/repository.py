"""One repository of a team as oracles and results read a project's index: documents, files, vectors and history.

`RepositoryIndex` has the methods of store.index.IndexStore that answer questions, so that what ranks, boosts and
explains results is the same code for local projects and for a team's. Rows that `TeamReader` read in advance are
taken from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.doc_id import possible_names_of_doc_ids
from scry.core.errors import IndexDamaged
from scry.core.text import normalize_name
from scry.core.types import Document, DocumentHeader, FileStructure
from scry.store.history.commits import FIRST_COMMIT_KEY
from scry.store.index.files import IndexedFileInfo
from scry.store.index.rows import (
    hash_name_key,
    hash_names,
    read_doc_ids,
    read_documents,
    read_headers,
    unpack_descriptions,
    unpack_text,
)
from scry.store.team.database import TeamDatabase, decode_text, encode_text
from scry.store.team.history import RepositoryHistory
from scry.store.team.lexical import RepositoryWords
from scry.store.team.notes import RepositoryNotes
from scry.store.team.postings import Integers
from scry.store.team.vectors import FROM_DOCUMENTS, RepositoryVectors, select_of_files

if TYPE_CHECKING:
    from scry.store.team.reader import TeamReader

_FIRST = itemgetter(0)


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
    notes: int = 0


class RepositoryIndex:
    """One repository of a team, with the parts of an IndexStore that answer questions."""

    def __init__(self, database: TeamDatabase, reader: TeamReader, info: RepositoryInfo) -> None:
        """Use `TeamReader.open`."""
        self.info = info
        self.files = RepositoryFiles(database, info.repository_id)
        self.documents = RepositoryDocuments(database, info.repository_id)
        self.lexical = RepositoryWords(reader.words, info.repository_id, info.generation, contains=self.files.contains)
        self.vectors = RepositoryVectors(database, reader, info, self.files)
        identity = reader.embedder.identity if reader.embedder is not None else ""
        self.notes = RepositoryNotes(database, info.repository_id, info.notes, identity)
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
        self.repository = repository
        self._ranges: dict[int, int] = {}
        self._indexed: list[tuple[int, str, str, str]] | None = None
        self._results: dict[str, ResultFile] = {}
        self._infos: dict[str, IndexedFileInfo | None] = {}

    @property
    def is_read(self) -> bool:
        """Whether the list of files was read."""
        return self._indexed is not None

    def set_files(self, rows: Sequence[tuple[int, str, str, str, int]]) -> None:
        """Keep the list of files: id, path, language, content type and number of documents."""
        self._ranges = {row[0]: row[4] for row in rows}
        self._indexed = [row[:4] for row in rows]

    def add_result(self, path: str, file: ResultFile) -> None:
        """Keep what results show of a file."""
        self._results[path] = file

    def read_results(self, paths: Iterable[str]) -> dict[str, ResultFile]:
        """Return what results show of those of these files that were read, by path."""
        return {path: self._results[path] for path in paths if path in self._results}

    def unread_paths(self, paths: Sequence[str]) -> list[str]:
        """Return those of these paths whose texts were not read."""
        return [path for path in dict.fromkeys(paths) if path not in self._results]

    def unknown_paths(self, paths: Sequence[str]) -> list[str]:
        """Return those of these paths whose files were not looked up, and take all as absent until they are added."""
        missing = [path for path in paths if path not in self._infos]
        self._infos.update(dict.fromkeys(missing))
        return missing

    def add_info(self, file: IndexedFileInfo) -> None:
        """Keep what was read of an indexed file."""
        self._infos[file.path] = file

    def get_files(self, paths: Sequence[str]) -> dict[str, IndexedFileInfo]:
        """Return those of these files that are indexed, by path. None has a modification time."""
        read_file_infos(self._database, [(self, paths)])
        return {path: file for path in paths if (file := self._infos[path]) is not None}

    def get_file(self, path: str) -> IndexedFileInfo | None:
        """Return one indexed file; None where it is not indexed."""
        return self.get_files([path]).get(path)

    def indexed_files(self) -> list[tuple[int, str, str, str]]:
        """Return id, path, language and content type of every file."""
        read_files(self._database, [self])
        return self._indexed or []

    def key_ranges(self, file_ids: Sequence[int]) -> tuple[Integers, Integers]:
        """Return the first key of each of these files and the one behind its last, ascending."""
        self.indexed_files()
        firsts = np.array(sorted(file for file in file_ids if file in self._ranges), np.int64)
        counts = np.array([self._ranges[first] for first in firsts.tolist()], np.int64)
        return firsts, firsts + counts

    def contains(self, keys: Integers, file_ids: Sequence[int] | None) -> NDArray[np.bool_]:
        """Return for each document whether it is in one of these files; in any for None."""
        if file_ids is None:
            return np.ones(len(keys), np.bool_)
        firsts, ends = self.key_ranges(file_ids)
        at = np.searchsorted(firsts, keys, "right") - 1
        return (at >= 0) & (keys < np.append(ends, 0)[at])

    def get_text(self, path: str) -> str | None:
        """Return the text of a file as it was indexed; None also where it is damaged."""
        if path in self._results:
            return self._results[path].text()
        sql = (
            "SELECT c.text FROM files f JOIN contents c ON c.id = f.content_id "
            "WHERE f.repository_id = %s AND f.path = %s"
        )
        rows = self._database.select(sql, (self.repository, encode_text(path)))
        return ResultFile(rows[0][0], FileStructure()).text() if rows else None

    def get_structures(self, paths: Sequence[str]) -> dict[str, FileStructure]:
        """Return the structure (importers, centrality, flags) of these files, by path."""
        found = {path: self._results[path].structure for path in paths if path in self._results}
        missing = [path for path in paths if path not in found]
        sql = "SELECT path, importers, centrality, flags FROM files WHERE repository_id = %s AND path = ANY(%s)"
        values = self.repository, list(map(encode_text, missing))
        for path, *columns in self._database.select(sql, values) if missing else ():
            found[decode_text(path)] = _structure(*columns)
        return found


class ResultFile(Struct, frozen=True):
    """A file as results show it. packed: its text and the descriptions of its documents, as in store.index.rows."""

    packed: bytes
    structure: FileStructure

    def text(self) -> str | None:
        """Return the text; None where it is damaged."""
        try:
            return unpack_text(self.packed)
        except IndexDamaged:
            return None

    def descriptions(self) -> dict[int, tuple[str, str]]:
        """Return signature and doc comment of each document by its position in the file; none where damaged."""
        try:
            return unpack_descriptions(self.packed)
        except IndexDamaged:
            return {}


def _structure(importers: int, centrality: str, flags: str) -> FileStructure:
    return FileStructure(importers, centrality, None, tuple(flags.split()))


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
            text = "c.text" if with_descriptions else "NULL"
            sql = f"SELECT {_DOCUMENT_COLUMNS}, {text} {FROM_DOCUMENTS}"
            rows = self._database.select(sql, ([self.repository] * len(missing), missing))
            files = {row[1]: ResultFile(row[-1], FileStructure()) for row in rows} if with_descriptions else {}
            read = _read_documents([row[:-1] for row in rows], files)
            found.update({document.doc_key: document for document in read})
        return found

    def doc_keys_by_id(self, doc_ids: Sequence[str], files: Sequence[int] | None = None) -> dict[str, int]:
        """Return the keys of the documents with these doc_ids, by doc_id. files: only documents of these files."""
        read_doc_keys(self._database, [(self, doc_ids)])
        allowed = None if files is None else frozenset(files)
        found = {doc_id: place for doc_id in doc_ids if (place := self._keys_by_id[doc_id]) is not None}
        return {doc_id: key for doc_id, (key, file) in found.items() if allowed is None or file in allowed}

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


_DOCUMENT_COLUMNS = (
    "wanted.key, f.first_key, c.content_type, f.path, c.language, d.name, d.kind, d.container, d.ordinal, d.place"
)


def _read_documents(rows: Sequence[tuple[Any, ...]], files: Mapping[int, ResultFile]) -> list[Document]:
    """Return the documents of rows of _DOCUMENT_COLUMNS. files: by id, those whose descriptions are wanted."""
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


# Reading many repositories by one statement ---------------------------------------------------------------------------


def read_files(database: TeamDatabase, wanted: Sequence[RepositoryFiles]) -> None:
    """Read the lists of files of several repositories."""
    missing = {files.repository: files for files in wanted if not files.is_read}
    if not missing:
        return
    sql = (
        "SELECT f.repository_id, f.first_key, f.path, c.language, c.content_type, f.documents FROM files f "
        "JOIN contents c ON c.id = f.content_id WHERE f.repository_id = ANY(%s) AND f.documents > 0 "
        "ORDER BY f.repository_id, f.first_key"
    )
    rows: dict[int, list[tuple[int, str, str, str, int]]] = {repository: [] for repository in missing}
    for repository, first_key, path, *columns in database.select(sql, (list(missing),)):
        rows[repository].append((first_key, decode_text(path), columns[0], columns[1], columns[2]))
    for repository, files in missing.items():
        files.set_files(rows[repository])


def read_file_infos(database: TeamDatabase, wanted: Sequence[tuple[RepositoryFiles, Sequence[str]]]) -> None:
    """Read files of several repositories by their paths."""
    places = [(files, path) for files, paths in wanted for path in files.unknown_paths(paths)]
    columns = "c.content_type, c.language, f.importers, f.centrality, f.flags"
    for files, path, (content_type, language, *structure) in select_of_files(database, places, columns):
        files.add_info(IndexedFileInfo(path, content_type, language, 0, *structure))


def read_texts(database: TeamDatabase, wanted: Sequence[tuple[RepositoryFiles, Sequence[str]]]) -> None:
    """Read what results show of files of several repositories by their paths."""
    places = [(files, path) for files, paths in wanted for path in files.unread_paths(paths)]
    columns = "c.text, f.importers, f.centrality, f.flags"
    for files, path, (packed, *structure) in select_of_files(database, places, columns):
        files.add_result(path, ResultFile(packed, _structure(*structure)))


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


def read_results(database: TeamDatabase, wanted: Sequence[tuple[RepositoryIndex, Sequence[int]]]) -> None:
    """Read what results show of documents of several repositories: place, descriptions, text, structure, activity."""
    places = [(index, key) for index, keys in wanted for key in keys if key < FIRST_COMMIT_KEY]
    if not places:
        return
    by_repository = {index.info.repository_id: index for index, _ in places}
    # With OFFSET 0 the planner looks each path and change up; otherwise it reads all of the repository for each.
    sql = (
        f"SELECT wanted.repository, {_DOCUMENT_COLUMNS}, c.text, f.importers, f.centrality, f.flags, p.recent "
        f"{FROM_DOCUMENTS} LEFT JOIN LATERAL (SELECT p.recent FROM changed_paths p "
        "WHERE p.repository_id = wanted.repository AND p.path = f.path AND EXISTS (SELECT FROM changes k "
        "WHERE k.repository_id = p.repository_id AND k.now = p.id OFFSET 0) OFFSET 0) p ON true"
    )
    values = [index.info.repository_id for index, _ in places], [key for _, key in places]
    for repository, part in groupby(sorted(database.select(sql, values), key=_FIRST), _FIRST):
        index, rows = by_repository[repository], [row[1:] for row in part]
        files = {row[1]: ResultFile(row[10], _structure(*row[11:14])) for row in rows}
        index.documents.add_documents(_read_documents([row[:10] for row in rows], files))
        for row in rows:
            path = decode_text(row[3])
            index.files.add_result(path, files[row[1]])
            index.history.add_activity(path, row[14])
