"""Splitting of text into terms."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.core import content_terms, find_identifiers, normalize_name, split_source_lines, tokenize
from scry.core.text import format_down


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTTPHeader", ["parse", "http", "header", "parsehttpheader"]),
        ("parse_http_header", ["parse", "http", "header", "parsehttpheader"]),
        ("utf8", ["utf", "8", "utf8"]),
        ("multi-agent don't 20.04", ["multi", "agent", "don", "t", "20", "04"]),
        ("検索", ["検", "索", "検索"]),
        ("検索Engine", ["検", "索", "検索", "engine"]),
        ("Größe naïve", ["größe", "naïve"]),
        ('\x00 * " 🙂', []),
        ("__init__", ["init"]),
    ],
)
def test_text_is_split_into_terms(text: str, expected: list[str]) -> None:
    assert sorted(tokenize(text)) == sorted(expected)


def test_question_phrases_are_dropped_unless_alone() -> None:
    assert content_terms("how is the header parsed") == ("header", "parsed")
    assert content_terms("what is this") == ("what", "is", "this")


def test_hyphenated_name_of_which_only_single_letters_would_be_left_is_one_word_too() -> None:
    assert content_terms("compile v-for") == ("compile", "v", "vfor")
    assert content_terms("where is v-model") == ("v", "model")
    assert content_terms("how-to guides") == ("guides",)


def test_name_spellings_have_one_key() -> None:
    assert {normalize_name(name) for name in ("RRF_fusion", "rrfFusion", "rrf-fusion", "RrfFusion()")} == {"rrffusion"}


def test_lines_end_only_at_lsp_line_ends() -> None:
    assert split_source_lines("a\x0cb\u2028c\r\nd\re\nf") == ["a\x0cb\u2028c", "d", "e", "f"]


@given(st.text(st.characters(max_codepoint=127)) | st.text())
def test_word_runs_consist_of_word_characters(text: str) -> None:
    assert find_identifiers(text) == re.findall(r"\w+", text)


def test_number_below_a_floor_is_shown_below_it() -> None:
    assert [format_down(share) for share in (0.1499, 0.15, 0.999, 0.0)] == ["0.14", "0.15", "0.99", "0.00"]
