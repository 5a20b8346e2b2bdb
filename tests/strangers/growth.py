"""Judge how the time of a function grows with the length of its text, by ratios within one run."""

from __future__ import annotations

import time
from collections.abc import Callable

FACTOR = 16
"""A text is compared with one that is sixteen times as long: linear time grows sixteenfold, quadratic 256-fold.

A fourfold text would not do: where the memory of a repetition passes from the heap to pages of its own, linear time
grows thirteenfold once, and fourfold again after that.
"""

MOST_GROWTH = 128.0
"""Half of quadratic growth, and eight times linear growth: steps of memory alone came to 68."""

_STEP = 4
_SHORTEST = 1_000
_TRIES = 6
_MEASURABLE_S = 0.002
"""A shorter duration says nothing about growth; a longer text follows."""


def grows_too_fast(run: Callable[[str], object], make_text: Callable[[int], str], longest: int) -> str:
    """Return where the time grows by more than MOST_GROWTH for a text of FACTOR times the length, or "".

    Lengths grow by _STEP, so that what explodes is told by a short text. Of several tries the least counts, in
    processor time of this thread: others share the machine.
    """
    lengths = [longest]
    while lengths[0] > _SHORTEST:
        lengths.insert(0, lengths[0] // _STEP)
    times: dict[int, float] = {}
    for length in lengths:
        text = make_text(length)
        times[length] = _time(run, text)
        short = length // FACTOR
        for _ in range(_TRIES):
            if short not in times or times[length] < max(_MEASURABLE_S, MOST_GROWTH * times[short]):
                break
            times[short] = max(times[short], _time(run, make_text(short)))
            times[length] = min(times[length], _time(run, text))
        else:
            return f"{short} characters take {times[short]:.4f} s, {length} take {times[length]:.4f} s"
    return ""


def _time(run: Callable[[str], object], text: str) -> float:
    start = time.thread_time()
    run(text)
    return max(time.thread_time() - start, 1e-6)
