"""Rows of the index and how they are packed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from scry.core.doc_id import document_id, own_names, parse_doc_id
from scry.core.text import name_key
from scry.core.types import Document, Outline, Point, Skip, Span, Symbol
from scry.store.database import path_from_sql

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(list[int]).decode

_LETTERS = {
    "text": "t",
    "section": "s",
    "function": "f",
    "method": "m",
    "class": "c",
    "interface": "i",
    "struct": "r",
    "enum": "e",
    "trait": "h",
    "module": "o",
    "type": "y",
    "constant": "k",
    "variable": "v",
    "field": "d",
    "macro": "a",
}
"""A letter for each kind of symbol: half a megabyte of 75. Another kind would be written as it is."""

_KINDS = {letter: kind for kind, letter in _LETTERS.items()}

_LEADING, _CODE_BITS, _HASH_BITS = 2, 6, 19
"""Of a name's number: so many first characters with so many bits of each, and so many bits of a hash; 31 together."""


class StoredFile(msgspec.Struct, frozen=True):
    """What the index remembers of a file, to see whether it changed. hash is empty for one that was not read."""

    id: int
    path: str
    size: int
    mtime_ns: int
    hash: bytes
    skip: Skip | None


class IndexedFile(msgspec.Struct, frozen=True):
    """An indexed file: its id, which stands for one content, the content's hash, and its documents' numbers in the
    order of the file.
    """

    id: int
    path: str
    hash: bytes
    numbers: tuple[int, ...]


class NewDocument(msgspec.Struct, frozen=True):
    """A document to be written: its name, its symbol, and its terms for the word index."""

    doc_id: str
    ordinal: int
    symbol: Symbol
    terms: str


class NewFile(msgspec.Struct, frozen=True):
    """A file to be written, with everything that was read out of it. `skip` is None for an indexed one."""

    path: str
    size: int
    mtime_ns: int
    hash: bytes
    skip: Skip | None = None
    language: str = ""
    content_type: str = "code"
    text: str = ""
    imports: bytes = b""
    uses: bytes = b""
    documents: tuple[NewDocument, ...] = ()


def name_number(key: str) -> int:
    """The number by which a name is looked up by its key (see core.text.name_key); others may share it. Those of keys
    that begin alike lie together, see `numbers_beginning`. SQLite keeps it in four bytes.
    """
    first, _ = numbers_beginning(key[:_LEADING])
    return first + (zlib.crc32(_bytes(key)) >> 32 - _HASH_BITS)


def numbers_beginning(start: str) -> tuple[int, int]:
    """Between which numbers, the second left out, those of all keys lie that begin so: with two characters at most."""
    codes = [ord(character) % 2**_CODE_BITS for character in start[:_LEADING]]
    missing = _LEADING - len(codes)
    first = sum(code << _CODE_BITS * place for place, code in enumerate(reversed(codes), missing))
    return first << _HASH_BITS, first + (1 << _CODE_BITS * missing) << _HASH_BITS


def key_of_name(name: str) -> int:
    """The number by which a document of this name is looked up."""
    return name_number(name_key(name))


def short_kind(kind: str) -> str:
    """A kind as it is written."""
    return _LETTERS.get(kind, kind)


def read_kind(written: str) -> str:
    """The kind back."""
    return _KINDS.get(written, written)


def pack_place(symbol: Symbol) -> bytes:
    """The span and the name's span as 8 numbers, of which most take a byte: lines count from a line before. Where
    columns in UTF-16 are others than in UTF-8, 4 more say by how much.
    """
    start, end, name, name_end = symbol.span.start, symbol.span.end, symbol.name_span.start, symbol.name_span.end
    points = (start, end, name, name_end)
    befores = (0, start.line, start.line, name.line)
    numbers = [number for p, line in zip(points, befores, strict=True) for number in (p.line - line, p.utf8)]
    wider = [p.utf16 - p.utf8 for p in points]
    return _pack(numbers + wider if any(wider) else numbers)


def unpack_place(data: bytes) -> tuple[Span, Span]:
    """The span and the name's span back."""
    n = _unpack(data)
    a, b, c, d = n[8:] or (0, 0, 0, 0)
    name_line = n[0] + n[4]
    start, end = Point(n[0], n[1], n[1] + a), Point(n[0] + n[2], n[3], n[3] + b)
    return Span(start, end), Span(Point(name_line, n[5], n[5] + c), Point(name_line + n[6], n[7], n[7] + d))


def unpack_lines(data: bytes) -> tuple[int, int]:
    """The first and the last line of the span; one that ends at a line's start ends on the line before."""
    n = _unpack(data)
    first, last, column = n[0], n[0] + n[2], n[3]
    return first, last - 1 if column == 0 and last > first else last


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


ID_COLUMNS = "f.path, d.name, d.kind, d.container, d.ordinal, iif(d.name = '', d.place, NULL)"
"""All that a doc_id is made of: it is stored nowhere."""

OUTLINE_COLUMNS = f"d.number, f.content_type, {ID_COLUMNS}"

DOCUMENT_COLUMNS = (
    "d.number, d.file, f.content_type, f.path, f.language, d.name, d.kind, d.container, d.ordinal, d.place"
)


def document_row(number: int, file_id: int, document: NewDocument) -> tuple[object, ...]:
    """What is stored of a document, in the order of the table's columns."""
    symbol = document.symbol
    return (
        number,
        file_id,
        symbol.name,
        short_kind(symbol.kind),
        symbol.container,
        document.ordinal,
        pack_place(symbol),
    )


def keys_of_id(doc_id: str) -> Iterator[tuple[int, str]]:
    """The keys that the name of the document with this doc_id may have, each with the path of its file."""
    with suppress(ValueError):
        named = parse_doc_id(doc_id)
        for name in own_names(named.name):
            yield key_of_name(name), named.path


def read_id(row: Sequence[Any]) -> str:
    """A doc_id from its columns."""
    path, name, kind, container, ordinal, place = row
    lines = (0, 0) if place is None else unpack_lines(place)
    return document_id(path_from_sql(path), name, read_kind(kind), container, ordinal, lines)


def read_outline(row: Sequence[Any]) -> Outline:
    """An outline from its columns."""
    number, content_type, path, name, kind, container, _, _ = row
    return Outline(number, read_id(row[2:]), content_type, path_from_sql(path), name, read_kind(kind), container)


def read_document(row: Sequence[Any], said: tuple[str, str]) -> Document:
    """A document from its columns. said: its signature and doc comment; its own text stays in the file's body."""
    number, _, content_type, path, language, name, kind, container, ordinal, place = row
    span, name_span = unpack_place(place)
    doc_id = read_id((path, name, kind, container, ordinal, place))
    symbol = Symbol(name, read_kind(kind), container, *said, span, name_span, "")
    return Document(number, doc_id, content_type, path_from_sql(path), language or "", symbol, ordinal)
