"""The commit that a work tree is at, as every answer tells it: read anew only when what says so may have changed."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

from scry.index.git_folder import GitRepository, GitCommandNeeded, list_head_files, find_repository, read_head
from scry.index.project import head_commit

_FileSignature = tuple[int, int, int, int] | None


class _CachedHead(Struct, frozen=True):
    """files: all that decided it, also those that were not there. signs: how they were, just before it was read."""

    files: tuple[Path, ...]
    signatures: tuple[_FileSignature, ...]
    commit: str | None


class HeadTracker:
    """Where one folder's work tree is. May be asked from any thread."""

    def __init__(self, root: Path) -> None:
        """Reads nothing yet."""
        self._root = root.absolute()
        self._known: _CachedHead | None = None

    def commit(self) -> str | None:
        """The commit in hexadecimal, as of now; None without git or before the first commit."""
        known = self._known
        if known is not None and _file_signatures(known.files) == known.signatures:
            return known.commit
        self._known = self._read_head()
        return self._known.commit if self._known else head_commit(self._root)

    def _read_head(self) -> _CachedHead | None:
        """None where other files than those that are looked at may decide."""
        repository = find_repository(self._root)
        files = self._list_deciding_files(repository)
        signs = _file_signatures(files)
        try:
            commit = read_head(repository) if repository else None
        except GitCommandNeeded:
            return None
        # Where HEAD was moved to another branch meanwhile, that branch's file is not among these.
        return _CachedHead(files, signs, commit) if self._list_deciding_files(find_repository(self._root)) == files else None

    def _list_deciding_files(self, repository: GitRepository | None) -> tuple[Path, ...]:
        folders = (self._root, *self._root.parents)
        around = folders if repository is None else folders[: folders.index(repository.work_tree) + 1]
        return (*(folder / ".git" for folder in around), *(list_head_files(repository) if repository else ()))


def _file_signatures(files: tuple[Path, ...]) -> tuple[_FileSignature, ...]:
    return tuple(_file_signature(file) for file in files)


def _file_signature(file: Path) -> _FileSignature:
    """What differs once a file was written or replaced; git replaces."""
    try:
        status = os.stat(file)  # noqa: PTH116 - half the time of Path.stat, some times for every answer
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_size
