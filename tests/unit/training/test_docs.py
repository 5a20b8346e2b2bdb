from __future__ import annotations

import pytest

from training.docs import clean, first_sentence, is_useful


@pytest.mark.parametrize(
    ("comment", "text"),
    [
        (
            "/**\n * Sends the file.\n * @param path where it is\n * @since 1.2\n */",
            "Sends the file.\n path where it is",
        ),
        ("// Send sends the file\n// to the server.", "Send sends the file\nto the server."),
        ('/// <summary>Gets the <see cref="T:Net.Sender"/>.</summary>', "Gets the Sender."),
        ("--- Sends the file.\n-- Twice.", "Sends the file.\nTwice."),
        ("-- | Sends the file.", "Sends the file."),
        ("# Sends the file.", "Sends the file."),
        ('@doc """\nSends the file.\n"""', "Sends the file."),
        ('"""Sends the file."""', "Sends the file."),
        ("{-| Sends the file.\n-}", "Sends the file."),
        ("/** Sends {@code file} to <b>all</b>. */", "Sends file to  all ."),
    ],
)
def test_comment_markers_and_tags_are_removed(comment: str, text: str) -> None:
    assert clean(comment) == text


@pytest.mark.parametrize(
    ("doc", "useful"),
    [
        ("Sends the file to the server.", True),
        ("Copyright 2026 by nobody at all.", False),
        ("eslint-disable no-unused-vars because of it", False),
        ("if (x) { return y[0]; }", False),
        ("Two words", False),
        ("Sendet die Größe für überall möglichst schön an äöü ßüö öäü", False),
    ],
)
def test_only_prose_is_useful(doc: str, useful: bool) -> None:
    assert is_useful(doc) is useful


def test_first_sentence_ends_at_full_stop_or_paragraph() -> None:
    assert first_sentence("Sends the file\nto the server. Twice.") == "Sends the file to the server."
    assert first_sentence("Sends the file\n\nto the server.") == "Sends the file"
