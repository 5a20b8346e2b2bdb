"""The platform's folders for Scry's files, atomic file replacement, and readable file sizes.

The folders follow the platform's conventions and the XDG variables. They are made by whoever writes into them. Their
paths are not cached: the variables may change within a process (tests, a language server's client).
"""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import PlatformDirs


def cache_home() -> Path:
    """Return the folder of everything that can be rebuilt: the indexes, one folder per project."""
    return PlatformDirs("scry", appauthor=False).user_cache_path


def data_home() -> Path:
    """Return the folder of everything that can't be rebuilt: the event log, memory and persona notes."""
    return PlatformDirs("scry", appauthor=False).user_data_path


def config_home() -> Path:
    """Return the folder of the person's own settings file, `config.toml`."""
    return PlatformDirs("scry", appauthor=False).user_config_path


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
