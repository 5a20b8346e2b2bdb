"""Packed rows round-trip and are small."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import structs

from scry.core import IndexDamaged, Point, Span, Symbol
from scry.store.index import (
    NewDocument,
    compress_frame,
    decode_kind,
    encode_kind,
    hash_name_key,
    hash_range_of_prefix,
    pack_links,
    pack_spans,
    pack_text,
    read_documents,
    read_headers,
    unpack_descriptions,
    unpack_imports,
    unpack_line_range,
    unpack_spans,
    unpack_text,
    unpack_uses,
)

LINES = st.integers(0, 2**31)


@st.composite
def points(draw: st.DrawFn) -> Point:
    return Point(draw(LINES), draw(LINES), draw(LINES))


def _symbol(span: Span, name: Span) -> Symbol:
    return Symbol("name", "function", "", "", "", span, name, "")


@given(points(), points(), points(), points())
def test_spans_round_trip(start: Point, end: Point, name: Point, name_end: Point) -> None:
    span, name_span = Span(start, end), Span(name, name_end)
    assert unpack_spans(pack_spans(_symbol(span, name_span))) == (span, name_span)


@given(points(), points(), points(), points(), st.booleans(), st.booleans())
def test_marks_round_trip_and_change_no_span(
    start: Point, end: Point, name: Point, name_end: Point, is_test: bool, is_generated: bool
) -> None:
    span, name_span = Span(start, end), Span(name, name_end)
    symbol = structs.replace(_symbol(span, name_span), is_test=is_test, is_generated=is_generated)
    document = (7, "code", "a.py", "name", "f", "", 0, None, pack_spans(symbol))
    (header,) = read_headers([document])
    (read,) = read_documents([(7, 1, "code", "a.py", "python", "name", "f", "", 0, pack_spans(symbol))], {})
    assert (read.symbol.is_test, read.symbol.is_generated) == (is_test, is_generated)
    assert header.marks == read.symbol.marks == symbol.marks
    assert (read.symbol.span, read.symbol.name_span) == (span, name_span)
    assert unpack_line_range(pack_spans(symbol)) == unpack_line_range(pack_spans(_symbol(span, name_span)))


def test_last_line_is_the_last_line_with_text() -> None:
    name = Span(Point(7, 4, 4), Point(7, 8, 8))
    assert unpack_line_range(pack_spans(_symbol(Span(Point(7, 0, 0), Point(9, 3, 3)), name))) == (7, 9)
    assert unpack_line_range(pack_spans(_symbol(Span(Point(7, 0, 0), Point(9, 0, 0)), name))) == (7, 8)
    assert unpack_line_range(pack_spans(_symbol(Span(Point(7, 0, 0), Point(7, 0, 0)), name))) == (7, 7)


def test_symbol_kinds_round_trip() -> None:
    assert {encode_kind(kind) for kind in ("function", "class")} == {"f", "c"}
    kinds = ("text", "section", "function", "method", "class", "interface", "struct", "enum", "trait", "module", "type")
    for kind in (*kinds, "constant", "variable", "field", "macro", "another"):
        assert decode_kind(encode_kind(kind)) == kind


def test_packed_location_takes_less_than_a_third() -> None:
    symbol = _symbol(Span(Point(1200, 4, 4), Point(1234, 11, 11)), Span(Point(1200, 8, 8), Point(1200, 20, 20)))
    assert len(pack_spans(symbol)) <= 12


@given(st.text(), st.integers(0, 2))
@example("a", 2)
@example("\udcff", 1)
def test_hashed_names_with_a_common_prefix_are_adjacent(key: str, leading: int) -> None:
    first, end = hash_range_of_prefix(key[:leading])
    assert 0 <= first <= hash_name_key(key) < end <= 2**31


_SPAN = Span(Point(0, 0, 0), Point(0, 0, 0))
_SAID = st.text(st.characters(codec="utf-8"))


def _document(signature: str, doc: str) -> NewDocument:
    return NewDocument("./a.py::a", 0, Symbol("a", "function", "", signature, doc, _SPAN, _SPAN, ""), "")


@given(st.text(), st.lists(st.tuples(_SAID, _SAID)), st.integers(1, 2**31))
def test_text_and_descriptions_round_trip(text: str, descriptions: list[tuple[str, str]], first: int) -> None:
    data = pack_text(text, list(enumerate((_document(*each) for each in descriptions), first)))
    assert unpack_text(data) == text
    assert unpack_descriptions(data) == dict(enumerate(descriptions, first))


@given(st.binary(), st.binary())
def test_imports_and_references_round_trip(imports: bytes, uses: bytes) -> None:
    data = pack_links(imports, uses)
    assert (unpack_imports(data), unpack_uses(data)) == (imports, uses)
    assert data or not (imports or uses)


def test_description_contained_in_the_text_is_stored_once() -> None:
    words = random.Random(1)
    doc = " ".join(str(words.random()) for _ in range(500))
    alone = pack_text(doc, [])
    both = pack_text(f'def a():\n    """{doc}"""', [(1, _document("def a()", doc))])
    assert len(both) < len(alone) + 100


@pytest.mark.parametrize(
    "value", [b"", b"\0", b"x\x9cnothing like it", pack_text("a" * 100, [])[:-1], compress_frame(b"\xff")]
)
def test_damaged_descriptions_raise_an_error(value: bytes) -> None:
    with pytest.raises(IndexDamaged):
        unpack_descriptions(value)


def test_undecodable_stored_text_raises_an_error() -> None:
    with pytest.raises(IndexDamaged):
        unpack_text(compress_frame(b"\1\0\0\0\xff"))
