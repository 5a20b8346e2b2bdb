"""Atomic replacement of text files, times of change, sizes in words, the mark of damage in the data folder."""

from __future__ import annotations

import os
from pathlib import Path

from scry.core.platform import IS_WINDOWS

DAMAGE_MARK = "damaged"
"""File in the data folder that exists while answers say that something in there was damaged or is gone."""


def replace_file_text(path: Path, text: str) -> None:
    """Replace a text file as a whole: readers see the old or the new text, never a part. Raises OSError.

    A file that exists keeps its mode; a new one is readable by this person only.
    """
    import tempfile  # settings, which every start reads, need it on no platform

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        if path.exists():
            Path(temporary).chmod(path.stat().st_mode & 0o777)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


_KILO = 1_000
_UNITS = ("kB", "MB", "GB", "TB")


def format_size(count: int) -> str:
    """Return a number of bytes in decimal units with one digit: "812 bytes", "12.3 MB"."""
    if count < _KILO:
        return f"{count} byte{'' if count == 1 else 's'}"
    amount = float(count)
    for unit in _UNITS:
        amount /= _KILO
        if round(amount, 1) < _KILO or unit == _UNITS[-1]:
            return f"{amount:.1f} {unit}"
    raise AssertionError("the last unit takes everything")


def path_of_url(path: str) -> str:
    """Return the path on this system that the path of a file's URL names: with a drive and backslashes on Windows."""
    from urllib.request import url2pathname  # pyright: ignore[reportDeprecated]  # Windows' module of it is, not this

    return url2pathname(path)  # pyright: ignore[reportDeprecated]


def change_time_ns(status: os.stat_result) -> int:
    """Return when the system last changed a file's content or attributes, which no program can set, in nanoseconds.

    0 on Windows, which gives the time of creation there.
    """
    return 0 if IS_WINDOWS else status.st_ctime_ns


def folder_change_ns(status: os.stat_result) -> int:
    """Return when names in a folder, or its attributes, last changed, in nanoseconds."""
    return max(status.st_mtime_ns, change_time_ns(status))
