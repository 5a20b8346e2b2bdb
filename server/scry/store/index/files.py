"""Read files of the code index: stored state, texts, imports and the columns that rank them.

Columns of a folder are arrays, since a folder may hold 100,000 files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from scry.core.errors import IndexDamaged
from scry.core.knowledge import NOTES_FOLDER
from scry.core.path_kinds import GENERATED, is_entry_file, is_readme
from scry.core.types import FileFault, FileStructure, SkippedFile, SkipReason
from scry.store.index.database import IndexDatabase
from scry.store.index.rows import IndexedFile, StoredFile, format_fault, parse_fault, unpack_imports, unpack_text
from scry.store.sqlite.database import (
    AFTER_SLASH,
    FolderCache,
    batches,
    decode_path,
    encode_path,
    folder_condition,
    path_ranges,
    placeholders,
)

ENTRY_POINT = "entry_point"
"""Flag of a file at which a program or package starts."""


class FileColumns(Struct, frozen=True, eq=False):
    """The indexed files at or below a folder, ordered by path; every array has a value for each file.

    importers: number of files that import it. callers: number of documents in other files that call what it defines,
    or inherit from it. centralities: index of its level in `levels`. depths: number of folders that it lies in.
    is_generated: whether its text says so. is_facade: whether it shows what a folder offers. is_readme: whether it is
    the README of any folder. folders: all folders that hold files. file_endings: index of its ending in `endings`.
    """

    paths: Sequence[str]
    importers: NDArray[np.int64]
    callers: NDArray[np.int64]
    centralities: NDArray[np.int64]
    levels: Sequence[str]
    is_entry_point: NDArray[np.bool_]
    is_generated: NDArray[np.bool_]
    depths: NDArray[np.int64]
    is_facade: NDArray[np.bool_]
    is_readme: NDArray[np.bool_]
    folders: frozenset[str]
    file_endings: NDArray[np.int64]
    endings: Sequence[str]

    @classmethod
    def from_rows(cls, rows: Sequence[Any]) -> FileColumns:
        """Return the columns of rows of path, importers, centrality, flags and callers, in SQLite's order of paths."""
        if rows and isinstance(rows[-1][0], bytes):  # SQLite sorts paths that are not UTF-8 after all others
            rows = sorted(rows, key=lambda row: decode_path(row[0]))
        paths = [decode_path(row[0]) for row in rows]
        levels = sorted({row[2] for row in rows})
        numbers = {level: number for number, level in enumerate(levels)}
        folders = frozenset(path[: max(path.rfind("/"), 0)] for path in paths)
        endings: dict[str, int] = {}
        file_endings = [endings.setdefault(ending_of(path), len(endings)) for path in paths]
        return cls(
            paths,
            np.array([row[1] for row in rows], np.int64),
            np.array([row[4] for row in rows], np.int64),
            np.array([numbers[row[2]] for row in rows], np.int64),
            levels,
            np.array([ENTRY_POINT in row[3] for row in rows], np.bool_),
            np.array([GENERATED in row[3] for row in rows], np.bool_),
            np.array([path.count("/") for path in paths], np.int64),
            np.array([is_entry_file(path, folders) for path in paths], np.bool_),
            np.array([is_readme(path) for path in paths], np.bool_),
            folders,
            np.array(file_endings, np.int64),
            tuple(endings),
        )

    def __len__(self) -> int:
        return len(self.paths)


def ending_of(path: str) -> str:
    """Return what a file's name has from its last dot on; the name where it has none."""
    name = path[path.rfind("/") + 1 :]
    return name[max(name.rfind("."), 0) :]


class IndexedFileInfo(NamedTuple):
    """An indexed file and its structure. A tuple, since there may be 100,000 of them."""

    path: str
    content_type: str
    language: str
    mtime_ns: int
    importers: int
    centrality: str
    flags: str


_FROM_INDEXED = "FROM files INDEXED BY files_overview WHERE skip_reason IS NULL"

_SELECT_FILE_INFO = f"SELECT path, content_type, language, mtime_ns, importers, centrality, flags {_FROM_INDEXED}"
"""Select the fields of `IndexedFileInfo` from a covering index: no row of `files`, which holds a text, is read."""


_FROM_FAULTS = "FROM files INDEXED BY files_faults WHERE fault IS NOT NULL"

_SELECT_NEXT_PATH = "SELECT path FROM files WHERE path {} ? AND path < ? ORDER BY path LIMIT 1"

_SELECT_STORED = (
    "SELECT id, path, size, mtime_ns, hash, skip_reason, skip_detail, fault, fault_version, ctime_ns FROM files"
)


class FileTable:
    """The files of one index. Every method may be called from any thread."""

    def __init__(self, database: IndexDatabase) -> None:
        self._database = database
        self._db = database.connection
        self._lock = database.lock
        self._columns_cache: FolderCache[FileColumns] = FolderCache(self._db)
        self._indexed: tuple[int, list[tuple[int, str, str, str]]] = (-1, [])
        self._languages: tuple[int, dict[str, int]] = (-1, {})
        self._counts: tuple[int, int, int] = (-1, 0, 0)

    def all_files(self) -> dict[str, StoredFile]:
        """Return every file that was looked at, by path."""
        with self._lock:
            rows = self._db.execute(_SELECT_STORED).fetchall()
        return _read_stored_files(rows)

    def files_under(self, paths: Iterable[str]) -> dict[str, StoredFile]:
        """Return the files at or below these paths that were looked at, by path."""
        rows: list[Sequence[Any]] = []
        for path in paths:
            where, values = folder_condition("path", path)
            with self._lock:
                rows += self._db.execute(
                    f"{_SELECT_STORED} WHERE path = ? OR {where}", (encode_path(path), *values)
                ).fetchall()
        return _read_stored_files(rows)

    def links(self) -> dict[str, StoredFile]:
        """Return every link that was looked at, and other files that are no regular ones, by path."""
        sql = f"{_SELECT_STORED} INDEXED BY files_skipped WHERE skip_reason IN (?, ?)"
        with self._lock:
            return _read_stored_files(self._db.execute(sql, [SkipReason.NOT_REGULAR.value, SkipReason.OUTSIDE.value]))

    @property
    def has_files(self) -> bool:
        """Whether any file was looked at."""
        with self._lock:
            return bool(self._db.execute("SELECT EXISTS (SELECT 1 FROM files)").fetchone()[0])

    def child_names(self, folder: str, excluded: Set[str] = frozenset()) -> set[str]:
        """Return the names of the direct children of a folder: files that were looked at, and folders that hold some.

        excluded: paths of files that do not count. The search steps from name to name, so that files further below cost
        nothing.
        """
        start = len(folder) + 1 if folder else 0
        names: set[str] = set()
        with self._lock:
            for low, high in path_ranges(folder):
                current, comparison = low, ">="
                while row := self._db.execute(_SELECT_NEXT_PATH.format(comparison), (current, high)).fetchone():
                    current, comparison = row[0], ">"
                    path = decode_path(current)
                    if path in excluded:
                        continue
                    name, slash, _ = path[start:].partition("/")
                    names.add(name)
                    if slash:
                        next_name = path[:start] + name + AFTER_SLASH
                        current = (
                            next_name if isinstance(current, str) else next_name.encode("utf-8", "surrogateescape")
                        )
                        comparison = ">="
        return names

    def file_stats(self) -> list[tuple[str, int, int, int]]:
        """Return path, size, mtime_ns and ctime_ns of every file that is not ignored, for a quick comparison."""
        select = "SELECT path, size, mtime_ns, ctime_ns FROM files INDEXED BY"
        indexed = f"{select} files_overview WHERE skip_reason IS NULL AND size >= 0"
        skipped = f"{select} files_skipped WHERE skip_reason IS NOT NULL AND skip_reason <> ? AND size >= 0"
        with self._lock:
            rows = self._db.execute(f"{indexed} UNION ALL {skipped}", [SkipReason.IGNORED.value]).fetchall()
        return [(decode_path(path), *stamp) for path, *stamp in rows]

    def folder_times(self) -> list[tuple[str, int]]:
        """Return path and `folder_change_ns` of every folder that was walked."""
        with self._lock:
            rows = self._db.execute("SELECT path, changed_ns FROM folders").fetchall()
        return [(decode_path(path), changed_ns) for path, changed_ns in rows]

    def packed_imports(self, paths: Sequence[str] | None = None) -> dict[str, bytes]:
        """Return the packed imports of each indexed file, by path; of `paths` alone where they are given."""
        sql = "SELECT path, links FROM files WHERE skip_reason IS NULL"
        with self._lock:
            rows = self._db.execute(sql).fetchall() if paths is None else self._select_at(sql, paths)
        return {decode_path(path): unpack_imports(packed) for path, packed in rows}

    def _select_at(self, sql: str, paths: Sequence[str]) -> list[Any]:
        """Return the rows of a statement with a condition that are those of these paths; under the lock."""
        return [
            row
            for part in batches([encode_path(path) for path in paths])
            for row in self._db.execute(f"{sql} AND path IN ({placeholders(part)})", part)
        ]

    def indexed_file_ids(self, paths: Sequence[str] | None = None) -> dict[str, int]:
        """Return the id of every indexed file, by path; of `paths` alone where they are given.

        New content means a new id. No row of `files` is read.
        """
        sql = "SELECT path, id FROM files INDEXED BY files_overview WHERE skip_reason IS NULL"
        with self._lock:
            rows = self._db.execute(sql).fetchall() if paths is None else self._select_at(sql, paths)
        return {decode_path(path): file for path, file in rows}

    def skip_for_path(self, path: str) -> SkippedFile | None:
        """Return why a file is known but not indexed; None for an indexed or unknown file."""
        with self._lock:
            row = self._db.execute(
                "SELECT skip_reason, skip_detail FROM files WHERE path = ?", (encode_path(path),)
            ).fetchone()
        return SkippedFile(SkipReason(row[0]), row[1] or "") if row and row[0] else None

    def fault_count(self) -> int:
        """Return the number of files for which a stage of indexing failed."""
        with self._lock:
            return int(self._db.execute(f"SELECT count(*) {_FROM_FAULTS}").fetchone()[0])

    def faults(self, limit: int) -> list[tuple[str, str]]:
        """Return path and fault of the first `limit` files for which a stage of indexing failed, by path."""
        with self._lock:
            rows = self._db.execute(f"SELECT path, fault {_FROM_FAULTS} ORDER BY path LIMIT ?", (limit,)).fetchall()
        return [(decode_path(path), fault) for path, fault in rows]

    def skipped(self, reason: SkipReason, limit: int) -> tuple[int, list[tuple[str, str]]]:
        """Return how many files were left out for a reason, and path and cause of the first `limit`, by path."""
        where = "FROM files WHERE skip_reason = ?"
        with self._lock:
            count = self._db.execute(f"SELECT count(*) {where}", (reason.value,)).fetchone()[0]
            rows = self._db.execute(f"SELECT path, skip_detail {where} ORDER BY path LIMIT ?", (reason.value, limit))
            return int(count), [(decode_path(path), detail or "") for path, detail in rows]

    def fault_of(self, path: str) -> FileFault | None:
        """Return the stage of indexing that failed for a file; None where none did."""
        with self._lock:
            row = self._db.execute("SELECT fault FROM files WHERE path = ?", (encode_path(path),)).fetchone()
        return parse_fault(row[0]) if row else None

    def record_faults(self, faults: Mapping[int, FileFault], version: str) -> None:
        """Store the stage that failed for each of these files, by file id, unless an earlier one did.

        version: of Scry, see `StoredFile`.
        """
        rows = [(format_fault(fault), version, file_id) for file_id, fault in faults.items()]
        with self._database.transaction():
            self._db.executemany("UPDATE files SET fault = ?, fault_version = ? WHERE id = ? AND fault IS NULL", rows)

    def indexed_files(self) -> list[tuple[int, str, str, str]]:
        """Return id, path, language and content type of every indexed file. The list is read once a generation."""
        sql = f"SELECT id, path, language, content_type {_FROM_INDEXED}"
        with self._lock:
            generation = self._database.meta.generation
            if self._indexed[0] != generation:
                rows = self._db.execute(sql).fetchall()
                self._indexed = (
                    generation,
                    [(row[0], decode_path(row[1]), row[2] or "", row[3] or "") for row in rows],
                )
            return self._indexed[1]

    def language_counts(self) -> dict[str, int]:
        """Return by language the number of indexed files, most first, then by name; counted once a generation."""
        sql = f"SELECT language, count(*) {_FROM_INDEXED} AND language <> '' GROUP BY language"
        with self._lock:
            generation = self._database.meta.generation
            if self._languages[0] != generation:
                counts: list[tuple[str, int]] = self._db.execute(sql).fetchall()
                self._languages = generation, dict(sorted(counts, key=lambda item: (-item[1], item[0])))
            return dict(self._languages[1])

    def get_text(self, path: str) -> str | None:
        """Return the text of a file as it was indexed; None also where it is damaged."""
        with self._lock:
            row = self._db.execute("SELECT id, text FROM files WHERE path = ?", (encode_path(path),)).fetchone()
        try:
            return unpack_text(row[1]) if row and row[1] is not None else None
        except IndexDamaged:
            self._database.damaged_files.add(row[0])
            return None

    def get_text_by_id(self, file_id: int) -> str | None:
        """Return the text of the indexed file with this id; None once the file has changed or is gone.

        Raises IndexDamaged.
        """
        with self._lock:
            row = self._db.execute("SELECT text FROM files WHERE id = ?", (file_id,)).fetchone()
        return unpack_text(row[0]) if row and row[0] is not None else None

    def get_structures(self, paths: Sequence[str]) -> dict[str, FileStructure]:
        """Return the structure (importers, centrality, flags) of these files, by path."""
        structures: dict[str, FileStructure] = {}
        for part in batches(paths, pad=True):
            sql = f"SELECT path, importers, centrality, flags FROM files WHERE path IN ({placeholders(part)})"
            with self._lock:
                rows = self._db.execute(sql, list(map(encode_path, part))).fetchall()
            for path, importers, centrality, flags in rows:
                structures[decode_path(path)] = FileStructure(importers, centrality, None, tuple(flags.split()))
        return structures

    def get_indexed_files(self, paths: Sequence[str]) -> list[IndexedFile]:
        """Return those of these files that are indexed, each as of one moment."""
        files: list[IndexedFile] = []
        sql = "SELECT id, hash, first, last, fault FROM files WHERE path = ? AND skip_reason IS NULL"
        for path in paths:
            with self._lock:
                row = self._db.execute(sql, (encode_path(path),)).fetchone()
            if row:
                doc_keys = tuple(range(row[2], row[3] + 1))
                files.append(IndexedFile(row[0], path, row[1] or b"", doc_keys, parse_fault(row[4])))
        return files

    def files_in_folder(self, folder: str) -> list[IndexedFileInfo]:
        """Return every indexed file at or below a folder, ordered by path; "" is the whole project."""
        where, values = folder_condition("path", folder)
        with self._lock:
            rows = self._db.execute(f"{_SELECT_FILE_INFO} AND {where} ORDER BY path", values).fetchall()
        return [_read_file_info(row) for row in rows]

    def columns_in_folder(self, folder: str) -> FileColumns:
        """Return the columns of every indexed file at or below a folder; "" is the whole project.

        Columns are cached from query to query, until the next write.
        """
        where, values = folder_condition("path", folder)
        callers = (
            "SELECT count(DISTINCT source) FROM edges WHERE target BETWEEN first AND last "
            "AND source NOT BETWEEN first AND last"
        )
        sql = (
            f"SELECT path, importers, centrality, flags, ({callers}) FROM files "
            f"INDEXED BY files_overview WHERE skip_reason IS NULL AND {where} ORDER BY path"
        )
        with self._lock:
            return self._columns_cache.get(
                folder, lambda: FileColumns.from_rows(self._db.execute(sql, values).fetchall())
            )

    def get_file(self, path: str) -> IndexedFileInfo | None:
        """Return one indexed file; None where it is not indexed."""
        return self.get_files([path]).get(path)

    def get_files(self, paths: Sequence[str]) -> dict[str, IndexedFileInfo]:
        """Return those of these files that are indexed, by path."""
        files: dict[str, IndexedFileInfo] = {}
        for part in batches(paths):
            sql = f"{_SELECT_FILE_INFO} AND path IN ({placeholders(part)})"
            with self._lock:
                rows = self._db.execute(sql, [encode_path(path) for path in part]).fetchall()
            files |= {file.path: file for file in map(_read_file_info, rows)}
        return files

    def recently_modified_files(self, since: float, offset: int, limit: int) -> list[IndexedFileInfo]:
        """Return the indexed files modified since a time (seconds since the epoch), the newest first: `limit` after
        `offset`.
        """
        sql = f"{_SELECT_FILE_INFO} AND mtime_ns >= ? ORDER BY mtime_ns DESC, path LIMIT ? OFFSET ?"
        with self._lock:
            rows = self._db.execute(sql, (since * 1e9, limit, offset)).fetchall()
        return [_read_file_info(row) for row in rows]

    def known_paths(self) -> list[str]:
        """Return the path of every file that was looked at, indexed or skipped, in order."""
        with self._lock:
            rows = self._db.execute("SELECT path FROM files ORDER BY path").fetchall()
        return [decode_path(path) for (path,) in rows]

    def count(self) -> tuple[int, int]:
        """Return the number of indexed files, and of skipped files that are not notes.

        The number of all files is kept with each publication. Rows of skipped files are counted once a generation.
        """
        skipped_sql = "SELECT count(*) FROM files INDEXED BY files_skipped WHERE skip_reason IS NOT NULL"
        where, values = folder_condition("path", NOTES_FOLDER)
        notes = f"SELECT count(*) FROM files WHERE {where} AND skip_reason = ?"
        with self._lock:
            generation = self._database.meta.generation
            if self._counts[0] != generation:
                skipped = self._db.execute(skipped_sql).fetchone()[0]
                known = self._db.execute(notes, (*values, SkipReason.KNOWLEDGE.value)).fetchone()[0]
                self._counts = (generation, self._database.meta.get_int("file_count") - skipped, skipped - known)
            return self._counts[1], self._counts[2]

    @property
    def is_structure_outdated(self) -> bool:
        """Whether files have changed since their structure was saved."""
        with self._lock:
            return self._database.meta.get("structure_due") == 1

    def save_folders(self, folders: Mapping[str, int], *, replace_all: bool) -> None:
        """Store the walked folders with their `folder_change_ns`; `replace_all` forgets all others."""
        rows = [(encode_path(path), changed_ns) for path, changed_ns in folders.items()]
        with self._database.transaction():
            if replace_all:
                self._db.execute("DELETE FROM folders")
            self._db.executemany("INSERT OR REPLACE INTO folders VALUES (?, ?)", rows)

    @property
    def next_file_id(self) -> int:
        """The id of the next file; ids are never used twice."""
        with self._lock:
            return self._database.meta.get_int("next_file")

    @property
    def structures_saved_below(self) -> int:
        """The id below which all files have the flags of their structure."""
        with self._lock:
            return self._database.meta.get_int("structures_saved_below")

    def save_structures(self, structures: Mapping[str, FileStructure], *, below: int = 0) -> None:
        """Store the structure of these files. It ranks nothing in find, so the generation stays.

        below: the id below which all files have theirs then.
        """
        rows = [(s.importers, s.centrality, " ".join(s.flags), encode_path(path)) for path, s in structures.items()]
        with self._database.transaction():
            self._db.executemany("UPDATE files SET importers = ?, centrality = ?, flags = ? WHERE path = ?", rows)
            self._database.meta.set("structure_due", 0)
            self._database.meta.set("structures_saved_below", below)


def _read_file_info(row: Sequence[Any]) -> IndexedFileInfo:
    return IndexedFileInfo(decode_path(row[0]), *row[1:])


def _read_stored_files(rows: Iterable[Sequence[Any]]) -> dict[str, StoredFile]:
    stored = (
        StoredFile(
            row[0],
            decode_path(row[1]),
            row[2],
            row[3],
            row[4] or b"",
            SkippedFile(SkipReason(row[5]), row[6] or "") if row[5] else None,
            parse_fault(row[7]),
            row[8] or "",
            row[9],
        )
        for row in rows
    )
    return {file.path: file for file in stored}


_MOST_REMEMBERED = 20_000
"""Changes from which on the older half is forgotten; who has not seen these looks at all files."""


class ChangedPaths(Struct):
    """The paths of changed files in order, as far back as they are remembered. Used under the lock of the index."""

    _first: int = 0
    _paths: list[str] = field(default_factory=list[str])

    @property
    def position(self) -> int:
        """The position behind the last change."""
        return self._first + len(self._paths)

    def record(self, paths: Iterable[str]) -> None:
        """Record files as changed: added, replaced or removed."""
        self._paths += paths
        if len(self._paths) > _MOST_REMEMBERED:
            forgotten = len(self._paths) // 2
            self._first += forgotten
            del self._paths[:forgotten]

    def forget(self) -> None:
        """Forget all changes: all files may have changed."""
        self._first = self.position + 1
        self._paths.clear()

    def since(self, position: int) -> frozenset[str] | None:
        """Return the files that changed since a position; None where that is not known."""
        return frozenset(self._paths[position - self._first :]) if position >= self._first else None
