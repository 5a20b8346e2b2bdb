"""The one way in which tests wait for something that another thread or process does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE_S = 90.0
"""Seconds that anything may take on a busy machine; shorter than the limit of a test, so that the reason is shown."""

T = TypeVar("T")


def eventually(look: Callable[[], T], what: str, *, patience_s: float = PATIENCE_S, interval_s: float = 0.01) -> T:
    """Return what `look` returns as soon as that is true. Raises AssertionError naming `what` after `patience_s`."""
    end = time.monotonic() + patience_s
    while not (seen := look()):
        assert time.monotonic() < end, f"not within {patience_s:g} s: {what}; last seen: {seen!r}"
        time.sleep(interval_s)
    return seen


def seconds_until(look: Callable[[], object], what: str, *, patience_s: float = PATIENCE_S) -> float:
    """Return the seconds until `look` is true, for figures that benchmarks report."""
    start = time.perf_counter()
    eventually(look, what, patience_s=patience_s, interval_s=0.002)
    return time.perf_counter() - start
