"""Check whether an index on disk is current: format version, settings, file sizes and times.

The check reads sizes and times alone, so it is cheap enough before every answer. A file that changes twice within one
tick of the file system's clock keeps its time: `scry.index.scan.read_file` therefore lets a fresh change settle before
it reads, and stores the time -1, which equals none, where that was not possible.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from typing import Protocol

import scry
from scry.core.settings import Settings
from scry.index.parse.parser_version import PARSER_VERSION
from scry.projects.project import Project
from scry.store.history.database import HISTORY_SCHEMA
from scry.store.index.database import INDEX_SCHEMA
from scry.store.notes.schema import PROJECT_NOTE_SCHEMA


def index_format_version() -> str:
    """Return Scry's version with the numbers of the formats that an indexer writes, such as 0.1.0+10.1.3.12.

    Two work trees of Scry may have one version and write different formats; a reader of one can't use the other's
    index.
    """
    formats = (INDEX_SCHEMA.format, HISTORY_SCHEMA.format, PROJECT_NOTE_SCHEMA.format, PARSER_VERSION)
    return f"{scry.__version__}+{'.'.join(map(str, formats))}"


def is_newer_format(version: str) -> bool:
    """Return whether an indexer of that version keeps the index. Compared number by number, so that formats only go
    forward.
    """
    return _version_numbers(version) > _version_numbers(index_format_version())


def describe_other_version(version: str) -> str:
    """Return the message for a person about an indexer of another version that keeps the index."""
    return (
        f"This project is indexed by Scry {version}, and this is Scry {index_format_version()}: restart to update it."
    )


def _version_numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


_FINGERPRINT_FILE = "indexed-with"
"""File with the fingerprint of the settings of the last complete pass; it is missing while a pass runs. A pass that was
cut short may have stored a folder's time without the files in it, which sizes and times alone would not show.
"""


class StoredFileTimes(Protocol):
    """The part of an index store that the check reads."""

    def file_stats(self) -> Iterable[tuple[str, int, int]]:
        """Return path relative to the root, size and mtime_ns of every known file."""
        ...

    def folder_mtimes(self) -> Iterable[tuple[str, int]]:
        """Return path relative to the root ("" for the root) and mtime_ns of every walked folder."""
        ...


def is_index_current(project: Project, settings: Settings, store: StoredFileTimes) -> bool:
    """Return whether a comparison of the whole tree would change nothing.

    A folder's time shows names that were added or removed, a file's time and size its content. False as soon as
    anything differs, while a pass runs or after one was cut short, and when the index was made with other settings or
    by another version of Scry.
    """
    if read_fingerprint(project) != settings_fingerprint(settings):
        return False
    root = os.fspath(project.root)
    folders = dict(store.folder_mtimes())
    return bool(folders) and _folders_unchanged(root, folders) and _files_unchanged(root, store.file_stats())


def _folders_unchanged(root: str, folders: dict[str, int]) -> bool:
    prefix = root.rstrip("/") + "/"
    try:
        return all(os.lstat(prefix + path).st_mtime_ns == mtime_ns for path, mtime_ns in folders.items())
    except (OSError, ValueError):
        return False


def _files_unchanged(root: str, files: Iterable[tuple[str, int, int]]) -> bool:
    look = os.lstat
    prefix = root.rstrip("/") + "/"
    try:
        for path, size, mtime_ns in files:
            status = look(prefix + path)
            if status.st_mtime_ns != mtime_ns or status.st_size != size:
                return False
    except (OSError, ValueError):
        return False
    return True


def settings_fingerprint(settings: Settings) -> str:
    """Return a hash of all settings that select the indexed files; equal for equal settings of one version of Scry."""
    version = (scry.__version__, PARSER_VERSION)
    limits = (settings.max_file_bytes, settings.max_parse_seconds)
    basis = (version, settings.ignore, settings.languages, *limits, settings.model)
    return hashlib.blake2b(repr(basis).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def read_fingerprint(project: Project) -> str | None:
    """Return the fingerprint of the last complete pass; None before the first one and while one runs."""
    try:
        return (project.cache / _FINGERPRINT_FILE).read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return None


def write_fingerprint(project: Project, settings: Settings) -> None:
    """Mark a pass as complete. Raises OSError."""
    draft = project.cache / (_FINGERPRINT_FILE + ".new")
    draft.write_text(settings_fingerprint(settings), "ascii")
    draft.replace(project.cache / _FINGERPRINT_FILE)


def remove_fingerprint(project: Project) -> None:
    """Mark the index as not current until the pass that begins now is complete. Raises OSError."""
    (project.cache / _FINGERPRINT_FILE).unlink(missing_ok=True)
