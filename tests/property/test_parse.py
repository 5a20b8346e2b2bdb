"""Properties of parsing any text: built of lines of real files in any order, with any line ends, and of noise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scry.core import Point, Span, Symbol
from scry.index.parse.languages import LANGUAGES
from scry.index.parse.parse import parse

FILES = Path(__file__).parent.parent / "golden" / "files"
ENDINGS = (".md", ".txt", ".yaml", ".json", ".toml", ".css", ".sql", ".html")
PATHS = [
    *sorted(f"a{language.extensions[0]}" for language in LANGUAGES if language.grammar),
    *(f"a{ending}" for ending in ENDINGS),
]
LINES = sorted(
    {line for path in FILES.rglob("*.*") if path.suffix != ".golden" for line in path.read_text().split("\n")}
)
FRAME = re.compile(r"\W*(\w+\W*){0,2}$")
"""Lines of up to two words may be frames (`export default {`), which belong to no text."""

real = st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(["\n", "\r\n"])), max_size=40).map(
    lambda lines: "".join(line + ending for line, ending in lines)
)
noise = st.text(st.characters(), max_size=60)  # lone surrogates among them
texts = st.lists(st.one_of(real, noise), max_size=4).map("".join)


def _rows(text: str) -> list[str]:
    return re.split(r"\r\n|\n|\r", re.sub("[\ud800-\udfff]", "\ufffd", text))


def _is_at(rows: list[str], point: Point) -> bool:
    """Return whether a point lies between two characters, with both columns at the same place."""
    row = rows[point.line]
    return any(
        (len(row[:n].encode()), len(row[:n].encode("utf-16-le")) // 2) == (point.utf8, point.utf16)
        for n in range(len(row) + 1)
    )


def _inside(inner: Span, outer: Span) -> bool:
    start, end = (outer.start.line, outer.start.utf8), (outer.end.line, outer.end.utf8)
    return start <= (inner.start.line, inner.start.utf8) <= (inner.end.line, inner.end.utf8) <= end


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _text_of(rows: list[str], symbol: Symbol) -> str:
    return "\n".join(rows[symbol.span.start.line : symbol.span.end.line + 1])


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=60, deadline=None)
@given(text=texts)
def test_spans_are_well_formed_and_columns_agree(path: str, text: str) -> None:
    rows = _rows(text)
    for symbol in parse(path, text).symbols:
        points = (symbol.span.start, symbol.span.end, symbol.name_span.start, symbol.name_span.end)
        assert all(_is_at(rows, point) for point in points)
        assert _inside(symbol.name_span, symbol.span)
        assert (symbol.span.start.line, symbol.span.start.utf8) < (symbol.span.end.line, symbol.span.end.utf8)


@pytest.mark.acceptance("F2")
@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=60, deadline=None)
@given(text=texts)
def test_every_line_with_text_belongs_to_a_symbol(path: str, text: str) -> None:
    covered = {
        line for symbol in parse(path, text).symbols for line in range(symbol.span.start.line, symbol.span.end.line + 1)
    }
    for number, row in enumerate(_rows(text)):
        words = row.replace("_", " ")  # an underscore alone is no word
        assert number in covered or FRAME.fullmatch(words), row


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=40, deadline=None)
@given(text=texts)
def test_own_text_lies_within_the_span(path: str, text: str) -> None:
    rows = _rows(text)
    for symbol in parse(path, text).symbols:
        span = _text_of(rows, symbol)
        assert all(word in span for word in _words(symbol.own_text))
        assert "\n" not in symbol.signature


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=40, deadline=None)
@given(text=st.text(st.characters(), max_size=300))
def test_parsing_is_deterministic(path: str, text: str) -> None:
    assert parse(path, text) == parse(path, text)
