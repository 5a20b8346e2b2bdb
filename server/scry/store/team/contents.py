"""Pack what was read out of a file as the rows that a team's index stores of it, read it, and find where else it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from scry.core.errors import IndexDamaged
from scry.core.types import FileStructure
from scry.store.index.rows import (
    NewFile,
    encode_kind,
    hash_names,
    pack_links,
    pack_spans,
    pack_text,
    unpack_descriptions,
    unpack_line_range,
    unpack_text,
)
from scry.store.team.database import TeamDatabase, decode_text, encode_text
from scry.store.team.postings import DocumentTerms, pack_terms
from scry.store.vector_sets import mean_vector, pack_rows
from scry.store.vectors import FloatRows, quantize

if TYPE_CHECKING:
    from typing_extensions import LiteralString

    from scry.store.team.repository import RepositoryIndex

ContentRow = tuple[bytes, str, str, int, int, bytes, bytes, bytes, bytes]
"""A row of `contents`: key, language, content type, documents, length, text, links, terms and vector."""

INSERT_CONTENT: LiteralString = (
    "INSERT INTO contents (key, language, content_type, documents, length, text, links, terms, vector) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (key) DO NOTHING RETURNING id"
)

DOCUMENT_TYPES = ("int8", "int4", "bytea", "int4", "text", "bytea", "int4", "bytea", "halfvec")
"""The types of a row of `documents`, beginning with the id of the content."""


class NewContent(Struct, frozen=True):
    """The parsed content of a file. file: with its documents. terms, vectors: of each document, in their order."""

    key: bytes
    file: NewFile
    terms: Sequence[DocumentTerms]
    vectors: FloatRows


class PackedContent(Struct, frozen=True):
    """The rows of a content. documents: without the id of the content."""

    row: ContentRow
    documents: Sequence[tuple[object, ...]]

    @property
    def key(self) -> bytes:
        """The key of the content."""
        return self.row[0]


def pack_content(content: NewContent) -> PackedContent:
    """Return the rows of a content. Raises an error of any kind for values that can't be stored."""
    from pgvector import HalfVector

    documents = content.file.documents
    name_keys = hash_names([each.symbol.name for each in documents])
    rows = [
        (
            at,
            encode_text(document.symbol.name),
            name_key,
            encode_kind(document.symbol.kind),
            encode_text(document.symbol.container),
            document.ordinal,
            pack_spans(document.symbol),
            HalfVector(vector),
        )
        for at, (document, name_key, vector, _) in enumerate(
            zip(documents, name_keys, content.vectors, content.terms, strict=True)
        )
    ]
    return PackedContent(_content_row(content), rows)


def _content_row(content: NewContent) -> ContentRow:
    file = content.file
    return (
        content.key,
        file.language,
        file.content_type,
        len(file.documents),
        sum(length for length, _ in content.terms),
        pack_text(file.text, list(enumerate(file.documents))),
        pack_links(file.imports, file.uses),
        pack_terms(content.terms),
        pack_mean(content.vectors, [pack_spans(each.symbol) for each in file.documents]),
    )


def pack_mean(vectors: FloatRows, places: Sequence[bytes]) -> bytes:
    """Return the vector of a file, the mean of its documents', packed as a local index packs it; b"" for none."""
    lines = [last - first + 1 for first, last in map(unpack_line_range, places)]
    return pack_rows(quantize([0], mean_vector(vectors, lines)[None]))[0] if lines else b""


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


# Copies in other repositories -----------------------------------------------------------------------------------------

MAX_NAMED_COPIES = 5
"""Repositories that a result names: as many as fit into a line. Of a licence's text a thousand may have a copy."""


class Copies(Struct, frozen=True):
    """The other visible repositories that hold the content of a file.

    count: of these repositories. named: the first of them by name, with the path of the file in each.
    """

    count: int
    named: Sequence[tuple[int, str]]


def read_copies(
    database: TeamDatabase, wanted: Sequence[tuple[RepositoryIndex, Sequence[int]]]
) -> dict[tuple[int, int], Copies]:
    """Return by repository and key the copies of documents whose headers were read; documents without are left out."""
    places: dict[tuple[int, bytes], list[tuple[int, int]]] = {}
    for index, keys in wanted:
        known, repository = index.documents.content_ids, index.info.repository_id
        for key in keys:
            if key in known:
                places.setdefault((repository, known[key][0]), []).append((repository, key))
    if not places:
        return {}
    sql = (
        "WITH held AS (SELECT wanted.at, f.repository_id, (array_agg(f.path ORDER BY f.path))[1] AS path FROM "
        "unnest(%s::integer[], %s::integer[], %s::bytea[]) AS wanted(at, repository, digest) CROSS JOIN LATERAL "
        "(SELECT id FROM contents WHERE digest = wanted.digest OFFSET 0) c CROSS JOIN LATERAL "
        "(SELECT repository_id, path FROM files WHERE content_id = c.id OFFSET 0) f "
        "WHERE f.repository_id <> wanted.repository GROUP BY wanted.at, f.repository_id) "
        "SELECT held.at, count(*), (array_agg(r.id ORDER BY r.name))[:%s], (array_agg(held.path ORDER BY r.name))[:%s] "
        "FROM held JOIN repositories r ON r.id = held.repository_id WHERE r.commit_id IS NOT NULL GROUP BY held.at"
    )
    values = list(range(len(places))), *map(list, zip(*places, strict=True))
    by_place = list(places.values())
    found: dict[tuple[int, int], Copies] = {}
    for at, count, repositories, paths in database.select(sql, (*values, MAX_NAMED_COPIES, MAX_NAMED_COPIES)):
        copies = Copies(int(count), list(zip(repositories, map(decode_text, paths), strict=True)))
        found.update(dict.fromkeys(by_place[int(at)], copies))
    return found
