"""Check whether an index on disk is current: format version, settings, file sizes and times.

What processes must have in common to share a project's indexer.

Whether an index equals the files, by a look at sizes and times alone: cheap enough before every answer.

A file that changes twice within one tick of the file system's clock keeps its time. That is dealt with where files are
read (`scry.index.scan.read_file` lets a fresh change settle first); what could not is stored
with the time -1, which equals none.
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
from scry.store.notes.schema import PROJECT_NOTE_MIGRATIONS
from scry.store.sqlite.migrations import HISTORY_MIGRATIONS, INDEX_MIGRATIONS


def index_format_version() -> str:
    """Scry's version with the numbers of the shapes that an indexer writes, such as 0.1.0+10.1.3.12.

    Two work trees of Scry have one version and may write different shapes: who reads one finds nothing in the other.
    """
    shapes = (len(INDEX_MIGRATIONS), len(HISTORY_MIGRATIONS), len(PROJECT_NOTE_MIGRATIONS), PARSER_VERSION)
    return f"{scry.__version__}+{'.'.join(map(str, shapes))}"


def is_newer_format(version: str) -> bool:
    """Whether an indexer of that edition keeps the index: number by number, so that a shape only moves forward."""
    return _version_numbers(version) > _version_numbers(index_format_version())


def describe_other_version(version: str) -> str:
    """What to tell a person about an indexer of another edition that keeps the index."""
    return (
        f"This project is indexed by Scry {version}, and this is Scry {index_format_version()}: restart to update it."
    )


def _version_numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


_FINGERPRINT_FILE = "indexed-with"
"""Names the settings of the last pass that came to its end; it is missing while one runs. A pass that was cut short may
have noted a folder's time and not yet the files in it, so sizes and times alone would not show that these are missing.
"""


class StoredFileTimes(Protocol):
    """What is needed of an index."""

    def file_stats(self) -> Iterable[tuple[str, int, int]]:
        """Path relative to the root, size and mtime_ns of every file that was looked at."""
        ...

    def folder_mtimes(self) -> Iterable[tuple[str, int]]:
        """Path relative to the root ("" for it) and mtime_ns of every folder that was walked."""
        ...


def is_index_current(project: Project, settings: Settings, store: StoredFileTimes) -> bool:
    """Whether a comparison of the whole tree would change nothing.

    A folder's time tells of names that came or went, a file's of its content. False as soon as anything differs, while
    a pass runs or after one was cut short, and when the index was made with other settings or by another Scry.
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
    """Stands for all that decides what is indexed beside the files; equal for equal settings of one version of Scry."""
    version = (scry.__version__, PARSER_VERSION)
    basis = (version, settings.ignore, settings.languages, settings.max_file_bytes, settings.model)
    return hashlib.blake2b(repr(basis).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def read_fingerprint(project: Project) -> str | None:
    """The key of the settings that the index was made with; None before that came to an end."""
    try:
        return (project.cache / _FINGERPRINT_FILE).read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return None


def write_fingerprint(project: Project, settings: Settings) -> None:
    """A pass has come to its end. Raises OSError."""
    draft = project.cache / (_FINGERPRINT_FILE + ".new")
    draft.write_text(settings_fingerprint(settings), "ascii")
    draft.replace(project.cache / _FINGERPRINT_FILE)


def remove_fingerprint(project: Project) -> None:
    """A pass begins: until its end the index counts as not current. Raises OSError."""
    (project.cache / _FINGERPRINT_FILE).unlink(missing_ok=True)
