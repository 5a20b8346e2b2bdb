from __future__ import annotations

import pytest

from scry.core.types import Symbol
from scry.index.parse.parse import parse


def _sections(text: str) -> list[Symbol]:
    return [symbol for symbol in parse("a.md", text).symbols if symbol.kind == "section"]


def _names(text: str) -> list[str]:
    return [f"{s.container} > {s.name}" if s.container else s.name for s in _sections(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("# A\n## B\n### C\n## D\n# E\n", ["A", "A > B", "A > B > C", "A > D", "E"]),
        ("### Deep\n# Top\n", ["Deep", "Top"]),
        ("A\n=\nB\n-\n", ["A", "A > B"]),
        ("Two\nlines\n=====\n", ["Two lines"]),
        ("\n---\ntext\n", []),
        ("- item\n---\n", []),
        ("> quote\n---\n", []),
        ("```\n# no\n```\n# yes\n", ["yes"]),
        ("~~~\n```\n# no\n~~~\n# yes\n", ["yes"]),
        ("````\n```\n# no\n````\n# yes\n", ["yes"]),
        ("```\n# never closed\n", []),
        ("``` not a fence ` \n# yes\n", ["yes"]),
        ("    # code\n", []),
        ("#no\n#\tyes\n", ["yes"]),
        ("####### seven\n", []),
        ("# `code` and *stars* and [link](http://x.invalid)\n", ["code and stars and link"]),
        ("# snake_case_name stays\n", ["snake_case_name stays"]),
        ("# C#\n", ["C#"]),
        ("# closed ##\n", ["closed"]),
        ("---\ntitle: x\n# no\n---\n# yes\n", ["yes"]),
        ("<!--\n# no\n-->\n# yes\n", ["yes"]),
        ("#\n\ntext\n", []),
        ("# A\r\n\r\ntext\r\n## B\r\n", ["A", "A > B"]),
        ("# A\rtext\r## B\r", ["A", "A > B"]),
    ],
)
def test_headings(text: str, names: list[str]) -> None:
    assert _names(text) == names


@pytest.mark.acceptance("F2")
def test_a_section_has_its_own_text_and_spans_its_sub_sections() -> None:
    outer, inner, last = _sections("intro\n\n# Outer\n\nabout\n\n## Inner\n\ndeep\n\n# Last\n")
    assert outer.own_text == "# Outer\n\nabout"
    assert inner.own_text == "## Inner\n\ndeep"
    assert (outer.span.start.line, outer.span.end.line) == (2, 8)
    assert (inner.span.start.line, inner.span.end.line) == (6, 8)
    assert last.signature == "# Last"
    assert (inner.name_span.start.utf8, inner.name_span.end.utf8) == (3, 8)


def test_text_before_the_first_heading_is_text() -> None:
    first, _ = parse("a.md", "Hello there.\n\n# A\n").symbols
    assert (first.kind, first.name, first.own_text) == ("text", "", "Hello there.")


def test_a_document_without_headings_is_text() -> None:
    (only,) = parse("a.md", "Just words.\n").symbols
    assert (only.kind, only.own_text) == ("text", "Just words.")
