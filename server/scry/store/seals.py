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

from scry.core.files import SealedFile, describe_seal_damage, file_checksum

_encode = msgspec.json.Encoder(order="sorted").encode


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
