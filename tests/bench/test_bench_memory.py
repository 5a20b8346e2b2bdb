"""Processor time of a find with 100,000 memories and without any, in turns."""

from __future__ import annotations

import os
import random
import statistics
import time
from contextlib import closing
from pathlib import Path

import pytest

from scry.core import load_settings
from scry.core.memory import MemoryKind, Observation
from scry.embedding import StaticModel
from scry.engine import Engine
from scry.indexer import embed_missing_notes_of
from scry.projects import open_project
from scry.store.index import IndexStore
from scry.store.memory import MemoryStore, SessionOwner, begin_session
from tests.bench.test_bench_find import QUERIES
from tests.bench.trees import build
from tests.bench.turns import ROUNDS, ask_in_turns, p95
from tests.sample.indexed import IndexedProject

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1800), pytest.mark.usefixtures("collected_as_in_a_sidecar")]

MEMORIES = int(os.environ.get("SCRY_BENCH_MEMORIES", "100000"))
DEFINITIONS = int(os.environ.get("SCRY_BENCH_DEFINITIONS", "10000"))
MOST_GROWTH = 1.2
"""Find's p95 may grow by a fifth (issue 9)."""

A_SESSION = 200

KINDS: tuple[tuple[MemoryKind, int], ...] = (
    ("command", 35),
    ("edit", 35),
    ("jump", 12),
    ("commit", 5),
    ("test", 5),
    ("error", 4),
    ("note", 2),
    ("decision", 2),
)
"""The number of each kind among a hundred memories: most are captured automatically."""


def fill(data: Path, root: Path, words: list[str]) -> None:
    """Record memories as the store does, but many in a transaction."""
    some = random.Random(9)
    known: list[MemoryKind] = [kind for kind, _ in KINDS]
    kinds = some.choices(known, [share for _, share in KINDS], k=MEMORIES)
    start = 1_790_000_000_000
    with closing(MemoryStore(data, lambda: data.mkdir(parents=True, exist_ok=True))) as store:
        for first in range(0, MEMORIES, A_SESSION):
            with store.database.transaction() as database:
                intent = " ".join(some.choices(words, k=4))
                place = begin_session(database, SessionOwner(str(root)), intent, start + first * 50_000)
                for number in range(first, min(first + A_SESSION, MEMORIES)):
                    text = " ".join(some.choices(words, k=some.randint(3, 14)))
                    status = 1 if kinds[number] == "command" else None
                    told = Observation(kinds[number], text, start + number * 50_000, status=status)
                    store._insert(database, told, place, "")  # pyright: ignore[reportPrivateUsage]


def vectors(data: Path, cache: Path) -> int:
    """Embed the memories as the indexer does; return their number."""
    with closing(IndexStore.open(cache, write=False)) as index, closing(MemoryStore(data, lambda: None)) as store:
        maker = index.vectors.embedder
        assert maker is not None
        return embed_missing_notes_of(store.notes, maker, StaticModel.load(), lambda: None)


def test_a_hundred_thousand_memories_hardly_delay_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "tree"
    build(root, DEFINITIONS)
    place = IndexedProject(root)
    place.update_index()
    monkeypatch.setenv("SCRY_LOG", "off")
    engines: dict[str, Engine] = {}
    for name in ("none", "many"):
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / name))
        if name == "many":
            data = open_project(root).data
            start = time.perf_counter()
            fill(data, root, [word for query in QUERIES for word in query.split()] + [f"word{n}" for n in range(2000)])
            prose = vectors(data, open_project(root).cache)
            print(f"\n{MEMORIES:,} noted in {time.perf_counter() - start:.0f} s, {prose:,} of them prose")
        engines[name] = Engine.open(root, load_settings(root, {}), start_indexer=False)
    turns = ask_in_turns(engines, lambda answer: any("memory" in each.contributions for each in answer.results), 50)
    growth, p50 = turns.growth(p95), turns.growth(statistics.median)
    print(f"p95 grows to {growth:.2f} of what it was, p50 to {p50:.2f}")
    assert turns.held > ROUNDS
    assert growth < MOST_GROWTH
