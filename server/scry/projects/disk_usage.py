"""List what Scry wrote on this machine, with sizes, and remove it (S2).

Nothing here follows a link: the target of a link was not written by Scry.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path

from msgspec import Struct

from scry.core.errors import ProjectMissing
from scry.core.platform import cache_home, config_home, data_home
from scry.projects.indexer_address import read_address
from scry.projects.project import Project, open_project, read_owner_file

_REMOVE_ATTEMPTS, _RETRY_PAUSE_S = 5, 0.1
"""Attempts and seconds between them. An indexer may write another file into a folder while it is being removed; one
that has lost its lock soon stops.
"""


class DiskItemKind(str, Enum):
    """The kind of an item, in words for a person."""

    INDEX = "index"
    SOCKET = "where the indexer listens"
    SHARED = "what was read out of files, kept for all projects"
    DATA = "what was kept of its use"
    SETTINGS = "your settings"


class DiskItem(Struct, frozen=True):
    """A file or folder that Scry wrote. size: bytes, all in it together. project: its project; None for no single
    one.
    """

    path: Path
    size: int
    kind: DiskItemKind
    project: Path | None = None


def list_cache_items() -> tuple[DiskItem, ...]:
    """Return all that can be made again: each project's index, and the cache that the projects share."""
    items = tuple(_list_items_in(cache_home(), DiskItemKind.INDEX))
    return (*items, *(socket for item in items for socket in _find_socket(item.path, item.project)))


def list_all_items() -> tuple[DiskItem, ...]:
    """Return all that was written for the person, whatever the project, and the person's settings."""
    data = _list_items_in(data_home(), DiskItemKind.DATA)
    return (*list_cache_items(), *data, *_list_items_in(config_home(), DiskItemKind.SETTINGS))


def list_project_items(root: Path) -> tuple[DiskItem, ...]:
    """Return all that was written for the project in a folder; of a folder that is gone, all items that name it as
    theirs.

    The shared cache holds text of every project without naming them, so it belongs to each project's items.
    """
    try:
        project = open_project(root, force=True)
    except ProjectMissing:
        folder = Path(os.path.abspath(root))  # noqa: PTH100 — Path.resolve would follow what is there now
        return tuple(item for item in list_all_items() if item.project == folder)
    shared = (item for item in list_cache_items() if item.kind == DiskItemKind.SHARED)
    return (*_list_project_folders(project), *shared)


def list_index_items(root: Path) -> tuple[DiskItem, ...]:
    """Return the index of the project in a folder, which may be gone."""
    return tuple(item for item in list_project_items(root) if item.kind in (DiskItemKind.INDEX, DiskItemKind.SOCKET))


def _list_project_folders(project: Project) -> Iterator[DiskItem]:
    for path, kind in ((project.cache, DiskItemKind.INDEX), (project.data, DiskItemKind.DATA)):
        if os.path.lexists(path):
            yield DiskItem(path, disk_size(path), kind, project.root)
    yield from _find_socket(project.cache, project.root)


def _list_items_in(home: Path, kind: DiskItemKind) -> Iterator[DiskItem]:
    try:
        entries = sorted(home.iterdir())
    except OSError:
        return
    for entry in entries:
        is_shared = kind == DiskItemKind.INDEX and not _is_folder(entry)
        owner = read_owner_file(entry) if _is_folder(entry) else None
        yield DiskItem(entry, disk_size(entry), DiskItemKind.SHARED if is_shared else kind, owner)


def _find_socket(cache: Path, project: Path | None) -> Iterator[DiskItem]:
    """Yield the indexer's socket, where the cache folder's path was too long to hold it."""
    address = read_address(cache) if _is_folder(cache) else None
    path = Path(os.fsdecode(address.socket)) if address is not None and address.socket else None
    if path is not None and not path.is_relative_to(cache) and path.is_socket():
        yield DiskItem(path, 0, DiskItemKind.SOCKET, project)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def disk_size(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder. Files that vanish meanwhile or can't be read count
    nothing.
    """
    total, pending = 0, [path]
    while pending:
        current = pending.pop()
        try:
            status = current.lstat()
            if stat.S_ISDIR(status.st_mode):
                pending += current.iterdir()
            else:
                total += status.st_size
        except OSError:
            continue
    return total


def remove_items(traces: Iterable[DiskItem]) -> tuple[str, ...]:
    """Remove these items, and the folders that are empty then; return what could not be removed and why, in words.

    An indexer that works in a removed folder ends by itself, since its lock is gone.
    """
    paths = [trace.path for trace in traces]
    failures = tuple(failure for path in paths if (failure := _remove_with_retries(path)) is not None)
    for folder in {path.parent for path in paths}:
        if folder.name.startswith("scry"):
            # Fails, as it should, where the folder is not empty.
            with contextlib.suppress(OSError):
                folder.rmdir()
    return failures


def _remove_with_retries(path: Path) -> str | None:
    failure = None
    for _ in range(_REMOVE_ATTEMPTS):
        failure = _try_remove(path)
        if failure is None:
            return None
        time.sleep(_RETRY_PAUSE_S)
    return failure


def _try_remove(path: Path) -> str | None:
    try:
        if _is_folder(path):
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{error.filename or path}: {error.strerror}"
    return None
