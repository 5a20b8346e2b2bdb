"""Read the code graph: calls, inheritance and imports, each edge with its confidence.

Confidence of an edge:
    exact       the definition was found as the language finds it: in the enclosing scope or class, by an import, or as
                a member of a type found in this way or of its bases
    by name     it is the only definition in the project that the name can mean here
    ambiguous   it is one of at most a few that the name can mean

The graph is made after the words and vectors, so it may lag behind them: see `is_current`. An edge of a deleted
document is never returned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

from msgspec import Struct

from scry.store.index.database import IndexDatabase
from scry.store.index.rows import ID_COLUMNS, read_doc_ids
from scry.store.sqlite.database import decode_path, encode_path


class EdgeKind(IntEnum):
    """Relation of the source to the target. To instantiate a class is to call it."""

    CALLS = 1
    INHERITS = 2


class Confidence(IntEnum):
    """Certainty of an edge; the lower the value, the surer."""

    EXACT = 1
    BY_NAME = 2
    AMBIGUOUS = 3

    @property
    def label(self) -> str:
        """The text for a person: exact, by name or ambiguous."""
        return self.name.lower().replace("_", " ")


class Edge(Struct, frozen=True):
    """An edge between two documents, by key. line: the first line of the source's file with the reference, 0-based."""

    source_key: int
    target_key: int
    kind: EdgeKind
    confidence: Confidence
    line: int


class Neighbor(Struct, frozen=True):
    """A document at the other end of an edge."""

    doc_key: int
    doc_id: str
    edge: Edge


class Neighbors(Struct, frozen=True):
    """The surest neighbours, then ordered by doc_id, and the total number."""

    items: tuple[Neighbor, ...]
    total: int


class FileEdge(Struct, frozen=True):
    """An edge as one of the files at its ends has it.

    own: the doc_id of the document in this file. other: that of the other one, which may be in this file, too.
    leads_here: whether `own` is the target. line: the first line of the source's file with the reference, 0-based.
    """

    own: str
    other: str
    kind: EdgeKind
    leads_here: bool
    confidence: Confidence
    line: int


class PathList(Struct, frozen=True):
    """Sorted paths, and the total number."""

    paths: tuple[str, ...]
    total: int


class ReachableDocument(Struct, frozen=True):
    """A document reached over several edges. edge_path: the shortest path, in walking order."""

    doc_key: int
    doc_id: str
    edge_path: tuple[Edge, ...]


_MAX_WALKED = 20_000
"""Number of documents after which a walk stops; farther ones explain nothing."""


class EdgeReader(ABC):
    """The relations of documents by their names, wherever the edges are stored."""

    @abstractmethod
    def neighbors(self, doc_keys: Sequence[int], kind: EdgeKind, limit: int, *, backward: bool = False) -> Neighbors:
        """Return the documents one edge away, each once, by its surest edge. backward: against the edges."""

    def callers(self, doc_keys: Sequence[int], limit: int) -> Neighbors:
        """Return the documents that call any of these."""
        return self.neighbors(doc_keys, EdgeKind.CALLS, limit, backward=True)

    def callees(self, doc_keys: Sequence[int], limit: int) -> Neighbors:
        """Return the documents that any of these calls."""
        return self.neighbors(doc_keys, EdgeKind.CALLS, limit)

    def base_types(self, doc_keys: Sequence[int], limit: int) -> Neighbors:
        """Return the types that any of these inherits from, implements or mixes in."""
        return self.neighbors(doc_keys, EdgeKind.INHERITS, limit)

    def derived_types(self, doc_keys: Sequence[int], limit: int) -> Neighbors:
        """Return the types that inherit from any of these."""
        return self.neighbors(doc_keys, EdgeKind.INHERITS, limit, backward=True)


class GraphReader(EdgeReader):
    """Reader of the edges of one index. Every method may be called from any thread."""

    def __init__(self, database: IndexDatabase) -> None:
        self._db = database.connection
        self._lock = database.lock

    @property
    def is_current(self) -> bool:
        """Whether the graph is that of the current documents; otherwise it is being made or updated."""
        with self._lock:
            rows = self._db.execute("SELECT key, value FROM meta WHERE key IN ('documents', 'graph')").fetchall()
        known = dict(rows)
        return "graph" in known and known["graph"] == known.get("documents")

    def neighbors(self, doc_keys: Sequence[int], kind: EdgeKind, limit: int, *, backward: bool = False) -> Neighbors:
        """Return the documents one edge away, each once, by its surest edge. backward: against the edges."""
        near_end, far_end = ("target", "source") if backward else ("source", "target")
        values = ",".join(str(int(doc_key)) for doc_key in doc_keys)
        neighbor = f"""
            SELECT e.source, e.target, e.kind, min(e.confidence * 1000000 + e.line), d.number, {ID_COLUMNS}
            FROM edges e JOIN documents d ON d.number = e.{far_end} JOIN documents h ON h.number = e.{near_end}
            JOIN files f ON f.id = d.file WHERE e.{near_end} IN ({values}) AND e.kind = ? GROUP BY e.{far_end}
        """
        with self._lock:
            rows = self._db.execute(neighbor, (kind,)).fetchall()
        ordered = sorted(_read_neighbors(rows), key=lambda neighbor: (neighbor.edge.confidence, neighbor.doc_id))
        return Neighbors(tuple(ordered[:limit]), len(ordered))

    def edges_of_file(self, doc_ids: Mapping[int, str]) -> list[FileEdge]:
        """Return the edges that begin or end in a file, one for each two documents and kind, the surest.

        doc_ids: those of all documents of the file, by key.
        """
        return [*self._edges_of(doc_ids, leads_here=False), *self._edges_of(doc_ids, leads_here=True)]

    def _edges_of(self, doc_ids: Mapping[int, str], *, leads_here: bool) -> Iterator[FileEdge]:
        near_end, far_end = ("target", "source") if leads_here else ("source", "target")
        sql = f"""
            SELECT e.{near_end}, e.kind, min(e.confidence * 1000000 + e.line), {ID_COLUMNS}
            FROM edges e JOIN documents d ON d.number = e.{far_end} JOIN files f ON f.id = d.file
            WHERE e.{near_end} BETWEEN ? AND ? GROUP BY e.source, e.target, e.kind
        """
        with self._lock:
            rows = self._db.execute(sql, (min(doc_ids, default=1), max(doc_ids, default=0))).fetchall()
        others = read_doc_ids(row[3:] for row in rows)
        for (doc_key, kind, packed, *_), other in zip(rows, others, strict=True):
            if doc_key in doc_ids:
                confidence, line = divmod(packed, 1_000_000)
                yield FileEdge(doc_ids[doc_key], other, EdgeKind(kind), leads_here, Confidence(confidence), line)

    def imported_files(self, path: str, limit: int) -> PathList:
        """Return the files of the project that a file imports."""
        return self._linked_paths(path, "source", "target", limit)

    def importing_files(self, path: str, limit: int) -> PathList:
        """Return the files that import a file."""
        return self._linked_paths(path, "target", "source", limit)

    def _linked_paths(self, path: str, near_end: str, far_end: str, limit: int) -> PathList:
        sql = (
            f"SELECT g.path FROM graph_files f JOIN imports i ON i.{near_end} = f.id"
            f" JOIN graph_files g ON g.id = i.{far_end}"
            " WHERE f.path = ?"
        )
        value = encode_path(path)
        with self._lock:
            total = self._db.execute(f"SELECT count(*) FROM ({sql})", (value,)).fetchone()[0]
            rows = self._db.execute(f"{sql} ORDER BY g.path LIMIT ?", (value, limit)).fetchall()
        return PathList(tuple(decode_path(row[0]) for row in rows), total)

    def reachable_documents(
        self,
        doc_keys: Sequence[int],
        kind: EdgeKind,
        *,
        max_depth: int,
        limit: int,
        backward: bool = False,
        min_confidence: Confidence = Confidence.AMBIGUOUS,
    ) -> list[ReachableDocument]:
        """Return the documents up to `max_depth` edges away, the nearest first, then by doc_id, each with its path.

        min_confidence: less sure edges are not walked. The documents of `doc_keys` themselves are not returned.
        """
        near_end, far_end = ("target", "source") if backward else ("source", "target")
        starts = ",".join(f"({int(doc_key)})" for doc_key in doc_keys)
        if not starts:
            return []
        sql = f"""
            WITH RECURSIVE start(number) AS (VALUES {starts}), walked(number, depth) AS (
                SELECT number, 0 FROM start
                UNION
                SELECT e.{far_end}, walked.depth + 1 FROM walked
                JOIN edges e ON e.{near_end} = walked.number AND e.kind = ? AND e.confidence <= ?
                JOIN documents d ON d.number = e.{far_end}
                WHERE walked.depth < ? ORDER BY 2 LIMIT {_MAX_WALKED}
            )
            SELECT walked.number, min(walked.depth), {ID_COLUMNS}
            FROM walked JOIN documents d ON d.number = walked.number JOIN files f ON f.id = d.file
            GROUP BY walked.number
        """
        with self._read_transaction():
            walked = self._db.execute(sql, (kind, min_confidence, max_depth)).fetchall()
            doc_ids = read_doc_ids(row[2:] for row in walked)
            rows = sorted(
                ((row[0], row[1], doc_id) for row, doc_id in zip(walked, doc_ids, strict=True)), key=lambda row: row[1:]
            )
            depths = {doc_key: depth for doc_key, depth, _ in rows}
            wanted = [row for row in rows if row[1] > 0][:limit]
            return [
                ReachableDocument(n, doc_id, self._shortest_path(n, depths, kind, min_confidence, near_end, far_end))
                for n, _, doc_id in wanted
            ]

    @contextmanager
    def _read_transaction(self) -> Generator[None]:
        """Let all statements inside see the same state of the index."""
        with self._lock:
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.execute("COMMIT")

    def _shortest_path(
        self,
        doc_key: int,
        depths: Mapping[int, int],
        kind: EdgeKind,
        min_confidence: Confidence,
        near_end: str,
        far_end: str,
    ) -> tuple[Edge, ...]:
        """Return the surest shortest path from a start, found backwards: each step leads one nearer."""
        sql = (
            f"SELECT source, target, kind, confidence, line, {near_end} FROM edges "
            f"WHERE {far_end} = ? AND kind = ? AND confidence <= ? ORDER BY confidence, {near_end}"
        )
        path: list[Edge] = []
        while depths[doc_key] > 0:
            rows = self._db.execute(sql, (doc_key, kind, min_confidence)).fetchall()
            step = next(row for row in rows if depths.get(row[5], -1) == depths[doc_key] - 1)
            path.append(Edge(step[0], step[1], EdgeKind(step[2]), Confidence(step[3]), step[4]))
            doc_key = step[5]
        return tuple(reversed(path))


def _read_neighbors(rows: Sequence[Sequence[Any]]) -> Iterator[Neighbor]:
    doc_ids = read_doc_ids(row[5:] for row in rows)
    for (source, target, kind, packed, doc_key, *_), doc_id in zip(rows, doc_ids, strict=True):
        confidence, line = divmod(packed, 1_000_000)
        yield Neighbor(doc_key, doc_id, Edge(source, target, EdgeKind(kind), Confidence(confidence), line))
