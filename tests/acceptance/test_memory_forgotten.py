"""Stored answers lose what is forgotten, also where an earlier forgetting was interrupted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scry.core import MemoryUnavailable
from scry.engine import Engine
from scry.store.answers import ANSWERS_FILE
from scry.store.memory import MEMORY_FILE, MemoryFilter, MemoryStore, forget_memories
from scry_protocol.messages import FindParams, ObserveParams
from tests.acceptance.conftest import make_shop

pytestmark = pytest.mark.acceptance("M1")

WORD = b"kizajagepule"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    sample = make_shop(tmp_path / "shop")
    sample.update_index()
    with closing(sample.engine()) as engine:
        yield engine


def observe(shop: Engine, text: str) -> str:
    return shop.observe(ObserveParams("decision", text)).doc_id.removeprefix("memory:")


def answers_hold_word(shop: Engine) -> bool:
    file = shop.memory.project.data / ANSWERS_FILE
    return any(WORD in path.read_bytes() for path in file.parent.glob(f"{file.name}*"))


def test_answer_that_shows_a_rewritten_summary_is_erased(shop: Engine) -> None:
    shop.memory.start("make login work")
    name = observe(shop, "kizajagepule is what we use")
    observe(shop, "the queue is kept")
    shop.memory.end()
    answer = shop.find(FindParams("type:memory intent login", limit=20))
    (summary,) = (result for result in answer.results if result.kind == "summary")
    only_summary = shop.find(FindParams("type:memory make login work", limit=1))
    assert [result.doc_id for result in only_summary.results] == [summary.doc_id]
    assert answers_hold_word(shop)
    forgotten = shop.memory.forget(MemoryFilter(ids=(name,)))
    assert (forgotten.ids, forgotten.is_clean) == ((name,), True)
    assert not answers_hold_word(shop)


def test_answers_are_erased_before_the_memory(shop: Engine) -> None:
    name = observe(shop, "kizajagepule is what we use")
    assert shop.find(FindParams("type:memory use")).results
    with closing(sqlite3.connect(shop.memory.project.data / MEMORY_FILE)) as database, database:
        database.execute("CREATE TRIGGER full BEFORE DELETE ON memories BEGIN SELECT RAISE(ABORT, 'full'); END")
    with pytest.raises(MemoryUnavailable):
        shop.memory.forget(MemoryFilter(ids=(name,)))
    assert [each.id for each in shop.memory.memories(MemoryFilter())] == [name], "asked again, it is found"
    assert not answers_hold_word(shop)


@pytest.mark.parametrize("by_name", [True, False])
def test_answers_left_by_an_interrupted_forgetting_are_erased(shop: Engine, *, by_name: bool) -> None:
    name = observe(shop, "kizajagepule is what we use")
    assert shop.find(FindParams("type:memory use")).results
    with closing(MemoryStore(shop.memory.project.data, lambda: None)) as store:
        forget_memories(store, MemoryFilter(ids=(name,)), 1)
    assert answers_hold_word(shop)
    assert shop.memory.forget(MemoryFilter(ids=(name,)) if by_name else MemoryFilter()).ids == ()
    assert not answers_hold_word(shop)
