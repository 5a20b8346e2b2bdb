"""Whether an index equals the files, by a look at sizes and times alone: cheap enough before every answer.

A file that changes twice within one tick of the file system's clock keeps its time. That is dealt with where files are
read (`scry.index.read` lets a fresh change settle first); what could not is stored with the time -1, which equals none.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from typing import Protocol

import scry
from scry.core.settings import Settings
from scry.index.parser_version import PARSER_VERSION
from scry.index.project import Project

_FINGERPRINT_FILE = "indexed-with"
"""Names the settings of the last pass that came to its end; it is missing while one runs. A pass that was cut short may
have noted a folder's time and not yet the files in it, so sizes and times alone would not show that these are missing.
"""


class StoredFileTimes(Protocol):
    """What is needed of an index."""

    def stored_files(self) -> Iterable[tuple[str, int, int]]:
        """Path relative to the root, size and mtime_ns of every file that was looked at."""
        ...

    def stored_folders(self) -> Iterable[tuple[str, int]]:
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
    folders = dict(store.stored_folders())
    return bool(folders) and _folders_unchanged(root, folders) and _files_unchanged(root, store.stored_files())


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
