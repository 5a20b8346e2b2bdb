"""The page of insights: whole, by itself, safe whatever stands in it, and the same figures in the terminal."""

from __future__ import annotations

import json
import re
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import pytest

from scry.core import QUERY, USE, LogEvent
from scry.store.events import EventLog
from scry.store.events.insights import DayCount, read_insights
from scry.surfaces.render.insights import InsightsReport, days_to_plot, insights_blocks
from scry.surfaces.render.insights_html import render_insights_html
from scry.surfaces.render.page import render_lines
from scry.surfaces.render.styled_text import to_plain_text

pytestmark = pytest.mark.acceptance("U3")

DAY = 86_400_000
HOSTILE = "</title><script>alert(1)</script>\"'><img src=x onerror=alert(2)>\x1b[31m\u202e"


class _Page(HTMLParser):
    """Collects the elements of a page, and what they would fetch or run."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.dangers: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.dangers += [name for name, _ in attrs if name in ("src", "href", "srcset") or name.startswith("on")]
        self.dangers += [tag] if tag in ("script", "link", "img", "iframe", "object", "foreignobject") else []


def report(folder: Path, text: str = "x", *, log_state: str = "") -> InsightsReport:
    """Return the report of a log in which every text is the given one."""
    contributions = {name: {"rank": 1} for name in ("lexical", text)}
    results = [{"rank": at, "doc_id": f"./{text} {at}.py", "contributions": contributions} for at in (1, 2)]
    with closing(EventLog.open(folder, lambda: None)) as log:
        for at in range(6):
            body = {"mode": text, "query": text, "asker": "a", "results": results if at < 4 else []}
            use = {"rank": 1 + at % 2, "result_used": results[at % 2]["doc_id"], "how": "jump"}
            log.append([LogEvent(QUERY, (9 + at) * DAY, json.dumps(body), f"q{at}")])
            log.append([LogEvent(USE, (9 + at) * DAY, json.dumps(use), f"q{at}", f"a{at}")])
    return InsightsReport(text, "2026-11-23 07:00", 90, log_state, text, text, read_insights(folder, 0))


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    page = render_insights_html(report(tmp_path, HOSTILE))
    found = _Page(page)
    assert not found.dangers
    assert found.elements.count("svg") > 5
    assert b"&lt;script&gt;alert(1)" in page
    assert b"\x1b" not in page
    assert "\u202e" not in page.decode()


def test_page_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    page = render_insights_html(report(tmp_path)).decode()
    assert not re.search(r"https?:|@import|url\(|<script|pygal", page)
    assert "prefers-color-scheme: dark" in page
    assert "default-src 'none'" in page


def test_terminal_and_page_show_the_same_tables(tmp_path: Path) -> None:
    of = report(tmp_path)
    text, page = to_plain_text(render_lines(insights_blocks(of))), render_insights_html(of).decode()
    for title in ("By mode", "Which oracle earns its weight", "Found nothing", "Asked on several days", "Learning"):
        assert title in text
        assert f"<h2>{title}</h2>" in page
    assert "choices at rank 1: 50 %" in text
    assert "<b>50 %</b>choices at rank 1" in page


def test_an_empty_log_and_a_log_that_is_off_are_told(tmp_path: Path) -> None:
    nothing = InsightsReport("/p", "now", 90, "The log is off", "off", "", None)
    for page in (to_plain_text(render_lines(insights_blocks(nothing))), render_insights_html(nothing).decode()):
        assert "The log is off" in page
        assert "Nothing was logged of this project yet" in page


def test_long_periods_are_plotted_by_several_days_each() -> None:
    days = [DayCount("2020-01-01", 1, 0), DayCount("2020-01-09", 2, 1), DayCount("2026-11-22", 4, 2)]
    bars = days_to_plot(days)
    assert len(bars) <= 62
    assert sum(asked for _, asked, _ in bars) == 7
    assert [label for label, _, _ in days_to_plot(days[:2])] == [f"2020-01-0{at}" for at in range(1, 10)]
