"""Watch the project's folders for changes that no editor reports, or poll where watching is not possible.

On Linux only the indexed folders are watched, one by one, so that build output and installed packages cost nothing. On
other systems a whole tree is watched at no cost, and ignored paths are filtered out afterwards. Where watching is not
possible, the files are compared every few seconds.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from scry.core.platform import SHOWS_CHANGES_PER_FOLDER
from scry.core.settings import Settings
from scry.core.types import SkipReason
from scry.index.scan.ignore_rules import FOLDER_RULE_NAMES
from scry.index.scan.walk import explain_ignored
from scry.indexer.schedule import Schedule
from scry.indexer.status import IndexerStatus
from scry.projects.git import GitRepository, find_repository
from scry.projects.project import Project, head_commit

if TYPE_CHECKING:
    from watchfiles import Change

log = logging.getLogger(__name__)

POLL_INTERVAL_S = 3.0
"""Minimum time between two comparisons where watching is not possible."""

POLLED_FOLDERS_PER_SECOND = 500
"""Folders for each second between two comparisons, so that a large tree is compared less often."""

POLLS_BEFORE_RETRY = 20
"""Comparisons, about a minute, before watching is tried again."""

_STEP_MS = 20
"""Interval at which watchfiles looks for events: 0.2 % of a core, and a change is seen within 40 ms."""

_DEBOUNCE_MS = 60
"""Maximum delay for which changes that come close together are reported together."""

_WAKE_MS = 500

_MAX_FILTERED_CHANGES = 200
"""Number of changes up to which the ignore rules are applied to each, and each is compared, in any tree."""

_FOLDERS_PER_CHANGE = 4
"""Folders that are compared, with their files, in the time that one change takes: with more changes than folders by
this, comparing the whole tree costs less.
"""

_HEAD_FILES = frozenset({"HEAD", "index", "packed-refs"})
"""Files beside the commit that git writes when HEAD moves by a commit, checkout, merge or rebase."""

_NETWORK_FILE_SYSTEMS = re.compile(r"nfs\d?|cifs|smb\w*|9p|afs|ceph|glusterfs|lustre|vboxsf|vmhgfs|drvfs|fuse\..*")
"""File systems that report no changes of other machines."""


class _WatchedFolders(Struct, frozen=True):
    """The watched folders ("" for the root) with the files by which others are ignored, and the settings."""

    settings: Settings
    folders: frozenset[str]

    @property
    def max_filtered_changes(self) -> int:
        """Number of changes from which on the whole tree is compared."""
        return max(_MAX_FILTERED_CHANGES, len(self.folders) // _FOLDERS_PER_CHANGE)


class Watcher(threading.Thread):
    """The thread that adds changes to the schedule, from the first `set_watched_folders` until `close`."""

    def __init__(self, project: Project, schedule: Schedule, status: IndexerStatus) -> None:
        """Take the project and the schedule. status: gets a notice where watching is not possible."""
        super().__init__(name="watch", daemon=True)
        self._project = project
        self._schedule = schedule
        self._status = status
        self._watched: _WatchedFolders | None = None
        self._restart = threading.Event()
        self._closing = False
        self._head: str | None = None

    def set_watched_folders(self, settings: Settings, folders: frozenset[str]) -> None:
        """Watch these folders from now on. May be called from any thread."""
        watched = _WatchedFolders(settings, folders)
        if watched != self._watched:
            self._watched = watched
            self._restart.set()

    def close(self) -> None:
        """End the thread soon."""
        self._closing = True
        self._restart.set()

    def run(self) -> None:
        """Watch, or compare every few seconds where watching is not possible."""
        self._restart.wait()
        self._head = head_commit(self._project.root)
        while not self._closing:
            self._restart.clear()
            watched = self._watched
            if watched is None:
                return
            try:
                reason = why_not_watchable(self._project.root)
                if not reason:
                    self._report_changes_until_restart(watched)
                    continue
            except (OSError, RuntimeError) as error:  # too many folders, no handles left, a folder removed meanwhile
                log.warning("watching is not possible: %s", error)
                reason = _describe_watch_error(error)
            self._poll(watched, reason)

    # Watching -----------------------------------------------------------------------------------------------------

    def _report_changes_until_restart(self, watched: _WatchedFolders) -> None:
        """Report changes until other folders are to be watched. Raises OSError or RuntimeError when watching is not
        possible.
        """
        from watchfiles import watch  # late: needed only after the first pass

        git = find_repository(self._project.root)
        unsure = True  # files or HEAD may have changed between the comparison and the start of watching
        self._status.set_notice("")
        for changes in watch(
            *self._paths_to_watch(watched, git),
            watch_filter=None,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            rust_timeout=_WAKE_MS,
            yield_on_timeout=True,
            stop_event=self._restart,
            recursive=not SHOWS_CHANGES_PER_FOLDER,
            ignore_permission_denied=True,
            raise_interrupt=False,
        ):
            if unsure and not changes:
                unsure = False
                self._compare_if_head_moved()
                self._schedule.request_check()
                if git is None and find_repository(self._project.root) is not None:
                    self._restart.set()
            if changes:
                unsure = len(changes) > watched.max_filtered_changes or unsure  # some may have been lost
                self._schedule_changes(watched, git, changes)

    def _paths_to_watch(self, watched: _WatchedFolders, git: GitRepository | None) -> list[Path]:
        root = self._project.root
        project_folders = [root / folder for folder in sorted(watched.folders)] if SHOWS_CHANGES_PER_FOLDER else [root]
        git_folders = [] if git is None else [git.git_dir, git.git_dir / "logs"]
        return [folder for folder in [*project_folders, *git_folders] if folder.exists()]

    def _schedule_changes(
        self, watched: _WatchedFolders, git: GitRepository | None, changes: Iterable[tuple[Change, str]]
    ) -> None:
        kinds: dict[str, set[str]] = {}
        for change, absolute in changes:
            kinds.setdefault(absolute, set()).add(change.name)
        if any(_is_head_file(git, absolute) for absolute in kinds):
            self._compare_if_head_moved()
        inside = {path: kinds[each] for each in kinds if (path := self._project_path(each, git)) is not None}
        if any(path in watched.folders and kind != {"modified"} for path, kind in inside.items()):
            self._restart.set()  # the watch is on the old folder, even where a new one has its name
        is_replaced = git is not None and kinds.get(str(self._project.root / ".git"), {"modified"}) != {"modified"}
        if is_replaced or (".git" in inside and git is None):
            self._restart.set()
        if len(inside) > watched.max_filtered_changes:
            self._schedule.request_full_compare()
        elif paths := [path for path, kind in inside.items() if self._is_relevant(watched, path, kind)]:
            self._schedule.request_compare(paths)

    def _is_relevant(self, watched: _WatchedFolders, path: str, kind: set[str]) -> bool:
        folder, _, name = path.rpartition("/")
        if name in FOLDER_RULE_NAMES and (folder in watched.folders or path in watched.folders):
            return True  # also where the folder is ignored by it
        if path in watched.folders and kind == {"modified"}:
            return False  # its own attributes; files added or removed in it are reported by name
        skip = explain_ignored(self._project.root, path, watched.settings)
        return skip is None or skip.reason is not SkipReason.IGNORED

    def _project_path(self, absolute: str, git: GitRepository | None) -> str | None:
        """Return the path inside the project; None for files of git and Scry, and outside."""
        location = Path(absolute)
        outside = [self._project.cache, self._project.data] + ([] if git is None else [git.git_dir, git.common_dir])
        if any(location == folder or folder in location.parents for folder in outside):
            return None
        try:
            return location.relative_to(self._project.root).as_posix()
        except ValueError:
            return None

    def _compare_if_head_moved(self) -> None:
        head = head_commit(self._project.root)
        if head != self._head:
            self._head = head
            self._schedule.request_full_compare()

    # Not watching -------------------------------------------------------------------------------------------------

    def _poll(self, watched: _WatchedFolders, reason: str) -> None:
        every = max(POLL_INTERVAL_S, len(watched.folders) / POLLED_FOLDERS_PER_SECOND)
        self._status.set_notice(f"Changes are found by comparing the files every {every:.0f} s, because {reason}.")
        for _ in range(POLLS_BEFORE_RETRY):
            self._compare_if_head_moved()
            self._schedule.request_check()
            if self._restart.wait(every):
                return


def _is_head_file(git: GitRepository | None, path: str) -> bool:
    location = Path(path)
    return git is not None and location.name in _HEAD_FILES and location.parent in (git.git_dir, git.git_dir / "logs")


def _describe_watch_error(error: Exception) -> str:
    if "limit" in str(error).lower() or (isinstance(error, OSError) and error.errno == 28):
        return "the system's limit of watched folders is reached (fs.inotify.max_user_watches)"
    return f"watching them is not possible here ({error})"


def why_not_watchable(root: Path) -> str:
    """Return why a folder's changes cannot be watched; empty where no reason is known.

    WATCHFILES_FORCE_POLLING, a variable of watchfiles, forces polling on file systems that are not recognised.
    """
    if os.environ.get("WATCHFILES_FORCE_POLLING", "").lower() not in ("", "false", "disable", "disabled"):
        return "WATCHFILES_FORCE_POLLING is set"
    kind = file_system_type(root, _read_mounts())
    return (
        f"the folder is on a file system that does not tell of changes ({kind})"
        if _NETWORK_FILE_SYSTEMS.fullmatch(kind)
        else ""
    )


def _read_mounts() -> str:
    try:
        return Path("/proc/self/mounts").read_text("utf-8", "surrogateescape")
    except OSError:
        return ""


def file_system_type(folder: Path, mounts: str) -> str:
    """Return the type of a resolved folder's file system by the lines of /proc/self/mounts; empty if unknown."""
    best, kind = "", ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[1])
        inside = folder == Path(point) or Path(point) in folder.parents
        if inside and len(point) >= len(best):
            best, kind = point, fields[2]
    return kind
