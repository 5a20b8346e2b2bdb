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
from scry.index.launch import child_environment
from scry.index.portions import CACHE_LOOKUP_BYTES, CACHE_LOOKUP_FILES, split_into_batches
from scry.index.project import Project
from scry.index.split_off import ForkedPrefetcher
from scry.index.walk import FileEntry

WORTH_BYTES = 800_000
"""Below so much to be read none is started: one takes 0.3 s to start, in which the indexer reads half a megabyte."""

WORTH_SPLIT_BYTES = 150_000
"""… and below so much for one that need not start (`split_off`): to share the work costs some milliseconds, too."""

MAX_PREFETCH_PROCESSES = 3
"""So many at most, however many processors there are: the indexer itself takes a third of the time that it takes alone,
for what can't be done ahead, so that more would wait for it.
"""


class PrefetchPlan(msgspec.Struct):
    """What one of them is to do: the files of a project in this order, which are kept portion by portion, and their
    vectors, too, if `embed`.
    """

    root: str
    portions: list[list[bytes]]
    max_file_bytes: int
    embed: bool
    name: str


class Prefetcher:
    """Those that read ahead for one project. Every method may be called from any thread."""

    def __init__(self, project: Project, forked: ForkedPrefetcher | None = None) -> None:
        """None is started yet. waiting: one that waits for its plan."""
        self._project = project
        self._forked = forked
        self._lock = threading.Lock()
        self.running: list[subprocess.Popen[bytes] | ForkedPrefetcher] = []

    def start(self, entries: Sequence[FileEntry], settings: Settings, *, embed: bool) -> None:
        """Has these files read from the last one on, if that is worth it and none is at it yet."""
        with self._lock:
            self.running = [process for process in self.running if process.poll() is None]
            size = sum(entry.size for entry in entries)
            count = min(MAX_PREFETCH_PROCESSES, processors() - 1)
            if size < WORTH_BYTES:
                count = 1 if self._forked is not None and size >= WORTH_SPLIT_BYTES else 0
            if self.running or count < 1:
                self._dismiss_forked()
                return
            backward = list(split_into_batches(reversed(entries), attrgetter("size"), target_size=CACHE_LOOKUP_BYTES, max_items=CACHE_LOOKUP_FILES))
            for number in range(count):  # by turns, so that all of them come nearer to the indexer at the same pace
                plan = PrefetchPlan(
                    os.fspath(self._project.root),
                    [[os.fsencode(entry.path) for entry in part] for part in backward[number::count]],
                    settings.max_file_bytes,
                    embed,
                    f"ahead-{number}",
                )
                with contextlib.suppress(OSError):
                    self.running.append(self._start_process(plan))

    def _start_process(self, plan: PrefetchPlan) -> subprocess.Popen[bytes] | ForkedPrefetcher:
        packed = msgspec.msgpack.encode(plan)
        if self._forked is None:
            return _spawn_prefetch_process(packed, self._project)
        first, self._forked = self._forked, None
        first.send_plan(packed)
        return first

    def _dismiss_forked(self) -> None:
        """Ends the one that waits in vain."""
        if self._forked is not None:
            self._forked.send_plan(b"")
            self._forked.wait()
            self._forked = None

    def close(self) -> None:
        """Ends them."""
        with self._lock:
            self._dismiss_forked()
            for process in self.running:
                process.kill()
                process.wait()
            self.running = []


def _spawn_prefetch_process(plan: bytes, project: Project) -> subprocess.Popen[bytes]:
    with TemporaryFile(dir=project.cache) as file:  # not a pipe: the indexer would wait until the other reads
        file.write(plan)
        file.seek(0)
        return subprocess.Popen(
            [sys.executable, "-m", "scry.index.read_ahead"],
            stdin=file,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=project.cache,
            env=child_environment(os.environ),
        )


def processors() -> int:
    """How many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
