"""Costs of why and detail beside a find of the same query, in one process, on the tree of `test_bench_find`."""

from __future__ import annotations

import os
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from scry.core import load_settings
from scry.engine import Engine
from scry_protocol.messages import DetailParams, FindParams, WhyParams
from tests.bench.test_bench_find import QUERIES

pytestmark = pytest.mark.bench

ROUNDS = 3
RATIO = 2.0
"""The issue's: why may take twice as long as find."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Return the engine of an indexed tree."""
    source = Path(os.environ.get("SCRY_BENCH_TREE") or Path(statistics.__file__).parent)
    tree = tmp_path_factory.mktemp("why") / "tree"
    shutil.copytree(source, tree, ignore=shutil.ignore_patterns("__pycache__", "site-packages"), symlinks=True)
    with closing(Engine.open(tree, load_settings(tree, {}))) as engine:
        engine.wait_until_current(900, vectors=True)
        engine.warm_up()  # as a sidecar does
        yield engine


def took(work: Callable[[], object]) -> float:
    """Processor milliseconds of this thread: what others do on the machine does not count, nor does git, who is asked
    meanwhile.
    """
    start = time.thread_time()
    work()
    return (time.thread_time() - start) * 1e3


def test_why_takes_at_most_twice_a_find_and_detail_little(engine: Engine) -> None:
    ratios: list[float] = []
    whys: list[float] = []
    details: list[float] = []
    for query in QUERIES * ROUNDS:
        answer = engine.find(FindParams(query, limit=40))
        for result in (answer.results[0], answer.results[-1]):
            find = took(partial(engine.find, FindParams(query, limit=40)))
            whys.append(took(partial(engine.why, WhyParams(result.doc_id, query))))
            ratios.append(whys[-1] / find)
        details.append(took(partial(engine.detail, DetailParams(answer.query_id, 1))))
    ratio, why, detail = (statistics.median(values) for values in (ratios, whys, details))
    p95 = statistics.quantiles(ratios, n=20)[-1]
    print(f"\nwhy p50 {why:.1f} ms, {ratio:.2f} of a find, at p95 {p95:.2f}; detail p50 {detail:.1f} ms")
    assert ratio < RATIO
    assert detail < why
