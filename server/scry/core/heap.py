"""Give the memory that a long-lived process has freed back to the system.

glibc keeps what is freed for the next allocation, in a heap for each thread that allocates, up to eight a core. Other C
libraries have none of this, and nothing here has an effect with them.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import Any

_M_ARENA_MAX = -8
"""The number of this option of glibc's `mallopt`."""

_HEAPS = 2
"""Heaps of all threads together. An indexer of 200 files takes 82 MB with two, and 142 MB with one for each thread."""

_INTERVAL_S = 2.0
_REST_CPU_S = 0.05
"""Processor time within an interval up to which a process is at rest."""

_WORK_CPU_S = 0.2
"""Processor time since memory was last given back from which on it is again."""


def limit_heap() -> None:
    """Share few heaps among all threads of this process, and give freed memory back whenever it is at rest.

    Called before other threads are started, and after the last fork.
    """
    import ctypes  # no command needs it

    with suppress(OSError, AttributeError, TypeError):  # another C library; Windows names no library by None
        library = ctypes.CDLL(None)
        library.mallopt(_M_ARENA_MAX, _HEAPS)
        threading.Thread(target=_trim_at_rest, args=(library.malloc_trim,), name="heap", daemon=True).start()


def _trim_at_rest(trim: Any) -> None:  # noqa: ANN401 (a function of C, by ctypes)
    trimmed = used = time.process_time()
    while True:
        time.sleep(_INTERVAL_S)
        before, used = used, time.process_time()
        if used - before <= _REST_CPU_S and used - trimmed >= _WORK_CPU_S:
            trim(0)  # some milliseconds
            trimmed = time.process_time()
