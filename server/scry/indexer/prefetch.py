"""Start processes that parse and embed files ahead of the indexer, into the shared cache.

Prefetch processes read the files from the last one on, while the indexer reads from the first one, until the two meet.
They only put entries into the cache (`store.blobs`) that the indexer would have put there later, so they decide
nothing: the index is the same with and without them, and whatever becomes of them.

On Linux one of them is forked from the indexer, with the modules that reading takes already imported. That happens
before the indexer has a second thread, a lock, a socket or an open database, so that the two share only memory that
neither changes. The forked process waits for its plan, and ends without one. Other systems cannot fork safely.
"""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from operator import attrgetter
from tempfile import TemporaryFile

import msgspec

from scry.core.platform import available_cpus, can_fork, fork_process, kill_process, poll_child
from scry.core.settings import Settings
from scry.index.scan.walk import FileEntry
from scry.indexer.client.launch import child_environment
from scry.projects.project import Project
from scry.store.blobs import CACHE_LOOKUP_BYTES, CACHE_LOOKUP_FILES, split_into_batches

MIN_PREFETCH_BYTES = 800_000
"""Minimum bytes to read before a process is started: its start takes 0.3 s, in which the indexer reads half a
megabyte.
"""


MIN_FORKED_PREFETCH_BYTES = 150_000
"""Minimum bytes to read for a forked process, which need not start; sharing the work still costs some milliseconds."""


MAX_PREFETCH_PROCESSES = 3
"""Maximum number of processes, however many CPUs there are. The indexer spends a third of its time on work that can't
be prefetched, so that more processes would wait for it.
"""


class PrefetchPlan(msgspec.Struct):
    """The work of one prefetch process: files of a project in this order, cached portion by portion.

    embed: cache their vectors, too.
    """

    root: str
    portions: list[list[bytes]]
    max_file_bytes: int
    max_parse_seconds: float
    embed: bool
    name: str


class Prefetcher:
    """The prefetch processes of one project. Every method may be called from any thread."""

    def __init__(self, project: Project, forked: ForkedPrefetcher | None = None) -> None:
        """Take the project, and a forked process that waits for its plan, if there is one. Nothing is started yet."""
        self._project = project
        self._forked = forked
        self._lock = threading.Lock()
        self.running: list[subprocess.Popen[bytes] | ForkedPrefetcher] = []

    def start(self, entries: Sequence[FileEntry], settings: Settings, *, embed: bool) -> None:
        """Prefetch these files from the last one on, if that is worth it and no process runs yet."""
        with self._lock:
            self.running = [process for process in self.running if process.poll() is None]
            size = sum(entry.size for entry in entries)
            count = min(MAX_PREFETCH_PROCESSES, available_cpus() - 1)
            if size < MIN_PREFETCH_BYTES:
                count = 1 if self._forked is not None and size >= MIN_FORKED_PREFETCH_BYTES else 0
            if self.running or count < 1:
                self._dismiss_forked()
                return
            backward = list(
                split_into_batches(
                    reversed(entries), attrgetter("size"), target_size=CACHE_LOOKUP_BYTES, max_items=CACHE_LOOKUP_FILES
                )
            )
            for _number in range(count):  # in turn, so that all of them approach the indexer at the same pace
                plan = PrefetchPlan(
                    os.fspath(self._project.root),
                    [[os.fsencode(entry.path) for entry in part] for part in backward[_number::count]],
                    settings.max_file_bytes,
                    settings.max_parse_seconds,
                    embed,
                    f"ahead-{_number}",
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
        """End a forked process that waits for a plan."""
        if self._forked is not None:
            self._forked.send_plan(b"")
            self._forked.wait()
            self._forked = None

    def close(self) -> None:
        """End all prefetch processes."""
        with self._lock:
            self._dismiss_forked()
            for process in self.running:
                process.kill()
                process.wait()
            self.running = []


def _spawn_prefetch_process(plan: bytes, project: Project) -> subprocess.Popen[bytes]:
    with TemporaryFile(dir=project.cache) as file:  # not a pipe: the indexer would wait until the process reads
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


def fork_prefetcher() -> ForkedPrefetcher | None:
    """Fork a process that waits for a plan; return None where that is not safe."""
    if not can_fork():
        return None
    from scry.indexer import prefetch_worker  # before the fork, so that both processes have it

    gc.freeze()  # a garbage collection would write to all shared memory
    parent = os.getpid()
    source, sink = os.pipe()
    pid = fork_process()
    if pid is None:
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
        status = prefetch_worker.run_plan(plan, parent) if plan else 0
    finally:
        os._exit(status)


def _redirect_streams_to_null() -> None:
    """Close the inherited streams: the process that started the indexer waits for the end of its standard error."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.close(null)


class ForkedPrefetcher:
    """A forked prefetch process, with the methods of `subprocess.Popen` that `Prefetcher` uses."""

    def __init__(self, pid: int, plan_pipe: int) -> None:
        """Take the process's id and the pipe that it reads its plan from."""
        self._pid = pid
        self._plan_pipe = plan_pipe
        self._status: int | None = None

    def send_plan(self, plan: bytes) -> None:
        """Start the work; an empty plan ends the process. Called once."""
        with contextlib.suppress(BrokenPipeError), os.fdopen(self._plan_pipe, "wb") as pipe:
            pipe.write(plan)

    def poll(self) -> int | None:
        """Return the exit status; None while the process runs."""
        if self._status is None:
            self._status = poll_child(self._pid)
        return self._status

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process and return its exit status. Raises TimeoutError after `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while (status := self.poll()) is None:
            if end is not None and time.monotonic() > end:
                raise TimeoutError
            time.sleep(0.005)
        return status

    def kill(self) -> None:
        """End the process at once."""
        if self.poll() is None:
            kill_process(self._pid)
