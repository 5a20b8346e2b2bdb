"""Work in portions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scry.index import AdaptiveBatchSize, split_into_batches


def test_batch_size_grows_to_target_and_shrinks_at_once() -> None:
    batch_size = AdaptiveBatchSize(0.1, 512, 4)
    sizes: list[int] = []
    for _ in range(6):
        batch_size.record(batch_size.size, 0.002 * batch_size.size)
        sizes.append(batch_size.size)
    assert sizes == [8, 16, 32, 50, 50, 50]
    batch_size.record(50, 50.0)
    assert batch_size.size == 1
    for _ in range(12):
        batch_size.record(batch_size.size, 0.0)
    assert batch_size.size == 512


@given(st.lists(st.integers(0, 50)), st.integers(1, 100), st.integers(1, 10))
def test_all_batches_but_the_last_are_full(sizes: list[int], full: int, most: int) -> None:
    made = list(split_into_batches(sizes, int, target_size=full, max_items=most))
    assert [size for portion in made for size in portion] == sizes
    assert all(sum(portion) >= full or len(portion) == most for portion in made[:-1])
    assert all(sum(portion[:-1]) < full and 0 < len(portion) <= most for portion in made)
