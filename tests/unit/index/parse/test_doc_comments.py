from __future__ import annotations

import pytest

from scry.index.parse import doc_text


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
        (["/**/"], ""),
        (["//"], ""),
        (["/* never closed"], "never closed"),
        (["/**\r\n * a\r\n * b\r\n */"], "a\nb"),
        (["/** größe 😀 */"], "größe 😀"),
    ],
)
def test_comment_markers_are_stripped(parts: list[str], expected: str) -> None:
    assert doc_text(parts) == expected
