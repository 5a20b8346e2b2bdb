"""Check the files of a word index by the checksums that tantivy keeps in them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from msgspec import MsgspecError, Struct

from scry.core.decoding import decode_json
from scry.store.lexical import LexicalIndex

_FOOTER_END = struct.Struct("<II")
"""The end of each file of tantivy: the length of its footer in JSON, and a number that marks it."""

_FOOTER_MARK = 1337


class _Deletes(Struct):
    opstamp: int


class _Segment(Struct):
    segment_id: str
    deletes: _Deletes | None = None


class _Meta(Struct):
    """The part of tantivy's `meta.json` that names the segments of a commit."""

    segments: tuple[_Segment, ...]


def list_word_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a word index, but for its locks."""
    return (path for path in sorted(folder.iterdir()) if not path.name.endswith(".lock"))


def describe_word_damage(folder: Path) -> str:
    """Return which file of a word index is not as tantivy wrote it, by the checksum in its footer; "" where all are.

    Raises IndexDamaged where the index can't be opened, as where a file is missing. All files of its segments are read;
    others are what a killed writer left half written, which nobody reads and tantivy removes.
    """
    LexicalIndex(folder, write=False)
    segments = _committed_segments(folder)
    for path in list_word_files(folder):
        segment, _, rest = path.name.partition(".")
        if segment not in segments or (rest.endswith(".del") and rest != segments[segment]):
            continue
        content = path.read_bytes()
        if content and not _has_intact_footer(content):
            return f"{folder.name}/{path.name} is not as it was written"
    return ""


def _committed_segments(folder: Path) -> dict[str, str]:
    """Return the ids of the segments of the last commit, each with the end of the name of its file of deletions."""
    meta = decode_json((folder / "meta.json").read_bytes(), _Meta)
    return {
        segment.segment_id.replace("-", ""): f"{segment.deletes.opstamp}.del" if segment.deletes else ""
        for segment in meta.segments
    }


def _has_intact_footer(content: bytes) -> bool:
    if len(content) < _FOOTER_END.size:
        return False
    length, mark = _FOOTER_END.unpack(content[-_FOOTER_END.size :])
    end = len(content) - _FOOTER_END.size - length
    if mark != _FOOTER_MARK or end < 0:
        return False
    try:
        return bool(
            decode_json(content[end : -_FOOTER_END.size], dict[str, object])["crc"] == zlib.crc32(content[:end])
        )
    except (MsgspecError, KeyError, TypeError):
        return False
