"""Pack what was read out of a file as the rows that a team's index stores of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from scry.store.index.rows import (
    NewFile,
    encode_kind,
    hash_names,
    pack_links,
    pack_spans,
    pack_text,
    unpack_line_range,
)
from scry.store.team.database import encode_text
from scry.store.team.postings import DocumentTerms, pack_terms
from scry.store.vectors import FloatRows, mean_vector, pack_rows, quantize

if TYPE_CHECKING:
    from typing_extensions import LiteralString

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
