"""Work in portions: small enough to be published, looked up or interrupted in between, large enough to cost little."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

CACHE_LOOKUP_BYTES = 100_000
CACHE_LOOKUP_FILES = 40
"""So much text is parsed between two looks into the cache: 0.05 s of work, which another may do at the same time."""

T = TypeVar("T")


def split_into_batches(items: Iterable[T], size: Callable[[T], int], *, target_size: int, max_items: int) -> Iterator[list[T]]:
    """The items in order, in lists that end once their sizes come to `full`, or after `most` items."""
    portion: list[T] = []
    total = 0
    for item in items:
        portion.append(item)
        total += size(item)
        if total >= target_size or len(portion) >= max_items:
            yield portion
            portion, total = [], 0
    if portion:
        yield portion
