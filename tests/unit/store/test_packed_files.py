"""What is packed of a file comes back, and what documents say of it is not kept twice."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.core.errors import IndexDamaged
from scry.core.types import Point, Span, Symbol
from scry.store.index.rows import (
    NewDocument,
    pack_links,
    pack_text,
    unpack_descriptions,
    unpack_imports,
    unpack_text,
    unpack_uses,
)
from scry.store.sqlite.compression import compress_frame

_SPAN = Span(Point(0, 0, 0), Point(0, 0, 0))
_SAID = st.text(st.characters(codec="utf-8"))


def _document(signature: str, doc: str) -> NewDocument:
    return NewDocument("./a.py::a", 0, Symbol("a", "function", "", signature, doc, _SPAN, _SPAN, ""), "")


@given(st.text(), st.lists(st.tuples(_SAID, _SAID)), st.integers(1, 2**31))
def test_a_text_and_its_descriptions_come_back(text: str, said: list[tuple[str, str]], first: int) -> None:
    data = pack_text(text, list(enumerate((_document(*each) for each in said), first)))
    assert unpack_text(data) == text
    assert unpack_descriptions(data) == dict(enumerate(said, first))


@given(st.binary(), st.binary())
def test_imports_and_uses_come_back(imports: bytes, uses: bytes) -> None:
    data = pack_links(imports, uses)
    assert (unpack_imports(data), unpack_uses(data)) == (imports, uses)
    assert data or not (imports or uses)


def test_what_stands_in_the_text_is_not_kept_twice() -> None:
    words = random.Random(1)
    doc = " ".join(str(words.random()) for _ in range(500))
    alone = pack_text(doc, [])
    both = pack_text(f'def a():\n    """{doc}"""', [(1, _document("def a()", doc))])
    assert len(both) < len(alone) + 100


@pytest.mark.parametrize(
    "value", [b"", b"\0", b"x\x9cnothing like it", pack_text("a" * 100, [])[:-1], compress_frame(b"\xff")]
)
def test_what_is_damaged_is_told(value: bytes) -> None:
    with pytest.raises(IndexDamaged):
        unpack_descriptions(value)


def test_a_text_that_is_no_text_is_told() -> None:
    with pytest.raises(IndexDamaged):
        unpack_text(compress_frame(b"\1\0\0\0\xff"))
