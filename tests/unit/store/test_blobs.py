"""Batches between two look-ups in the cache."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scry.store import split_into_batches


@given(st.lists(st.integers(0, 50)), st.integers(1, 100), st.integers(1, 10))
def test_all_batches_but_the_last_are_full(sizes: list[int], full: int, most: int) -> None:
    made = list(split_into_batches(sizes, int, target_size=full, max_items=most))
    assert [size for portion in made for size in portion] == sizes
    assert all(sum(portion) >= full or len(portion) == most for portion in made[:-1])
    assert all(sum(portion[:-1]) < full and 0 < len(portion) <= most for portion in made)
