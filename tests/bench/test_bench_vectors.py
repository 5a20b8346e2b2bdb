"""How fast exact search is. Absolute figures are reported; only ratios on the same machine are asserted."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from scry.store import FloatRows, VectorFile, quantize

ROWS, DIMENSION, NEAREST = 50_000, 256, 256

pytestmark = pytest.mark.bench


def seconds(action: Callable[[], object], times: int = 15) -> float:
    """Return the shortest of several durations: the one that other programs disturbed least."""
    found: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        found.append(time.perf_counter() - start)
    return min(found)


def unit_rows(count: int) -> FloatRows:
    made = np.random.default_rng(0).standard_normal((count, DIMENSION)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def test_exact_search_is_as_fast_as_a_plain_product(tmp_path: Path) -> None:
    rows = unit_rows(ROWS)
    query, queries = rows[7], iter(rows)
    file = VectorFile(tmp_path / "v", DIMENSION)
    count = file.append(0, quantize(range(ROWS), rows))
    load = seconds(lambda: VectorFile(tmp_path / "v", DIMENSION).load(count), 3)
    file.load(count)
    ours = seconds(lambda: file.search(next(queries), NEAREST))  # a repeated query is not compared again
    among = np.arange(ROWS + 1) % 3 == 0
    filtered = seconds(lambda: file.search(query, NEAREST, among))
    plain = seconds(lambda: np.argpartition(-(rows @ query), NEAREST)[:NEAREST])
    print(
        f"\nexact search over {ROWS:,} x {DIMENSION}: {1000 * ours:.2f} ms, among a third of them "
        f"{1000 * filtered:.2f} ms; plain numpy {1000 * plain:.2f} ms; reading the file {1000 * load:.0f} ms"
    )
    assert ours < 2.5 * plain
    assert filtered < 5 * plain


def test_a_saved_file_does_not_copy_all_rows(tmp_path: Path) -> None:
    rows = unit_rows(ROWS)
    file = VectorFile(tmp_path / "v", DIMENSION)
    count = file.append(0, quantize(range(ROWS), rows))
    whole = seconds(lambda: VectorFile(tmp_path / "v", DIMENSION).load(count), 3)
    file.load(count)
    steps: list[float] = []
    for step in range(20):
        count = file.append(count, quantize(range(ROWS + 5 * step, ROWS + 5 * step + 5), rows[:5]))
        start = time.perf_counter()
        file.load(count)
        steps.append(time.perf_counter() - start)
    print(f"\nfive more rows: {1000 * sorted(steps)[10]:.2f} ms; the whole file: {1000 * whole:.0f} ms")
    assert sorted(steps)[10] < whole / 10


@pytest.mark.parametrize("count", [100_000, 1_000_000])
def test_exact_search_over_many_rows(tmp_path: Path, count: int) -> None:
    file = VectorFile(tmp_path / "v", DIMENSION)
    packed = quantize(range(100_000), unit_rows(100_000))
    rows = 0
    while rows < count:
        rows = file.append(rows, packed)
    file.load(rows)
    plain_rows = unit_rows(ROWS)
    query, queries = plain_rows[0], iter(plain_rows)
    plain = seconds(lambda: np.argpartition(-(plain_rows @ query), NEAREST)[:NEAREST]) / ROWS
    ours = seconds(lambda: file.search(next(queries), NEAREST))
    print(f"\nexact search over {rows:,} rows: {1000 * ours:.1f} ms; plain numpy {1000 * plain * rows:.1f} ms")
    assert ours < 4 * plain * rows, "a row of many costs no more than a few rows of few"
