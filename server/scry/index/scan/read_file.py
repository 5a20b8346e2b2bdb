"""Read a file inside the project safely and decode its bytes to text.

The bytes are those of one moment of one regular file inside the project.

Decoding: a byte order mark decides; a NUL byte anywhere makes a file binary; then UTF-8; then, if the bytes look like
western single-byte text, Windows-1252 (a superset of printable Latin-1). Line ends stay as they are, so that line
numbers are those of an editor, which ends lines at CR LF, LF and CR.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
import stat
import time
from pathlib import Path

from msgspec import Struct

from scry.core.files import change_time_ns
from scry.core.path_kinds import DOCUMENT_LANGUAGES
from scry.core.platform import BINARY, CAN_OPEN_BY_FOLDER, FOLDER, NO_LINKS, NO_WAITING
from scry.core.types import SkippedFile, SkipReason

_SETTLE_NS = 20_000_000
"""Nanoseconds since the last change before a file is read. A file system's clock ticks coarsely: a file changed twice
within this time keeps its modification time. A change after the read then shows in the time.
"""

_MAX_TRIES = 3
_FILE_FLAGS = os.O_RDONLY | BINARY | NO_LINKS | NO_WAITING


class FileContent(Struct, frozen=True):
    """A file's bytes with its size, modification time and `change_time_ns` at that moment."""

    data: bytes
    size: int
    mtime_ns: int
    ctime_ns: int = 0


def read_file(root: Path, path: str, max_bytes: int) -> FileContent | SkippedFile | None:
    """Return the file's content, the reason for skipping it, or None when it is gone.

    No link is followed on the way, nothing but a regular file is opened, and at most `max_bytes` are read.
    """
    try:
        handle = _open_inside(root, path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        refused = isinstance(error, OSError) and error.errno in (errno.ELOOP, errno.ENXIO)
        return SkippedFile(SkipReason.NOT_REGULAR if refused else SkipReason.UNREADABLE, _describe_error(error))
    try:
        return _read_handle(handle, max_bytes)
    except OSError as error:
        return SkippedFile(SkipReason.UNREADABLE, _describe_error(error))
    finally:
        os.close(handle)


def _open_inside(root: Path, path: str) -> int:
    """Open a file folder by folder, so that a folder replaced by a link since it was listed is refused."""
    if not CAN_OPEN_BY_FOLDER:
        return os.open(root / path, _FILE_FLAGS)
    *folders, name = path.split("/")
    at = os.open(root, FOLDER)
    try:
        for folder in folders:
            inner = os.open(folder, FOLDER | NO_LINKS, dir_fd=at)
            os.close(at)
            at = inner
        return os.open(name, _FILE_FLAGS, dir_fd=at)
    finally:
        os.close(at)


def _read_handle(handle: int, max_bytes: int) -> FileContent | SkippedFile:
    before = os.fstat(handle)
    data = b""
    for _ in range(_MAX_TRIES):
        if not stat.S_ISREG(before.st_mode):
            return SkippedFile(SkipReason.NOT_REGULAR)
        if before.st_size > max_bytes:
            return SkippedFile(SkipReason.TOO_LARGE, f"{before.st_size / 1e6:.1f} MB, limit {max_bytes / 1e6:.1f} MB")
        _wait_until_settled(before.st_mtime_ns, change_time_ns(before))
        data = _read_all(handle, max_bytes)
        after = os.fstat(handle)
        if _stamp(after) == _stamp(before) and len(data) == after.st_size:
            return FileContent(data, *_stamp(after))
        before = after
    return FileContent(
        data, before.st_size, -1
    )  # the file keeps changing: index these bytes, and compare again next time


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, change_time_ns(status)


def _wait_until_settled(*times_ns: int) -> None:
    now = time.time_ns()
    fresh = [age for time_ns in times_ns if 0 <= (age := now - time_ns) < _SETTLE_NS]
    if fresh:
        time.sleep((_SETTLE_NS - min(fresh)) / 1e9)


def _read_all(handle: int, max_bytes: int) -> bytes:
    os.lseek(handle, 0, os.SEEK_SET)
    parts: list[bytes] = []
    left = max_bytes + 1
    while left > 0 and (part := os.read(handle, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _describe_error(error: Exception) -> str:
    return (error.strerror or "") if isinstance(error, OSError) else str(error)


_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, with whose mark this one begins
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL_CHARACTERS = bytes(set(range(0x20)) - set(b"\t\n\v\f\r\x1b")) + b"\x7f"
_MAX_CONTROL_SHARE = 0.01
"""Largest share of control characters in text that is not UTF-8; bytes with more are binary data."""

_UTF8_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH_BYTE_RUN = re.compile(rb"[\x80-\xff]{4}")
"""Four bytes above ASCII in a row: not western text but another encoding (Cyrillic, Chinese, Japanese …)."""

_CP1252_UNASSIGNED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_MAX_HIGH_SHARE = 0.2

_MINIFIED_MEAN_LENGTH = 500
_MINIFIED_LINE_LENGTH = 20_000
_MINIFIED_LINE_SHARE = 0.9
_MIN_MINIFIED_LENGTH = 5_000
"""A file is minified when its lines are long on average, or when one long line is nearly all of it: a single line of
embedded data is no reason to skip the code around it. Skipping a file below _MIN_MINIFIED_LENGTH characters saves
nothing.
"""

_PROSE_EXTENSIONS = tuple(extension for extensions in DOCUMENT_LANGUAGES.values() for extension in extensions)
_LINE_END = re.compile(r"\r\n|\n|\r")


def decode_text(data: bytes, path: str = "") -> str | SkippedFile:
    """Return the text of a file without its byte order mark, or the reason for skipping it.

    path: only its extension matters. Prose may have lines of any length, so it is never taken for minified.
    """
    text = _decode_bytes(data)
    if isinstance(text, str) and not path.lower().endswith(_PROSE_EXTENSIONS):
        return _detect_minified(text) or text
    return text


def _decode_bytes(data: bytes) -> str | SkippedFile:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode_with_bom(data, mark, encoding)
    nul = data.find(0)
    if nul >= 0:
        return SkippedFile(SkipReason.BINARY, f"NUL at byte {nul}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _decode_single_byte(data, error.start)


def _decode_with_bom(data: bytes, mark: bytes, encoding: str) -> str | SkippedFile:
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        return SkippedFile(SkipReason.UNDECODABLE, f"byte {error.start + len(mark)}, as {encoding.upper()}")
    nul = text.find("\0")
    if nul >= 0:
        return SkippedFile(SkipReason.BINARY, f"NUL at byte {len(mark) + len(text[:nul].encode(encoding))}")
    return text


def _decode_single_byte(data: bytes, offset: int) -> str | SkippedFile:
    """Decode bytes that are not UTF-8 from byte `offset` on: damaged UTF-8, Windows-1252, or neither."""
    if len(data) - len(data.translate(None, _CONTROL_CHARACTERS)) > _MAX_CONTROL_SHARE * len(data):
        return SkippedFile(SkipReason.BINARY, f"control characters, and no UTF-8 at byte {offset}")
    high = len(data) - len(data.translate(None, bytes(range(0x80, 0x100))))
    valid = sum(map(len, _UTF8_MULTIBYTE.findall(data)))
    if valid > 10 * (high - valid):  # a damaged byte in a UTF-8 file: editors replace it as well
        return data.decode("utf-8", "replace")
    if _HIGH_BYTE_RUN.search(data) or _CP1252_UNASSIGNED.search(data) or high > _MAX_HIGH_SHARE * len(data):
        return SkippedFile(SkipReason.UNDECODABLE, f"byte {offset}")
    return data.decode("cp1252")


def _detect_minified(text: str) -> SkippedFile | None:
    if len(text) < _MIN_MINIFIED_LENGTH:
        return None
    lengths = [len(line) for line in _LINE_END.split(text)]
    longest = max(lengths)
    if len(text) / len(lengths) > _MINIFIED_MEAN_LENGTH:
        return SkippedFile(SkipReason.MINIFIED, f"lines of {len(text) // len(lengths)} characters on average")
    if longest > _MINIFIED_LINE_LENGTH and longest > _MINIFIED_LINE_SHARE * len(text):
        return SkippedFile(SkipReason.MINIFIED, f"a line of {longest} characters")
    return None
