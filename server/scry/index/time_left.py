"""How long the vectors of a slow model still take, and what a person is told of it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

_RATE_WINDOW_S = 60.0
_MIN_RATE_SPAN_S = 1.0
"""After less than this, a rate says nothing."""


class TimeLeftEstimator:
    """An estimate by the rate of the last minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """clock: monotonic seconds."""
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque([(clock(), 0)])

    def record(self, encoded: int) -> None:
        """So many passages were encoded since the beginning."""
        now = self._clock()
        self._seen.append((now, encoded))
        while len(self._seen) > 2 and now - self._seen[1][0] >= _RATE_WINDOW_S:
            self._seen.popleft()

    def seconds_for(self, passages: int) -> float | None:
        """How long so many more take; None while that can't be told."""
        (start, before), (end, after) = self._seen[0], self._seen[-1]
        if end - start < _MIN_RATE_SPAN_S or after <= before:
            return None
        return passages * (end - start) / (after - before)


def describe_embedding_progress(model: str, done: int, total: int, left: TimeLeftEstimator) -> str:
    """For example: embedding 1,200 of 30,000 with X, about 4 minutes left."""
    seconds = left.seconds_for(total - done)
    estimate = "" if seconds is None else f", {describe_duration(seconds)} left"
    return f"embedding {done:,} of {total:,} with {model}{estimate}"


def describe_duration(seconds: float) -> str:
    """A duration as people say it, never more exact than an estimate is."""
    if seconds < 55:
        return "less than a minute"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"about {_pluralize(minutes, 'minute')}"
    return f"about {_pluralize(round(seconds / 3600), 'hour')}"


def _pluralize(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
