"""Sees changes that no editor reports: other programs, git, a terminal.

On Linux just the folders that are indexed are watched, one by one, so that build output and installed packages cost
nothing; elsewhere the system watches a whole tree at no cost, and what is ignored is left out afterwards. Where that is
not possible, the files are compared every few seconds.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from scry.core.settings import Settings
from scry.core.types import SkipReason
from scry.index.git_folder import GitFolder, find_git_folder
from scry.index.project import Project, head_commit
from scry.index.schedule import Schedule
from scry.index.status import Status
from scry.index.walk import explain_ignored

if TYPE_CHECKING:
    from watchfiles import Change

log = logging.getLogger(__name__)

COMPARE_EVERY_S = 3.0
"""Where watching is not possible."""

FOLDERS_A_SECOND = 500
"""On a large tree the files are compared less often: so many folders for each second between two comparisons."""

TRY_AGAIN_AFTER = 20
"""So many comparisons, about a minute, until watching is tried again."""

_STEP_MS = 20
"""How often watchfiles looks for events: 0.2 % of a core, and a change is seen within 40 ms."""

_GATHER_MS = 60
"""Changes that come close together are reported together, the first at most so late."""

_WAKE_MS = 500

_MANY_CHANGES = 200
"""From so many changes on the whole tree is compared, which costs less than judging each by the ignore rules."""

_HEAD_FILES = frozenset({"HEAD", "index", "packed-refs"})
"""What git writes beside the commit when HEAD moves, be it by a commit, a checkout, a merge or a rebase."""

_NETWORK = re.compile(r"nfs\d?|cifs|smb\w*|9p|afs|ceph|glusterfs|lustre|vboxsf|vmhgfs|drvfs|fuse\..*")
"""File systems that tell nothing of what others change."""

_ONE_BY_ONE = sys.platform == "linux"


class _Scene(Struct, frozen=True):
    """What is watched: the folders that are entered ("" for the root), under which rules."""

    settings: Settings
    folders: frozenset[str]


class Watcher(threading.Thread):
    """Puts changes into the schedule, from the first `follow` until `close`."""

    def __init__(self, project: Project, schedule: Schedule, status: Status) -> None:
        """status: gets a note where watching is not possible."""
        super().__init__(name="watch", daemon=True)
        self._project = project
        self._schedule = schedule
        self._status = status
        self._scene: _Scene | None = None
        self._moved = threading.Event()
        self._closing = False
        self._head: str | None = None

    def follow(self, settings: Settings, folders: frozenset[str]) -> None:
        """Watches these folders from now on. From any thread."""
        scene = _Scene(settings, folders)
        if scene != self._scene:
            self._scene = scene
            self._moved.set()

    def close(self) -> None:
        """Ends the thread soon."""
        self._closing = True
        self._moved.set()

    def run(self) -> None:
        """Watches, or compares now and then, whichever is possible."""
        self._moved.wait()
        self._head = head_commit(self._project.root)
        while not self._closing:
            self._moved.clear()
            scene = self._scene
            if scene is None:
                return
            try:
                reason = why_not_watchable(self._project.root)
                if not reason:
                    self._watch(scene)
                    continue
            except (OSError, RuntimeError) as error:  # too many folders, no more handles, a folder gone meanwhile
                log.warning("watching is not possible: %s", error)
                reason = _words(error)
            self._compare_now_and_then(scene, reason)

    # Watching -----------------------------------------------------------------------------------------------------

    def _watch(self, scene: _Scene) -> None:
        """Reports changes until the scene moves. Raises OSError or RuntimeError when watching is not possible."""
        from watchfiles import watch  # late: it is needed only after the first pass

        git = find_git_folder(self._project.root)
        unsure = True  # what changed between the comparison and the start of watching
        self._status.set_note("")
        for changes in watch(
            *self._places(scene, git),
            watch_filter=None,
            debounce=_GATHER_MS,
            step=_STEP_MS,
            rust_timeout=_WAKE_MS,
            yield_on_timeout=True,
            stop_event=self._moved,
            recursive=not _ONE_BY_ONE,
            ignore_permission_denied=True,
            raise_interrupt=False,
        ):
            if unsure and not changes:
                unsure = False
                self._schedule.check()
            if changes:
                unsure = len(changes) > _MANY_CHANGES or unsure  # some may have been lost
                self._report(scene, git, changes)

    def _places(self, scene: _Scene, git: GitFolder | None) -> list[Path]:
        root = self._project.root
        inside = [root / folder for folder in sorted(scene.folders)] if _ONE_BY_ONE else [root]
        beside = [] if git is None else [git.own, git.own / "logs"]
        return [folder for folder in [*inside, *beside] if folder.is_dir()]

    def _report(self, scene: _Scene, git: GitFolder | None, changes: Iterable[tuple[Change, str]]) -> None:
        kinds: dict[str, set[str]] = {}
        for change, absolute in changes:
            kinds.setdefault(absolute, set()).add(change.name)
        if any(_tells_head(git, absolute) for absolute in kinds):
            self._compare_if_head_moved()
        inside = {path: kinds[each] for each in kinds if (path := self._relative(each, git)) is not None}
        if any(path in scene.folders and kind != {"modified"} for path, kind in inside.items()):
            self._moved.set()  # what is watched is the old folder, also where a new one has its name
        if ".git" in inside and git is None:
            self._moved.set()
        if len(inside) > _MANY_CHANGES:
            self._schedule.compare_whole()
        elif paths := [path for path, kind in inside.items() if self._matters(scene, path, kind)]:
            self._schedule.compare(paths)

    def _matters(self, scene: _Scene, path: str, kind: set[str]) -> bool:
        if path in scene.folders and kind == {"modified"}:
            return False  # its own attributes; what comes or goes in it is told by name
        skip = explain_ignored(self._project.root, path, scene.settings)
        return skip is None or skip.reason is not SkipReason.IGNORED

    def _relative(self, absolute: str, git: GitFolder | None) -> str | None:
        """The path inside the project; None for what is not of it: git's own files, and Scry's."""
        place = Path(absolute)
        outside = [self._project.cache, self._project.data] + ([] if git is None else [git.own, git.common])
        if any(place == folder or folder in place.parents for folder in outside):
            return None
        try:
            return place.relative_to(self._project.root).as_posix()
        except ValueError:
            return None

    def _compare_if_head_moved(self) -> None:
        head = head_commit(self._project.root)
        if head != self._head:
            self._head = head
            self._schedule.compare_whole()

    # Not watching -------------------------------------------------------------------------------------------------

    def _compare_now_and_then(self, scene: _Scene, reason: str) -> None:
        every = max(COMPARE_EVERY_S, len(scene.folders) / FOLDERS_A_SECOND)
        self._status.set_note(f"Changes are found by comparing the files every {every:.0f} s, because {reason}.")
        for _ in range(TRY_AGAIN_AFTER):
            self._compare_if_head_moved()
            self._schedule.check()
            if self._moved.wait(every):
                return


def _tells_head(git: GitFolder | None, path: str) -> bool:
    place = Path(path)
    return git is not None and place.name in _HEAD_FILES and place.parent in (git.own, git.own / "logs")


def _words(error: Exception) -> str:
    if "limit" in str(error).lower() or (isinstance(error, OSError) and error.errno == 28):
        return "the system's limit of watched folders is reached (fs.inotify.max_user_watches)"
    return f"watching them is not possible here ({error})"


def why_not_watchable(root: Path) -> str:
    """Why a folder's changes can't be watched; empty when nothing speaks against it.

    watchfiles' own variable WATCHFILES_FORCE_POLLING says so for file systems that are not recognised.
    """
    if os.environ.get("WATCHFILES_FORCE_POLLING", "").lower() not in ("", "false", "disable", "disabled"):
        return "WATCHFILES_FORCE_POLLING is set"
    kind = file_system(root, _mounts())
    return f"the folder is on a file system that does not tell of changes ({kind})" if _NETWORK.fullmatch(kind) else ""


def _mounts() -> str:
    try:
        return Path("/proc/self/mounts").read_text("utf-8", "surrogateescape")
    except OSError:
        return ""


def file_system(folder: Path, mounts: str) -> str:
    """The kind of the file system that a resolved folder is on, by the lines of /proc/self/mounts; empty if unknown."""
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
