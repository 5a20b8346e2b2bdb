"""How much to do at once so that it takes about so long: found out while doing it."""

from __future__ import annotations

from msgspec import Struct


class AdaptiveBatchSize(Struct):
    """seconds: how long one step is to take. most: its size at most. size: what to take next; set the first one."""

    target_seconds: float
    max_size: int
    size: int

    def record(self, count: int, seconds: float) -> None:
        """A step of `count` took so long. The next is at most twice as large: the first of anything is untypical."""
        if count:
            fitting = self.target_seconds / max(seconds / count, 1e-9)
            self.size = max(1, min(self.max_size, 2 * self.size, int(fitting)))
