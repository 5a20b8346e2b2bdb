"""Row types of the code index, and how names, positions and texts are packed.

The text of a file and the descriptions of its documents are one Zstandard frame (RFC 8878), as are its imports and
references. Signatures and doc comments are mostly part of the text, so behind it they take a third of their own
compressed size; unpacking both takes no longer than zlib took for the descriptions alone.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import msgspec

from scry.core.decoding import msgpack_decoder
from scry.core.doc_id import make_doc_ids
from scry.core.errors import IndexDamaged
from scry.core.text import normalize_name
from scry.core.types import (
    MARKS,
    Document,
    DocumentHeader,
    FileFault,
    IndexingStage,
    Point,
    SkippedFile,
    Span,
    Symbol,
)
from scry.store.sqlite.database import decode_path, encode_path

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_encode_msgpack = msgspec.msgpack.Encoder().encode
_decode_integers = msgpack_decoder(list[int])

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
"""One letter for each kind of symbol: saves half a megabyte of 75. An unknown kind is stored as it is."""

_KINDS_BY_LETTER = dict(zip(_KIND_LETTERS.values(), _KIND_LETTERS, strict=True))

_PREFIX_CHARACTERS, _CHARACTER_BITS, _HASH_BITS = 2, 6, 19
"""Layout of the hash of a name: so many first characters, so many bits of each, so many bits of CRC; 31 bits together.
"""


class StoredFile(msgspec.Struct, frozen=True):
    """State of a file by which a change is detected. hash is empty for a file that was not read.

    ctime_ns: see `change_time_ns`. fault: the stage of indexing that failed for it, if one did; fault_version: the
    version of Scry in which it did.
    """

    file_id: int
    path: str
    size: int
    mtime_ns: int
    hash: bytes
    skip: SkippedFile | None
    fault: FileFault | None = None
    fault_version: str = ""
    ctime_ns: int = 0


class IndexedFile(msgspec.Struct, frozen=True):
    """An indexed file.

    file_id: stands for one content. hash: of the content. doc_keys: in the order of the file. fault: the stage of
    indexing that failed for it, if one did.
    """

    file_id: int
    path: str
    hash: bytes
    doc_keys: tuple[int, ...]
    fault: FileFault | None = None


class NewDocument(msgspec.Struct, frozen=True):
    """A document to be written. terms: for the lexical index, separated by blanks."""

    doc_id: str
    ordinal: int
    symbol: Symbol
    terms: str


class NewFile(msgspec.Struct, frozen=True):
    """A file to be written, with everything that was parsed from it. `skip` is None for an indexed file.

    fault: the stage of indexing that failed for it, if one did. fault_version: the version of Scry in which it did.
    """

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
    fault: FileFault | None = None
    fault_version: str = ""
    ctime_ns: int = 0


def format_fault(fault: FileFault | None) -> str | None:
    """Return a fault as it is stored."""
    return None if fault is None else str(fault)


def parse_fault(stored: str | None) -> FileFault | None:
    """Return a stored fault; None also for one of a stage that this version does not have."""
    stage, _, reason = (stored or "").partition(": ")
    return FileFault(IndexingStage(stage), reason) if stage in _STAGES else None


_STAGES = frozenset(stage.value for stage in IndexingStage)


def check_row(file: NewFile) -> None:
    """Raise whatever the writing of this row would raise because of its values."""
    encode_path(file.path)
    numbered = list(enumerate(file.documents, 1))
    for number, document in numbered:
        make_document_row(number, 1, document)
    hash_names(document.symbol.name for document in file.documents)
    pack_text(file.text, numbered)
    pack_links(file.imports, file.uses)


def hash_name_key(key: str) -> int:
    """Return the hash by which a normalized name is looked up; names may share it.

    Hashes of names with the same prefix are adjacent, see `hash_range_of_prefix`. SQLite stores one in four bytes.
    """
    first, _ = hash_range_of_prefix(key[:_PREFIX_CHARACTERS])
    return first + (zlib.crc32(key.encode("utf-8", "surrogatepass")) >> 32 - _HASH_BITS)


def hash_range_of_prefix(prefix: str) -> tuple[int, int]:
    """Return the range (end excluded) of the hashes of all names with this prefix, of two characters at most."""
    codes = [ord(character) % 2**_CHARACTER_BITS for character in prefix[:_PREFIX_CHARACTERS]]
    missing = _PREFIX_CHARACTERS - len(codes)
    first = sum([code << _CHARACTER_BITS * position for position, code in enumerate(reversed(codes), missing)])
    return first << _HASH_BITS, first + (1 << _CHARACTER_BITS * missing) << _HASH_BITS


def hash_names(names: Iterable[str]) -> list[int]:
    """Return the hash by which a document of each of these names is looked up."""
    return list(map(hash_name_key, map(normalize_name, names)))


def encode_kind(kind: str) -> str:
    """Return a kind of symbol as it is stored."""
    return _KIND_LETTERS.get(kind, kind)


def decode_kind(written: str) -> str:
    """Return the kind of symbol of a stored value."""
    return _KINDS_BY_LETTER.get(written, written)


def pack_spans(symbol: Symbol) -> bytes:
    """Pack the span and the name span into 8 integers, most of which take a byte: lines are relative to an earlier
    line.

    Where UTF-16 columns differ from UTF-8 columns, 4 more integers hold the differences. A test and generated text have
    one more at the end, the place of their marks in MARKS.
    """
    start, end, name, name_end = symbol.span.start, symbol.span.end, symbol.name_span.start, symbol.name_span.end
    points = (start, end, name, name_end)
    base_lines = (0, start.line, start.line, name.line)
    values = [value for p, line in zip(points, base_lines, strict=True) for value in (p.line - line, p.utf8)]
    utf16_offsets = [p.utf16 - p.utf8 for p in points]
    if any(utf16_offsets):
        values += utf16_offsets
    return _encode_msgpack([*values, MARKS.index(symbol.marks)] if symbol.marks else values)


def _read_marks(place: Sequence[int]) -> int:
    """Return the place of a document's marks in MARKS."""
    return place[-1] if len(place) % 2 else 0


def unpack_spans(data: bytes) -> tuple[Span, Span]:
    """Return the span and the name span of a packed position."""
    values = _decode_integers(data)
    a, b, c, d = values[8:12] if len(values) >= 12 else (0, 0, 0, 0)
    name_line = values[0] + values[4]
    start, end = Point(values[0], values[1], values[1] + a), Point(values[0] + values[2], values[3], values[3] + b)
    return Span(start, end), Span(
        Point(name_line, values[5], values[5] + c), Point(name_line + values[6], values[7], values[7] + d)
    )


def unpack_line_range(data: bytes) -> tuple[int, int]:
    """Return the first and the last line of a packed span; a span that ends at the start of a line ends one line
    earlier.
    """
    values = _decode_integers(data)
    return values[0], values[0] + _last_line(values)


def _last_line(values: Sequence[int]) -> int:
    """Return the last line of an unpacked position, counted from its first."""
    return values[2] - 1 if values[3] == 0 and values[2] else values[2]


ID_COLUMNS = "f.path, d.name, d.kind, d.container, d.ordinal, iif(d.name = '', d.place, NULL)"
"""The columns from which a doc_id is made; doc_ids are not stored."""

HEADER_COLUMNS = f"d.number, f.content_type, {ID_COLUMNS}, d.place"

DOCUMENT_COLUMNS = (
    "d.number, d.file, f.content_type, f.path, f.language, d.name, d.kind, d.container, d.ordinal, d.place"
)


def make_document_row(doc_key: int, file_id: int, document: NewDocument) -> tuple[object, ...]:
    """Return the row of a document, in the order of the columns of the table."""
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


def read_doc_ids(rows: Iterable[Sequence[Any]]) -> list[str]:
    """Return the doc_id of each row of ID_COLUMNS."""
    parts = [
        (
            decode_path(path),
            name,
            _KINDS_BY_LETTER.get(kind) or kind,
            container,
            ordinal,
            (0, 0) if packed_place is None else unpack_line_range(packed_place),
        )
        for path, name, kind, container, ordinal, packed_place in rows
    ]
    return make_doc_ids(parts)


def read_headers(rows: Sequence[Sequence[Any]], doc_ids: Sequence[str] = ()) -> list[DocumentHeader]:
    """Return the document header of each row of HEADER_COLUMNS. doc_ids: of the rows, where known."""
    doc_ids, places = doc_ids or read_doc_ids([row[2:-1] for row in rows]), [_decode_integers(row[-1]) for row in rows]
    return [
        DocumentHeader(
            row[0],
            doc_id,
            row[1],
            decode_path(row[2]),
            row[3],
            _KINDS_BY_LETTER.get(row[4]) or row[4],
            row[5],
            1 + _last_line(place),
            MARKS[_read_marks(place)],
        )
        for row, doc_id, place in zip(rows, doc_ids, places, strict=True)
    ]


def read_documents(
    rows: Sequence[Sequence[Any]],
    descriptions: Mapping[int, Mapping[int, tuple[str, str]]],
    doc_ids: Sequence[str] = (),
) -> list[Document]:
    """Return the document of each row of DOCUMENT_COLUMNS, without its own text, which stays in the text of the file.

    descriptions: by file id and key, the signature and doc comment of a document. doc_ids: of the rows, where known.
    """
    documents: list[Document] = []
    doc_ids = doc_ids or read_doc_ids([(row[3], *row[5:]) for row in rows])
    for row, doc_id in zip(rows, doc_ids, strict=True):
        doc_key, file_id, content_type, path, language, name, kind, container, ordinal, place = row
        span, name_span = unpack_spans(place)
        signature, doc = descriptions.get(file_id, {}).get(doc_key, ("", ""))
        kind, marks = _KINDS_BY_LETTER.get(kind) or kind, _read_marks(_decode_integers(place))
        symbol = Symbol(name, kind, container, signature, doc, span, name_span, "", marks % 2 == 1, marks >= 2)
        documents.append(Document(doc_key, doc_id, content_type, decode_path(path), language or "", symbol, ordinal))
    return documents


_COMPRESSION_LEVEL = 9
"""Takes as long as zlib at its default level; level 12 would save 1 % for twice the time."""

_LENGTH_BYTES = 4

_decode_descriptions = msgpack_decoder(tuple[int, list[tuple[str, str]]])


def pack_text(text: str, keyed_documents: Sequence[tuple[int, NewDocument]]) -> bytes:
    """Pack the text of a file with the signatures and doc comments of its documents, given with their keys."""
    descriptions = [(document.symbol.signature, document.symbol.doc) for _, document in keyed_documents]
    first = keyed_documents[0][0] if keyed_documents else 0
    return _pack_pair(text.encode("utf-8", "surrogatepass"), _encode_msgpack((first, descriptions)))


def unpack_text(data: bytes) -> str:
    """Return the text of a packed file. Raises IndexDamaged."""
    text, _ = _unpack_pair(data)
    try:
        return str(text, "utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise damage_error(error) from error


def unpack_descriptions(data: bytes) -> dict[int, tuple[str, str]]:
    """Return signature and doc comment by document key. Raises IndexDamaged."""
    _, packed = _unpack_pair(data)
    try:
        first, descriptions = _decode_descriptions(packed)
    except msgspec.MsgspecError as error:
        raise damage_error(error) from error
    return dict(enumerate(descriptions, first))


def pack_links(imports: bytes, uses: bytes) -> bytes:
    """Pack the imports and the references of a file; b"" where there are neither."""
    return _pack_pair(imports, uses) if imports or uses else b""


def unpack_imports(data: bytes | None) -> bytes:
    """Return the imports that were packed. Raises IndexDamaged."""
    return bytes(_unpack_pair(data)[0]) if data else b""


def unpack_uses(data: bytes | None) -> bytes:
    """Return the references that were packed. Raises IndexDamaged."""
    return bytes(_unpack_pair(data)[1]) if data else b""


def _pack_pair(first: bytes, second: bytes) -> bytes:
    return compress_frame(b"".join((len(first).to_bytes(_LENGTH_BYTES, "little"), first, second)), _COMPRESSION_LEVEL)


def _unpack_pair(data: bytes) -> tuple[memoryview, memoryview]:
    pair = memoryview(decompress_frame(data))
    end = _LENGTH_BYTES + int.from_bytes(pair[:_LENGTH_BYTES], "little")
    return pair[_LENGTH_BYTES:end], pair[end:]


def compress_frame(data: bytes, level: int = zstd.COMPRESSION_LEVEL_DEFAULT) -> bytes:
    """Return these bytes as a Zstandard frame with a checksum."""
    options: dict[int, int] = {
        zstd.CompressionParameter.compression_level: level,
        zstd.CompressionParameter.checksum_flag: 1,
    }
    return zstd.compress(data, options=options)


_MAX_UNCHECKED_BYTES = 64 << 20
_MAX_RATIO = 200
"""A frame whose content is longer than both (the second in times of the frame) is none of ours."""


def decompress_frame(frame: bytes) -> bytes:
    """Return the bytes of a frame. Raises IndexDamaged, also for a small frame that claims to hold very much."""
    try:
        size = cast("int | None", zstd.get_frame_info(frame).decompressed_size)
        too_much = size is None or size > max(_MAX_UNCHECKED_BYTES, _MAX_RATIO * len(frame))
        if too_much or zstd.get_frame_size(frame) != len(frame):
            raise damage_error(f"a frame of {len(frame)} bytes is said to hold {size}")
        return zstd.decompress(frame)
    except (zstd.ZstdError, MemoryError) as error:
        raise damage_error(error) from error


def damage_error(error: Exception | str) -> IndexDamaged:
    """Return the error to raise for packed data of the index that cannot be decoded."""
    return IndexDamaged(f"the index is damaged: what is packed in it can't be read ({error}); rebuild the index")
