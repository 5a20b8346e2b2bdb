"""Random queries in every mode get an answer or a clear error, and read nothing outside the project.

`tests/bench/test_bench_fuzz.py` asks 100,000 times.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from scry.engine import Engine
from scry_protocol.messages import FindParams
from tests.acceptance.fuzz import SECRET, Fuzz, opened_outside, run_query
from tests.sample.indexed import IndexedProject

TIMES = 600


@pytest.fixture(scope="module")
def engine(shop: IndexedProject) -> Iterator[Engine]:
    with closing(shop.engine()) as engine:
        yield engine


@pytest.mark.acceptance("W2", "F8a")
@pytest.mark.parametrize("seed", [1, 2])
def test_any_name_and_query_get_an_answer_or_clear_error(engine: Engine, shop: IndexedProject, seed: int) -> None:
    fuzz = Fuzz(seed)
    query_id = engine.find(FindParams("fuse")).query_id
    with opened_outside(shop.root) as outside:
        for _ in range(TIMES):
            params = fuzz.params()
            shown = run_query(engine, params, query_id)
            assert shown.strip(), params
            assert SECRET not in shown, params
            assert "\0" not in shown, params
    assert not outside


def test_fuzz_guard_detects_files_opened_outside(shop: IndexedProject) -> None:
    with opened_outside(shop.root) as outside, open("/etc/passwd", encoding="utf-8") as file:  # noqa: PTH123
        assert SECRET in file.read()
    assert outside == {"/etc/passwd"}
