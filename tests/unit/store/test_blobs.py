"""The cache of parse results: batches between two look-ups, and what is removed when it grows too large."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.store import BlobCache, split_into_batches
from scry.store import blobs as module


@given(st.lists(st.integers(0, 50)), st.integers(1, 100), st.integers(1, 10))
def test_all_batches_but_the_last_are_full(sizes: list[int], full: int, most: int) -> None:
    made = list(split_into_batches(sizes, int, target_size=full, max_items=most))
    assert [size for portion in made for size in portion] == sizes
    assert all(sum(portion) >= full or len(portion) == most for portion in made[:-1])
    assert all(sum(portion[:-1]) < full and 0 < len(portion) <= most for portion in made)


def test_eviction_removes_what_was_unused_longest_and_shrinks_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_CACHE_BYTES", 1_000_000)
    old = {b"old %d" % number: os.urandom(50_000) for number in range(60)}
    new = {b"new %d" % number: os.urandom(50_000) for number in range(10)}
    with closing(BlobCache(tmp_path, today=1)) as cache:
        cache.put(old, is_incompressible=True)
        assert cache.evict() == 43, "of 3 MB, so many of 50 kB and some that 0.9 MB are left"
    with closing(BlobCache(tmp_path, today=2)) as cache:
        cache.put(new, is_incompressible=True)
        assert cache.evict() == 10, "17 of the first day and 10 of this one are 1.35 MB"
        assert cache.get(list(new)) == new
        assert cache.evict() == 0
    assert (tmp_path / "blobs.sqlite").stat().st_size < 3_000_000 / 2
