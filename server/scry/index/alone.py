"""What an indexer does without clients: it keeps still for a moment, works on, and ends after a while."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from scry.index.lock import IndexerLock
from scry.index.schedule import Schedule

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
