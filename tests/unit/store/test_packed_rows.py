"""Rows of vectors as they lie on disk."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scry.store.vectors import MAX_QUANTIZED, MIN_SCALE, FloatRows, pack_blocks, quantize, rotate, unpack_block


def unit_vectors(seed: int, count: int, dimension: int) -> FloatRows:
    made = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 1024), st.sampled_from([1, 8, 12, 100, 256, 384]))
def test_what_was_packed_comes_back_whatever_was_packed_with_it(seed: int, count: int, dimension: int) -> None:
    vectors = unit_vectors(seed, count, dimension)
    rows = quantize(range(count), vectors)
    assert np.abs(rows.matrix.astype(np.float32)).max() <= MAX_QUANTIZED
    steps = rows.scales[:, None]
    assert steps.min() >= np.float32(MIN_SCALE)
    assert (np.abs(rows.matrix * steps - rotate(vectors)) <= 0.501 * steps).all(), "half a step"
    for number in range(0, count, 7):
        alone = quantize([number], vectors[[number]])
        assert all(np.array_equal(one, many[[number]]) for one, many in zip(alone, rows, strict=True)), "bit for bit"
    back = unpack_block(pack_blocks(rows)[8:], count, dimension)
    assert all(np.array_equal(before, after) for before, after in zip(rows, back, strict=True))


def test_a_row_takes_less_than_a_byte_a_number() -> None:
    packed = pack_blocks(quantize(range(5000), unit_vectors(1, 5000, 256)))
    assert len(packed) < 5000 * 240


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 8, 12, 100, 256, 384]))
def test_a_turn_changes_no_product(seed: int, dimension: int) -> None:
    vectors = unit_vectors(seed, 9, dimension)
    products, before = np.inner(rotate(vectors), rotate(vectors)), np.inner(vectors, vectors)
    assert np.abs(products - before).max() < 1e-5
