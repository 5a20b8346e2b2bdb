"""Everything that Scry wrote on this machine: where it is, how much it is, and how it is removed (S2).

Nothing here follows a link: what a link leads to was not written by Scry.
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
from scry.core.places import cache_home, config_home, data_home
from scry.index.address import read_address
from scry.index.project import Project, open_project, owner_of

_ROUNDS, _PAUSE_S = 5, 0.1
"""An indexer may write another file into a folder while it is being removed; one that has lost its lock soon stops."""


class Kind(str, Enum):
    """What a trace is, in words for a person."""

    INDEX = "index"
    SOCKET = "where the indexer listens"
    SHARED = "what was read out of files, kept for all projects"
    DATA = "what was kept of its use"
    SETTINGS = "your settings"


class Trace(Struct, frozen=True):
    """A file or folder of Scry's. size: bytes, all in it together. project: whose it is; None for no single one's."""

    path: Path
    size: int
    kind: Kind
    project: Path | None = None


def cache_traces() -> tuple[Trace, ...]:
    """All that can be made again: each project's index, and what they share."""
    traces = tuple(_traces_in(cache_home(), Kind.INDEX))
    return (*traces, *(socket for trace in traces for socket in _socket_of(trace.path, trace.project)))


def person_traces() -> tuple[Trace, ...]:
    """All that was written for the person, whatever the project, and the person's settings."""
    data = _traces_in(data_home(), Kind.DATA)
    return (*cache_traces(), *data, *_traces_in(config_home(), Kind.SETTINGS))


def project_traces(root: Path) -> tuple[Trace, ...]:
    """All that was written for the project in a folder; of a folder that is gone, what tells that it was for it.

    What the projects share holds text of each of them and does not know whose: it belongs to this too.
    """
    try:
        project = open_project(root, force=True)
    except ProjectMissing:
        gone = Path(os.path.abspath(root))  # noqa: PTH100 — Path.resolve would follow what is there now
        return tuple(trace for trace in person_traces() if trace.project == gone)
    shared = (trace for trace in cache_traces() if trace.kind == Kind.SHARED)
    return (*_own_traces(project), *shared)


def index_traces(root: Path) -> tuple[Trace, ...]:
    """The index of the project in a folder, which may be gone."""
    return tuple(trace for trace in project_traces(root) if trace.kind in (Kind.INDEX, Kind.SOCKET))


def _own_traces(project: Project) -> Iterator[Trace]:
    for path, kind in ((project.cache, Kind.INDEX), (project.data, Kind.DATA)):
        if os.path.lexists(path):
            yield Trace(path, size_of(path), kind, project.root)
    yield from _socket_of(project.cache, project.root)


def _traces_in(home: Path, kind: Kind) -> Iterator[Trace]:
    try:
        entries = sorted(home.iterdir())
    except OSError:
        return
    for entry in entries:
        is_shared = kind == Kind.INDEX and not _is_folder(entry)
        owner = owner_of(entry) if _is_folder(entry) else None
        yield Trace(entry, size_of(entry), Kind.SHARED if is_shared else kind, owner)


def _socket_of(cache: Path, project: Path | None) -> Iterator[Trace]:
    """The indexer's socket, where the cache folder's path was too long for one in it."""
    address = read_address(cache) if _is_folder(cache) else None
    path = Path(os.fsdecode(address.socket)) if address is not None and address.socket else None
    if path is not None and not path.is_relative_to(cache) and path.is_socket():
        yield Trace(path, 0, Kind.SOCKET, project)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files in a folder; what vanishes meanwhile or can't be looked at counts nothing."""
    total, left = 0, [path]
    while left:
        here = left.pop()
        try:
            status = here.lstat()
            if stat.S_ISDIR(status.st_mode):
                left += here.iterdir()
            else:
                total += status.st_size
        except OSError:
            continue
    return total


def remove(traces: Iterable[Trace]) -> tuple[str, ...]:
    """Removes them, and the folders that are empty then. Returns what could not be removed and why, in words.

    An indexer that is at work in a folder ends by itself when it finds its lock gone.
    """
    paths = [trace.path for trace in traces]
    failures = tuple(failure for path in paths if (failure := _remove_one(path)) is not None)
    for folder in {path.parent for path in paths}:
        if folder.name.startswith("scry"):
            # Fails where anything is left in it, as it should.
            with contextlib.suppress(OSError):
                folder.rmdir()
    return failures


def _remove_one(path: Path) -> str | None:
    failure = None
    for _ in range(_ROUNDS):
        failure = _remove_now(path)
        if failure is None:
            return None
        time.sleep(_PAUSE_S)
    return failure


def _remove_now(path: Path) -> str | None:
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
