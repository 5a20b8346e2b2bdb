"""Reads a file's bytes such that what is indexed is one moment of one regular file inside the project."""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path

from msgspec import Struct

from scry.core.types import SkippedFile, SkipReason

_SETTLE_NS = 20_000_000
"""A file system's clock ticks coarsely: a file changed twice within this keeps its time. So a file is read only when
its last change is this old; a later change then shows in its time."""

_MAX_TRIES = 3

_CAN_OPEN_BY_FOLDER = os.open in os.supports_dir_fd
_FILE_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


class FileContent(Struct, frozen=True):
    """A file's bytes with the size and time they had."""

    data: bytes
    size: int
    mtime_ns: int


def read_file(root: Path, path: str, limit: int) -> FileContent | SkippedFile | None:
    """The file's bytes; why it is left out; or None when it is gone.

    No link is followed on the way, nothing but a regular file is opened, and at most `limit` bytes are read.
    """
    try:
        handle = _open_inside(root, path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        refused = isinstance(error, OSError) and error.errno in (errno.ELOOP, errno.ENXIO)
        return SkippedFile(SkipReason.NOT_REGULAR if refused else SkipReason.UNREADABLE, _describe_error(error))
    try:
        return _read_handle(handle, limit)
    except OSError as error:
        return SkippedFile(SkipReason.UNREADABLE, _describe_error(error))
    finally:
        os.close(handle)


def _open_inside(root: Path, path: str) -> int:
    """Opens folder by folder: one that became a link since it was listed leads nowhere, wherever it points."""
    if not _CAN_OPEN_BY_FOLDER:
        return os.open(root / path, _FILE_FLAGS)
    *folders, name = path.split("/")
    at = os.open(root, _FOLDER_FLAGS)
    try:
        for folder in folders:
            inner = os.open(folder, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = inner
        return os.open(name, _FILE_FLAGS, dir_fd=at)
    finally:
        os.close(at)


def _read_handle(handle: int, limit: int) -> FileContent | SkippedFile:
    before = os.fstat(handle)
    data = b""
    for _ in range(_MAX_TRIES):
        if not stat.S_ISREG(before.st_mode):
            return SkippedFile(SkipReason.NOT_REGULAR)
        if before.st_size > limit:
            return SkippedFile(SkipReason.TOO_LARGE, f"{before.st_size / 1e6:.1f} MB, limit {limit / 1e6:.1f} MB")
        _wait_until_settled(before.st_mtime_ns)
        data = _read_all(handle, limit)
        after = os.fstat(handle)
        if (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, before.st_size) and len(data) == after.st_size:
            return FileContent(data, after.st_size, after.st_mtime_ns)
        before = after
    return FileContent(data, before.st_size, -1)  # it keeps changing: what was read stands, and is compared again next time


def _wait_until_settled(mtime_ns: int) -> None:
    age = time.time_ns() - mtime_ns
    if 0 <= age < _SETTLE_NS:
        time.sleep((_SETTLE_NS - age) / 1e9)


def _read_all(handle: int, limit: int) -> bytes:
    os.lseek(handle, 0, os.SEEK_SET)
    parts: list[bytes] = []
    left = limit + 1
    while left > 0 and (part := os.read(handle, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _describe_error(error: Exception) -> str:
    return (error.strerror or "") if isinstance(error, OSError) else str(error)
