"""Processes of a simulation read the time from a file: the seconds by which it is later than it is.

Python imports this before anything else where the folder is in PYTHONPATH. Waiting takes the time it takes; what waits
in steps sees a jump at its next step.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_OFFSETS = Path(os.environ.get("TRUST_CLOCK", os.devnull))
"""Holds two numbers: seconds to add to the time of day, and to the monotonic clock."""

_real_time, _real_monotonic, _real_time_ns = time.time, time.monotonic, time.time_ns
_real_gmtime, _real_localtime = time.gmtime, time.localtime


def _offset(which: int) -> float:
    try:
        return float(_OFFSETS.read_bytes().split()[which])
    except (OSError, ValueError, IndexError):
        return 0.0


time.time = lambda: _real_time() + _offset(0)
time.time_ns = lambda: _real_time_ns() + int(_offset(0) * 1e9)
time.monotonic = lambda: _real_monotonic() + _offset(1)
time.gmtime = lambda seconds=None: _real_gmtime(time.time() if seconds is None else seconds)
time.localtime = lambda seconds=None: _real_localtime(time.time() if seconds is None else seconds)
