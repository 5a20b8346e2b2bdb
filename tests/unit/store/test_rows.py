"""What is packed comes back, and stays small."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from scry.core.types import Point, Span, Symbol
from scry.store.index.rows import (
    decode_kind,
    encode_kind,
    hash_name_key,
    hash_range_of_prefix,
    pack_spans,
    unpack_line_range,
    unpack_spans,
)

LINES = st.integers(0, 2**31)


@st.composite
def points(draw: st.DrawFn) -> Point:
    return Point(draw(LINES), draw(LINES), draw(LINES))


def _symbol(span: Span, name: Span) -> Symbol:
    return Symbol("name", "function", "", "", "", span, name, "")


@given(points(), points(), points(), points())
def test_a_place_comes_back(start: Point, end: Point, name: Point, name_end: Point) -> None:
    span, name_span = Span(start, end), Span(name, name_end)
    assert unpack_spans(pack_spans(_symbol(span, name_span))) == (span, name_span)


def test_the_last_line_is_the_last_that_holds_text() -> None:
    name = Span(Point(7, 4, 4), Point(7, 8, 8))
    assert unpack_line_range(pack_spans(_symbol(Span(Point(7, 0, 0), Point(9, 3, 3)), name))) == (7, 9)
    assert unpack_line_range(pack_spans(_symbol(Span(Point(7, 0, 0), Point(9, 0, 0)), name))) == (7, 8)
    assert unpack_line_range(pack_spans(_symbol(Span(Point(7, 0, 0), Point(7, 0, 0)), name))) == (7, 7)


def test_a_kind_comes_back() -> None:
    assert {encode_kind(kind) for kind in ("function", "class")} == {"f", "c"}
    kinds = ("text", "section", "function", "method", "class", "interface", "struct", "enum", "trait", "module", "type")
    for kind in (*kinds, "constant", "variable", "field", "macro", "another"):
        assert decode_kind(encode_kind(kind)) == kind


def test_an_ordinary_place_takes_less_than_a_third_of_its_numbers() -> None:
    symbol = _symbol(Span(Point(1200, 4, 4), Point(1234, 11, 11)), Span(Point(1200, 8, 8), Point(1200, 20, 20)))
    assert len(pack_spans(symbol)) <= 12


@given(st.text(), st.integers(0, 2))
@example("a", 2)
@example("\udcff", 1)
def test_names_that_begin_alike_lie_together(key: str, leading: int) -> None:
    first, end = hash_range_of_prefix(key[:leading])
    assert 0 <= first <= hash_name_key(key) < end <= 2**31
