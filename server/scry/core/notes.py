"""What the files of `.scry` say: beliefs, patterns and session notes as values. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from scry.core.knowledge import BELIEF, PATTERN, SESSION

NoteKind = Literal["belief", "pattern", "session"]

NOTES_FOLDER = ".scry"
NOTE_FOLDERS: Mapping[str, NoteKind] = {
    ".scry/beliefs/": BELIEF,
    ".scry/patterns/": PATTERN,
    ".scry/sessions/": SESSION,
}
"""Where the files of each kind lie, from the project's root."""

ENTRENCHMENT_LEVELS: Mapping[str, float] = {"tentative": 0.2, "low": 0.3, "medium": 0.5, "high": 0.8, "core": 1.0}
"""How firmly a belief is held, by the words for it."""

ACTIVE, DOUBTED, RETRACTED = "active", "doubted", "retracted"
BELIEF_STATUSES = (ACTIVE, DOUBTED, RETRACTED)
"""A retracted belief is listed and never found."""

NOTE_ID_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")
"""What an id may be: it stands in doc_ids, in file names and on command lines."""


class NoteFile(Struct, frozen=True):
    """A belief, a pattern or a session note, as its file states it.

    id: without the type in front. title: a belief's whole statement, else the note's name. body: the Markdown below the
    front matter. line: where the title stands, 0-based. entrenchment: 0 to 1, of a belief. evidence: as written (see
    core.evidence). supports, attacks: ids of beliefs. date: when it was last stated, in seconds since the epoch.
    unknown: keys of the front matter that mean nothing here, each with its 1-based line.
    """

    kind: NoteKind
    id: str
    title: str
    body: str
    line: int = 0
    entrenchment: float | None = None
    status: str = ACTIVE
    evidence: tuple[str, ...] = ()
    supports: tuple[str, ...] = ()
    attacks: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    session: str = ""
    date: int | None = None
    unknown: tuple[tuple[str, int], ...] = ()

    @property
    def doc_id(self) -> str:
        """Such as `belief:fusion-is-by-rank`."""
        return f"{self.kind}:{self.id}"


class MalformedNote(Struct, frozen=True):
    """Why a file is no note: what is wrong in its 1-based line, and what to do."""

    line: int
    problem: str

    def __str__(self) -> str:
        """As a skip row says it."""
        return f"line {self.line}: {self.problem}"


def note_kind_of_path(path: str) -> NoteKind | None:
    """The kind of note that a file is, by its path from the project's root; None for any other file."""
    if not path.startswith(".scry/") or not path.endswith(".md"):
        return None
    return next((kind for folder, kind in NOTE_FOLDERS.items() if path.startswith(folder)), None)


def describe_entrenchment(value: float) -> str:
    """The word for it: the highest one that it reaches."""
    return max((least, word) for word, least in ENTRENCHMENT_LEVELS.items() if value >= least or word == "tentative")[1]
