"""What a month of use gains on this repository, by two click models, and what reading what was learnt costs a find.

`SCRY_BENCH_ANNOTATED=<repos>:<queries>:<manifest>` names annotated repositories instead, as for `tests.rank.across`.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from scry.core.events import QUERY, USE
from scry.embedding.static_model import load_bundled_model
from scry.engine.activity.learning import learn_from_log
from scry.lab import read_cases
from scry.oracles.use import LIKENESS
from scry.store.events import EventLog
from scry.store.events.learnt import LearntUses
from tests.bench.simulated_use import MODELS, PEOPLE, Outcome, outcomes, table
from tests.rank.pinned import QUESTIONS, corpus
from tests.rank.repositories import judged, read_repositories

pytestmark = pytest.mark.bench

EVENTS = int(os.environ.get("SCRY_BENCH_EVENTS", "1000000"))
HONEST = ("one area", "jumps around")
MONTHS = 20
"""Months on this repository alone: the mean gain of one month has a standard deviation of 0.008."""

Found = Mapping[str, Mapping[tuple[str, str], Outcome]]


@pytest.fixture(scope="module")
def found() -> Found:
    """Return the outcomes by repository."""
    named = os.environ.get("SCRY_BENCH_ANNOTATED")
    if not named:
        with corpus() as index:
            return {"scry": outcomes(index, read_cases(QUESTIONS), months=MONTHS)}
    repos, queries, manifest = map(Path, named.split(os.pathsep))
    options = argparse.Namespace(repos=repos, queries=queries, manifest=manifest, whole=False, only=None)
    outcomes_of: dict[str, Mapping[tuple[str, str], Outcome]] = {}
    for repository in read_repositories(options):
        with judged(repository) as index:
            outcomes_of[repository.name] = outcomes(index, repository.cases)
    return outcomes_of


def test_a_month_of_use_gains_on_returning_questions(found: Found) -> None:
    print()
    for line in table(found):
        print(line)
    gains = [each[person, model].returning for each in found.values() for person in HONEST for model in MODELS]
    assert sum(gains) / len(gains) >= 0.03


def test_no_repository_loses(found: Found) -> None:
    for person in PEOPLE:
        for model in MODELS:
            for name, each in found.items():
                assert each[person, model].every >= (-0.002 if person in HONEST else -0.005), (name, person, model)


def test_learnt_weights_lose_nowhere() -> None:
    """A month of fifteen questions a day has jumps enough to fit weights."""
    with corpus() as index:
        found = {"scry": outcomes(index, read_cases(QUESTIONS), questions_a_day=15)}
    print()
    for line in table(found):
        print(line)
    honest = [each.weighed for (person, _), each in found["scry"].items() if person in HONEST]
    assert sum(honest) / len(honest) >= 0.01
    for (person, _), each in found["scry"].items():
        assert each.weighed >= (-0.002 if person in HONEST else -0.005)


def test_a_long_log_costs_a_find_as_little_as_a_short_one(tmp_path: Path) -> None:
    """A find reads a bounded table, whatever the log holds: bounds the bytes and rows, and prints the times."""
    folder = tmp_path / "data"
    with closing(EventLog.open(folder, lambda: folder.mkdir(exist_ok=True))):
        pass
    now = int(time.time() * 1000)
    with closing(sqlite3.connect(folder / "events.sqlite")) as log, log:
        sql = "INSERT INTO events (time, kind, query_id, act_id, body) VALUES (?, ?, ?, ?, ?)"
        for number in range(EVENTS // 2):
            asked = json.dumps({"mode": "find", "query": f"how is part {number % 5000} of the order number stored"})
            used = json.dumps({"rank": number % 10 + 1, "how": "jump", "result_used": f"./src/part{number % 977}.py"})
            log.execute(sql, (now - EVENTS + number, QUERY, f"q{number}", None, asked))
            log.execute(sql, (now - EVENTS + number, USE, f"q{number}", f"a{number}", used))
    start = time.perf_counter()
    learn_from_log(folder, until_done=True)
    print(f"\n{EVENTS} events learnt in {time.perf_counter() - start:.1f} s, aside")
    model, times, processor = load_bundled_model(), list[float](), list[float]()
    vector = model.encode_query("how is part 4711 of the order number stored")
    with closing(LearntUses(folder / "learnt.sqlite")) as learnt:
        for number in range(500):
            start, began = time.perf_counter(), time.thread_time()
            places = learnt.find_places([number, 1, 2, 3], (model.identity, vector), LIKENESS, now)
            times.append((time.perf_counter() - start) * 1000)
            processor.append((time.thread_time() - began) * 1000)
            assert 0 < len(places) <= 20 * LIKENESS.max_questions
        assert learnt.count()[0] <= 2000
    for name, values in (("wall time", sorted(times)), ("processor time", sorted(processor))):
        print(f"reading, {name}: {values[250]:.2f} ms p50, {values[475]:.2f} ms p95")
    assert sum(path.stat().st_size for path in folder.glob("learnt.sqlite")) < 8_000_000
