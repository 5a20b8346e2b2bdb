"""Files below a folder in which another process works: it may remove each one at any moment."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.polling import eventually


def walk_live(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield every file and folder below one with its status; none that is removed meanwhile, and follow no link.

    `Path.rglob` raises FileNotFoundError where a folder is removed between its listing and that of its files.
    """
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            try:
                yield path, path.lstat()
            except FileNotFoundError:
                continue


def read_live(path: Path) -> bytes:
    """Return what a file holds; nothing where it, or the process that it tells of, is gone."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def remove_live(folder: Path) -> None:
    """Remove a folder in which files are written while it is removed."""

    def is_removed() -> bool:
        shutil.rmtree(folder, ignore_errors=True)
        return not folder.exists()

    eventually(is_removed, f"{folder} is removed")
