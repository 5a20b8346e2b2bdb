from __future__ import annotations

import pytest

from scry.index.parse import doc_text
from scry.index.parse.doc_comments import split_doctests
from scry.index.parse.documents import weighted_terms
from scry.index.parse.parse import parse


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (["// One.", "//", "// Two."], "One.\n\nTwo."),
        (["/// Rust.", "//! Inner."], "Rust.\nInner."),
        (["/**\n   * First.\n   *\n   *   indented\n   */"], "First.\n\n  indented"),
        (["/* one line */"], "one line"),
        (["/*! kept */"], "kept"),
        (["# Python", "#: Sphinx"], "Python\nSphinx"),
        (['"""Doc.\n\n    More.\n    """'], "Doc.\n\nMore."),
        (["r'''raw \\d'''"], "raw \\d"),
        (["'one'"], "one"),
        (["-- Lua", "--- more"], "Lua\nmore"),
        (["{- | Haskell -}"], "Haskell"),
        (["-- | Haskell", "-- more"], "Haskell\nmore"),
        (["--- |mini.pick| is a tag"], "|mini.pick| is a tag"),
        (["// ------------", "// Banner", "// ============"], "Banner"),
        (["// eslint-disable-next-line no-x", "// Kept."], "Kept."),
        (["//go:generate x", "// Kept."], "Kept."),
        (
            ["# shellcheck shell=bash", "# shellcheck disable=SC2034", "# Kept, for shellcheck."],
            "Kept, for shellcheck.",
        ),
        (["/** \\brief Adds up.\n * @param a what\n */"], "Adds up.\n@param a what"),
        (["/**\n * @description Adds up\n * all.\n */"], "Adds up\nall."),
        (["/// @briefly said"], "@briefly said"),
        (["/**/"], ""),
        (["//"], ""),
        (["/* never closed"], "never closed"),
        (["/**\r\n * a\r\n * b\r\n */"], "a\nb"),
        (["/** größe 😀 */"], "größe 😀"),
    ],
)
def test_comment_markers_are_stripped(parts: list[str], expected: str) -> None:
    assert doc_text(parts) == expected


@pytest.mark.parametrize(
    ("doc", "prose", "doctests"),
    [
        ("Adds.", "Adds.", ""),
        (
            "Slice a deque.\n\n>>> deque_slice([1, 2], 1)\n[2]\n\nEmpty for none.",
            "Slice a deque.\n\n\nEmpty for none.",
            ">>> deque_slice([1, 2], 1)\n[2]",
        ),
        (
            "Reads a list.\n\n    iex> list(conn)\n    ...> |> length()\n    2\n\n    iex(2)> list(nil)\n    nil",
            "Reads a list.\n\n",
            "    iex> list(conn)\n    ...> |> length()\n    2\n    iex(2)> list(nil)\n    nil",
        ),
        (
            "Shifts `a >> b` bits; a->>>b is told apart in a line.",
            "Shifts `a >> b` bits; a->>>b is told apart in a line.",
            "",
        ),
        ("Use:\n\n```\nring.push(1);\n```", "Use:\n\n```\nring.push(1);\n```", ""),
    ],
)
def test_doctests_are_told_from_prose(doc: str, prose: str, doctests: str) -> None:
    assert split_doctests(doc) == (prose, doctests)


def test_words_of_a_doctest_count_once_and_of_prose_twice() -> None:
    (symbol,) = parse(
        "a.py", 'def half(x):\n    """Bisect.\n\n    >>> half(quarry)\n    1\n    """\n    return x\n'
    ).symbols
    terms = weighted_terms("a.py", symbol).split()
    assert (terms.count("bisect"), terms.count("quarry")) == (2, 1)
    assert "quarry" in symbol.doc  # people see it still
