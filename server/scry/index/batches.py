"""Split work into batches by size or by time.

Batches are small enough to be published, looked up or interrupted in between, and large enough that this costs little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from msgspec import Struct

CACHE_LOOKUP_BYTES = 100_000
CACHE_LOOKUP_FILES = 40
"""Amount of text that is parsed between two look-ups in the cache: 0.05 s of work, which another process may do
meanwhile.
"""

T = TypeVar("T")


def split_into_batches(
    items: Iterable[T], size: Callable[[T], int], *, target_size: int, max_items: int
) -> Iterator[list[T]]:
    """Yield the items in order, in lists that end once their sizes reach `target_size`, or after `max_items` items."""
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
    """A batch size that adapts to measured time.

    target_seconds: how long one step is to take. max_size: the largest size. size: the next batch's size; set the
    first.
    """

    target_seconds: float
    max_size: int
    size: int

    def record(self, count: int, seconds: float) -> None:
        """Adapt to a step of `count` items that took `seconds`.

        The size at most doubles: the first step is untypical.
        """
        if count:
            fitting = self.target_seconds / max(seconds / count, 1e-9)
            self.size = max(1, min(self.max_size, 2 * self.size, int(fitting)))
