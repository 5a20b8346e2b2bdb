"""The platform's folders for Scry's files, atomic file replacement, and readable file sizes.

Where Scry keeps things on this machine: the platform's own folders, moved by the XDG variables.

Nothing here makes a folder: who writes into a place makes it.

Replaces a text file as a whole: whoever reads it meanwhile sees the old or the new text, never half of it.

How a number of bytes is written for a person.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from platformdirs import PlatformDirs


def cache_home() -> Path:
    """The folder of everything that can be made again: the indexes, one folder a project."""
    return _platform_dirs().user_cache_path


def data_home() -> Path:
    """The folder of what cannot be made again: the log of events, memory and persona notes."""
    return _platform_dirs().user_data_path


def config_home() -> Path:
    """The folder of the person's own settings file, `config.toml`."""
    return _platform_dirs().user_config_path


def _platform_dirs() -> PlatformDirs:
    # Asked anew each time: the variables may change within a process (tests, a language server's client).
    return PlatformDirs("scry", appauthor=False)


def replace_file_text(path: Path, text: str) -> None:
    """Writes the text; a file that is there keeps its mode, a new one is for this person alone. Raises OSError."""
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
    """A number of bytes in decimal units with one digit: "812 bytes", "12.3 MB"."""
    if count < _KILO:
        return f"{count} byte{'' if count == 1 else 's'}"
    amount = float(count)
    for unit in _UNITS:
        amount /= _KILO
        if round(amount, 1) < _KILO or unit == _UNITS[-1]:
            return f"{amount:.1f} {unit}"
    raise AssertionError("the last unit takes everything")
