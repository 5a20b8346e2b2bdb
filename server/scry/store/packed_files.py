"""What is packed of a file: its text with what its documents say, and what it uses and imports.

Each is one frame of Zstandard (RFC 8878). Signatures and doc comments mostly stand in the text, so that behind it they
take a third of what they take by themselves; and to unpack both takes no longer than it took zlib to unpack them alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scry.store.frames import compress_frame, damage_error, decompress_frame
from scry.store.rows import NewDocument

_COMPRESSION_LEVEL = 9
"""Of compression: takes as long as zlib at its own; 12 would save 1 % for twice the time."""

_LENGTH_BYTES = 4

_encode_msgpack = msgspec.msgpack.Encoder().encode
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
