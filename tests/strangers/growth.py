"""Judge how the time of a function grows with the length of its text, by ratios within one run."""

from __future__ import annotations

import time
from collections.abc import Callable

FACTOR = 4
"""Each text is four times as long as the one before: linear time grows fourfold, quadratic sixteenfold."""

MOST_GROWTH = 8.0

_TRIES = 6
_MEASURABLE_S = 0.002
"""A shorter duration says nothing about growth; a longer text follows."""


def grows_too_fast(run: Callable[[str], object], make_text: Callable[[int], str], longest: int) -> str:
    """Return where the time grows by more than MOST_GROWTH for a text of FACTOR times the length, or "".

    Of several tries the least counts, in processor time of this thread: others share the machine.
    """
    length = longest
    while length > 2_000:
        length //= FACTOR
    before = _least_time(run, make_text(length), 2)
    while length < longest:
        text = make_text(length * FACTOR)
        after = _least_time(run, text, 1)
        tries = 0
        while after > _MEASURABLE_S and after > MOST_GROWTH * before:
            tries += 1
            if tries == _TRIES:
                return f"{length} characters take {before:.4f} s, {length * FACTOR} take {after:.4f} s"
            before = max(before, _least_time(run, make_text(length), 1))
            after = min(after, _least_time(run, text, 1))
        length *= FACTOR
        before = after
    return ""


def _least_time(run: Callable[[str], object], text: str, tries: int) -> float:
    return min(_time(run, text) for _ in range(tries))


def _time(run: Callable[[str], object], text: str) -> float:
    start = time.thread_time()
    run(text)
    return max(time.thread_time() - start, 1e-6)
