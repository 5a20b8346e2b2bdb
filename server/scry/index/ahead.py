"""Other processes that read ahead: they fill the shared cache from the end of what is to be read, while the indexer
goes on from its beginning, until they meet.

All that they do is to put into the cache (`store.blobs`) what the indexer would have put there later. So they decide
nothing: with or without them, and whatever becomes of them, the index is the same.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from operator import attrgetter
from tempfile import TemporaryFile

import msgspec

from scry.core.settings import Settings
from scry.index.launch import environment_for
from scry.index.portions import LOOK_UP_BYTES, LOOK_UP_FILES, portions
from scry.index.project import Project
from scry.index.walk import Found

WORTH_BYTES = 800_000
"""Below so much to be read none is started: one takes 0.3 s to start, in which the indexer reads half a megabyte."""

MOST = 3
"""So many at most, however many processors there are: the indexer itself takes a third of the time that it takes alone,
for what can't be done ahead, so that more would wait for it.
"""


class Plan(msgspec.Struct):
    """What one of them is to do: the files of a project in this order, which are kept portion by portion, and their
    vectors, too, if `embed`.
    """

    root: str
    portions: list[list[bytes]]
    max_file_bytes: int
    embed: bool
    name: str


class Ahead:
    """Those that read ahead for one project. Every method may be called from any thread."""

    def __init__(self, project: Project) -> None:
        """None is started yet."""
        self._project = project
        self._lock = threading.Lock()
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, entries: Sequence[Found], settings: Settings, *, embed: bool) -> None:
        """Has these files read from the last one on, if that is worth it and none is at it yet."""
        with self._lock:
            self.running = [process for process in self.running if process.poll() is None]
            count = min(MOST, processors() - 1)
            if self.running or count < 1 or sum(entry.size for entry in entries) < WORTH_BYTES:
                return
            backward = list(portions(reversed(entries), attrgetter("size"), full=LOOK_UP_BYTES, most=LOOK_UP_FILES))
            for number in range(count):  # by turns, so that all of them come nearer to the indexer at the same pace
                plan = Plan(
                    os.fspath(self._project.root),
                    [[os.fsencode(entry.path) for entry in part] for part in backward[number::count]],
                    settings.max_file_bytes,
                    embed,
                    f"ahead-{number}",
                )
                with contextlib.suppress(OSError):
                    self.running.append(_spawn(plan, self._project))

    def close(self) -> None:
        """Ends them."""
        with self._lock:
            for process in self.running:
                process.kill()
                process.wait()
            self.running = []


def _spawn(plan: Plan, project: Project) -> subprocess.Popen[bytes]:
    with TemporaryFile(dir=project.cache) as file:  # not a pipe: the indexer would wait until the other reads
        file.write(msgspec.msgpack.encode(plan))
        file.seek(0)
        return subprocess.Popen(
            [sys.executable, "-m", "scry.index.read_ahead"],
            stdin=file,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=project.cache,
            env=environment_for(os.environ),
        )


def processors() -> int:
    """How many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
