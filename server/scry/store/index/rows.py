"""Row types of the code index, and how names, positions and texts are packed.

Rows of the index and how they are packed.

What is packed of a file: its text with what its documents say, and what it uses and imports.

Each is one frame of Zstandard (RFC 8878). Signatures and doc comments mostly stand in the text, so that behind it they
take a third of what they take by themselves; and to unpack both takes no longer than it took zlib to unpack them alone.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from scry.core.doc_id import make_doc_ids, simple_names_of_doc_ids
from scry.core.errors import IndexDamaged
from scry.core.text import normalize_names
from scry.core.types import Document, DocumentHeader, Point, SkippedFile, Span, Symbol
from scry.store.sqlite.database import decode_path

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_encode_msgpack = msgspec.msgpack.Encoder().encode
_decode_integers = msgspec.msgpack.Decoder(list[int]).decode

_KIND_LETTERS = {
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

_KINDS_BY_LETTER = {letter: kind for kind, letter in _KIND_LETTERS.items()}

_PREFIX_CHARACTERS, _CHARACTER_BITS, _HASH_BITS = 2, 6, 19
"""Of a name's number: so many first characters with so many bits of each, and so many bits of a hash; 31 together."""


class StoredFile(msgspec.Struct, frozen=True):
    """What the index remembers of a file, to see whether it changed. hash is empty for one that was not read."""

    file_id: int
    path: str
    size: int
    mtime_ns: int
    hash: bytes
    skip: SkippedFile | None


class IndexedFile(msgspec.Struct, frozen=True):
    """An indexed file: its id, which stands for one content, the content's hash, and its documents' numbers in the
    order of the file.
    """

    file_id: int
    path: str
    hash: bytes
    doc_keys: tuple[int, ...]


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
    skip: SkippedFile | None = None
    language: str = ""
    content_type: str = "code"
    text: str = ""
    imports: bytes = b""
    uses: bytes = b""
    documents: tuple[NewDocument, ...] = ()


def hash_name_key(key: str) -> int:
    """The number by which a name is looked up by its key (see core.text.name_key); others may share it. Those of keys
    that begin alike lie together, see `numbers_beginning`. SQLite keeps it in four bytes.
    """
    first, _ = hash_range_of_prefix(key[:_PREFIX_CHARACTERS])
    return first + (zlib.crc32(_encode_text(key)) >> 32 - _HASH_BITS)


def hash_range_of_prefix(prefix: str) -> tuple[int, int]:
    """Between which numbers, the second left out, those of all keys lie that begin so: with two characters at most."""
    codes = [ord(character) % 2**_CHARACTER_BITS for character in prefix[:_PREFIX_CHARACTERS]]
    missing = _PREFIX_CHARACTERS - len(codes)
    first = sum(code << _CHARACTER_BITS * place for place, code in enumerate(reversed(codes), missing))
    return first << _HASH_BITS, first + (1 << _CHARACTER_BITS * missing) << _HASH_BITS


def hash_names(names: Iterable[str]) -> list[int]:
    """Return the hash by which a document of each of these names is looked up."""
    return [hash_name_key(key) for key in normalize_names(list(names))]


def encode_kind(kind: str) -> str:
    """A kind as it is written."""
    return _KIND_LETTERS.get(kind, kind)


def decode_kind(written: str) -> str:
    """The kind back."""
    return _KINDS_BY_LETTER.get(written, written)


def pack_spans(symbol: Symbol) -> bytes:
    """The span and the name's span as 8 numbers, of which most take a byte: lines count from a line before. Where
    columns in UTF-16 are others than in UTF-8, 4 more say by how much.
    """
    start, end, name, name_end = symbol.span.start, symbol.span.end, symbol.name_span.start, symbol.name_span.end
    points = (start, end, name, name_end)
    befores = (0, start.line, start.line, name.line)
    numbers = [number for p, line in zip(points, befores, strict=True) for number in (p.line - line, p.utf8)]
    wider = [p.utf16 - p.utf8 for p in points]
    return _encode_msgpack(numbers + wider if any(wider) else numbers)


def unpack_spans(data: bytes) -> tuple[Span, Span]:
    """The span and the name's span back."""
    n = _decode_integers(data)
    a, b, c, d = n[8:] or (0, 0, 0, 0)
    name_line = n[0] + n[4]
    start, end = Point(n[0], n[1], n[1] + a), Point(n[0] + n[2], n[3], n[3] + b)
    return Span(start, end), Span(Point(name_line, n[5], n[5] + c), Point(name_line + n[6], n[7], n[7] + d))


def unpack_line_range(data: bytes) -> tuple[int, int]:
    """The first and the last line of the span; one that ends at a line's start ends on the line before."""
    n = _decode_integers(data)
    first, last, column = n[0], n[0] + n[2], n[3]
    return first, last - 1 if column == 0 and last > first else last


def _encode_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


ID_COLUMNS = "f.path, d.name, d.kind, d.container, d.ordinal, iif(d.name = '', d.place, NULL)"
"""All that a doc_id is made of: it is stored nowhere."""

HEADER_COLUMNS = f"d.number, f.content_type, {ID_COLUMNS}"

DOCUMENT_COLUMNS = (
    "d.number, d.file, f.content_type, f.path, f.language, d.name, d.kind, d.container, d.ordinal, d.place"
)


def make_document_row(doc_key: int, file_id: int, document: NewDocument) -> tuple[object, ...]:
    """What is stored of a document, in the order of the table's columns."""
    symbol = document.symbol
    return (
        doc_key,
        file_id,
        symbol.name,
        encode_kind(symbol.kind),
        symbol.container,
        document.ordinal,
        pack_spans(symbol),
    )


def name_hashes_of_doc_ids(doc_ids: Sequence[str]) -> list[tuple[int, str]]:
    """Return the hashes of the possible names of the documents with these doc_ids, each with the path of its file."""
    named = simple_names_of_doc_ids(doc_ids)
    return list(zip(hash_names(name for name, _ in named), (path for _, path in named), strict=True))


def read_doc_ids(rows: Iterable[Sequence[Any]]) -> list[str]:
    """Return the doc_id of each row of ID_COLUMNS."""
    parts = [
        (
            decode_path(path),
            name,
            decode_kind(kind),
            container,
            ordinal,
            (0, 0) if place is None else unpack_line_range(place),
        )
        for path, name, kind, container, ordinal, place in rows
    ]
    return make_doc_ids(parts)


def read_headers(rows: Sequence[Sequence[Any]]) -> list[DocumentHeader]:
    """Return the document header of each row of HEADER_COLUMNS."""
    return [
        DocumentHeader(row[0], doc_id, row[1], decode_path(row[2]), row[3], decode_kind(row[4]), row[5])
        for row, doc_id in zip(rows, read_doc_ids(row[2:] for row in rows), strict=True)
    ]


def read_documents(
    rows: Sequence[Sequence[Any]], descriptions: Mapping[int, Mapping[int, tuple[str, str]]]
) -> list[Document]:
    """Return the document of each row of DOCUMENT_COLUMNS, without its own text, which stays in the text of the file.

    descriptions: by file id and key, the signature and doc comment of a document.
    """
    found: list[Document] = []
    doc_ids = read_doc_ids((row[3], *row[5:]) for row in rows)
    for row, doc_id in zip(rows, doc_ids, strict=True):
        doc_key, file_id, content_type, path, language, name, kind, container, ordinal, place = row
        span, name_span = unpack_spans(place)
        signature, doc = descriptions.get(file_id, {}).get(doc_key, ("", ""))
        symbol = Symbol(name, decode_kind(kind), container, signature, doc, span, name_span, "")
        found.append(Document(doc_key, doc_id, content_type, decode_path(path), language or "", symbol, ordinal))
    return found


_COMPRESSION_LEVEL = 9
"""Of compression: takes as long as zlib at its own; 12 would save 1 % for twice the time."""

_LENGTH_BYTES = 4

_decode_descriptions = msgspec.msgpack.Decoder(tuple[int, list[tuple[str, str]]]).decode


def pack_text(text: str, keyed_documents: Sequence[tuple[int, NewDocument]]) -> bytes:
    """A file's text, and the signatures and doc comments of its documents, given with their numbers."""
    said = [(document.symbol.signature, document.symbol.doc) for _, document in keyed_documents]
    first = keyed_documents[0][0] if keyed_documents else 0
    return _pack_pair(text.encode("utf-8", "surrogatepass"), _encode_msgpack((first, said)))


def unpack_text(data: bytes) -> str:
    """The text back. Raises IndexDamaged."""
    text, _ = _unpack_pair(data)
    try:
        return str(text, "utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise damage_error(error) from error


def unpack_descriptions(data: bytes) -> dict[int, tuple[str, str]]:
    """Signature and doc comment by the document's number. Raises IndexDamaged."""
    _, packed = _unpack_pair(data)
    try:
        first, said = _decode_descriptions(packed)
    except msgspec.MsgspecError as error:
        raise damage_error(error) from error
    return dict(enumerate(said, first))


def pack_links(imports: bytes, uses: bytes) -> bytes:
    """What a file imports and uses; nothing for neither."""
    return _pack_pair(imports, uses) if imports or uses else b""


def unpack_imports(data: bytes | None) -> bytes:
    """What it imports, as it was given. Raises IndexDamaged."""
    return bytes(_unpack_pair(data)[0]) if data else b""


def unpack_uses(data: bytes | None) -> bytes:
    """What it uses, as it was given. Raises IndexDamaged."""
    return bytes(_unpack_pair(data)[1]) if data else b""


def _pack_pair(first: bytes, second: bytes) -> bytes:
    return compress_frame(b"".join((len(first).to_bytes(_LENGTH_BYTES, "little"), first, second)), _COMPRESSION_LEVEL)


def _unpack_pair(data: bytes) -> tuple[memoryview, memoryview]:
    both = memoryview(decompress_frame(data))
    end = _LENGTH_BYTES + int.from_bytes(both[:_LENGTH_BYTES], "little")
    return both[_LENGTH_BYTES:end], both[end:]


def compress_frame(data: bytes, level: int = zstd.COMPRESSION_LEVEL_DEFAULT) -> bytes:
    """A frame of these bytes."""
    options: dict[int, int] = {
        zstd.CompressionParameter.compression_level: level,
        zstd.CompressionParameter.checksum_flag: 1,
    }
    return zstd.compress(data, options=options)


def decompress_frame(frame: bytes) -> bytes:
    """The bytes of a frame. Raises IndexDamaged."""
    try:
        return zstd.decompress(frame)
    except (zstd.ZstdError, MemoryError) as error:
        raise damage_error(error) from error


def damage_error(error: Exception | str) -> IndexDamaged:
    """What is raised for what is packed in the index and makes no sense."""
    return IndexDamaged(f"the index is damaged: what is packed in it can't be read ({error}); rebuild the index")
