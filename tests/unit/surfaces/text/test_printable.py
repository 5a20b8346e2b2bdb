from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.surfaces.render.styled_text import make_printable


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
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert make_printable(text) == shown


@given(st.text())
def test_any_text_becomes_one_line_that_can_be_encoded_and_holds_no_control_character(text: str) -> None:
    shown = make_printable(text)
    shown.encode("utf-8")
    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(character) == "Cc" for character in shown)
    assert not any(unicodedata.bidirectional(character) in {"RLO", "LRO", "RLI", "LRI"} for character in shown)
