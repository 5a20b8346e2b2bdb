"""Limit an indexer's life: one per project by a file lock, shutdown after idling.

The operating system releases the lock when its holder dies, so a crash leaves nothing that could block the next
indexer. The lock file is never removed: a process that holds a removed file and one that holds its successor would both
take themselves for the only one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from scry.core.platform import lock_handle
from scry.indexer.schedule import Schedule

_MAX_ATTEMPTS = 5
"""Attempts to take the lock, since another process may replace the file meanwhile."""


LINGER_S = 60.0
"""Time for which the indexer stays after its last client has left, so that an editor that is closed and reopened finds
it warm. The environment variable SCRY_INDEXER_LINGER overrides it.
"""


FIRST_CLIENT_TIMEOUT_S = 10.0
"""Minimum time for which the indexer waits for its first client, which may start more slowly than the indexer."""


PAUSE_AFTER_LAST_CLIENT_S = 2.0
"""Time after the last client has left in which no work begins, in case the project or its cache is being deleted."""


class IndexerLock:
    """A lock held from `acquire` until `release` or the end of the process.

    Child processes do not inherit it, since the handle is closed in them; a fork without exec would.
    """

    @classmethod
    def acquire(cls, path: Path) -> IndexerLock | None:
        """Take the lock without waiting; return None when another process holds it.

        Raises OSError when the file cannot be created or opened.
        """
        for _ in range(_MAX_ATTEMPTS):
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            if not lock_handle(handle, wait=False):
                os.close(handle)
                return None
            lock = cls(path, handle)
            if lock.is_valid():
                return lock
            lock.release()
        return None

    def __init__(self, path: Path, handle: int) -> None:
        """Take the open, locked file; callers use `acquire`."""
        self._path = path
        self._handle = handle

    def is_valid(self) -> bool:
        """Return whether the locked file is still the one at its path; False after the cache folder was removed."""
        try:
            current = self._path.stat()
        except OSError:
            return False
        return os.path.samestat(current, os.fstat(self._handle))

    def release(self) -> None:
        """Release the lock."""
        os.close(self._handle)


class IdleShutdown:
    """Pauses an indexer that has lost its last client, and ends it after LINGER_S. Runs in the event loop."""

    def __init__(self, schedule: Schedule, lock: IndexerLock, shut_down: Callable[[], None]) -> None:
        """Take the schedule to suspend. lock: tells whether the cache folder still exists. shut_down: ends the
        indexer.
        """
        self._schedule = schedule
        self._lock = lock
        self._shut_down = shut_down
        self._timers: list[asyncio.TimerHandle] = []

    def wait_for_first_client(self) -> None:
        """Start the timer for the first client."""
        self._call_later(max(FIRST_CLIENT_TIMEOUT_S, linger_seconds()), self._shut_down)

    def set_idle(self, idle: bool) -> None:
        """Note that the last client has left (`idle`), or that one has come."""
        for timer in self._timers:
            timer.cancel()
        self._timers = []
        self._schedule.set_suspended(suspended=idle)
        if idle:
            self._call_later(PAUSE_AFTER_LAST_CLIENT_S, self._resume_work)
            self._call_later(linger_seconds(), self._shut_down)

    def _resume_work(self) -> None:
        if self._lock.is_valid():
            self._schedule.set_suspended(suspended=False)
        else:
            self._shut_down()

    def _call_later(self, seconds: float, call: Callable[[], None]) -> None:
        self._timers.append(asyncio.get_running_loop().call_later(seconds, call))


def linger_seconds() -> float:
    """Return the time for which the indexer stays without clients."""
    try:
        return max(0.0, float(os.environ["SCRY_INDEXER_LINGER"]))
    except (KeyError, ValueError):
        return LINGER_S
