from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from scry.core.memory import CAPTURED_KINDS, MEMORY_KINDS, MemoryKind, Observation, term_rarity
from scry.store.memory import (
    MEMORY_FILE,
    MEMORY_MIGRATIONS,
    MemoryStore,
    SessionOwner,
    find_candidates,
    look_up_terms,
    memory_file,
)
from scry.store.memory import postings as holders
from scry.store.notes import NoteDatabase

NOW = 1_795_000_000_000
WORDS = ("token", "cart", "mail", "retry", "lock")


@pytest.fixture
def noted(tmp_path: Path) -> Iterator[tuple[sqlite3.Connection, dict[int, tuple[MemoryKind, frozenset[str]]]]]:
    """Memories of a few words each, and what each is and holds by number."""
    chance = random.Random(4)
    held: dict[int, tuple[MemoryKind, frozenset[str]]] = {}
    with closing(MemoryStore(tmp_path, lambda: None)) as store:
        for place in range(120):
            words = chance.sample(WORDS, chance.randint(1, 4))
            kind: MemoryKind = chance.choice([kind for kind in MEMORY_KINDS if kind != "summary"])  # type: ignore[assignment]
            memory = store.record(Observation(kind, " ".join(words), NOW + place), SessionOwner("/home/ada")).memory
            held[memory.number] = (kind, frozenset(words))
        yield store.database.connection, held


@pytest.mark.parametrize("whole", [0, 50, 4000], ids=["all common", "some common", "none common"])
@pytest.mark.parametrize("least", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("captured", [False, True])
def test_candidates_contain_enough_query_terms(
    noted: tuple[sqlite3.Connection, dict[int, tuple[MemoryKind, frozenset[str]]]],
    monkeypatch: pytest.MonkeyPatch,
    whole: int,
    least: float,
    captured: bool,
) -> None:
    monkeypatch.setattr(holders, "_WHOLE", whole)
    database, held = noted
    query_words = ("cart", "lock", "token", "nowhere")
    looked, total = look_up_terms(database, [(word, word) for word in query_words])
    found = find_candidates(database, looked, least, captured=captured)
    worths = {each.word: term_rarity(each.document_frequency, total) for each in looked}
    expected = {
        number: {word for word in query_words if word in words}
        for number, (kind, words) in held.items()
        if (captured or kind not in CAPTURED_KINDS) and words & set(query_words)
        if sum(worths[word] for word in words & set(query_words)) >= least * sum(worths.values()) - 1e-9
    }
    assert {number: set(words) for number, words in found.items()} == expected


def test_common_word_candidates_are_newest_and_pinned(
    noted: tuple[sqlite3.Connection, dict[int, tuple[MemoryKind, frozenset[str]]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    database, held = noted
    carts = [number for number, (kind, words) in held.items() if "cart" in words and kind not in CAPTURED_KINDS]
    database.execute("UPDATE memories SET pinned = 1 WHERE number = ?", (carts[0],))
    monkeypatch.setattr(holders, "A_WORD", 3)
    for whole in (0, 4000):
        monkeypatch.setattr(holders, "_WHOLE", whole)
        looked, _ = look_up_terms(database, [("cart", "cart")])
        assert sorted(find_candidates(database, looked, 0.5, captured=False)) == [carts[0], *carts[-3:]]


def test_first_version_memory_store_marks_captured_events(tmp_path: Path) -> None:
    path = tmp_path / MEMORY_FILE
    first_version = replace(memory_file(path), migrations=MEMORY_MIGRATIONS[:1])
    with (
        closing(NoteDatabase("memory", path, first_version, write=True)) as file,
        file.transaction() as database,
    ):
        database.execute("INSERT INTO sessions VALUES (1, 's', '/home/ada', '', '', 0, 0, NULL)")
        database.execute("INSERT INTO capsules VALUES (1, 'c', 1, '', 0, NULL, 0)")
        database.execute("INSERT INTO stems VALUES (2, 'cart', 2)")
        for number, kind in ((1, "jump"), (2, "error")):
            values = (number, str(number), kind)
            database.execute(
                "INSERT INTO memories (number, id, capsule, kind, time, scope, agent, text, detail, outcome, refs, key,"
                " stems) VALUES (?, ?, 1, ?, 0, 'session', '', 'cart', '', '', '[]', '', 'cart')",
                values,
            )
            database.execute("INSERT INTO holders VALUES (2, ?)", (number,))
    with closing(MemoryStore(tmp_path, lambda: None)) as store:
        looked, _ = look_up_terms(store.database.connection, [("cart", "cart")])
        assert list(find_candidates(store.database.connection, looked, 0.5, captured=False)) == [2]
        assert sorted(find_candidates(store.database.connection, looked, 0.5, captured=True)) == [1, 2]
