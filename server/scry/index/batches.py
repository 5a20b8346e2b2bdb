"""Split work into batches by size or by time.

Work in portions: small enough to be published, looked up or interrupted in between, large enough to cost little.

How much to do at once so that it takes about so long: found out while doing it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from msgspec import Struct

CACHE_LOOKUP_BYTES = 100_000
CACHE_LOOKUP_FILES = 40
"""So much text is parsed between two looks into the cache: 0.05 s of work, which another may do at the same time."""

T = TypeVar("T")


def split_into_batches(
    items: Iterable[T], size: Callable[[T], int], *, target_size: int, max_items: int
) -> Iterator[list[T]]:
    """The items in order, in lists that end once their sizes come to `full`, or after `most` items."""
    batch: list[T] = []
    total = 0
    for item in items:
        batch.append(item)
        total += size(item)
        if total >= target_size or len(batch) >= max_items:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


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
