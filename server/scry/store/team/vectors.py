"""The vectors of a team's documents and files, compared as a local index compares its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from scry.store.selection import FileSelection
from scry.store.team.contents import pack_mean
from scry.store.team.database import TeamDatabase, encode_text
from scry.store.vector_sets import EmbedderInfo, EmbedderMismatch, compare_rows
from scry.store.vectors import FloatRows, compare_packed, exact_cosines, quantize

if TYPE_CHECKING:
    from typing_extensions import LiteralString

    from scry.store.team.reader import TeamReader
    from scry.store.team.repository import RepositoryFiles, RepositoryInfo

JOIN_DOCUMENTS = (
    "JOIN LATERAL (SELECT *, wanted.key - first_key AS at FROM files WHERE repository_id = wanted.repository "
    "AND first_key <= wanted.key ORDER BY first_key DESC LIMIT 1) f ON f.at < f.documents "
    "JOIN documents d ON d.content_id = f.content_id AND d.position = f.at JOIN contents c ON c.id = f.content_id"
)
"""Joins to rows of `wanted` (repository, key) the documents with these keys, with their files and contents.

The position is computed inside: an expression in the condition would be checked after the policy, on all documents of
the file.
"""

FROM_DOCUMENTS = f"FROM unnest(%s::integer[], %s::bigint[]) AS wanted(repository, key) {JOIN_DOCUMENTS}"


Part = TypeVar("Part", "RepositoryFiles", "RepositoryVectors")


def select_of_files(
    database: TeamDatabase, places: Sequence[tuple[Part, str]], columns: LiteralString
) -> Iterator[tuple[Part, str, tuple[Any, ...]]]:
    """Yield these columns of files `f` and their contents `c`, with the place of each, by one statement; by none where
    there are no places. places: parts of repositories, each with the path of a file.
    """
    # With OFFSET 0 the planner looks each path up; otherwise it may read all files of the visible repositories.
    sql = (
        f"SELECT wanted.number, {columns} FROM unnest(%s::integer[], %s::integer[], %s::bytea[]) "
        "AS wanted(number, repository, path) CROSS JOIN LATERAL (SELECT * FROM files "
        "WHERE repository_id = wanted.repository AND path = wanted.path OFFSET 0) f "
        "JOIN contents c ON c.id = f.content_id"
    )
    values = [part.repository for part, _ in places], [encode_text(path) for _, path in places]
    for number, *row in database.select(sql, (list(range(len(places))), *values)) if places else ():
        yield *places[number], tuple(row)


_ROUNDING_MARGIN = 56
"""Documents read beyond those that are wanted: cosines of rounded vectors may order them otherwise."""


class RepositoryVectors:
    """The vectors of one repository's documents.

    prefetched: its part of the nearest documents of all repositories, nearest first; None where that was not searched.
    of_files: the packed vectors of files that were read, by path; b"" for one without.
    """

    def __init__(
        self, database: TeamDatabase, reader: TeamReader, info: RepositoryInfo, files: RepositoryFiles
    ) -> None:
        self._database = database
        self._reader = reader
        self._info = info
        self._files = files
        self.repository = info.repository_id
        self.prefetched: list[tuple[int, float]] | None = None
        self.of_files: dict[str, bytes] = {}

    @property
    def embedder(self) -> EmbedderInfo | None:
        """The embedder of the vectors."""
        return self._reader.embedder

    def nearest(
        self, identity: str, query: FloatRows, limit: int, left: FileSelection | None = None
    ) -> list[tuple[int, float]]:
        """Return the documents nearest to a unit vector, as (key, cosine), nearest first; see VectorIndex.nearest.

        Where all repositories were searched together, return this one's part of what was found; otherwise all its
        vectors are compared. Raises EmbedderMismatch.
        """
        self._require_embedder(identity)
        if self.prefetched is not None:
            keys = np.array([key for key, _ in self.prefetched], np.int64)
            is_kept: list[bool] = self._files.contains(keys, left and left.ids).tolist()
            return [pair for pair, kept in zip(self.prefetched, is_kept, strict=True) if kept][:limit]
        return self._search_exactly(query, left)[:limit]

    def above_cosine(
        self, identity: str, query: FloatRows, min_cosine: float, left: FileSelection | None = None
    ) -> list[tuple[int, float]]:
        """Return all documents with at least this cosine; otherwise as `nearest`."""
        self._require_embedder(identity)
        return [pair for pair in self._search_exactly(query, left) if pair[1] >= min_cosine]

    def cosine_of(self, identity: str, query: FloatRows, doc_key: int) -> float | None:
        """Return the cosine of one document, as `nearest` gives it; None for an unknown one."""
        self._require_embedder(identity)
        rows = self._database.select(
            f"SELECT halfvec_send(d.vector) {FROM_DOCUMENTS}", ([self._info.repository_id], [doc_key])
        )
        return exact_cosines_of(query, [rows[0][0]])[0] if rows else None

    def file_cosines(self, identity: str, query: FloatRows, paths: Sequence[str]) -> dict[str, float]:
        """Return the cosines of files with a unit vector, by path; see VectorIndex.file_cosines."""
        if self.embedder is None or self.embedder.identity != identity:
            return {}
        if any(path not in self.of_files for path in paths):
            read_file_vectors(self._database, [(self, paths)])
        return compare_packed({path: self.of_files[path] for path in paths}, query)

    def similar(self, doc_key: int, limit: int) -> list[tuple[int, float]]:
        """Return the documents of this repository nearest to one of it, itself included; see VectorIndex.similar."""
        sql = (
            f"WITH own AS MATERIALIZED (SELECT d.vector {FROM_DOCUMENTS}) "
            "SELECT f.first_key + d.position, halfvec_send(d.vector), halfvec_send(own.vector) FROM own "
            "CROSS JOIN files f JOIN documents d ON d.content_id = f.content_id WHERE f.repository_id = %s "
            "ORDER BY (d.vector <#> own.vector) + 0 LIMIT %s"  # to add nothing keeps the planner from the graph
        )
        repository = self._info.repository_id
        rows = self._database.select(sql, ([repository], [doc_key], repository, limit + _ROUNDING_MARGIN))
        if not rows:
            return []
        vectors = quantize(range(len(rows) + 1), unpack_halfvecs([rows[0][2], *(row[1] for row in rows)]))
        matrix: NDArray[np.float32] = vectors.matrix.astype(np.float32)
        products: NDArray[np.float32] = matrix[1:] @ matrix[0]  # of integers, so exact
        scales: NDArray[np.float64] = vectors.scales.astype(np.float64)
        cosines = list(map(float, np.round(np.multiply(products, scales[1:] * scales[0]), 6)))
        pairs = [(int(row[0]), cosine) for row, cosine in zip(rows, cosines, strict=True)]
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:limit]

    def similar_files(self, path: str) -> list[tuple[str, float]]:
        """Return all other files of this repository with their cosines to a file; see VectorIndex.similar_files."""
        paths = self._files.known_paths()
        read_file_vectors(self._database, [(self, paths)])
        packed = {each: vector for each in paths if (vector := self.of_files[each])}
        own = packed.pop(path, None)
        return [] if own is None else sorted(compare_rows(own, packed).items(), key=lambda each: (-each[1], each[0]))

    def _require_embedder(self, identity: str) -> None:
        embedder = self.embedder
        if embedder is None or embedder.identity != identity:
            stored = embedder.identity if embedder else "no embedder"
            raise EmbedderMismatch(f"the team's vectors are of {stored}, the question's is of {identity}")

    def _search_exactly(self, query: FloatRows, left: FileSelection | None) -> list[tuple[int, float]]:
        sql = (
            "SELECT f.first_key + d.position, halfvec_send(d.vector) FROM files f JOIN documents d "
            "ON d.content_id = f.content_id WHERE f.repository_id = %s "
            "AND (%s::bigint[] IS NULL OR f.first_key = ANY(%s))"
        )
        wanted = None if left is None else list(left.ids)
        rows = self._database.select(sql, (self._info.repository_id, wanted, wanted))
        cosines = exact_cosines_of(query, [row[1] for row in rows])
        pairs = [(row[0], cosine) for row, cosine in zip(rows, cosines, strict=True)]
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def exact_cosines_of(query: FloatRows, packed: Sequence[bytes]) -> list[float]:
    """Return the cosines with a query of vectors as `halfvec_send` packs them, as a local index computes them."""
    rows = unpack_halfvecs(packed)
    return exact_cosines(quantize(range(len(rows)), rows), query).tolist() if packed else []


def unpack_halfvecs(packed: Sequence[bytes]) -> FloatRows:
    """Return (n, d) vectors from the bytes that pgvector sends of each, which `halfvec_send` returns: the number of its
    dimensions and one unused number, then its values, each of two bytes, the higher first.

    All are unpacked together: pgvector's own type takes some ten times as long.
    """
    numbers: NDArray[np.float16] = np.frombuffer(b"".join(packed), np.dtype(">f2"))
    return np.reshape(numbers, (len(packed), -1 if packed else 2))[:, 2:].astype(np.float32)


# Files of many repositories by one statement -------------------------------------------------------------------------


def read_file_vectors(database: TeamDatabase, wanted: Sequence[tuple[RepositoryVectors, Sequence[str]]]) -> None:
    """Read the vectors of files of several repositories by their paths."""
    places = [(vectors, path) for vectors, paths in wanted for path in paths if path not in vectors.of_files]
    found = list(select_of_files(database, places, "c.id, c.vector"))
    of_earlier = _pack_vectors_of_earlier(database, [content for *_, (content, packed) in found if packed is None])
    for vectors, path in places:
        vectors.of_files[path] = b""
    for vectors, path, (content, packed) in found:
        vectors.of_files[path] = of_earlier.get(content, b"") if packed is None else packed


def _pack_vectors_of_earlier(database: TeamDatabase, contents: Sequence[int]) -> dict[int, bytes]:
    """Return the vectors of contents that an earlier version stored without, from those of their documents."""
    sql = (
        "SELECT content_id, place, halfvec_send(vector) FROM documents WHERE content_id = ANY(%s) "
        "ORDER BY content_id, position"
    )
    packed: dict[int, bytes] = {}
    for content, group in groupby(database.select(sql, (list(contents),)) if contents else [], key=itemgetter(0)):
        _, places, vectors = zip(*group, strict=True)
        packed[content] = pack_mean(unpack_halfvecs(vectors), places)
    return packed
