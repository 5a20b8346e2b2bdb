"""Terms of documents by key in the lexical index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.store import LexicalEntry, LexicalIndex

TERMS = ["alpha", "beta", "gamma"]
COUNT = 150


@pytest.fixture
def index(tmp_path: Path) -> Iterator[LexicalIndex]:
    """Documents 1 to COUNT: each holds the terms whose bit its number has."""
    index = LexicalIndex(tmp_path / "words", write=True)
    index.write([], [LexicalEntry(number, 1, " ".join(["other", *_held(number)])) for number in range(1, COUNT + 1)])
    yield index
    index.close()


def _held(number: int) -> list[str]:
    return [term for bit, term in enumerate(TERMS) if number >> bit & 1]


@pytest.mark.parametrize("count", [1, 10, 100, 101, COUNT])
def test_terms_of_any_number_of_documents_are_listed(index: LexicalIndex, count: int) -> None:
    numbers = range(1, count + 1)
    assert index.matched_terms([*TERMS, "absent"], numbers) == {number: _held(number) for number in numbers}


def test_missing_documents_have_no_terms(index: LexicalIndex) -> None:
    assert index.matched_terms(TERMS, []) == {}
    assert index.matched_terms(TERMS, [COUNT + 1, 7]) == {COUNT + 1: [], 7: TERMS}
    assert index.matched_terms([], [7]) == {7: []}
