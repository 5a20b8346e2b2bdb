"""Store what the linker needs, and write the edges of the code graph.

The keys of documents change whenever their file does. So the graph stores the definitions of each file by identity:
those that a new version still has keep the edges that lead to them, under their new keys, and only files that use the
name of an added or removed definition are linked again.

Definitions are packed column by column: hashes are incompressible, and adjacent keys compress well. `scry.store.graph`
says what an edge means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.store.graph import Edge, EdgeKind
from scry.store.index.database import IndexDatabase
from scry.store.index.rows import (
    compress_frame,
    damage_error,
    decode_kind,
    decompress_frame,
    hash_names,
    unpack_descriptions,
    unpack_imports,
    unpack_line_range,
    unpack_uses,
)
from scry.store.sqlite.database import decode_path, encode_path

DEFINITION_DTYPE = np.dtype([("number", "<u4"), ("name", "<u4"), ("identity", "<u8")])
"""A definition that others may have linked to: the key of the document (0 for a name that an import introduces), the
hash of its name, and a hash, of IDENTITY_HASH_BYTES, of all that linking reads of it.
"""

IDENTITY_HASH_BYTES = 6

_COLUMNS = ("<i4", "<u4", "<u4", "<u2")
"""Columns on disk: the difference from the key before, the name, the lower and the upper part of the identity."""

DefinitionArray = NDArray[np.void]


def pack_definitions(defined: DefinitionArray) -> bytes:
    """Pack definitions; b"" for none."""
    if not len(defined):
        return b""
    doc_keys, identities = defined["number"].astype(np.int64), defined["identity"].astype(np.uint64)
    columns = (np.diff(doc_keys, prepend=0), defined["name"], identities % 2**32, identities // 2**32)
    return compress_frame(
        b"".join(values.astype(kind).tobytes() for values, kind in zip(columns, _COLUMNS, strict=True))
    )


def unpack_definitions(data: bytes) -> DefinitionArray:
    """Return the packed definitions. Raises IndexDamaged."""
    if not data:
        return np.zeros(0, DEFINITION_DTYPE)
    packed = decompress_frame(data)
    widths = [np.dtype(kind).itemsize for kind in _COLUMNS]
    count, rest = divmod(len(packed), sum(widths))
    if rest:
        raise damage_error("columns of different lengths")
    starts = [count * sum(widths[:column]) for column in range(len(widths))]
    steps, names, low, high = (
        np.frombuffer(packed, kind, count, at).astype(np.int64) for kind, at in zip(_COLUMNS, starts, strict=True)
    )
    definitions = np.zeros(count, DEFINITION_DTYPE)
    definitions["number"], definitions["name"], definitions["identity"] = np.cumsum(steps), names, low + high * 2**32
    return definitions


NameHashes = NDArray[np.uint32]

LOOK_UP_BYTES = 3
"""Length of the hash of a word that was looked up to resolve an import. Of 100,000 words in a project one in 170 shares
its hash with another, which costs the resolution of some files.
"""


def pack_look_ups(hashes: NameHashes) -> bytes:
    """Pack hashes of LOOK_UP_BYTES."""
    return (hashes % 2**16).astype("<u2").tobytes() + (hashes // 2**16).astype(np.uint8).tobytes()


def unpack_look_ups(data: bytes) -> NameHashes:
    """Return packed hashes. Raises IndexDamaged."""
    count, rest = divmod(len(data), LOOK_UP_BYTES)
    if rest:
        raise damage_error("look-ups of a wrong length")
    low, high = np.frombuffer(data, "<u2", count), np.frombuffer(data, np.uint8, count, 2 * count)
    return low.astype(np.uint32) + high.astype(np.uint32) * 2**16


_BATCH_SIZE = 500
_SELECT_GRAPH_FILE = "SELECT id, path, file, pending FROM graph_files"

LINK_ALL, LINK_CALLS, LINK_DONE = 2, 1, 0


class GraphFile(Struct, frozen=True):
    """A row of the table `graph_files`."""

    graph_file_id: int
    path: str
    file_id: int
    pending: int


class FileDigest(Struct, frozen=True):
    """Everything that the graph stores of a file. imports: paths of the files that it imports. look_ups: hashes of the
    words that were looked up to find these, see `pack_look_ups`.
    """

    path: str
    file_id: int
    first_key: int
    last_key: int
    definitions: DefinitionArray
    used_names: NameHashes
    imports: frozenset[str]
    look_ups: NameHashes


class GraphDocument(NamedTuple):
    """A document while its file is linked. first_line, last_line: 0-based, inclusive."""

    doc_key: int
    file_id: int
    name: str
    kind: str
    container: str
    signature: str
    ordinal: int
    first_line: int
    last_line: int


class GraphDefinition(NamedTuple):
    """A possible meaning of a name. file_id: files.id. qualified_name: its name with its container."""

    doc_key: int
    file_id: int
    name: str
    kind: str
    container: str
    qualified_name: str


def make_definition(doc_key: int, file_id: int, name: str, kind: str, container: str) -> GraphDefinition:
    """Return a definition with its qualified name."""
    return GraphDefinition(doc_key, file_id, name, kind, container, f"{container}.{name}" if container else name)


def _read_definition(doc_key: int, file: int, name: str, kind: str, container: str) -> GraphDefinition:
    return make_definition(doc_key, file, name, decode_kind(kind), container)


def _read_graph_files(rows: Iterable[Sequence[Any]]) -> Iterator[GraphFile]:
    return (GraphFile(row[0], decode_path(row[1]), row[2], row[3]) for row in rows)


def _encode_paths(paths: Iterable[str]) -> list[str | bytes]:
    return [encode_path(path) for path in sorted(paths)]


def _read_graph_document(
    doc_key: int, file: int, name: str, kind: str, container: str, ordinal: int, place: bytes, *, signature: str
) -> GraphDocument:
    return GraphDocument(
        doc_key, file, name, decode_kind(kind), container, signature, ordinal, *unpack_line_range(place)
    )


_MAX_STARTS = 400
"""Rows from which a recursive statement starts: SQLite takes 500 terms in a compound SELECT, each row is one."""


def _split_starts(numbers: Iterable[int]) -> Iterator[str]:
    """Yield distinct numbers as rows of `VALUES`, as many as one recursive statement takes."""
    ordered = sorted(set(numbers))
    for start in range(0, len(ordered), _MAX_STARTS):
        yield ",".join(f"({number})" for number in ordered[start : start + _MAX_STARTS])


class GraphStore:
    """Writer of the edges, with the reading that linking needs; `GraphReader` answers questions.

    Every method may be called from any thread; those that write do so in one transaction.
    """

    def __init__(self, database: IndexDatabase) -> None:
        self._db = database.connection
        self._lock = database.lock
        self._transaction = database.transaction

    def _select(self, sql: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        with self._lock:
            return self._db.execute(sql, values).fetchall()

    # Reading ------------------------------------------------------------------------------------------------------

    def documents_generation(self) -> int:
        """Return the generation that last changed a document."""
        rows = self._select("SELECT value FROM meta WHERE key = 'documents'")
        return int(str(rows[0][0])) if rows else 0

    def indexed_files(self, paths: Sequence[str] | None = None) -> list[tuple[int, str, str]]:
        """Return id, path and language of every indexed file; of `paths` alone where they are given."""
        sql = "SELECT id, path, language FROM files INDEXED BY files_overview WHERE skip_reason IS NULL"
        rows = self._select(sql) if paths is None else self._select_in(f"{sql} AND path IN", _encode_paths(paths))
        return [(int(str(i)), decode_path(path), str(language or "")) for i, path, language in rows]  # type: ignore[arg-type]

    def graph_files(self, paths: Iterable[str] | None = None) -> dict[str, GraphFile]:
        """Return every file that the graph knows, by path; of `paths` alone where they are given."""
        if paths is None:
            rows = self._select(_SELECT_GRAPH_FILE)
        else:
            rows = self._select_in(f"{_SELECT_GRAPH_FILE} WHERE path IN", _encode_paths(paths))
        return {file.path: file for file in _read_graph_files(rows)}

    def files_by_number(self, graph_files: Iterable[int]) -> list[GraphFile]:
        """Return the files with these graph_files.id."""
        return list(_read_graph_files(self._select_in(f"{_SELECT_GRAPH_FILE} WHERE id IN", sorted(graph_files))))

    def pending_files(self, pending: int) -> list[GraphFile]:
        """Return the files whose pending level is at least `pending`."""
        sql = f"{_SELECT_GRAPH_FILE} WHERE pending > 0 AND pending >= ?"
        return list(_read_graph_files(self._select(sql, (pending,))))

    def imported_paths(self, graph_files: Sequence[int]) -> dict[int, frozenset[str]]:
        """Return the paths that these files are known to import, by graph_files.id."""
        paths_by_file: dict[int, set[str]] = {file: set() for file in graph_files}
        sql = "SELECT i.source, g.path FROM imports i JOIN graph_files g ON g.id = i.target WHERE i.source IN"
        for source, path in self._select_in(sql, graph_files):
            paths_by_file[source].add(decode_path(path))  # type: ignore[index, arg-type]
        return {file: frozenset(paths) for file, paths in paths_by_file.items()}

    def all_imports(self) -> list[tuple[int, int]]:
        """Return which file is known to import which, by graph_files.id."""
        return self._select("SELECT source, target FROM imports")  # type: ignore[return-value]

    def packed_uses(self, file_ids: Sequence[int]) -> dict[int, bytes]:
        """Return the packed references of these files, by files.id."""
        rows = self._select_in("SELECT id, links FROM files WHERE id IN", file_ids)
        return {file: unpack_uses(packed) for file, packed in rows}  # type: ignore[misc, arg-type]

    def packed_imports(self, file_ids: Sequence[int]) -> dict[int, bytes]:
        """Return the packed imported names of these files, by files.id."""
        rows = self._select_in("SELECT id, links FROM files WHERE id IN", file_ids)
        return {file: unpack_imports(packed) for file, packed in rows}  # type: ignore[misc, arg-type]

    def documents_by_file(self, file_ids: Sequence[int]) -> dict[int, list[GraphDocument]]:
        """Return the documents of these files, in the order of each file."""
        documents_by_file: dict[int, list[GraphDocument]] = {file: [] for file in file_ids}
        descriptions: dict[int, tuple[str, str]] = {}
        for (text,) in self._select_in("SELECT text FROM files WHERE id IN", file_ids):
            descriptions |= unpack_descriptions(text)  # type: ignore[arg-type]
        sql = (
            "SELECT d.number, d.file, d.name, d.kind, d.container, d.ordinal, d.place "
            "FROM files f JOIN documents d ON d.number BETWEEN f.first AND f.last WHERE f.id IN"
        )
        for row in self._select_in(sql, file_ids):
            document = _read_graph_document(*row, signature=descriptions[row[0]][0])  # type: ignore[arg-type, index]
            documents_by_file[document.file_id].append(document)
        for documents in documents_by_file.values():
            documents.sort(key=lambda document: document.doc_key)
        return documents_by_file

    def definitions_by_name(self, names: Sequence[str]) -> dict[str, list[GraphDefinition]]:
        """Return the documents with exactly these names, by name, ordered by key."""
        by_name: dict[str, list[GraphDefinition]] = {name: [] for name in names}
        keys = sorted(set(hash_names(names)))
        sql = (
            "SELECT d.number, d.file, d.name, d.kind, d.container "
            "FROM names n JOIN documents d ON d.number = n.number WHERE n.key IN"
        )
        for row in self._select_in(sql, keys):
            if row[2] in by_name:
                by_name[row[2]].append(_read_definition(*row))  # type: ignore[arg-type, index]
        for definitions in by_name.values():
            definitions.sort(key=lambda definition: definition.doc_key)
        return by_name

    def get_definition(self, doc_key: int) -> GraphDefinition | None:
        """Return the definition with this key."""
        rows = self._select("SELECT number, file, name, kind, container FROM documents WHERE number = ?", (doc_key,))
        return _read_definition(*rows[0]) if rows else None  # type: ignore[arg-type]

    def base_edges(self, first: int, last: int) -> set[Edge]:
        """Return the inheritance edges of the documents of one file."""
        sql = "SELECT source, target, kind, confidence, line FROM edges WHERE source BETWEEN ? AND ? AND kind = ?"
        return {Edge(*row) for row in self._select(sql, (first, last, EdgeKind.INHERITS))}  # type: ignore[arg-type]

    def derived_types(self, doc_keys: Iterable[int]) -> set[tuple[int, str]]:
        """Return the files.id and name of these documents, and of all types that inherit from one, directly or not."""
        sql = """
            WITH RECURSIVE derived(number) AS (
                VALUES {} UNION
                SELECT e.source FROM derived JOIN edges e ON e.target = derived.number AND e.kind = ?
            ) SELECT DISTINCT d.file, d.name FROM derived JOIN documents d ON d.number = derived.number
        """
        parts = [self._select(sql.format(starts), (EdgeKind.INHERITS,)) for starts in _split_starts(doc_keys)]
        return {(int(str(row[0])), str(row[1])) for rows in parts for row in rows}

    def definitions_of_file(self, graph_file: int) -> tuple[DefinitionArray, int, int]:
        """Return the known definitions of a file, and the keys of its first and last document."""
        rows = self._select("SELECT defined, first, last FROM graph_files WHERE id = ?", (graph_file,))
        packed, first, last = rows[0] if rows else (b"", 0, 0)
        return unpack_definitions(packed), int(str(first)), int(str(last))  # type: ignore[arg-type]

    def used_names(self) -> Iterator[tuple[int, NameHashes]]:
        """Yield the graph_files.id of every file, with the hashes of the names that linking it looks up, sorted."""
        for graph_file, packed in self._select("SELECT id, used FROM graph_files"):
            yield int(str(graph_file)), np.frombuffer(packed, "<u4")  # type: ignore[arg-type, call-overload]

    def look_ups(self, graph_files: Sequence[int] | None = None) -> Iterator[tuple[int, NameHashes]]:
        """Yield the graph_files.id of every file, or of these, with what was looked up to resolve its imports."""
        sql = "SELECT id, looked_up FROM graph_files"
        rows = self._select(sql) if graph_files is None else self._select_in(f"{sql} WHERE id IN", graph_files)
        for graph_file, packed in rows:
            yield int(str(graph_file)), unpack_look_ups(packed)  # type: ignore[arg-type]

    def transitive_importers(self, graph_files: Iterable[int]) -> list[int]:
        """Return the graph_files.id of all files that import one of these, directly or not."""
        sql = """
            WITH RECURSIVE importing(id) AS (
                VALUES {} UNION SELECT i.source FROM importing JOIN imports i ON i.target = importing.id
            ) SELECT id FROM importing
        """
        parts = [self._select(sql.format(starts)) for starts in _split_starts(graph_files)]
        return sorted({int(str(row[0])) for rows in parts for row in rows})

    def _select_in(self, sql: str, values: Sequence[object]) -> Iterator[tuple[object, ...]]:
        for start in range(0, len(values), _BATCH_SIZE):
            part = values[start : start + _BATCH_SIZE]
            yield from self._select(f"{sql} ({','.join('?' * len(part))})", part)

    # Writing ------------------------------------------------------------------------------------------------------

    def begin_transaction(self) -> AbstractContextManager[None]:
        """Return a transaction; everything written in it is published as one."""
        return self._transaction()

    def add_files(self, paths: Iterable[str]) -> None:
        """Give each new path an id in the graph."""
        with self._transaction():
            self._db.executemany(
                "INSERT OR IGNORE INTO graph_files (path, file, first, last, defined, used, looked_up, pending) "
                "VALUES (?, 0, 0, 0, x'', x'', x'', 2)",
                [(encode_path(path),) for path in paths],
            )

    def mark_absent(self, graph_files: Iterable[int]) -> None:
        """Mark files as removed from the index, before their edges are deleted; inside a transaction."""
        self._db.executemany("UPDATE graph_files SET file = 0 WHERE id = ?", [(each,) for each in graph_files])

    def save_file(self, graph_file: int, file: FileDigest, ids: Mapping[str, int]) -> None:
        """Store the new definitions of a file, to be linked; inside a transaction. ids: graph_files.id by path."""
        self._db.execute(
            "UPDATE graph_files SET file = ?, first = ?, last = ?, defined = ?, used = ?, looked_up = ?, pending = ? "
            "WHERE id = ?",
            (
                file.file_id,
                file.first_key,
                file.last_key,
                pack_definitions(file.definitions),
                file.used_names.tobytes(),
                pack_look_ups(file.look_ups),
                LINK_ALL,
                graph_file,
            ),
        )
        self._db.execute("DELETE FROM imports WHERE source = ?", (graph_file,))
        targets = sorted(ids[path] for path in file.imports if path in ids)
        self._db.executemany("INSERT INTO imports VALUES (?, ?)", [(graph_file, target) for target in targets])

    def save_look_ups(self, look_ups: Mapping[int, NameHashes]) -> None:
        """Store what was looked up to resolve the imports of files, by graph_files.id; inside a transaction."""
        rows = [(pack_look_ups(hashes), graph_file) for graph_file, hashes in look_ups.items()]
        self._db.executemany("UPDATE graph_files SET looked_up = ? WHERE id = ?", rows)

    def move_edges(self, first: int, last: int, moved: Mapping[int, int]) -> None:
        """Move the edges of replaced documents, first to last, to those that stay; inside a transaction.

        Calls that start in them are deleted, to be linked again. moved: new key by old key.
        """
        if not last:
            return
        self._db.execute(
            "DELETE FROM edges WHERE source BETWEEN ? AND ? AND kind <> ?", (first, last, EdgeKind.INHERITS)
        )
        pairs = [(new, old) for old, new in moved.items()]
        self._db.executemany("UPDATE OR REPLACE edges SET source = ? WHERE source = ?", pairs)
        self._db.executemany("UPDATE OR REPLACE edges SET target = ? WHERE target = ?", pairs)
        self._db.execute("DELETE FROM edges WHERE source BETWEEN ? AND ?", (first, last))
        self._db.execute("DELETE FROM edges WHERE target BETWEEN ? AND ?", (first, last))

    def remove_files(self, graph_files: Sequence[int]) -> None:
        """Delete files with all edges from and to them; inside a transaction."""
        for graph_file in graph_files:
            _, first, last = self.definitions_of_file(graph_file)
            self._db.execute("DELETE FROM edges WHERE source BETWEEN ? AND ?", (first, last))
            self._db.execute("DELETE FROM edges WHERE target BETWEEN ? AND ?", (first, last))
            self._db.execute("DELETE FROM imports WHERE source = ? OR target = ?", (graph_file, graph_file))
            self._db.execute("DELETE FROM graph_files WHERE id = ?", (graph_file,))

    def mark_pending(self, graph_files: Iterable[int], pending: int) -> None:
        """Mark files to be linked again, unless they are already; inside a transaction."""
        rows = [(pending, graph_file, pending) for graph_file in graph_files]
        self._db.executemany("UPDATE graph_files SET pending = ? WHERE id = ? AND pending < ?", rows)

    def replace_edges(self, graph_file: int, kind: EdgeKind, edges: Iterable[Edge], pending: int) -> None:
        """Replace the edges of one kind of a file, and set its pending level; inside a transaction."""
        sql = "SELECT first, last FROM graph_files WHERE id = ?"
        first, last = self._db.execute(sql, (graph_file,)).fetchone()
        self._db.execute("DELETE FROM edges WHERE source BETWEEN ? AND ? AND kind = ?", (first, last, kind))
        rows = [(edge.source_key, edge.kind, edge.target_key, edge.confidence, edge.line) for edge in edges]
        self._db.executemany("INSERT INTO edges VALUES (?, ?, ?, ?, ?)", rows)
        self._db.execute("UPDATE graph_files SET pending = ? WHERE id = ?", (pending, graph_file))

    def mark_current(self, generation: int) -> None:
        """Record that the graph is that of the documents of this generation."""
        with self._transaction():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('graph', ?)", (generation,))
