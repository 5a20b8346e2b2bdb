"""Where programs' questions are answered: each in a thread, so many at a time, none for ever.

Used on an event loop. A question that nobody waits for any more stops at once; one that takes too long is given up.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from scry.core.errors import Busy, TookTooLong

T = TypeVar("T")

REQUEST_THREADS = 8
"""Questions that are answered at the same time; more of them wait their turn."""

MAX_WAITING_REQUESTS = 256
"""So many may wait: a few seconds' work. Who comes later is told to ask again."""

REQUEST_TIMEOUT_S = 30.0
"""An answer that took longer is of no use to a program that waits for it."""


class RequestPool:
    """The threads of one server, and who waits for them."""

    def __init__(self, threads: int = REQUEST_THREADS, max_waiting: int = MAX_WAITING_REQUESTS, timeout: float = REQUEST_TIMEOUT_S) -> None:
        """within: seconds, the time in the queue included."""
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="scry-ask")
        self._max_requests = threads + max_waiting
        self._timeout = timeout
        self._active = 0

    async def run(self, work: Callable[[Callable[[], bool]], T]) -> T:
        """What `work` returns. It is given a check that turns true when nobody waits any more.

        Raises Busy, TookTooLong, and what `work` raises.
        """
        if self._active >= self._max_requests:
            raise Busy(f"{self._active:,} questions are being answered or wait; ask again in a moment")
        stop = threading.Event()
        self._active += 1
        try:
            return await asyncio.wait_for(self._in_thread(work, stop), self._timeout)
        except asyncio.TimeoutError:
            raise TookTooLong(f"there was no answer within {self._timeout:g} s; ask for less, or again later") from None
        finally:
            stop.set()
            self._active -= 1

    async def _in_thread(self, work: Callable[[Callable[[], bool]], T], stop: threading.Event) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, stop.is_set)

    def close(self) -> None:
        """Lets nobody in any more; what is being answered may end by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)
