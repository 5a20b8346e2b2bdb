"""Compare the files on disk with those indexed, by size, modification time and time of the last change.

The modification time alone does not do: archives, copies and build tools set it, and equally for many files.

Contents are compared later, when the files that differ are read.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Set
from pathlib import Path, PurePosixPath
from typing import Protocol

from msgspec import Struct

from scry.core.files import folder_change_ns
from scry.core.settings import Settings
from scry.core.types import SkipReason
from scry.index.parse.parser_version import reading_version
from scry.index.scan.walk import FileEntry, link_entry, walk
from scry.store.index.rows import StoredFile

CONTENT_SKIP_REASONS = frozenset(
    {
        SkipReason.BINARY,
        SkipReason.UNDECODABLE,
        SkipReason.MINIFIED,
        SkipReason.LANGUAGE_OFF,
        SkipReason.KNOWLEDGE,
        SkipReason.MALFORMED,
        SkipReason.FAILED,
    }
)
"""Reasons that only reading a file gives. A file skipped for one of them is not read again until it changes."""

_MAX_FOLDERS_LISTED = 8
"""Folder times are stored only when the changed paths lie in at most this many folders: each has to be listed."""


class TreeChanges(Struct, frozen=True):
    """The outcome of a comparison.

    to_read: files that are new, differ in size or time, or were skipped for a reason that no longer holds.
    to_skip: files whose skip is to be recorded. gone: indexed paths that no longer exist. total: the number of files to
    index in the whole project. folders: `folder_change_ns` of each folder whose entries are all known, by path.
    """

    to_read: tuple[FileEntry, ...]
    to_skip: tuple[FileEntry, ...]
    gone: tuple[str, ...]
    total: int
    folders: Mapping[str, int]


def compare_tree(root: Path, settings: Settings, known: Mapping[str, StoredFile], *, reread_all: bool) -> TreeChanges:
    """Compare the whole tree with the indexed files `known`.

    reread_all: read every file, whatever its size and time.
    """
    folders: dict[str, int] = {}
    entries = list(walk(root, settings, folders))
    removed = sorted(known.keys() - {entry.path for entry in entries})
    total = sum(entry.skip is None for entry in entries)
    return _classify_entries(entries, {} if reread_all else known, removed, total, folders)


class StoredFileLookup(Protocol):
    """The part of an index that `compare_paths` reads: as little as there are paths."""

    def files_under(self, paths: Iterable[str]) -> dict[str, StoredFile]:
        """Return every file at or below these paths that the index has a row for, skipped ones included."""
        ...

    def links(self) -> dict[str, StoredFile]:
        """Return every link that the index has a row for, and other files that are no regular ones, by path."""
        ...

    def child_names(self, folder: str, excluded: Set[str] = frozenset()) -> set[str]:
        """Return the names directly in a folder of such files and of the folders that hold some, without `excluded`."""
        ...


def compare_paths(
    root: Path, settings: Settings, index: StoredFileLookup, paths: Iterable[str], indexed_count: int
) -> TreeChanges:
    """Compare the files at or below these paths only. indexed_count: the number of files indexed now."""
    paths = sorted(set(paths))
    folders: dict[str, int] = {}
    entries: dict[str, FileEntry] = {}
    for path in paths:
        entries |= {entry.path: entry for entry in walk(root, settings, folders, under=path)}
    known = index.files_under(paths)
    removed = sorted(known.keys() - entries.keys())
    if removed or entries.keys() - known.keys():
        changed_links = _find_changed_links(root, settings, index.links(), entries)
        entries |= changed_links
        known |= index.files_under(changed_links)
    folders |= _complete_folder_times(root, paths, index, entries.keys(), frozenset(removed))
    added = sum(entry.skip is None and _is_new(entry, known) for entry in entries.values())
    lost = sum(known[path].skip is None for path in removed)
    return _classify_entries(entries.values(), known, removed, indexed_count + added - lost, folders)


def _find_changed_links(
    root: Path, settings: Settings, links: Mapping[str, StoredFile], compared: Container[str]
) -> dict[str, FileEntry]:
    """Return the links elsewhere whose row says other than it would now that a file was added or removed."""
    changed: dict[str, FileEntry] = {}
    for path, before in links.items():
        entry = None if path in compared else link_entry(root, path, settings)
        if entry is not None and entry.skip != before.skip:
            changed[path] = entry
    return changed


def _is_new(entry: FileEntry, known: Mapping[str, StoredFile]) -> bool:
    return entry.path not in known or known[entry.path].skip is not None


def _complete_folder_times(
    root: Path, paths: Iterable[str], index: StoredFileLookup, existing: Iterable[str], removed: Set[str]
) -> dict[str, int]:
    """Return the `folder_change_ns` of each folder of these paths whose entries are all known.

    A folder with an entry that is neither indexed nor among the paths is left out, so that its stored time keeps
    differing and the new entry is found later.
    """
    folders = {PurePosixPath(path).parent.as_posix() for path in paths}
    if len(folders) > _MAX_FOLDERS_LISTED:
        return {}
    times: dict[str, int] = {}
    for folder in folders:
        prefix = "" if folder == "." else folder + "/"
        expected = index.child_names(prefix[:-1], removed)
        expected |= {name[len(prefix) :].partition("/")[0] for name in existing if name.startswith(prefix)}
        try:
            changed_ns = folder_change_ns((root / folder).stat())
            if {entry.name for entry in (root / folder).iterdir()} == expected:
                times[prefix[:-1]] = changed_ns
        except (OSError, ValueError):
            continue
    return times


def _classify_entries(
    entries: Iterable[FileEntry],
    known: Mapping[str, StoredFile],
    removed: Iterable[str],
    total: int,
    folders: Mapping[str, int],
) -> TreeChanges:
    to_read: list[FileEntry] = []
    to_skip: list[FileEntry] = []
    for entry in entries:
        before = known.get(entry.path)
        same = before is not None and _stamp(before) == _stamp(entry)
        if entry.skip is not None:
            changed = not same and entry.skip.reason is not SkipReason.IGNORED  # an ignored log may change all the time
            if before is None or changed or before.skip != entry.skip:
                to_skip.append(entry)
        elif before is None or not same or _is_outdated(before):
            to_read.append(entry)
    return TreeChanges(tuple(to_read), tuple(to_skip), tuple(removed), total, folders)


def _stamp(file: FileEntry | StoredFile) -> tuple[int, int, int]:
    return file.size, file.mtime_ns, file.ctime_ns


def _is_outdated(known: StoredFile) -> bool:
    """Return whether a file of unchanged content is read again: it was skipped for another reason than its content, or
    another version of Scry failed to read it.
    """
    if known.fault is not None and known.fault_version != reading_version():
        return True
    return known.skip is not None and known.skip.reason not in CONTENT_SKIP_REASONS
