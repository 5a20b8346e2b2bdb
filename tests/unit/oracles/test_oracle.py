"""The number of query words that a document must contain; the best partial match is always found."""

from __future__ import annotations

from pathlib import Path

import pytest

from scry.oracles import RETRIEVAL_DEPTH, min_matching_terms, search_bm25_above
from scry.store import LexicalEntry, LexicalIndex
from scry.store.selection import FileSelection

TEXTS = ("alpha beta", "alpha", "gamma delta epsilon", "zeta", "eta =alpha")


@pytest.fixture
def index(tmp_path: Path) -> LexicalIndex:
    index = LexicalIndex(tmp_path / "words", write=True)
    index.write((), [LexicalEntry(number, number, text) for number, text in enumerate(TEXTS, 1)])
    return index


def matched_keys(question: str, index: LexicalIndex, files: tuple[int, ...] | None = None) -> set[int]:
    terms = question.split()
    left = None if files is None else FileSelection(files)
    minimum = min_matching_terms(terms, index, left)
    return {number for number, _ in index.search(terms, RETRIEVAL_DEPTH, left, minimum)}


@pytest.mark.parametrize(
    ("question", "least"),
    [
        ("alpha", 1),
        ("alpha beta gamma zeta", 1),
        ("alpha beta gamma zeta eta", 2),
        ("alpha beta gamma zeta nowhere", 1),
        ("alpha beta gamma zeta eta =alpha", 1),
        ("nowhere", 1),
    ],
)
def test_match_needs_a_quarter_of_the_words_rounded_up(question: str, least: int, index: LexicalIndex) -> None:
    assert min_matching_terms(question.split(), index) == least


def test_document_with_fewer_terms_is_not_found_or_counted(index: LexicalIndex) -> None:
    assert matched_keys("alpha beta gamma zeta eta", index) == {1}
    assert matched_keys("alpha beta zeta", index) == {1, 2, 4}
    assert {number for number, _ in search_bm25_above("alpha beta gamma zeta eta".split(), index, 0.0)} == {1}
    assert index.score_document("alpha beta gamma zeta eta".split(), 2, min_terms=2) == 0.0


def test_best_partial_match_is_found_below_the_threshold(index: LexicalIndex) -> None:
    assert matched_keys("alpha gamma zeta eta delta", index) == {3}
    assert matched_keys("beta gamma zeta eta delta", index, files=(1, 4)) == {1, 4}
    assert matched_keys("nowhere neither", index) == set()
