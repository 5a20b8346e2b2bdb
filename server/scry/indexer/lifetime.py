"""Limit an indexer's life: one per project by a file lock, shutdown after idling.

One indexer per project: a lock that the operating system gives free when its holder dies.

The lock file is never removed: a process that holds a removed file and one that holds its successor would both believe
to be the only one. What is locked is the open file, so a crash leaves nothing that could block the next.

What an indexer does without clients: it keeps still for a moment, works on, and ends after a while.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

from scry.indexer.schedule import Schedule

_MAX_ATTEMPTS = 5
"""How often an acquisition starts again because the file was replaced meanwhile; more means that someone fights it."""


class IndexerLock:
    """Held from `acquire` until `release`, or until the process ends in whatever way.

    Programs that this process starts do not inherit it, since the handle is closed there; a fork without exec would.
    """

    @classmethod
    def acquire(cls, path: Path) -> IndexerLock | None:
        """Takes the lock without waiting; None when another process holds it.

        Raises OSError when the file can't be made or opened.
        """
        for _ in range(_MAX_ATTEMPTS):
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            if not _try_lock(handle):
                os.close(handle)
                return None
            lock = cls(path, handle)
            if lock.is_valid():
                return lock
            lock.release()
        return None

    def __init__(self, path: Path, handle: int) -> None:
        """Use `acquire`."""
        self._path = path
        self._handle = handle

    def is_valid(self) -> bool:
        """Whether the locked file is still the one at its path; not so when the cache folder was removed."""
        try:
            there = self._path.stat()
        except OSError:
            return False
        return os.path.samestat(there, os.fstat(self._handle))

    def release(self) -> None:
        """Gives the lock free."""
        os.close(self._handle)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


LINGER_S = 60.0
"""So long it stays after its last client has gone, so that an editor finds it warm that is closed and opened again.
The environment variable SCRY_INDEXER_LINGER overrides it."""

FIRST_CLIENT_TIMEOUT_S = 10.0
"""… and at least so long for the first: it was started by someone who may be slower to come up than it is."""

PAUSE_AFTER_LAST_CLIENT_S = 2.0
"""After the last client has gone nothing more is begun for so long: who closes a project may be about to remove it, or
its cache, and would find files there that came back."""


class IdleShutdown:
    """The time without clients. Lives in the event loop."""

    def __init__(self, schedule: Schedule, lock: IndexerLock, shut_down: Callable[[], None]) -> None:
        """lock: tells whether the cache folder is still there. end: ends the indexer."""
        self._schedule = schedule
        self._lock = lock
        self._shut_down = shut_down
        self._timers: list[asyncio.TimerHandle] = []

    def wait_for_first_client(self) -> None:
        """There was no client yet."""
        self._call_later(max(FIRST_CLIENT_TIMEOUT_S, linger_seconds()), self._shut_down)

    def set_idle(self, idle: bool) -> None:
        """The last client has gone, or the first has come."""
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
    """How long the indexer stays without clients."""
    try:
        return max(0.0, float(os.environ["SCRY_INDEXER_LINGER"]))
    except (KeyError, ValueError):
        return LINGER_S
