"""Start the indexer of a project as a detached process, which outlives the process that starts it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import msgspec

import scry
from scry.core.platform import detached_process_options, make_private_folder
from scry.core.settings import SETTING_DEFINITIONS, Settings
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
"""Variables set while a git hook runs; they are valid for that one command only."""

_MAX_STDERR_CHARS = 2000


class LaunchedIndexer:
    """A started indexer process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        """Take the process; callers use `start_indexer`."""
        self._process = process
        # Waits for the process, so that it never stays as a zombie, however long this process lives.
        threading.Thread(target=process.wait, name="indexer's end", daemon=True).start()

    @property
    def exit_status(self) -> int | None:
        """The process's exit status; None while it runs."""
        return self._process.poll()

    def read_stderr(self) -> str:
        """Return the end of the process's standard error. Called at most once, after the process has ended."""
        if self._process.stderr is None:
            return ""
        with self._process.stderr as errors:
            return errors.read().decode("utf-8", "replace").strip()[-_MAX_STDERR_CHARS:]

    def detach(self) -> None:
        """Close the pipe from the process's standard error; the process runs on."""
        if self._process.stderr is not None:
            self._process.stderr.close()


_prestarted: dict[Path, LaunchedIndexer] = {}


def prestart_indexer(project: Project, settings: Settings) -> None:
    """Start the indexer for a client that is still to come, unless an address is published already.

    The next `start_indexer` of this process takes it over. Raises OSError.
    """
    if read_address(project.cache) is None:
        _prestarted[project.cache] = start_indexer(project, settings)


def start_indexer(project: Project, settings: Settings) -> LaunchedIndexer:
    """Start the indexer. A second indexer of a project ends by itself. Raises OSError when the process cannot be
    started.
    """
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
    """Start a process without a terminal that no signal to this process and no end of it reaches.

    It gets no settings from the environment: the client sends those, and takes them back by sending others.
    """
    of_settings = {definition.environment_variable for definition in SETTING_DEFINITIONS.values()}
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=_safe_working_folder(cache),
        env={name: value for name, value in child_environment(os.environ).items() if name not in of_settings},
        **detached_process_options(),
    )


def _safe_working_folder(cache: Path) -> Path:
    """Return the folder that the process starts in.

    Before Python 3.11 `python -m` imports from the working folder first, so it must not be one that others can write.
    """
    try:
        make_private_folder(cache)
    except OSError:
        return Path(scry.__file__).parent.parent
    return cache


def child_environment(current: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a child process, in which it imports the same Scry, and nothing from its working
    folder.
    """
    environment = {name: value for name, value in current.items() if name not in _GIT_HOOK_VARIABLES}
    environment["PYTHONSAFEPATH"] = "1"
    package = Path(scry.__file__).parent.parent
    if package.name not in ("site-packages", "dist-packages"):
        inherited = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([str(package)] + ([inherited] if inherited else []))
    return environment
