"""The summary of the log: counted rightly, of a period, and whatever stands in the log."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from scry.core import QUERY, USE, LogEvent, LogUnavailable
from scry.store.events import EVENT_MIGRATIONS, EVENTS_FILE, EventLog, EventReader
from scry.store.events import insights as module
from scry.store.events.insights import Insights, read_insights

pytestmark = pytest.mark.acceptance("U3")

DAY = 86_400_000


def result(rank: int, doc_id: str, **oracle_ranks: int) -> dict[str, object]:
    contributions = {name: {"rank": of, "raw_score": 1.0} for name, of in oracle_ranks.items()}
    return {"rank": rank, "doc_id": doc_id, "contributions": contributions}


def asked(name: str, query: str, *results: Mapping[str, object], at: int = DAY, mode: str = "find") -> LogEvent:
    body = {"mode": mode, "query": query, "asker": "cli:1", "results": results}
    return LogEvent(QUERY, at, json.dumps(body), name)


def used(name: str, rank: int, doc_id: str, at: int = DAY, how: str = "jump") -> LogEvent:
    return LogEvent(USE, at, json.dumps({"rank": rank, "result_used": doc_id, "how": how}), name)


def summary(folder: Path, *events: LogEvent, since: int = 0) -> Insights:
    with closing(EventLog.open(folder, lambda: None)) as log:
        log.append(events)
    found = read_insights(folder, since)
    assert found is not None
    return found


def test_chosen_results_are_counted_by_rank_mode_and_file(tmp_path: Path) -> None:
    a, b = result(1, "./a.py::f", lexical=1, semantic=30), result(2, "./b.py::g", semantic=2)
    got = summary(
        tmp_path,
        asked("q1", "one", a, b),
        used("q1", 2, "./b.py::g"),
        used("q1", 1, "./a.py::f", how="detail"),
        used("q1", 1, "./a.py::f", how="inferred"),
        asked("q2", "two", a, b, mode="recent", at=2 * DAY),
        used("q2", 1, "./a.py::f", at=2 * DAY),
        used("q2", 12, "./b.py::h", at=2 * DAY),
        asked("q3", "three", at=3 * DAY),
    )
    assert (got.questions, got.chosen, got.used, got.empty) == (3, 3, 2, 1)
    assert got.ranks == [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert [(each.mode, each.chosen, each.first, each.first_ten) for each in got.modes] == [
        ("find", 1, 0, 1),
        ("recent", 2, 1, 1),
    ]
    assert [(each.path, each.chosen, each.questions) for each in got.files] == [("b.py", 2, 2), ("a.py", 1, 1)]
    assert [(day.questions, day.chosen) for day in got.days] == [(1, 1), (1, 2), (1, 0)]
    assert [(each.query, each.times) for each in got.in_vain] == [("three", 1)]


def test_oracles_are_judged_by_the_chosen_results(tmp_path: Path) -> None:
    a, b = result(1, "./a.py::f", lexical=1, semantic=30, use=1), result(2, "./b.py::g", semantic=2)
    got = summary(
        tmp_path,
        asked("q1", "one", a, b),
        used("q1", 2, "./b.py::g"),
        asked("q2", "two", a, b),
        used("q2", 1, "./a.py::f"),
        asked("q3", "without a choice", a, b),
    )
    shares = {each.oracle: (each.found, each.first_ten, each.alone, each.shown) for each in got.oracles}
    assert shares == {"semantic": (2, 1, 1, 2), "lexical": (1, 1, 0, 2), "use": (1, 1, 0, 2)}
    assert (got.learning.judged, got.learning.voted, got.learning.mean_rank) == (2, 1, 1.0)


def test_a_question_asked_again_within_a_minute_is_told_unless_a_result_was_chosen(tmp_path: Path) -> None:
    got = summary(
        tmp_path,
        asked("q1", "cookie", result(1, "./a.py"), at=DAY),
        asked("q2", "session cookie", result(1, "./a.py"), at=DAY + 30_000),
        used("q2", 1, "./a.py", at=DAY + 31_000),
        asked("q3", "other", result(1, "./a.py"), at=DAY + 40_000),
        asked("q4", "later", at=DAY + 400_000),
    )
    assert [(each.query, each.then) for each in got.asked_again] == [("cookie", "session cookie")]
    assert got.again == 1


def test_only_the_period_counts(tmp_path: Path) -> None:
    events = [asked(f"q{day}", "x", result(1, "./a.py"), at=day * DAY) for day in range(1, 6)]
    got = summary(tmp_path, *events, used("q1", 1, "./a.py"), used("q5", 1, "./a.py", at=5 * DAY), since=4 * DAY)
    assert (got.events, got.questions, got.chosen) == (7, 2, 1)


def test_secrets_in_questions_are_masked(tmp_path: Path) -> None:
    got = summary(tmp_path, asked("q1", "password=hunter2hunter2X9 AKIAIOSFODNN7EXAMPLE"))
    assert "hunter2" not in repr(got)
    assert "AKIA" not in repr(got)


@pytest.mark.parametrize(
    "body",
    [
        "{",
        "[]",
        "7",
        '"text"',
        '{"mode": 7, "query": "x", "results": []}',
        '{"mode": "find", "query": null}',
        '{"mode": "find", "query": "odd", "results": {"a": {"contributions": 3}}}',
        '{"mode": "find", "query": "odd", "results": [3, {"contributions": [1]}, {"contributions": {"x": 1}}]}',
    ],
)
def test_foreign_and_damaged_rows_cost_nothing_but_themselves(tmp_path: Path, body: str) -> None:
    good = asked("q1", "one", result(1, "./a.py", lexical=1))
    odd = [LogEvent(QUERY, DAY, body, "q2"), used("q2", 1, "./b.py"), LogEvent(USE, DAY, body, "q1")]
    got = summary(tmp_path, good, used("q1", 1, "./a.py"), *odd)
    assert ("lexical", 1) in [(each.oracle, each.found) for each in got.oracles]
    assert got.files[0].path == "a.py"


def test_bytes_that_are_no_text_are_passed_over(tmp_path: Path) -> None:
    summary(tmp_path, asked("q1", "one"))
    odd = b'{"mode":"find","query":"\xff","asker":"\xff","results":[]}'
    with closing(sqlite3.connect(tmp_path / EVENTS_FILE)) as database, database:
        sql = "INSERT INTO events (time, kind, query_id, body) VALUES (?, ?, ?, CAST(? AS TEXT))"
        database.execute(sql, (DAY, QUERY, "q2", odd))
        database.execute(sql, ("yesterday", QUERY, "q3", odd))
        database.execute(sql, (DAY, QUERY, "q4", b"\xff\xfe"))
        database.execute(sql, (DAY, USE, "q2", b'{"rank":1,"how":"jump","result_used":"./\xff.py"}'))
    got = read_insights(tmp_path, 0)
    assert got is not None
    assert [each.query for each in got.in_vain] == ["\ufffd", "one"]
    assert [each.path for each in got.files] == ["\ufffd.py"]


def test_nothing_logged_a_damaged_log_and_a_newer_log_are_told(tmp_path: Path) -> None:
    assert read_insights(tmp_path, 0) is None
    assert summary(tmp_path).questions == 0
    with closing(sqlite3.connect(tmp_path / EVENTS_FILE)) as database:
        database.execute(f"PRAGMA user_version={len(EVENT_MIGRATIONS) + 1}")
    with pytest.raises(LogUnavailable, match="newer version"):
        read_insights(tmp_path, 0)
    (tmp_path / EVENTS_FILE).write_bytes(b"not a database, but long enough to be read as one" * 100)
    with pytest.raises(LogUnavailable, match="damaged"):
        read_insights(tmp_path, 0)


def test_more_questions_than_are_counted_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_QUESTIONS", 2)
    got = summary(tmp_path, *[asked(f"q{at}", f"query {at}") for at in range(5)])
    assert (got.questions, got.is_cut) == (2, True)
    assert {each.query for each in got.in_vain} == {"query 3", "query 4"}


def test_the_log_is_not_written(tmp_path: Path) -> None:
    summary(tmp_path, asked("q1", "one"))
    before = (tmp_path / EVENTS_FILE).read_bytes()
    read_insights(tmp_path, 0)
    assert (tmp_path / EVENTS_FILE).read_bytes() == before


def test_votes_are_joined_with_choices_by_an_index(tmp_path: Path) -> None:
    summary(tmp_path, asked("q1", "one"))
    reader = EventReader.open(tmp_path)
    assert reader is not None
    with closing(reader):
        database = reader.make_scratch()
        database.executescript(module._TABLES)  # pyright: ignore[reportPrivateUsage]
        plan = database.execute(f"EXPLAIN QUERY PLAN {module._FILL_VOTES}", {"judged": 1}).fetchall()  # pyright: ignore[reportPrivateUsage]
    steps = [row[3] for row in plan]
    assert any(step.startswith("SEARCH c USING COVERING INDEX chosen_by_question") for step in steps), steps
