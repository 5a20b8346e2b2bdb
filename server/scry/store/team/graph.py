"""Store the code graph of a team's repositories, and read it with the methods of store.graph.GraphReader.

A row holds the edges that begin or end in one file, by doc_ids, so that it stays as it is when other files get other
keys. Each edge between two files is therefore stored twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from scry.core.decoding import msgpack_decoder
from scry.core.errors import IndexDamaged
from scry.store.graph import Confidence, Edge, EdgeKind, EdgeReader, FileEdge, Neighbor, Neighbors, PathList
from scry.store.index.rows import compress_frame, decompress_frame
from scry.store.sqlite.database import batches
from scry.store.team.database import TeamDatabase, decode_text, encode_text

if TYPE_CHECKING:
    from scry.store.team.documents import RepositoryDocuments
    from scry.store.team.repository import RepositoryInfo

# Rows -----------------------------------------------------------------------------------------------------------------


class FileGraph(Struct, frozen=True):
    """The row of a file. callers: documents in other files that call what it defines, or inherit from it."""

    callers: int
    packed: bytes


class _PackedGraph(Struct, frozen=True, array_like=True):
    """The edges of a file as they are packed.

    doc_ids: of both ends, as bytes. imports, imported_by: paths, as bytes. edges: the position in `doc_ids` of the
    document of this file and of the other one, the kind, whether the edge leads here, the confidence, and the line.
    """

    doc_ids: list[bytes]
    imports: list[bytes]
    imported_by: list[bytes]
    edges: list[tuple[int, int, int, bool, int, int]]


def pack_graph(edges: Sequence[FileEdge], imports: Sequence[str], imported_by: Sequence[str]) -> FileGraph | None:
    """Return the row of a file; None for one without edges."""
    if not (edges or imports or imported_by):
        return None
    numbers: dict[str, int] = {}
    rows = [
        (
            numbers.setdefault(edge.own, len(numbers)),
            numbers.setdefault(edge.other, len(numbers)),
            int(edge.kind),
            edge.leads_here,
            int(edge.confidence),
            edge.line,
        )
        for edge in sorted(edges, key=_order)
    ]
    own = {edge.own for edge in edges}
    callers = {edge.other for edge in edges if edge.leads_here} - own
    packed = _PackedGraph(
        list(map(encode_text, numbers)), list(map(encode_text, imports)), list(map(encode_text, imported_by)), rows
    )
    return FileGraph(len(callers), compress_frame(msgspec.msgpack.encode(packed)))


def _order(edge: FileEdge) -> tuple[str, str, int, bool]:
    return edge.own, edge.other, edge.kind, edge.leads_here


_decode_graph = msgpack_decoder(_PackedGraph)


def replace_graph(database: TeamDatabase, repository: int, graph: Mapping[str, FileGraph] | None) -> None:
    """Store the code graph of a repository, by path, in the place of what is stored. None for one that is not known.

    Rows that are as before stay.
    """
    new = {encode_text(path): file for path, file in (graph or {}).items()}
    rows = database.select("SELECT path, packed FROM code_graph WHERE repository_id = %s", (repository,))
    same = {path for path, packed in rows if path in new and new[path].packed == packed}
    for part in batches([path for path, _ in rows if path not in same]):
        sql = "DELETE FROM code_graph WHERE repository_id = %s AND path = ANY(%s)"
        database.connection.execute(sql, (repository, part))
    with (
        database.connection.cursor() as cursor,
        cursor.copy("COPY code_graph FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.set_types(["int4", "bytea", "int4", "bytea"])
        for path, file in new.items():
            if path not in same:
                copy.write_row((repository, path, file.callers, file.packed))
    sql = "UPDATE repositories SET has_graph = %s WHERE id = %s"
    database.connection.execute(sql, (graph is not None, repository))


# Reading --------------------------------------------------------------------------------------------------------------


class RepositoryGraph(EdgeReader):
    """The code graph of one repository of a team as of one moment."""

    def __init__(self, database: TeamDatabase, info: RepositoryInfo, documents: RepositoryDocuments) -> None:
        self._database = database
        self._info = info
        self._documents = documents
        self._files: dict[str, _PackedGraph | None] = {}
        self._has_damage = False

    @property
    def is_current(self) -> bool:
        """Whether the graph is stored, and none of what was read is damaged."""
        return self._info.has_graph and not self._has_damage

    def imported_files(self, path: str, limit: int) -> PathList:
        """Return the files of the repository that a file imports."""
        file = self._read([path])[path]
        return _list_paths(file.imports if file else (), limit)

    def importing_files(self, path: str, limit: int) -> PathList:
        """Return the files that import a file."""
        file = self._read([path])[path]
        return _list_paths(file.imported_by if file else (), limit)

    def neighbors(self, doc_keys: Sequence[int], kind: EdgeKind, limit: int, *, backward: bool = False) -> Neighbors:
        """Return the documents one edge away, each once, by its surest edge. backward: against the edges."""
        headers = self._documents.headers(doc_keys).values()
        own = {encode_text(header.doc_id): header.doc_key for header in headers}
        surest: dict[bytes, tuple[int, int, int]] = {}
        for file in self._read(list(dict.fromkeys(header.path for header in headers))).values():
            if file is None:
                continue
            near = {number: own[doc_id] for number, doc_id in enumerate(file.doc_ids) if doc_id in own}
            for here, there, each_kind, leads_here, confidence, line in file.edges:
                if here in near and each_kind == kind and leads_here == backward:
                    edge, doc_id = (confidence, line, near[here]), file.doc_ids[there]
                    surest[doc_id] = min(surest.get(doc_id, edge), edge)
        ordered = sorted((confidence, decode_text(doc_id)) for doc_id, (confidence, *_) in surest.items())
        doc_ids = [doc_id for _, doc_id in ordered[:limit]]
        keys = self._documents.doc_keys_by_id(doc_ids)
        items: list[Neighbor] = []
        for doc_id in doc_ids:
            if doc_id in keys:
                confidence, line, near_key = surest[encode_text(doc_id)]
                ends = (keys[doc_id], near_key) if backward else (near_key, keys[doc_id])
                items.append(Neighbor(keys[doc_id], doc_id, Edge(*ends, kind, Confidence(confidence), line)))
        return Neighbors(tuple(items), len(ordered))

    def _read(self, paths: Sequence[str]) -> dict[str, _PackedGraph | None]:
        """Return the edges of files by path; None for a file that has none, and for one whose row is damaged."""
        missing = [path for path in paths if path not in self._files]
        if missing:
            self._files.update(dict.fromkeys(missing))
            sql = "SELECT path, packed FROM code_graph WHERE repository_id = %s AND path = ANY(%s)"
            values = self._info.repository_id, list(map(encode_text, missing))
            for path, packed in self._database.select(sql, values):
                try:
                    self._files[decode_text(path)] = _decode_graph(decompress_frame(packed))
                except (IndexDamaged, msgspec.MsgspecError):
                    self._has_damage = True
        return {path: self._files[path] for path in paths}


def _list_paths(paths: Sequence[bytes], limit: int) -> PathList:
    return PathList(tuple(map(decode_text, paths[:limit])), len(paths))
