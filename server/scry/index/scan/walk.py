"""List a project's files: which to index, and which to leave out and why.

There is one row for every file and for every folder that is not entered. No link is followed: the target of a link
inside the project is listed under its own name, and a link out of the project gets a row that says so. Loops of links
therefore need no other protection.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Protocol

from msgspec import Struct

from scry.core.files import change_time_ns, folder_change_ns, format_size
from scry.core.settings import Settings
from scry.core.types import SkippedFile, SkipReason
from scry.index.scan.ignore_rules import (
    ALWAYS_IGNORED,
    BUILT_IN_SOURCE,
    IGNORE_FILES,
    FolderIgnoreRules,
    find_ignore_files,
    find_ignore_marker,
    ignore_marker_named,
    load_root_rules,
)

FOLDER_SIZE = -1
"""The `size` of a row that stands for a folder which is not entered."""


class FileEntry(Struct, frozen=True):
    """A file, or a folder that is not entered.

    path: POSIX, relative to the project's root; undecodable bytes as surrogate escapes. size: bytes, `FOLDER_SIZE` for
    a folder. mtime_ns: 0 for a folder. skip: the reason for leaving it out; None when it is to be read. ctime_ns: see
    `change_time_ns`; 0 for a folder.
    """

    path: str
    size: int
    mtime_ns: int
    skip: SkippedFile | None = None
    ctime_ns: int = 0


def walk(
    root: Path, settings: Settings, folders: MutableMapping[str, int] | None = None, *, under: str = ""
) -> Iterator[FileEntry]:
    """Yield every entry of the project, sorted by path (by code point), the same each time for the same tree.

    folders: receives the path and `folder_change_ns` of every folder that was entered (`""` for the root), taken just
        before the folder was listed, so that a later change to its names shows. Also those of each file that decides
        on others and is ignored itself: `IGNORE_MARKERS` and ignored ignore files.
    under: a file or folder below the root; only the rows at or below it are yielded.
    One bad entry never ends the walk: it is a row with its reason. An entry that vanishes meanwhile is left out.
    """
    entered: MutableMapping[str, int] = {} if folders is None else folders
    start: FileEntry | _WalkFolder | None = None if _leads_outside_project(under) else _root_folder(root, settings)
    for name in PurePosixPath(under).parts:
        start = start.child(name) if isinstance(start, _WalkFolder) else None
    if start is not None:
        for entry in _walk_depth_first(start, entered):
            if entry.skip is not None and entry.skip.reason is SkipReason.IGNORED:
                _record_ignored_rules(root, entry, entry.skip.detail, entered)
            yield entry


def _record_ignored_rules(root: Path, entry: FileEntry, rule: str, entered: MutableMapping[str, int]) -> None:
    """Record the time of an ignored file that decides on others: an ignore file, or that by which a folder is
    ignored.
    """
    if entry.size != FOLDER_SIZE:
        if PurePosixPath(entry.path).name in IGNORE_FILES:
            entered[entry.path] = max(entry.mtime_ns, entry.ctime_ns)
    elif name := ignore_marker_named(rule):
        marker = f"{entry.path}/{name}"
        with suppress(OSError):
            entered[marker] = folder_change_ns((root / marker).lstat())


def explain_ignored(root: Path, path: str, settings: Settings) -> SkippedFile | None:
    """Return the reason why `walk` leaves out a path or a folder above it; None when it is to be read, or is a folder.

    path: POSIX, relative to the root. A path that does not exist is judged by its name, as a file.
    """
    if _leads_outside_project(path):
        return SkippedFile(SkipReason.OUTSIDE)
    entry: FileEntry | _WalkFolder | None = _root_folder(root, settings)
    parts = PurePosixPath(path).parts
    for depth, name in enumerate(parts, start=1):
        if not isinstance(entry, _WalkFolder):
            break
        entry = entry.child(name) or entry.missing(name, is_folder=depth < len(parts))
    return entry.skip if isinstance(entry, FileEntry) else None


def _leads_outside_project(path: str) -> bool:
    return path.startswith("/") or ".." in PurePosixPath(path).parts


def _root_folder(root: Path, settings: Settings) -> _WalkFolder:
    real = os.path.realpath(root)
    return _WalkFolder(real, "", load_root_rules(Path(real), settings), _WalkLimits(real, settings.max_file_bytes))


def _walk_depth_first(start: FileEntry | _WalkFolder, entered: MutableMapping[str, int]) -> Iterator[FileEntry]:
    """Yield entries depth first, with an explicit stack: folders may be nested deeper than Python's call stack."""
    stack: list[Iterator[FileEntry | _WalkFolder]] = [iter((start,))]
    while stack:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
        elif isinstance(entry, FileEntry):
            yield entry
        else:
            stack.append(iter(entry.entries(entered)))


class _DirectoryEntry(Protocol):
    """The part of `os.DirEntry` that is used here."""

    @property
    def name(self) -> str: ...
    def is_dir(self, *, follow_symlinks: bool = True) -> bool: ...
    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result: ...


class _NamedEntry(Struct, frozen=True):
    """An entry looked up by name, without listing its folder."""

    name: str
    status: os.stat_result

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return stat.S_ISDIR(self.status.st_mode)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return self.status


class _WalkLimits(Struct, frozen=True):
    """The bounds of every entry: the project's real folder and the size limit."""

    root: str
    max_bytes: int

    def contains(self, real: str) -> bool:
        return real == self.root or real.startswith(self.root.rstrip(os.sep) + os.sep)


class _WalkFolder(Struct, frozen=True):
    """A folder to be entered. prefix: its path from the root with a slash at its end, or empty.

    rules: those from above it; its own ignore files are read when it is entered.
    """

    absolute: str
    prefix: str
    rules: FolderIgnoreRules
    limits: _WalkLimits

    def entries(self, entered: MutableMapping[str, int]) -> list[FileEntry | _WalkFolder]:
        """Return the entries of the folder, in the order that sorts the whole walk."""
        try:
            changed_ns = folder_change_ns(Path(self.absolute).stat())
            with os.scandir(self.absolute) as listing:
                entries = list(listing)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            return [_unreadable_folder(self.prefix[:-1], error)] if self.prefix else []
        entered[self.prefix[:-1]] = changed_ns
        rules = self.rules.with_ignore_files(self.absolute, self.prefix, {entry.name for entry in entries})
        children = [child for entry in entries if (child := self._classify_entry(entry, rules)) is not None]
        children.sort(key=_sort_key)
        return children

    def child(self, name: str) -> FileEntry | _WalkFolder | None:
        """Return one entry, as `entries` would hold it; None when there is none of that name."""
        path = f"{self.absolute}/{name}"
        try:
            entry = _NamedEntry(name, os.lstat(path))
        except (OSError, ValueError):
            return None
        return self._classify_entry(entry, self._load_rules())

    def missing(self, name: str, *, is_folder: bool) -> FileEntry | _WalkFolder | None:
        """Return the decision on a name that does not exist: a row if the rules exclude it, else the folder, if it is
        one.
        """
        rules = self._load_rules()
        ignored_by, _ = _decide(name, is_folder, rules)
        if ignored_by is not None:
            return FileEntry(self.prefix + name, 0, 0, SkippedFile(SkipReason.IGNORED, ignored_by))
        return self._subfolder(name, rules) if is_folder else None

    def _load_rules(self) -> FolderIgnoreRules:
        return self.rules.with_ignore_files(self.absolute, self.prefix, find_ignore_files(self.absolute))

    def _classify_entry(self, entry: _DirectoryEntry, rules: FolderIgnoreRules) -> FileEntry | _WalkFolder | None:
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
            ignored_by, taken_back = _decide(entry.name, is_folder, rules)
            if is_folder:
                return self._classify_folder(entry.name, rules, ignored_by, taken_back)
            return self._classify_file(entry, ignored_by)
        except FileNotFoundError:
            return None
        except OSError as error:
            return FileEntry(self.prefix + entry.name, 0, 0, SkippedFile(SkipReason.UNREADABLE, _describe_error(error)))

    def _classify_folder(
        self, name: str, rules: FolderIgnoreRules, ignored_by: str | None, taken_back: bool
    ) -> FileEntry | _WalkFolder:
        absolute, path = f"{self.absolute}/{name}", self.prefix + name
        if ignored_by is None and not taken_back:
            ignored_by = find_ignore_marker(absolute)
        if ignored_by is not None:
            return FileEntry(path, FOLDER_SIZE, 0, SkippedFile(SkipReason.IGNORED, ignored_by))
        if not os.access(absolute, os.R_OK | os.X_OK):
            return _unreadable_folder(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
        return self._subfolder(name, rules)

    def _subfolder(self, name: str, rules: FolderIgnoreRules) -> _WalkFolder:
        return _WalkFolder(f"{self.absolute}/{name}", f"{self.prefix}{name}/", rules.for_subfolder(name), self.limits)

    def _classify_file(self, entry: _DirectoryEntry, ignored_by: str | None) -> FileEntry:
        status = entry.stat(follow_symlinks=False)
        if ignored_by is not None:
            skip: SkippedFile | None = SkippedFile(SkipReason.IGNORED, ignored_by)
        else:
            skip = _file_skip_reason(f"{self.absolute}/{entry.name}", status, self.limits)
        path = self.prefix + entry.name
        return FileEntry(path, status.st_size, status.st_mtime_ns, skip, change_time_ns(status))


def _decide(name: str, is_folder: bool, rules: FolderIgnoreRules) -> tuple[str | None, bool]:
    """Return the rule that ignores the entry, if any does, and whether a rule re-includes it."""
    if name in ALWAYS_IGNORED:
        return BUILT_IN_SOURCE, False
    decision = rules.decide(name, is_folder)
    if decision is None:
        return None, False
    return (decision.detail, False) if decision.ignored else (None, True)


def _sort_key(entry: FileEntry | _WalkFolder) -> str:
    # The prefix ends in a slash, which the paths inside the folder continue.
    return entry.path if isinstance(entry, FileEntry) else entry.prefix


def _unreadable_folder(path: str, error: OSError) -> FileEntry:
    return FileEntry(path, FOLDER_SIZE, 0, SkippedFile(SkipReason.UNREADABLE, _describe_error(error)))


def _describe_error(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def _file_skip_reason(absolute: str, status: os.stat_result, limits: _WalkLimits) -> SkippedFile | None:
    """Return the reason not to read a file that no rule ignores; None when it is to be read."""
    mode = status.st_mode
    if stat.S_ISLNK(mode):
        return _link_skip_reason(absolute, limits)
    if not stat.S_ISREG(mode):
        return SkippedFile(SkipReason.NOT_REGULAR, _file_type(mode))
    if status.st_size > limits.max_bytes:
        return SkippedFile(
            SkipReason.TOO_LARGE, f"{format_size(status.st_size)}, limit {format_size(limits.max_bytes)}"
        )
    if not os.access(absolute, os.R_OK):
        return SkippedFile(SkipReason.UNREADABLE, os.strerror(errno.EACCES).lower())
    return None


def _link_skip_reason(absolute: str, limits: _WalkLimits) -> SkippedFile:
    """Return the reason to skip a link. A target inside the project has a row of its own."""
    link = Path(absolute)
    written = os.fspath(link.readlink())
    try:
        link.stat()
    except OSError as error:
        broken = "a link that leads to itself" if error.errno == errno.ELOOP else "a broken link"
        return SkippedFile(SkipReason.NOT_REGULAR, f"{broken} to {written}")
    real = os.path.realpath(absolute)
    if not limits.contains(real):
        return SkippedFile(SkipReason.OUTSIDE, written)
    return SkippedFile(SkipReason.NOT_REGULAR, f"a link to {os.path.relpath(real, limits.root)}")


def link_entry(root: Path, path: str, settings: Settings) -> FileEntry | None:
    """Return the row of a link that no rule ignores; None where there is no link. root: resolved."""
    absolute = f"{root}/{path}"
    try:
        status = os.lstat(absolute)
        if not stat.S_ISLNK(status.st_mode):
            return None
        skip = _link_skip_reason(absolute, _WalkLimits(os.fspath(root), settings.max_file_bytes))
    except (OSError, ValueError):
        return None
    return FileEntry(path, status.st_size, status.st_mtime_ns, skip, change_time_ns(status))


def _file_type(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device"


def kind_on_disk(root: Path, path: str) -> str | None:
    """Return `file` or `folder`, or None where nothing exists or a link is on the way. Opens no file.

    path: POSIX, relative to the root, and not leading out of it.
    """
    parts = PurePosixPath(path).parts
    path_on_disk, is_folder = root, True
    try:
        for name in parts:
            if not is_folder:
                return None
            path_on_disk /= name
            is_folder = stat.S_ISDIR(path_on_disk.lstat().st_mode)
    except (OSError, ValueError):
        return None
    return "folder" if is_folder else "file"
