from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.surfaces.render.styled_text import display_width, grapheme_clusters, wrap_text

FAMILY = "👩\u200d👩\u200d👧"
E_ACUTE = "e\u0301"


@pytest.mark.parametrize(("text", "count"), [("abc", 3), ("日本", 4), (E_ACUTE, 1), ("ｶﾅ", 2), ("Ａ", 2), ("", 0)])
def test_cells(text: str, count: int) -> None:
    assert display_width(text) == count


def test_what_a_reader_sees_as_one_stays_whole() -> None:
    assert list(grapheme_clusters(f"a{E_ACUTE}{FAMILY}👍🏽!")) == ["a", E_ACUTE, FAMILY, "👍🏽", "!"]


def test_words_go_to_the_next_line_whole() -> None:
    assert wrap_text("one two  three four", 9) == ["one two", "three", "four"]


def test_a_word_that_is_longer_than_a_line_is_broken() -> None:
    assert wrap_text("an abcdefghij end", 5) == ["an", "abcde", "fghij", "end"]


def test_wide_characters_count_twice_and_are_not_halved() -> None:
    assert wrap_text("検索の順位", 5) == ["検索", "の順", "位"]


def test_nothing_is_one_empty_line() -> None:
    assert wrap_text("", 10) == [""]


@given(st.text(alphabet=f"ab 検索\u0301\u200d👍🏽{FAMILY}"), st.integers(min_value=1, max_value=12))
def test_nothing_is_lost_and_only_single_clusters_are_too_wide(text: str, width: int) -> None:
    lines = wrap_text(text, width)
    assert "".join("".join(lines).split(" ")) == "".join(text.split(" "))
    for each in lines:
        assert display_width(each) <= width or len(list(grapheme_clusters(each))) == 1
