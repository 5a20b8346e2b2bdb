"""One repository of a team as oracles and results read a project's index: documents, files, vectors and history.

`RepositoryIndex` has the methods of store.index.IndexStore that answer questions, so that what ranks, boosts and
explains results is the same code for local projects and for a team's. Rows that `TeamReader` read in advance are
taken from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.types import FileStructure
from scry.store.history.commits import FIRST_COMMIT_KEY
from scry.store.index.files import FileColumns, IndexedFileInfo
from scry.store.sqlite.database import AFTER_SLASH
from scry.store.team.contents import ResultFile
from scry.store.team.database import TeamDatabase, decode_text, encode_text
from scry.store.team.documents import DOCUMENT_COLUMNS, RepositoryDocuments, read_team_documents
from scry.store.team.graph import RepositoryGraph
from scry.store.team.history import RepositoryHistory
from scry.store.team.lexical import RepositoryWords
from scry.store.team.notes import RepositoryNotes
from scry.store.team.postings import Integers
from scry.store.team.vectors import FROM_DOCUMENTS, RepositoryVectors, select_of_files

if TYPE_CHECKING:
    from typing_extensions import LiteralString

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
    has_graph: bool = False
    shared_uses: int = 0


class RepositoryIndex:
    """One repository of a team, with the parts of an IndexStore that answer questions."""

    def __init__(self, database: TeamDatabase, reader: TeamReader, info: RepositoryInfo) -> None:
        """Use `TeamReader.open`."""
        self.info = info
        self.files = RepositoryFiles(database, info.repository_id)
        self.documents = RepositoryDocuments(database, info.repository_id)
        self.graph = RepositoryGraph(database, info, self.documents)
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

    # Folders ------------------------------------------------------------------------------------------------------

    def columns_in_folder(self, folder: str) -> FileColumns:
        """Return the columns of every indexed file below a folder; "" is the whole repository."""
        rows = self._select_in_folder(
            folder,
            "f.path, f.importers, f.centrality, f.flags, coalesce(g.callers, 0)",
            "LEFT JOIN code_graph g ON g.repository_id = f.repository_id AND g.path = f.path",
        )
        return FileColumns.from_rows(rows)

    def files_in_folder(self, folder: str) -> list[IndexedFileInfo]:
        """Return every indexed file below a folder, ordered by path; "" is the whole repository."""
        rows = self._select_in_folder(
            folder,
            "f.path, c.content_type, c.language, 0, f.importers, f.centrality, f.flags",
            "JOIN contents c ON c.id = f.content_id",
        )
        return [IndexedFileInfo(*row) for row in rows]

    def known_paths(self) -> list[str]:
        """Return the paths of all files."""
        return [path for (path,) in self._select_in_folder("", "f.path", "")]

    def skip_for_path(self, _: str) -> None:
        """Return None: the index holds no reasons why a file is not in it, but for its faults."""

    def _select_in_folder(self, folder: str, columns: LiteralString, join: LiteralString) -> list[tuple[Any, ...]]:
        """Return these columns, of which the first is the path, of the files below a folder, ordered by path."""
        first, last = (encode_text(f"{folder}/"), encode_text(f"{folder}{AFTER_SLASH}")) if folder else (b"", b"\xff")
        sql = f"SELECT {columns} FROM files f {join} WHERE f.repository_id = %s AND f.path >= %s AND f.path < %s"
        rows = self._database.select(sql, (self.repository, first, last))
        return sorted((decode_text(row[0]), *row[1:]) for row in rows)


def _structure(importers: int, centrality: str, flags: str) -> FileStructure:
    return FileStructure(importers, centrality, None, tuple(flags.split()))


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


def read_results(database: TeamDatabase, wanted: Sequence[tuple[RepositoryIndex, Sequence[int]]]) -> None:
    """Read what results show of documents of several repositories: place, descriptions, text, structure, activity."""
    places = [(index, key) for index, keys in wanted for key in keys if key < FIRST_COMMIT_KEY]
    if not places:
        return
    by_repository = {index.info.repository_id: index for index, _ in places}
    # With OFFSET 0 the planner looks each path and change up; otherwise it reads all of the repository for each.
    sql = (
        f"SELECT wanted.repository, {DOCUMENT_COLUMNS}, c.text, f.importers, f.centrality, f.flags, p.recent "
        f"{FROM_DOCUMENTS} LEFT JOIN LATERAL (SELECT p.recent FROM changed_paths p "
        "WHERE p.repository_id = wanted.repository AND p.path = f.path AND EXISTS (SELECT FROM changes k "
        "WHERE k.repository_id = p.repository_id AND k.now = p.id OFFSET 0) OFFSET 0) p ON true"
    )
    values = [index.info.repository_id for index, _ in places], [key for _, key in places]
    for repository, part in groupby(sorted(database.select(sql, values), key=_FIRST), _FIRST):
        index, rows = by_repository[repository], [row[1:] for row in part]
        files = {row[1]: ResultFile(row[10], _structure(*row[11:14])) for row in rows}
        index.documents.add_documents(read_team_documents([row[:10] for row in rows], files))
        for row in rows:
            path = decode_text(row[3])
            index.files.add_result(path, files[row[1]])
            index.history.add_activity(path, row[14])
