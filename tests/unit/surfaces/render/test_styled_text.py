from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from scry.surfaces.render import display_width, grapheme_clusters, make_printable, wrap_text
from scry.surfaces.render.styled_text import _ONE_CELL_CHARACTERS  # pyright: ignore[reportPrivateUsage]

FAMILY = "👩\u200d👩\u200d👧"
E_ACUTE = "e\u0301"


@pytest.mark.parametrize(
    ("text", "count"), [("abc", 3), ("日本", 4), (E_ACUTE, 1), ("ｶﾅ", 2), ("Ａ", 2), ("", 0), ("❤️", 2), (FAMILY, 2)]
)
def test_display_width_in_cells(text: str, count: int) -> None:
    assert display_width(text) == count


def test_characters_measured_without_rich_take_one_cell_each() -> None:
    short_cut = [chr(code) for code in range(0x3000) if _ONE_CELL_CHARACTERS.fullmatch(chr(code))]
    assert len(short_cut) > 700
    assert {cell_len(each) for each in short_cut} == {1}


def test_grapheme_clusters_stay_whole() -> None:
    assert list(grapheme_clusters(f"a{E_ACUTE}{FAMILY}👍🏽!")) == ["a", E_ACUTE, FAMILY, "👍🏽", "!"]


def test_words_are_wrapped_whole() -> None:
    assert wrap_text("one two  three four", 9) == ["one two", "three", "four"]


def test_a_word_that_is_longer_than_a_line_is_broken() -> None:
    assert wrap_text("an abcdefghij end", 5) == ["an", "abcde", "fghij", "end"]


def test_wide_characters_count_twice_and_are_not_halved() -> None:
    assert wrap_text("検索の順位", 5) == ["検索", "の順", "位"]


def test_empty_text_wraps_to_one_empty_line() -> None:
    assert wrap_text("", 10) == [""]


@given(st.text(alphabet=f"ab 検索\u0301\u200d👍🏽{FAMILY}"), st.integers(min_value=1, max_value=12))
def test_wrapping_loses_no_text_and_only_single_clusters_overflow(text: str, width: int) -> None:
    lines = wrap_text(text, width)
    assert "".join("".join(lines).split(" ")) == "".join(text.split(" "))
    for each in lines:
        assert display_width(each) <= width or len(list(grapheme_clusters(each))) == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x9b2J", "\\x9b2J"),
        ("a\r\n\tb\u2028c", "a b c"),
        ("bell\x07nul\x00del\x7f", "bell\\x07nul\\x00del\\x7f"),
        ("user\u202e\u2066// admin", "user\\u202e\\u2066// admin"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("hidden\U000e0041", "hidden\\U000e0041"),
        ("lone\udcff", "lone\\udcff"),
        ("家族 👩\u200d👩\u200d👧 naïve", "家族 👩\u200d👩\u200d👧 naïve"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_invisible_characters_are_escaped(text: str, shown: str) -> None:
    assert make_printable(text) == shown


@given(st.text())
def test_any_text_becomes_one_printable_encodable_line(text: str) -> None:
    shown = make_printable(text)
    shown.encode("utf-8")
    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(character) == "Cc" for character in shown)
    assert not any(unicodedata.bidirectional(character) in {"RLO", "LRO", "RLI", "LRI"} for character in shown)
