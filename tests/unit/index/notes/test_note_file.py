"""Files of `.scry` to the notes that they are, or to what is wrong with them and in which line."""

from __future__ import annotations

import pytest

from scry.core import MalformedNote, NoteFile
from scry.index.notes import make_note_entry, parse_note

WHOLE = """---
id: fusion-by-rank
statement: Fusion adds reciprocal ranks, never raw scores.
entrenchment: high
evidence:
  - src/fuse.py:12
  - commit:3f9c2b7
supports: [one-scale]
attacks: [raw-scores]
status: doubted
domains: [ranking]
date: 2026-11-20
mood: good
---
Why, in as many words as it takes.
"""


def read(text: str, kind: str = "belief", name: str = "x") -> NoteFile | MalformedNote:
    folder = {"belief": "beliefs", "pattern": "patterns", "session": "sessions"}[kind]
    return parse_note(f".scry/{folder}/{name}.md", kind, text)  # type: ignore[arg-type]


def note(text: str, kind: str = "belief", name: str = "x") -> NoteFile:
    found = read(text, kind, name)
    assert isinstance(found, NoteFile), found
    return found


@pytest.mark.acceptance("K2")
def test_every_front_matter_key_is_read() -> None:
    found = note(WHOLE)
    assert (found.doc_id, found.title) == (
        "belief:fusion-by-rank",
        "Fusion adds reciprocal ranks, never raw scores.",
    )
    assert (found.entrenchment, found.status, found.session) == (0.8, "doubted", "")
    assert (found.evidence, found.supports) == (("src/fuse.py:12", "commit:3f9c2b7"), ("one-scale",))
    assert (found.attacks, found.domains, found.line) == (("raw-scores",), ("ranking",), 2)
    assert (found.date, found.unknown) == (1795132800, (("mood", 13),))
    entry = make_note_entry(found, ".scry/beliefs/x.md")
    assert entry.snippet == '"Fusion adds reciprocal ranks, never raw scores." (entrenchment 0.8) — doubted'
    assert entry.code_refs == ("src/fuse.py:12",)
    assert "Why, in as many words" in entry.text


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_endings_and_byte_order_mark_do_not_matter(ending: str, mark: str) -> None:
    assert note(mark + WHOLE.replace("\n", ending)) == note(WHOLE)


@pytest.mark.acceptance("K2", "K4")
@pytest.mark.parametrize(
    ("text", "kind", "title"),
    [
        ("# Receipts go out hourly\n\nAnd so on.\n", "belief", "Receipts go out hourly"),
        ("\n\nReceipts go out hourly. And so on.\n", "belief", "Receipts go out hourly."),
        ("---\ntitle: Retry\n---\nAll that may fail is tried again.\n", "pattern", "Retry"),
        ("---\ndomains: [x]\n---\n", "session", "x"),
        ("领収書は毎時送られる。次の文。\n", "belief", "领収書は毎時送られる。"),
    ],
)
def test_first_words_are_the_title_without_front_matter(text: str, kind: str, title: str) -> None:
    assert note(text, kind).title == title


@pytest.mark.acceptance("K2")
@pytest.mark.parametrize(("written", "value"), [("core", 1.0), ("TENTATIVE", 0.2), ("0.35", 0.35), ("0", 0.0)])
def test_entrenchment_is_a_word_or_a_number(written: str, value: float) -> None:
    assert note(f"---\nstatement: A\nentrenchment: {written}\n---\n").entrenchment == value


@pytest.mark.acceptance("K2", "W2")
@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("---\nstatement: A\n", 1, "has no end"),
        ("---\nstatement: A: b\n---\n", 2, "put a text that holds a colon and a blank in quotes"),
        ("---\nstatement: A\nstatement: B\n---\n", 3, "stands there twice"),
        ("---\n- a\n---\n", 2, "no list of `key: value`"),
        ("---\nstatement: [A, B]\n---\n", 2, "statement is no text"),
        ("---\nstatement: A\nentrenchment: 1.5\n---\n", 3, "a number from 0 to 1, or one of tentative"),
        ("---\nstatement: A\nstatus: maybe\n---\n", 3, "status is one of active, doubted, retracted"),
        ("---\nstatement: A\nevidence:\n  - a.py:1\n  - /etc/passwd\n---\n", 5, "is no path in the project"),
        ("---\nstatement: A\nevidence:\n  - {a: b}\n---\n", 4, "an entry of evidence is no text"),
        ("---\nstatement: A\nsupports: [../up]\n---\n", 3, "is no belief's id"),
        ("---\nstatement: A\nid: ../up\n---\n", 3, "an id is one word"),
        ("---\nstatement: A\ndate: tomorrow\n---\n", 3, "date is not of the form"),
        ("---\nstatement: A\nsession: [a]\n---\n", 3, "session is no text"),
        ("---\nstatement: &a [*a]\n---\n", 2, ""),
        ("\n\n", 1, "it states nothing"),
    ],
)
def test_note_error_gives_the_line(text: str, line: int, problem: str) -> None:
    found = read(text)
    assert isinstance(found, MalformedNote)
    assert found.line == line
    assert problem in found.problem
