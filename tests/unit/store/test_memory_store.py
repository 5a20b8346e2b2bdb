from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from scry.core.errors import BadRequest, MemoryUnavailable
from scry.core.memory.purpose import Purpose
from scry.core.memory.ranking import Recalled
from scry.core.memory.types import Kind, Memory, Observation
from scry.store.memory.forget import forget
from scry.store.memory.migrations import FILE
from scry.store.memory.reader import Filter, MemoryReader
from scry.store.memory.sessions import IDLE_MS, Owner
from scry.store.memory.store import MOST_DETAIL, MOST_TEXT, MemoryStore

NOW = 1_795_000_000_000
HOUR_MS = 3_600_000
ADA = Owner("/home/ada/shop")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with closing(MemoryStore(tmp_path, lambda: None)) as store:
        yield store


@pytest.fixture
def reader(store: MemoryStore, tmp_path: Path) -> Iterator[MemoryReader]:
    reader = MemoryReader.open(tmp_path, ADA)
    assert reader is not None
    with closing(reader):
        yield reader


def observed(kind: Kind, text: str, after: int = 0, **more: object) -> Observation:
    return replace(Observation(kind, text, NOW + after), **more)  # type: ignore[arg-type]


def texts(memories: list[Memory]) -> list[str]:
    return [each.text for each in memories]


def recall(reader: MemoryReader, *terms: str, purpose: Purpose | None = None, now: int = NOW) -> list[Recalled]:
    return reader.shelf.recall(terms, reader.shelf.viewpoint(now, purpose), 10)


def all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.acceptance("M1")
def test_a_session_has_pieces_of_work_with_an_intent_and_each_ends_with_a_summary(
    store: MemoryStore, reader: MemoryReader
) -> None:
    begun = store.start(ADA, "make login work", NOW)
    store.note(observed("decision", "Use JWT", 1), ADA)
    again = store.start(ADA, "make logout work", NOW + 2)
    store.note(observed("error", "no such session", 3), ADA)
    ended = store.end(ADA, NOW + 4)
    assert ended is not None
    assert begun.id == again.id == ended.id
    works = reader.capsules(begun.id)
    assert [(work.intent, work.started, work.ended) for work in works] == [
        ("make login work", NOW, NOW + 2),
        ("make logout work", NOW + 2, NOW + 4),
    ]
    assert texts(reader.memories(Filter(kinds=("summary",)))) == [
        "Intent: make logout work\nFailed: no such session",
        "Intent: make login work\nDecided: Use JWT",
    ]
    assert store.end(ADA, NOW + 5) is None


def test_a_session_that_nobody_began_ends_where_nothing_is_noted_for_long(
    store: MemoryStore, reader: MemoryReader
) -> None:
    first = store.note(observed("edit", "a.py"), ADA).memory.session
    assert store.note(observed("edit", "b.py", IDLE_MS), ADA).memory.session == first
    second = store.note(observed("edit", "c.py", 2 * IDLE_MS + 1), ADA).memory.session
    assert second != first
    sessions = {each.id: each for each in reader.sessions(10)}
    assert (sessions[first].ended, sessions[second].ended) == (NOW + IDLE_MS, None)
    assert texts(reader.memories(Filter(kinds=("summary",)))) == ["Files: b.py, a.py"]


def test_work_trees_and_agents_have_sessions_of_their_own(store: MemoryStore, reader: MemoryReader) -> None:
    store.start(ADA, "mine", NOW)
    of_agent = store.note(observed("note", "x"), Owner(ADA.root, "reviewer")).memory
    elsewhere = store.note(observed("note", "y"), Owner("/home/ada/other")).memory
    mine = store.note(observed("note", "z"), ADA).memory
    assert len({of_agent.session, elsewhere.session, mine.session}) == 3
    assert (of_agent.scope, mine.scope) == ("agent", "repository")
    assert reader.shelf.viewpoint(NOW, None).session == mine.session


def test_what_is_told_again_is_the_same(store: MemoryStore) -> None:
    first = store.note(observed("edit", "a.py", key="edit a.py"), ADA)
    again = store.note(observed("edit", "a.py", 5, key="edit a.py"), ADA)
    assert (first.is_new, again.is_new) == (True, False)
    assert again.memory == first.memory._replace(times=2, time=NOW + 5)


@pytest.mark.acceptance("M1")
def test_a_person_replaces_a_summary_and_no_later_one_takes_its_place(store: MemoryStore, reader: MemoryReader) -> None:
    store.start(ADA, "login", NOW)
    capsule = store.note(observed("decision", "Use JWT"), ADA).memory.capsule
    store.summarize(capsule, "we chose JWT, see the wiki", NOW)
    store.end(ADA, NOW + 1)
    assert texts(reader.memories(Filter(kinds=("summary",)))) == ["we chose JWT, see the wiki"]
    with pytest.raises(BadRequest, match="no piece of work is named"):
        store.summarize("nonsense", "x", NOW)


def test_pins(store: MemoryStore, reader: MemoryReader) -> None:
    name = store.note(observed("note", "the till closes on Sundays"), ADA).memory.id
    assert store.pin(name, is_pinned=True).pinned
    assert texts(reader.memories(Filter(pinned=True))) == ["the till closes on Sundays"]
    assert recall(reader, "till", now=NOW + 900 * 24 * HOUR_MS)[0].signals.recency == 1.0
    assert not store.pin(name, is_pinned=False).pinned
    with pytest.raises(BadRequest, match="no memory is named"):
        store.pin("nonsense", is_pinned=True)


def test_long_texts_are_cut_after_they_were_masked(store: MemoryStore) -> None:
    secret = "ghp_" + "a1B2" * 9
    detail = f"token {secret} was refused\n" + "line\n" * 5_000
    memory = store.note(observed("command", "x \n" * 9_000, detail=detail), ADA).memory
    assert len(memory.text) == MOST_TEXT
    assert len(memory.detail) <= MOST_DETAIL
    assert memory.detail.endswith("line")
    near_the_cut = "y\n" * 8_000 + f"{secret}\n" + "z\n" * (MOST_DETAIL // 2 - 10)
    assert "ghp_" not in store.note(observed("command", "y", detail=near_the_cut), ADA).memory.detail


def test_words_find_in_any_form_and_the_rare_one_says_more(store: MemoryStore, reader: MemoryReader) -> None:
    for number in range(450):
        store.note(observed("command", f"make part{number}", number), ADA)
    store.note(observed("decision", "Retrying requests stops after five attempts", 500), ADA)
    assert recall(reader, "retries", "requested")[0].memory.kind == "decision"
    found = recall(reader, "make", "part3")
    assert found[0].memory.text == "make part3"
    assert found[0].matches == ("part3", "make")
    assert recall(reader, "nonsense") == []


@pytest.mark.acceptance("M1")
@pytest.mark.parametrize("chosen", ["id", "text", "session", "all"])
def test_what_is_forgotten_is_in_no_byte_of_any_file(
    store: MemoryStore, reader: MemoryReader, tmp_path: Path, chosen: str
) -> None:
    session = store.start(ADA, "quokka migration", NOW).id
    name = store.note(
        observed("decision", "Feed the zebrafish", detail="zebrafish zebrafish", refs=("zebrafish.py:1",)), ADA
    ).memory.id
    store.note(observed("note", "keep the pelican"), ADA)
    store.end(ADA, NOW + 1)
    assert b"zebrafish" in all_bytes(tmp_path)
    wanted = {
        "id": Filter(ids=(name,)),
        "text": Filter(text="ZebraFish"),
        "session": Filter(session=session),
        "all": Filter(),
    }[chosen]
    done = forget(store, wanted, NOW + 2)
    assert done.is_clean
    gone = all_bytes(tmp_path).lower()
    assert b"zebrafish" not in gone
    assert b"feed" not in gone
    if chosen in ("id", "text"):
        assert b"pelican" in gone
        assert texts(reader.memories(Filter(kinds=("summary",)))) == [
            "Intent: quokka migration\nNoted: keep the pelican"
        ]
    else:
        assert b"pelican" not in gone
        assert b"quokka" not in gone
        assert reader.sessions(10) == []
    assert recall(reader, "zebrafish") == []


def test_intents_that_hold_the_text_are_forgotten_too(store: MemoryStore, tmp_path: Path) -> None:
    store.start(ADA, "quokka migration", NOW)
    store.note(observed("note", "keep the pelican"), ADA)
    store.start(ADA, "heron", NOW + 1)
    store.note(observed("note", "keep the heron"), ADA)
    store.end(ADA, NOW + 2)
    forget(store, Filter(text="quokka"), NOW + 3)
    left = all_bytes(tmp_path)
    assert b"quokka" not in left
    assert b"keep the heron" in left


def test_a_memory_of_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    MemoryStore(tmp_path, lambda: None).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.execute("PRAGMA user_version=99")
    with pytest.raises(MemoryUnavailable, match="newer version"):
        MemoryStore(tmp_path, lambda: None)


def test_what_serves_a_purpose_is_found_without_a_common_word(store: MemoryStore, reader: MemoryReader) -> None:
    store.note(observed("decision", "Use JWT", 1), ADA)
    store.note(observed("command", "make lint", 2, status=2), ADA)
    store.note(observed("command", "make build", 3, status=0), ADA)
    assert [each.memory.text for each in recall(reader, purpose=Purpose.DECISIONS)] == ["Use JWT"]
    assert [each.memory.text for each in recall(reader, purpose=Purpose.FAILURES)] == ["make lint"]
