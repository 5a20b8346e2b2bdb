from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from scry.core import BadRequest, MemoryUnavailable
from scry.core.memory import Memory, MemoryKind, Observation, RecalledMemory, RecallPurpose
from scry.store.memory import (
    MEMORY_FILE,
    SESSION_IDLE_MS,
    MemoryFilter,
    MemoryReader,
    MemoryStore,
    SessionOwner,
    forget_memories,
)
from scry.store.memory.cleaning import MAX_DETAIL_CHARACTERS, MAX_TEXT_CHARACTERS
from scry.store.memory.forgetting import affected_memories
from scry.store.precious import make_backup

NOW = 1_795_000_000_000
HOUR_MS = 3_600_000
ADA = SessionOwner("/home/ada/shop")
TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


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


def observed(kind: MemoryKind, text: str, after: int = 0, **more: object) -> Observation:
    return replace(Observation(kind, text, NOW + after), **more)  # type: ignore[arg-type]


def texts(memories: list[Memory]) -> list[str]:
    return [each.text for each in memories]


def recall(
    reader: MemoryReader, *terms: str, purpose: RecallPurpose | None = None, now: int = NOW
) -> list[RecalledMemory]:
    return reader.notes.recall(terms, reader.notes.viewpoint(now, purpose), 10)


def all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_empty_memory_file_is_a_memory_without_entries(tmp_path: Path) -> None:
    path = tmp_path / MEMORY_FILE
    path.parent.mkdir()
    path.write_bytes(b"")
    assert MemoryReader.open(tmp_path, ADA) is None
    with closing(MemoryStore(tmp_path, lambda: None)) as store:
        store.record(observed("note", "Use JWT"), ADA)
    reader = MemoryReader.open(tmp_path, ADA)
    assert reader is not None
    with closing(reader):
        assert texts(reader.select_memories(MemoryFilter())) == ["Use JWT"]


def test_emptied_memory_file_comes_back_from_its_backup(tmp_path: Path) -> None:
    path = tmp_path / MEMORY_FILE
    with closing(MemoryStore(tmp_path, lambda: None)) as store:
        store.record(observed("note", "Use JWT"), ADA)
    make_backup(path, NOW / 1000)
    path.write_bytes(b"")
    with pytest.raises(MemoryUnavailable, match="is empty"):
        MemoryReader.open(tmp_path, ADA)
    with closing(MemoryStore(tmp_path, lambda: None)) as store:
        store.record(observed("note", "Use TLS", 1), ADA)
    reader = MemoryReader.open(tmp_path, ADA)
    assert reader is not None
    with closing(reader):
        assert texts(reader.select_memories(MemoryFilter())) == ["Use TLS", "Use JWT"]


@pytest.mark.acceptance("M1")
def test_session_has_intents_and_ends_each_with_a_summary(store: MemoryStore, reader: MemoryReader) -> None:
    begun = store.start_work(ADA, "make login work", NOW)
    store.record(observed("decision", "Use JWT", 1), ADA)
    again = store.start_work(ADA, "make logout work", NOW + 2)
    store.record(observed("error", "no such session", 3), ADA)
    ended = store.end_session(ADA, NOW + 4)
    assert ended is not None
    assert begun.id == again.id == ended.id
    works = reader.capsules_of_session(begun.id)
    assert [(work.intent, work.started, work.ended) for work in works] == [
        ("make login work", NOW, NOW + 2),
        ("make logout work", NOW + 2, NOW + 4),
    ]
    assert texts(reader.select_memories(MemoryFilter(kinds=("summary",)))) == [
        "Intent: make logout work\nFailed: no such session",
        "Intent: make login work\nDecided: Use JWT",
    ]
    assert store.end_session(ADA, NOW + 5) is None


def test_unstarted_session_ends_after_inactivity(store: MemoryStore, reader: MemoryReader) -> None:
    first = store.record(observed("edit", "a.py"), ADA).memory.session
    assert store.record(observed("edit", "b.py", SESSION_IDLE_MS), ADA).memory.session == first
    second = store.record(observed("edit", "c.py", 2 * SESSION_IDLE_MS + 1), ADA).memory.session
    assert second != first
    sessions = {each.id: each for each in reader.recent_sessions(10)}
    assert (sessions[first].ended, sessions[second].ended) == (NOW + SESSION_IDLE_MS, None)
    assert texts(reader.select_memories(MemoryFilter(kinds=("summary",)))) == ["Files: b.py, a.py"]


def test_work_trees_and_agents_have_sessions_of_their_own(store: MemoryStore, reader: MemoryReader) -> None:
    store.start_work(ADA, "mine", NOW)
    of_agent = store.record(observed("note", "x"), SessionOwner(ADA.root, "reviewer")).memory
    elsewhere = store.record(observed("note", "y"), SessionOwner("/home/ada/other")).memory
    mine = store.record(observed("note", "z"), ADA).memory
    assert len({of_agent.session, elsewhere.session, mine.session}) == 3
    assert (of_agent.scope, mine.scope) == ("agent", "repository")
    assert reader.notes.viewpoint(NOW, None).session == mine.session


def test_repeated_observation_is_the_same_memory(store: MemoryStore) -> None:
    first = store.record(observed("edit", "a.py", key="edit a.py"), ADA)
    again = store.record(observed("edit", "a.py", 5, key="edit a.py"), ADA)
    assert (first.is_new, again.is_new) == (True, False)
    assert again.memory == first.memory._replace(times=2, time=NOW + 5)


@pytest.mark.acceptance("M1")
def test_edited_summary_is_not_replaced_later(store: MemoryStore, reader: MemoryReader) -> None:
    store.start_work(ADA, "login", NOW)
    capsule = store.record(observed("decision", "Use JWT"), ADA).memory.capsule
    store.summarize(capsule, "we chose JWT, see the wiki", NOW)
    store.end_session(ADA, NOW + 1)
    assert texts(reader.select_memories(MemoryFilter(kinds=("summary",)))) == ["we chose JWT, see the wiki"]
    with pytest.raises(BadRequest, match="no piece of work is named"):
        store.summarize("nonsense", "x", NOW)


def test_memories_can_be_pinned(store: MemoryStore, reader: MemoryReader) -> None:
    name = store.record(observed("note", "the till closes on Sundays"), ADA).memory.id
    assert store.set_pinned(name, is_pinned=True).pinned
    assert texts(reader.select_memories(MemoryFilter(pinned=True))) == ["the till closes on Sundays"]
    assert recall(reader, "till", now=NOW + 900 * 24 * HOUR_MS)[0].signals.recency == 1.0
    assert not store.set_pinned(name, is_pinned=False).pinned
    with pytest.raises(BadRequest, match="no memory is named"):
        store.set_pinned("nonsense", is_pinned=True)


def test_long_texts_are_cut_after_they_were_masked(store: MemoryStore) -> None:
    secret = "ghp_" + "a1B2" * 9
    detail = f"token {secret} was refused\n" + "line\n" * 5_000
    memory = store.record(observed("command", "x \n" * 9_000, detail=detail), ADA).memory
    assert len(memory.text) == MAX_TEXT_CHARACTERS
    assert len(memory.detail) <= MAX_DETAIL_CHARACTERS
    assert memory.detail.endswith("line")
    near_the_cut = "y\n" * 8_000 + f"{secret}\n" + "z\n" * (MAX_DETAIL_CHARACTERS // 2 - 10)
    assert "ghp_" not in store.record(observed("command", "y", detail=near_the_cut), ADA).memory.detail


@pytest.mark.acceptance("M1")
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_secret_between_nul_characters_is_masked(store: MemoryStore, tmp_path: Path, encoding: str) -> None:
    text = f"login failed token={TOKEN}".encode(encoding).decode("utf-8", "replace")
    recorded = store.record(observed("error", text, detail=text, refs=(text,)), ADA)
    assert recorded.masked_secrets == 3
    assert recorded.memory.text == "login failed token=[masked]"
    assert TOKEN.encode() not in all_bytes(tmp_path)


@pytest.mark.parametrize("text", ["\0", " \0\n\0", "\x1b[31m", "\0\x1b[\0" + "31m"])
def test_text_without_a_storable_character_is_refused(store: MemoryStore, reader: MemoryReader, text: str) -> None:
    with pytest.raises(BadRequest, match="text: is empty"):
        store.record(observed("note", text), ADA)
    with pytest.raises(BadRequest, match="intent: is empty"):
        store.start_work(ADA, text, NOW)
    assert (reader.count(), reader.recent_sessions(10)) == (0, [])


def test_acts_with_random_ids_are_distinct(store: MemoryStore, tmp_path: Path) -> None:
    acts = [f"act {TOKEN}", f"act {TOKEN[::-1]}", f"act {TOKEN}\ud800"]
    recorded = [store.record(observed("decision", f"decision {act[-5:]}", key=act), ADA) for act in acts]
    assert [each.is_new for each in recorded] == [True, True, True]
    assert not store.record(observed("decision", "told again", key=acts[0]), ADA).is_new
    assert TOKEN.encode() not in all_bytes(tmp_path)


def test_agents_with_secret_or_long_names_have_their_own_sessions(store: MemoryStore, tmp_path: Path) -> None:
    names = [TOKEN, f"ghp_{TOKEN[:3:-1]}", "a" * 100, "a" * 101, "a" * 102]
    owners = [SessionOwner(ADA.root, name) for name in names]
    sessions = [store.record(observed("note", "x"), owner).memory.session for owner in owners]
    assert len(set(sessions)) == len(names)
    assert store.record(observed("note", "y"), owners[0]).memory.session == sessions[0]
    for owner, session in zip(owners, sessions, strict=True):
        reader = MemoryReader.open(tmp_path, owner)
        assert reader is not None
        with closing(reader):
            capsule = reader.last_capsule()
            assert capsule is not None
            assert capsule.session == session
            assert reader.notes.viewpoint(NOW, None).session == session
    assert TOKEN.encode() not in all_bytes(tmp_path)


def test_terms_match_inflected_forms_and_rare_ones_weigh_more(store: MemoryStore, reader: MemoryReader) -> None:
    for number in range(450):
        store.record(observed("command", f"make part{number}", number), ADA)
    store.record(observed("decision", "Retrying requests stops after five attempts", 500), ADA)
    assert recall(reader, "retries", "requested")[0].memory.kind == "decision"
    found = recall(reader, "make", "part3")
    assert found[0].memory.text == "make part3"
    assert found[0].matches == ("part3", "make")
    assert recall(reader, "nonsense") == []


@pytest.mark.acceptance("M1")
@pytest.mark.parametrize("chosen", ["id", "text", "session", "all"])
def test_forgotten_memory_is_in_no_file(store: MemoryStore, reader: MemoryReader, tmp_path: Path, chosen: str) -> None:
    session = store.start_work(ADA, "quokka migration", NOW).id
    name = store.record(
        observed("decision", "Feed the zebrafish", detail="zebrafish zebrafish", refs=("zebrafish.py:1",)), ADA
    ).memory.id
    store.record(observed("note", "keep the pelican"), ADA)
    store.end_session(ADA, NOW + 1)
    assert b"zebrafish" in all_bytes(tmp_path)
    wanted = {
        "id": MemoryFilter(ids=(name,)),
        "text": MemoryFilter(text="ZebraFish"),
        "session": MemoryFilter(session=session),
        "all": MemoryFilter(),
    }[chosen]
    done = forget_memories(store, wanted, NOW + 2)
    assert done.is_clean
    gone = all_bytes(tmp_path).lower()
    assert b"zebrafish" not in gone
    assert b"feed" not in gone
    if chosen in ("id", "text"):
        assert b"pelican" in gone
        assert texts(reader.select_memories(MemoryFilter(kinds=("summary",)))) == [
            "Intent: quokka migration\nNoted: keep the pelican"
        ]
    else:
        assert b"pelican" not in gone
        assert b"quokka" not in gone
        assert reader.recent_sessions(10) == []
    assert recall(reader, "zebrafish") == []


@pytest.mark.parametrize("text", ["größe.py", "src\\win", '"q"', "GRö"])
def test_text_is_found_in_references_as_written(store: MemoryStore, tmp_path: Path, text: str) -> None:
    store.record(observed("note", "first", refs=("other.py", "src/größe.py:1", "src\\win.py:1", '"q".py')), ADA)
    store.record(observed("note", "second", refs=("src/grosse.py",)), ADA)
    with closing(sqlite3.connect(tmp_path / MEMORY_FILE)) as database, database:
        database.execute("UPDATE memories SET refs = '[dam' WHERE text = 'second'")  # costs its own references alone
    assert len(forget_memories(store, MemoryFilter(text=text), NOW + 1).ids) == 1


@pytest.mark.parametrize("text", ["überweisung der straße", "ÜBERWEISUNG DER STRASSE"])
def test_text_is_forgotten_in_upper_and_lower_case_of_all_letters(
    store: MemoryStore, reader: MemoryReader, tmp_path: Path, text: str
) -> None:
    store.start_work(ADA, "Überweisung der Straße", NOW)
    store.record(observed("note", "first"), ADA)
    store.start_work(ADA, "other", NOW + 1)
    store.record(observed("note", "second"), ADA)
    assert sorted(each.kind for each in reader.select_memories(MemoryFilter(text=text))) == ["note", "summary"]
    assert len(forget_memories(store, MemoryFilter(text=text), NOW + 2).ids) == 2
    assert "berweisung" not in (tmp_path / MEMORY_FILE).read_bytes().decode(errors="replace").lower()
    assert [each.text for each in reader.iter_memories() if each.kind == "note"] == ["second"]


def test_forgetting_names_the_summaries_it_replaces(store: MemoryStore, reader: MemoryReader) -> None:
    store.start_work(ADA, "login", NOW)
    name = store.record(observed("decision", "Feed the zebrafish"), ADA).memory.id
    store.record(observed("decision", "keep the pelican"), ADA)
    store.end_session(ADA, NOW + 1)
    (summary,) = reader.select_memories(MemoryFilter(kinds=("summary",)))
    assert set(affected_memories(store, MemoryFilter(ids=(name,)))) == {name, summary.id}
    done = forget_memories(store, MemoryFilter(ids=(name,)), NOW + 2)
    assert (done.ids, done.replaced) == ((name,), (summary.id,))
    assert reader.select_memories(MemoryFilter(ids=(summary.id,))) == []


def test_intents_containing_the_text_are_forgotten(store: MemoryStore, tmp_path: Path) -> None:
    store.start_work(ADA, "quokka migration", NOW)
    store.record(observed("note", "keep the pelican"), ADA)
    store.start_work(ADA, "heron", NOW + 1)
    store.record(observed("note", "keep the heron"), ADA)
    store.end_session(ADA, NOW + 2)
    forget_memories(store, MemoryFilter(text="quokka"), NOW + 3)
    left = all_bytes(tmp_path)
    assert b"quokka" not in left
    assert b"keep the heron" in left


def test_memory_of_a_newer_version_is_refused_unchanged(tmp_path: Path) -> None:
    MemoryStore(tmp_path, lambda: None).close()
    with closing(sqlite3.connect(tmp_path / MEMORY_FILE)) as database:
        database.execute("PRAGMA user_version=99")
    with pytest.raises(MemoryUnavailable, match="newer version"):
        MemoryStore(tmp_path, lambda: None)


def test_purpose_recalls_memories_without_common_words(store: MemoryStore, reader: MemoryReader) -> None:
    store.record(observed("decision", "Use JWT", 1), ADA)
    store.record(observed("command", "make lint", 2, status=2), ADA)
    store.record(observed("command", "make build", 3, status=0), ADA)
    assert [each.memory.text for each in recall(reader, purpose=RecallPurpose.DECISIONS)] == ["Use JWT"]
    assert [each.memory.text for each in recall(reader, purpose=RecallPurpose.FAILURES)] == ["make lint"]
