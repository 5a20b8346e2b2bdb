from __future__ import annotations

import math

import pytest

from training.lexical import Bm25, query_terms, stem, terms


@pytest.mark.parametrize(
    ("word", "stemmed"), [("retries", "retr"), ("sending", "send"), ("class", "class"), ("as", "as"), ("files", "fil")]
)
def test_word_suffixes_are_removed(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


def test_stop_words_are_kept_when_there_is_nothing_else() -> None:
    assert query_terms("the sender of files") == ["send", "fil"]
    assert query_terms("the the") == ["the", "the"]


def test_lexical_scores_equal_the_formula() -> None:
    index = Bm25([terms("send file"), terms("send"), terms("colour")])
    rarity = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    mean = 4 / 3
    expected = [rarity * 2.2 / (1 + 1.2 * (0.25 + 0.75 * length / mean)) for length in (2, 1)]
    assert index.scores(["send"]).tolist() == pytest.approx([*expected, 0.0])
    assert index.scores(["absent"]).tolist() == [0, 0, 0]
