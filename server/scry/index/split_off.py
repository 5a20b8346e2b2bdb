"""A process that reads ahead without having to start: split off the indexer once that has imported what reading takes.

It is done before the indexer has a second thread, a lock, a socket or an open database, so that the new process shares
nothing with it but memory that neither changes. It waits for its plan, and ends when there is none. On Linux alone:
other systems can't fork, or not safely.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import time


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
    from scry.index import read_ahead  # before, so that both have it

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
