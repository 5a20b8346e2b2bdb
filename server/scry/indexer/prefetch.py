"""Start processes that parse and embed files ahead of the indexer, into the shared cache.

A process that reads ahead without having to start: split off the indexer once that has imported what reading takes.

It is done before the indexer has a second thread, a lock, a socket or an open database, so that the new process shares
nothing with it but memory that neither changes. It waits for its plan, and ends when there is none. On Linux alone:
other systems can't fork, or not safely.

Other processes that read ahead: they fill the shared cache from the end of what is to be read, while the indexer
goes on from its beginning, until they meet.

All that they do is to put into the cache (`store.blobs`) what the indexer would have put there later. So they decide
nothing: with or without them, and whatever becomes of them, the index is the same.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from operator import attrgetter
from tempfile import TemporaryFile

import msgspec

from scry.core.settings import Settings
from scry.index.batches import CACHE_LOOKUP_BYTES, CACHE_LOOKUP_FILES, split_into_batches
from scry.index.scan.walk import FileEntry
from scry.indexer.client.launch import child_environment
from scry.projects.project import Project


class ForkedPrefetcher:
    """The process, as `Ahead` sees it: its methods are those of `subprocess.Popen`."""

    def __init__(self, pid: int, plan_pipe: int) -> None:
        """plan: where it reads its plan from."""
        self._pid = pid
        self._plan_pipe = plan_pipe
        self._status: int | None = None

    def send_plan(self, plan: bytes) -> None:
        """Lets it begin; without a plan it ends. To be called once."""
        with contextlib.suppress(BrokenPipeError), os.fdopen(self._plan_pipe, "wb") as pipe:
            pipe.write(plan)

    def poll(self) -> int | None:
        """Its exit status; None while it runs."""
        if self._status is None:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status, once it has ended. Raises TimeoutError after so many seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while (status := self.poll()) is None:
            if end is not None and time.monotonic() > end:
                raise TimeoutError
            time.sleep(0.005)
        return status

    def kill(self) -> None:
        """Ends it at once."""
        if self.poll() is None:
            os.kill(self._pid, signal.SIGKILL)


def fork_prefetcher() -> ForkedPrefetcher | None:
    """Splits a process off this one; None where that is not safe."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return None
    from scry.indexer import prefetch_worker as read_ahead  # before, so that both have it

    gc.freeze()  # a look for garbage would write to all memory that is shared
    parent = os.getpid()
    source, sink = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(source)
        os.close(sink)
        return None
    if pid:
        os.close(source)
        return ForkedPrefetcher(pid, sink)
    status = 1
    try:
        os.close(sink)
        _redirect_streams_to_null()
        with os.fdopen(source, "rb") as pipe:
            plan = pipe.read()
        status = read_ahead.run_plan(plan, parent) if plan else 0
    finally:
        os._exit(status)


def _redirect_streams_to_null() -> None:
    """Whoever started the indexer waits for the end of its standard error."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


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
            backward = list(
                split_into_batches(
                    reversed(entries), attrgetter("size"), target_size=CACHE_LOOKUP_BYTES, max_items=CACHE_LOOKUP_FILES
                )
            )
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
            [sys.executable, "-m", "scry.indexer.prefetch_worker"],
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
