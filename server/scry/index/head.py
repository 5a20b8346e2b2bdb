"""The commit that a work tree is at, as every answer tells it: read anew only when what says so may have changed."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

from scry.index.git_folder import GitFolder, Unsure, files_of_head, find_git_folder, read_head
from scry.index.project import head_commit

_Sign = tuple[int, int, int, int] | None


class _Known(Struct, frozen=True):
    """files: all that decided it, also those that were not there. signs: how they were, just before it was read."""

    files: tuple[Path, ...]
    signs: tuple[_Sign, ...]
    commit: str | None


class Head:
    """Where one folder's work tree is. May be asked from any thread."""

    def __init__(self, root: Path) -> None:
        """Reads nothing yet."""
        self._root = root.absolute()
        self._known: _Known | None = None

    def commit(self) -> str | None:
        """The commit in hexadecimal, as of now; None without git or before the first commit."""
        known = self._known
        if known is not None and _signs(known.files) == known.signs:
            return known.commit
        self._known = self._read()
        return self._known.commit if self._known else head_commit(self._root)

    def _read(self) -> _Known | None:
        """None where other files than those that are looked at may decide."""
        repository = find_git_folder(self._root)
        files = self._files(repository)
        signs = _signs(files)
        try:
            commit = read_head(repository) if repository else None
        except Unsure:
            return None
        # Where HEAD was moved to another branch meanwhile, that branch's file is not among these.
        return _Known(files, signs, commit) if self._files(find_git_folder(self._root)) == files else None

    def _files(self, repository: GitFolder | None) -> tuple[Path, ...]:
        folders = (self._root, *self._root.parents)
        around = folders if repository is None else folders[: folders.index(repository.top) + 1]
        return (*(folder / ".git" for folder in around), *(files_of_head(repository) if repository else ()))


def _signs(files: tuple[Path, ...]) -> tuple[_Sign, ...]:
    return tuple(_sign(file) for file in files)


def _sign(file: Path) -> _Sign:
    """What differs once a file was written or replaced; git replaces."""
    try:
        status = os.stat(file)  # noqa: PTH116 - half the time of Path.stat, some times for every answer
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_size
