"""100,000 odd questions over all modes: an answer or a clear error, and nothing outside the project is read."""

from __future__ import annotations

import os
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from scry_protocol.messages import FindParams
from tests.acceptance.conftest import make_shop
from tests.acceptance.fuzz import SECRET, Fuzz, opened_outside, run_query

pytestmark = [pytest.mark.bench, pytest.mark.timeout(7200)]

TIMES = int(os.environ.get("SCRY_BENCH_QUESTIONS", "100000"))
SEED = int(os.environ.get("SCRY_BENCH_SEED", "2026"))
"""Another one asks others: so the run can be had in parts."""


def test_odd_questions_over_all_modes(tmp_path: Path) -> None:
    sample = make_shop(tmp_path / "shop")
    sample.update_index()
    fuzz, asked, start = Fuzz(SEED), Counter[str](), time.perf_counter()
    with closing(sample.engine()) as engine, opened_outside(sample.root) as outside:
        query_id = engine.find(FindParams("fuse")).query_id
        for number in range(TIMES):
            params = fuzz.params()
            asked[type(params).__name__] += 1
            shown = run_query(engine, params, query_id)
            assert shown.strip(), (number, params)
            assert SECRET not in shown, (number, params)
            assert "\0" not in shown, (number, params)
            if number % 500 == 499:  # the answer that is asked about expires else
                query_id = engine.find(FindParams("fuse")).query_id
    taken = time.perf_counter() - start
    print(f"\n{TIMES:,} odd questions in {taken:.0f} s, none failed: {dict(asked)}; opened outside: {sorted(outside)}")
    assert not outside
