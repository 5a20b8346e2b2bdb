"""Record checksums of a cache's files while nobody writes them, and find files that changed since.

Neither SQLite nor tantivy notices a flipped bit that leaves the structure of a file intact. So once a part of a cache
(the index, the history, the notes) is at rest, its writer seals it: the seal lists the size, the time and the CRC-32 of
each file. The writer removes the seal before it writes again. While there is a seal, its files are as it says, or
damaged.

A reader compares sizes and times, which costs some microseconds a file, and reads a file only where the time differs.
The indexer reads all files when it opens them for writing: some 60 ms for 100 MB.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from scry.core.decoding import json_decoder

_encode = msgspec.json.Encoder(order="sorted").encode
_CHUNK_BYTES = 1 << 20


class SealedFile(msgspec.Struct, frozen=True, array_like=True):
    """A file as it was when it was sealed."""

    size: int
    mtime_ns: int
    crc: int


_decode_seal = json_decoder(dict[str, SealedFile])


class CacheSeal:
    """The seal of one part of a cache. Written by one process; any may compare it by `describe_seal_damage`."""

    def __init__(self, folder: Path, part: str) -> None:
        """Name the seal; nothing is read yet. folder: which the paths of the sealed files are relative to."""
        self._folder = folder
        self.path = folder / f"{part}.seal"

    @property
    def exists(self) -> bool:
        """Whether the part is sealed, and the seal itself is intact."""
        try:
            checksum, _, content = self.path.read_bytes().partition(b"\n")
        except OSError:
            return False
        return checksum == b"%08x" % zlib.crc32(content)

    def describe_damage(self, *, thorough: bool) -> str:
        """Return which file is not as it was sealed; see `describe_seal_damage`."""
        return describe_seal_damage(self.path, thorough=thorough)

    def write(self, paths: Iterable[Path]) -> None:
        """Seal these files, which nobody writes meanwhile. Raises OSError."""
        self.write_measured(self.measure(paths))

    def measure(self, paths: Iterable[Path]) -> Mapping[str, SealedFile]:
        """Return these files as a seal describes them. Raises OSError."""
        return {path.relative_to(self._folder).as_posix(): _measure(path) for path in paths}

    def write_measured(self, files: Mapping[str, SealedFile]) -> None:
        """Seal files as they were measured; the caller knows that none was written since. Raises OSError."""
        content = _encode(files)
        draft = self.path.with_suffix(".seal-new")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(b"%08x\n%s" % (zlib.crc32(content), content))
        draft.replace(self.path)

    def remove(self) -> None:
        """Remove the seal, before its files are written."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def _measure(path: Path) -> SealedFile:
    status = path.stat()
    return SealedFile(status.st_size, status.st_mtime_ns, file_checksum(path))


def describe_seal_damage(seal: Path, *, thorough: bool) -> str:
    """Return which file that a seal lists is not as it was sealed, and how; "" where all are, and without a seal.

    thorough: compare every checksum, not only those of files whose time differs.
    """
    try:
        content = seal.read_bytes()
        checksum, _, listed = content.partition(b"\n")
        sealed_files = _decode_seal(listed) if checksum == b"%08x" % zlib.crc32(listed) else {}
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):  # there is none, or one of another version
        return ""
    damage = ""
    for name, sealed in sealed_files.items():
        path = seal.parent / name
        try:
            status = path.stat()
            if status.st_size != sealed.size:
                damage = f"{name} has {status.st_size:,} bytes instead of {sealed.size:,}"
            elif (thorough or status.st_mtime_ns != sealed.mtime_ns) and file_checksum(path) != sealed.crc:
                damage = f"{name} is not as it was written"
        except FileNotFoundError:
            damage = f"{name} is missing"
        except OSError as error:
            damage = f"{name} can't be read: {error.strerror or error}"
        if damage:  # a writer removes the seal before it changes a file: a difference counts while the seal is there
            with suppress(OSError):
                return damage if seal.read_bytes() == content else ""
            return ""
    return ""


def file_checksum(path: Path) -> int:
    """Return the CRC-32 of a file's content. Raises OSError."""
    crc = 0
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(_CHUNK_BYTES):
            crc = zlib.crc32(chunk, crc)
    return crc
