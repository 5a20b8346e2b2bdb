"""Compare the files on disk with those indexed, by size and modification time.

What changed in the project's files since they were indexed: by size and time here, by content when they are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from pathlib import Path, PurePosixPath
from typing import Protocol

from msgspec import Struct

from scry.core.settings import Settings
from scry.core.types import SkipReason
from scry.index.scan.walk import FileEntry, walk
from scry.store.index.rows import StoredFile

CONTENT_SKIP_REASONS = frozenset(
    {
        SkipReason.BINARY,
        SkipReason.UNDECODABLE,
        SkipReason.MINIFIED,
        SkipReason.LANGUAGE_OFF,
        SkipReason.KNOWLEDGE,
        SkipReason.MALFORMED,
    }
)
"""Reasons that only a look inside gives; a file left out for one of them is not looked into again until it changes."""

_MAX_FOLDERS_LISTED = 8
"""For so many folders of changed paths at most, their names are compared."""


class TreeChanges(Struct, frozen=True):
    """The outcome of a comparison.

    to_read: new, or of another size or time, or left out before for what no longer holds. to_skip: to be recorded as
    left out. gone: no longer there. total: how many files there are to be read in all. folders: path and mtime_ns of
    folders.
    """

    to_read: tuple[FileEntry, ...]
    to_skip: tuple[FileEntry, ...]
    gone: tuple[str, ...]
    total: int
    folders: Mapping[str, int]


def compare_tree(root: Path, settings: Settings, known: Mapping[str, StoredFile], *, reread_all: bool) -> TreeChanges:
    """Compares the whole tree. distrust: read every file, whatever its size and time."""
    folders: dict[str, int] = {}
    found = list(walk(root, settings, folders))
    gone = sorted(known.keys() - {entry.path for entry in found})
    total = sum(entry.skip is None for entry in found)
    return _classify_entries(found, {} if reread_all else known, gone, total, folders)


class StoredFileLookup(Protocol):
    """What is asked of an index where only some paths are compared: as little as they are."""

    def files_under(self, paths: Iterable[str]) -> dict[str, StoredFile]:
        """Every file at or below these paths that was looked at."""
        ...

    def child_names(self, folder: str, excluded: Set[str] = frozenset()) -> set[str]:
        """The names directly in a folder, of such files, those of `but` left out, and of folders that hold some."""
        ...


def compare_paths(
    root: Path, settings: Settings, index: StoredFileLookup, paths: Iterable[str], indexed_count: int
) -> TreeChanges:
    """Compares only what stands at or below these paths. indexed: how many files are indexed now."""
    paths = sorted(set(paths))
    folders: dict[str, int] = {}
    found: dict[str, FileEntry] = {}
    for path in paths:
        found |= {entry.path: entry for entry in walk(root, settings, folders, under=path)}
    known = index.files_under(paths)
    gone = sorted(known.keys() - found.keys())
    folders |= _complete_folder_times(root, paths, index, found.keys(), frozenset(gone))
    added = sum(entry.skip is None and _is_new(entry, known) for entry in found.values())
    lost = sum(known[path].skip is None for path in gone)
    return _classify_entries(found.values(), known, gone, indexed_count + added - lost, folders)


def _is_new(entry: FileEntry, known: Mapping[str, StoredFile]) -> bool:
    return entry.path not in known or known[entry.path].skip is not None


def _complete_folder_times(
    root: Path, paths: Iterable[str], index: StoredFileLookup, found: Iterable[str], gone: Set[str]
) -> dict[str, int]:
    """The mtime_ns of the folders that hold these paths, where all that is in them is known.

    A name that came meanwhile and is not among the paths must go on showing in its folder's time.
    """
    folders = {PurePosixPath(path).parent.as_posix() for path in paths}
    if len(folders) > _MAX_FOLDERS_LISTED:
        return {}
    times: dict[str, int] = {}
    for folder in folders:
        prefix = "" if folder == "." else folder + "/"
        expected = index.child_names(prefix[:-1], gone)
        expected |= {name[len(prefix) :].partition("/")[0] for name in found if name.startswith(prefix)}
        try:
            mtime_ns = (root / folder).stat().st_mtime_ns
            if {entry.name for entry in (root / folder).iterdir()} == expected:
                times[prefix[:-1]] = mtime_ns
        except (OSError, ValueError):
            continue
    return times


def _classify_entries(
    found: Iterable[FileEntry],
    known: Mapping[str, StoredFile],
    gone: Iterable[str],
    total: int,
    folders: Mapping[str, int],
) -> TreeChanges:
    to_read: list[FileEntry] = []
    to_skip: list[FileEntry] = []
    for entry in found:
        before = known.get(entry.path)
        same = before is not None and (before.size, before.mtime_ns) == (entry.size, entry.mtime_ns)
        if entry.skip is not None:
            changed = not same and entry.skip.reason is not SkipReason.IGNORED  # an ignored log may change all the time
            if before is None or changed or before.skip != entry.skip:
                to_skip.append(entry)
        elif before is None or not same or (before.skip is not None and before.skip.reason not in CONTENT_SKIP_REASONS):
            to_read.append(entry)
    return TreeChanges(tuple(to_read), tuple(to_skip), tuple(gone), total, folders)
