"""The questions of docs/events.md answer what they say they do (E5)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from scry.core import FEEDBACK, QUERY, USE, LogEvent
from scry.store.events import EVENT_MIGRATIONS, EventLog, EventReader

PAGE = (Path(__file__).parents[2] / "docs" / "events.md").read_text(encoding="utf-8")
EXAMPLES = {
    match["title"]: match["sql"]
    for match in re.finditer(r"^(?P<title>[A-Z][^\n]*):\n\n```sql\n(?P<sql>.*?)```", PAGE, re.MULTILINE | re.DOTALL)
}


def query_log(
    name: str,
    second: float,
    query: str,
    semantic: Mapping[str, tuple[int, float]],
    mode: str = "find",
    asker: str = "cli:1",
) -> LogEvent:
    """Return a question whose results are the documents named, each with its semantic rank and cosine."""
    results = [
        {
            "rank": rank,
            "doc_id": doc_id,
            "contributions": {"semantic": {"rank": place, "raw_score": cosine, "score_type": "cosine"}},
        }
        for rank, (doc_id, (place, cosine)) in enumerate(semantic.items(), 1)
    ]
    body = {"mode": mode, "query": query, "asker": asker, "surface": "cli", "results": results}
    return LogEvent(QUERY, int(second * 1000), json.dumps(body), name)


def used(name: str, second: float, rank: int, doc_id: str) -> LogEvent:
    body = {"rank": rank, "result_used": doc_id, "how": "jump", "surface": "lsp"}
    return LogEvent(USE, int(second * 1000), json.dumps(body), name, f"{name}-{rank}")


THREE = {"./a.py": (1, 0.9), "./b.py": (2, 0.85), "./c.py": (3, 0.5)}

LOG = (
    query_log("q_1", 0, "retry", THREE),
    used("q_1", 5, 3, "./c.py"),
    query_log("q_2", 100, "backoff", {"./a.py": (2, 0.7), "./b.py": (1, 0.95), "./c.py": (3, 0.4)}),
    used("q_2", 101, 3, "./c.py"),
    query_log("q_3", 200, "nothing", {}),
    query_log("q_4", 210, "elsewhere", {}, asker="cli:2"),
    query_log("q_5", 230, "something", {"./d.py": (1, 0.3)}),
    LogEvent(FEEDBACK, 240_000, '{"signal":"bad","comment":"not it"}', "q_5"),
    LogEvent(FEEDBACK, 241_000, '{"signal":"good","comment":""}', "q_1"),
    query_log("q_6", 100, "clock set back", {}),
    query_log("q_7", 500, "", {"./a.py": (1, 0.1)}, mode="orient"),
)

ANSWERS: Mapping[str, Sequence[tuple[object, ...]]] = {
    "The best by meaning came first, but the third was used": [
        ("1970-01-01T00:00:00.000Z", "retry", "./a.py", "./c.py"),
    ],
    "Near in meaning (cosine above 0.8), yet never used": [
        *(("backoff", "./b.py", 2, 0.95), ("retry", "./a.py", 1, 0.9), ("retry", "./b.py", 2, 0.85)),
    ],
    "Asked again in other words within 60 s, without a use in between": [("nothing", "something", 30.0)],
    "How often each mode is asked, and how often that leads somewhere": [
        ("find", 6, 33.0, 1, 1),
        ("orient", 1, 0.0, 0, 0),
    ],
    "Which rank is used how often": [(3, 2)],
    "Answers that were bad, with your words": [("1970-01-01T00:04:00.000Z", "something", "not it")],
    "Questions that found nothing": [("clock set back", 1), ("elsewhere", 1), ("nothing", 1)],
}


@pytest.fixture
def reader(tmp_path: Path) -> EventReader:
    EventLog.open(tmp_path, lambda: None).append(LOG)
    reader = EventReader.open(tmp_path)
    assert reader
    return reader


@pytest.mark.acceptance("E5")
@pytest.mark.parametrize("title", ANSWERS)
def test_each_sql_example_returns_its_expected_rows(reader: EventReader, title: str) -> None:
    assert [tuple(row) for row in reader.run_select(EXAMPLES[title]).rows] == ANSWERS[title]


def test_every_sql_example_has_an_expected_result() -> None:
    assert set(EXAMPLES) == set(ANSWERS)
    assert PAGE.count("```sql") == len(EXAMPLES)


@pytest.mark.acceptance("E5")
def test_the_page_names_every_view_and_only_columns_that_exist(reader: EventReader) -> None:
    section = PAGE.partition("\n## Views\n")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE))
    assert list(rows) == list(dict.fromkeys(re.findall(r"CREATE VIEW (\w+)", "".join(EVENT_MIGRATIONS))))
    for view, words in rows.items():
        table = reader.run_select(f"SELECT * FROM {view}")
        assert set(re.findall(r"`(\w+)`", words)) <= set(table.columns), view


@pytest.mark.acceptance("E5")
def test_a_result_knows_how_it_was_used_and_rated(reader: EventReader) -> None:
    sql = "SELECT rank, uses, used_how, query_uses, rating FROM query_analysis WHERE query_id = 'q_1'"
    assert [tuple(row) for row in reader.run_select(sql).rows] == [
        (1, 0, None, 1, "good"),
        (2, 0, None, 1, "good"),
        (3, 1, "jump", 1, "good"),
    ]
