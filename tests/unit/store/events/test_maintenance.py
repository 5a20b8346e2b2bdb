"""Forgetting is for good, and leaves an event; compaction keeps what was used."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from scry.core import EventFilter, LogEvent, LogUnavailable
from scry.store import AnswerStore
from scry.store.events import EventReader, compact_log, forget_events
from scry.store.events import log as events
from tests.unit.store.events.test_log import open_log, query, use


def bodies(folder: Path) -> list[tuple[str, dict[str, object]]]:
    reader = EventReader.open(folder)
    assert reader
    return [(each.event.kind, json.loads(each.event.body)) for each in reader.iter_events()]


def bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    log = open_log(tmp_path)
    log.append([query(f"q_2026112{n}_000000_aaaaaaaa", n * 1000, f"marmalade {n}") for n in range(1, 4)])
    log.append([use("q_20261121_000000_aaaaaaaa", "a", 9000)])
    store = AnswerStore(tmp_path, lambda: None)
    for n in range(1, 4):
        store.put(f"q_2026112{n}_000000_aaaaaaaa", [], f"found Marmalade {n}".encode() * 4000)
    return tmp_path


@pytest.mark.acceptance("E4")
@pytest.mark.parametrize("writers", [(), (1,)])
def test_forgotten_events_are_in_no_file(filled: Path, writers: Sequence[int]) -> None:
    """Also while other processes have the log and the answers open."""
    others = [(open_log(filled), AnswerStore(filled, lambda: None)) for _ in writers]
    for _, store in others:
        store.get("q_20261121_000000_aaaaaaaa")
    outcome = forget_events(filled, EventFilter(), now_ms=5)
    assert (outcome.events, outcome.answers, outcome.is_clean) == (4, 3, True)
    assert b"marmalade" not in bytes_in(filled).lower()
    assert bodies(filled) == [("scry.forget", {"events": 4, "by": ["all"]})]
    for log, _ in others:
        log.append([query("q_new")])


@pytest.mark.acceptance("E4")
@pytest.mark.parametrize(
    ("selection", "left", "answers"),
    [
        (EventFilter(query_id="q_20261121_000000_aaaaaaaa"), [2, 3], 1),
        (EventFilter(text="MARMALADE 2"), [1, 3, 4], 1),
        (EventFilter(text="cucumber"), [1, 2, 3, 4], 0),
    ],
)
def test_events_outside_the_filter_are_kept(
    filled: Path, selection: EventFilter, left: list[int], answers: int
) -> None:
    outcome = forget_events(filled, selection, now_ms=5)
    assert outcome.answers == answers
    reader = EventReader.open(filled)
    assert reader
    *kept, last = reader.iter_events()
    assert [each.sequence for each in kept] == left
    assert last.event.kind == "scry.forget"
    assert "arm" not in last.event.body.lower().replace("query_id", "")


@pytest.mark.acceptance("E4")
@pytest.mark.parametrize("text", ["überweisung der straße", "ÜBERWEISUNG DER STRASSE", "Überweisung der Straße"])
def test_text_is_forgotten_in_upper_and_lower_case_of_all_letters(tmp_path: Path, text: str) -> None:
    log = open_log(tmp_path)
    log.append([query("q_20261121_000000_aaaaaaaa", 1000, "Überweisung der Straße"), query("q_2", 2000, "other")])
    store = AnswerStore(tmp_path, lambda: None)
    store.put("q_20261123_000000_aaaaaaaa", [], "asked while the log was off: ÜBERWEISUNG DER STRASSE".encode())
    outcome = forget_events(tmp_path, EventFilter(text=text), now_ms=5)
    assert (outcome.events, outcome.answers) == (1, 1)
    assert "berweisung" not in bytes_in(tmp_path).decode(errors="replace").lower()


@pytest.mark.acceptance("E4")
def test_answers_that_quote_past_questions_go_with_those_that_can_be_quoted(filled: Path) -> None:
    """The oracle of use quotes questions of which a result was used or rated, no others."""
    store = AnswerStore(filled, lambda: None)
    store.put("q_20261124_000000_aaaaaaaa", [], b"score_type\xa4uses you opened this")
    store.close()
    assert forget_events(filled, EventFilter(text="marmalade 2"), now_ms=5).answers == 1
    assert forget_events(filled, EventFilter(text="marmalade 1"), now_ms=6).answers == 2


@pytest.mark.acceptance("E4")
def test_compaction_keeps_queries_and_used_results(tmp_path: Path) -> None:
    found = '{"mode":"find","query":"x","results":[{"rank":1,"doc_id":"./a.py"},{"rank":2,"doc_id":"./b.py"}]}'
    open_log(tmp_path).append(
        [LogEvent("scry.query", at, found, name) for name, at in (("q_old", 1), ("q_used", 2), ("q_new", 50))]
        + [use("q_used", "a", 60)]
    )
    assert compact_log(tmp_path, before_ms=10, now_ms=99).events == 1
    reader = EventReader.open(tmp_path)
    assert reader
    table = reader.run_select("SELECT query_id, results, doc_id FROM queries LEFT JOIN results USING (query_id)")
    assert sorted(map(tuple, table.rows), key=str) == sorted(
        [("q_old", 2, None), *((name, 2, doc) for name in ("q_used", "q_new") for doc in ("./a.py", "./b.py"))], key=str
    )
    assert bodies(tmp_path)[-1] == ("scry.compact", {"queries": 1, "before": 10})


def test_locked_log_is_left_unchanged(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "BUSY_TIMEOUT_S", 0.05)
    holder = sqlite3.connect(filled / events.EVENTS_FILE, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(LogUnavailable, match="held by another program"):
        forget_events(filled, EventFilter(), now_ms=5)
    holder.close()
    assert len(bodies(filled)) == 4


def test_forgetting_without_a_log_creates_no_file(tmp_path: Path) -> None:
    assert forget_events(tmp_path, EventFilter(), 0).events == compact_log(tmp_path, 0, 0).events == 0
    assert list(tmp_path.iterdir()) == []
