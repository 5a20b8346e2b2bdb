"""Queries of the log, the evaluation cases made of their uses, and the queries that are replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scry.core import FEEDBACK, QUERY, USE, BadRequest, LogEvent
from scry.lab import EvaluationCase, ExpectedResult, build_gold_cases, latest_distinct, read_logged_queries
from scry.store.events import EventLog

ROOT = Path("/project")


def _query(query_id: str, query: str, found: list[str], **more: object) -> LogEvent:
    body = {"mode": "find", "query": query, "root": str(ROOT), "options": {"limit": 10}} | more
    return LogEvent(QUERY, 1, json.dumps(body | {"results": [{"doc_id": each} for each in found]}), query_id)


def _use(query_id: str, doc_id: str, how: str = "jump", act_id: str | None = None, **more: object) -> LogEvent:
    body = {"rank": 1, "result_used": doc_id, "how": how} | more
    return LogEvent(USE, 2, json.dumps(body), query_id, act_id or f"{query_id}{doc_id}{how}")


def _log(folder: Path, *events: LogEvent) -> Path:
    log = EventLog.open(folder, lambda: folder.mkdir(exist_ok=True))
    for event in events:
        log.append([event])
    log.close()
    return folder


def test_missing_log_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="nothing was logged"):
        read_logged_queries(tmp_path, ROOT)


def test_only_questions_to_find_of_this_folder_count(tmp_path: Path) -> None:
    _log(
        tmp_path,
        _query("q_1", "one", ["./a"]),
        _query("q_2", "two", ["./a"], mode="recent"),
        _query("q_3", "three", ["./a"], root="/other"),
        _query("q_4", "what calls a", ["./a"], options={"reason": True}),
        _use("q_2", "./a"),
    )
    assert [question.query for question in read_logged_queries(tmp_path, ROOT)] == ["one"]


@pytest.mark.acceptance("L3")
def test_used_results_become_cases_and_bad_ones_do_not(tmp_path: Path) -> None:
    _log(
        tmp_path,
        _query("q_1", "where is  fusion", ["./a.py::fuse", "./b.py"]),
        _use("q_1", "./a.py::fuse"),
        _use("q_1", "commit:abc"),
        _query("q_2", "where is fusion", ["./b.py"]),
        _use("q_2", "./b.py", "copy"),
        _query("q_3", "looked at", ["./a.py"]),
        _use("q_3", "./a.py", "detail"),
        _query("q_4", "misled", ["./a.py"]),
        _use("q_4", "./a.py"),
        LogEvent(FEEDBACK, 3, json.dumps({"signal": "bad"}), "q_4"),
    )
    questions = read_logged_queries(tmp_path, ROOT)
    targets = (ExpectedResult("a.py", doc_id="./a.py::fuse"), ExpectedResult("b.py", doc_id="./b.py"))
    assert build_gold_cases(questions) == [EvaluationCase("where is fusion", targets, "log", "used 2 times")]
    assert [case.query for case in build_gold_cases(questions, ["detail"])] == ["looked at"]


def test_answers_of_several_projects_are_told_apart(tmp_path: Path) -> None:
    """The names before their doc_ids say so. A use of the log's own project counts without its name."""
    _log(
        tmp_path,
        _query("q_1", "one", ["./a.py"]),
        _query("q_2", "two", ["shop:./a.py", "depot:./b.py"], options={"team": True}),
        _use("q_2", "shop:./a.py"),
        _use("q_2", "depot:./b.py", team=True),
        _query("q_3", "three", ["other:./c.py"]),
        _use("q_3", "other:./c.py", elsewhere=True),
    )
    questions = read_logged_queries(tmp_path, ROOT)
    assert [question.is_merged for question in questions] == [False, True, True]
    assert build_gold_cases(questions) == [
        EvaluationCase("two", (ExpectedResult("a.py", doc_id="./a.py"),), "log", "used 1 time")
    ]


def test_repeated_question_keeps_last_form_and_all_uses(tmp_path: Path) -> None:
    _log(
        tmp_path,
        _query("q_1", "one", ["./a", "./b"]),
        _use("q_1", "./b"),
        _query("q_2", "two", ["./a"]),
        _query("q_3", "one", ["./b", "./a"]),
        _query("q_4", "one", ["./b"], options={"limit": 1}),
        _query("q_5", "nothing found", []),
    )
    found = latest_distinct(read_logged_queries(tmp_path, ROOT), 10)
    assert [(each.query_id, each.found) for each in found] == [
        ("q_2", ["./a"]),
        ("q_3", ["./b", "./a"]),
        ("q_4", ["./b"]),
    ]
    assert found[1].used == [("./b", "jump")]
    assert [each.query_id for each in latest_distinct(read_logged_queries(tmp_path, ROOT), 1)] == ["q_4"]
