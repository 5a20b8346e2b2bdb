from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.embedding import Tokenizer, split_words
from scry.embedding.static_model import HASH_BUCKETS

LETTERS = [*"abcdefghijklmnopqrstuvwxyz0123456789", *(f"##{char}" for char in "abcdefghijklmnopqrstuvwxyz0123456789")]
PIECES = [*LETTERS, "parse", "head", "header", "##er", "##s", "http", "retry"]


def named(tokenizer_ids: list[int]) -> list[str]:
    return [PIECES[index] if index < len(PIECES) else "bucket" for index in tokenizer_ids]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("parseHTTPHeader_v2", ["parse", "http", "header", "v", "2"]),
        ("XMLHttpRequest", ["xml", "http", "request"]),
        ("snake_case-and.dots", ["snake", "case", "and", "dots"]),
        ("20261121", ["2026", "1121"]),
        ("café Ångström", ["cafe", "angstrom"]),
        ("解析 HTTP", ["解", "析", "http"]),
        ("Привет_мир", ["привет", "мир"]),
        ("", []),
        ("+-*/ (){}", []),
    ],
)
def test_identifiers_split_at_case_letters_and_digits(text: str, words: list[str]) -> None:
    assert split_words(text) == words


def test_longest_token_piece_wins() -> None:
    tokenizer = Tokenizer(PIECES)
    assert named(tokenizer.encode("parse_headers")) == ["parse", "header", "##s"]
    assert named(tokenizer.encode("header parser")) == ["header", "parse", "##r"]
    assert named(tokenizer.encode("ox")) == ["o", "##x"]


def test_unknown_characters_are_hashed_into_buckets() -> None:
    tokenizer = Tokenizer(PIECES)
    first, second = tokenizer.encode("解析")
    assert first != second
    assert len(PIECES) <= min(first, second)
    assert max(first, second) < len(PIECES) + HASH_BUCKETS == tokenizer.size
    assert tokenizer.encode("析解") == [second, first]


def test_a_cached_word_gives_the_same_ids_again() -> None:
    tokenizer = Tokenizer(PIECES)
    assert tokenizer.encode("retryHTTP") == tokenizer.encode("retryHTTP") == Tokenizer(PIECES).encode("retryHTTP")


@given(st.text())
def test_token_ids_are_within_range_for_any_text(text: str) -> None:
    tokenizer = Tokenizer(PIECES)
    assert all(0 <= index < tokenizer.size for index in tokenizer.encode(text))


@given(st.text(max_size=60))
def test_words_and_text_give_the_same_pieces(text: str) -> None:
    tokenizer = Tokenizer(PIECES)
    by_words = [index for ids in tokenizer.encode_words(split_words(text)) for index in ids]
    assert sorted(by_words) == sorted(tokenizer.encode(text))


@given(st.characters(categories=["Cs"]))
def test_lone_surrogate_is_tokenised(char: str) -> None:
    assert isinstance(Tokenizer(PIECES).encode(f"a{char}b"), list)
