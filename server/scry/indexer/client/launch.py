"""Start the indexer of a project as a detached process.

Starts the indexer of a project as a process of its own, which outlives whoever starts it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import msgspec

import scry
from scry.core.settings import Settings
from scry.projects.indexer_address import read_address
from scry.projects.project import Project

_GIT_HOOK_VARIABLES = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
)
"""Set while a git hook runs, and true for that one command only."""

_MAX_STDERR_CHARS = 2000


class LaunchedIndexer:
    """A process that was started."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        """Use `start_indexer`."""
        self._process = process
        # Waits for its end, so that it never stays as a zombie, however long this process lives.
        threading.Thread(target=process.wait, name="indexer's end", daemon=True).start()

    @property
    def exit_status(self) -> int | None:
        """Its exit status; None while it runs."""
        return self._process.poll()

    def read_stderr(self) -> str:
        """What it said on its standard error before it ended, to be called once and only after that."""
        if self._process.stderr is None:
            return ""
        with self._process.stderr as errors:
            return errors.read().decode("utf-8", "replace").strip()[-_MAX_STDERR_CHARS:]

    def detach(self) -> None:
        """Hears no more of it; it runs on."""
        if self._process.stderr is not None:
            self._process.stderr.close()


_prestarted: dict[Path, LaunchedIndexer] = {}


def prestart_indexer(project: Project, settings: Settings) -> None:
    """Starts the indexer for a client that is still to come, unless it seems that one runs.

    The next `start_indexer` of this process takes it over. Raises OSError.
    """
    if read_address(project.cache) is None:
        _prestarted[project.cache] = start_indexer(project, settings)


def start_indexer(project: Project, settings: Settings) -> LaunchedIndexer:
    """Starts the indexer; it may be one too many, which then ends by itself. Raises OSError when it can't be."""
    started = _prestarted.pop(project.cache, None)
    if started is not None and started.exit_status is None:
        return started
    overrides = msgspec.json.encode(settings.overrides())
    command = [sys.executable, "-m", "scry.indexer.process", "--root", os.fspath(project.root), "--force"]
    command += ["--set", overrides.decode()]
    if not sys.executable:
        raise OSError("the path of the Python interpreter is not known")
    return LaunchedIndexer(_spawn_detached(command, project.cache))


def _spawn_detached(command: list[str], cache: Path) -> subprocess.Popen[bytes]:
    """Detached: no terminal, no signal and no end of this process reaches it."""
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        flags |= subprocess.BELOW_NORMAL_PRIORITY_CLASS
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=_safe_working_folder(cache),
        env=child_environment(os.environ),
        start_new_session=True,
        creationflags=flags,
    )


def _safe_working_folder(cache: Path) -> Path:
    """Where it starts. Before 3.11 `python -m` imports from there first, so it must not be a folder of a stranger's."""
    try:
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return Path(scry.__file__).parent.parent
    return cache


def child_environment(current: Mapping[str, str]) -> dict[str, str]:
    """The environment for it, in which it imports the same Scry as this process, and nothing from where it starts."""
    environment = {name: value for name, value in current.items() if name not in _GIT_HOOK_VARIABLES}
    environment["PYTHONSAFEPATH"] = "1"
    package = Path(scry.__file__).parent.parent
    if package.name not in ("site-packages", "dist-packages"):
        known = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([str(package)] + ([known] if known else []))
    return environment
