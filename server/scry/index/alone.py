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

FIRST_CLIENT_S = 10.0
"""… and at least so long for the first: it was started by someone who may be slower to come up than it is."""

STILL_S = 2.0
"""After the last client has gone nothing more is begun for so long: who closes a project may be about to remove it, or
its cache, and would find files there that came back."""


class Alone:
    """The time without clients. Lives in the event loop."""

    def __init__(self, schedule: Schedule, lock: IndexerLock, end: Callable[[], None]) -> None:
        """lock: tells whether the cache folder is still there. end: ends the indexer."""
        self._schedule = schedule
        self._lock = lock
        self._end = end
        self._timers: list[asyncio.TimerHandle] = []

    def begin(self) -> None:
        """There was no client yet."""
        self._after(max(FIRST_CLIENT_S, linger_seconds()), self._end)

    def change(self, alone: bool) -> None:
        """The last client has gone, or the first has come."""
        for timer in self._timers:
            timer.cancel()
        self._timers = []
        self._schedule.keep_still(still=alone)
        if alone:
            self._after(STILL_S, self._go_on)
            self._after(linger_seconds(), self._end)

    def _go_on(self) -> None:
        if self._lock.holds():
            self._schedule.keep_still(still=False)
        else:
            self._end()

    def _after(self, seconds: float, call: Callable[[], None]) -> None:
        self._timers.append(asyncio.get_running_loop().call_later(seconds, call))


def linger_seconds() -> float:
    """How long the indexer stays without clients."""
    try:
        return max(0.0, float(os.environ["SCRY_INDEXER_LINGER"]))
    except (KeyError, ValueError):
        return LINGER_S
