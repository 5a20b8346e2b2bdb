"""Values of knowledge: filters, documents, the notes in .scry, and the citations in them.

Knowledge is the person's preferences, the team's beliefs and past work. It never enters the index of code: each source
has a note store of its own (store.notes), and a note's doc_key tells its store.

Citations of beliefs are written as:

src/app.py:12   src/app.py:12-20   src/app.py   a place in a file, or a whole file
./src/app.py::Outer.inner                       a symbol
commit:3f9c2b7   3f9c2b7                        a commit, by at least seven digits of its name
session:<id>   memory:<id>                      a session or a memory
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from scry.core.doc_id import parse_doc_id

PROJECT_NOTES, PERSONA_NOTES, MEMORY_NOTES = "project", "persona", "memory"

FIRST_DOC_KEYS = {PROJECT_NOTES: 2**41, PERSONA_NOTES: 2**42, MEMORY_NOTES: 2**43}
"""First doc_key of each note store. Code and documents stay below 2**40, commits below 2**41: one query ranks all."""

_NOTE_STORES = {42: PROJECT_NOTES, 43: PERSONA_NOTES, 44: MEMORY_NOTES}
"""Note stores by the bit length of their doc_keys: each begins at a power of two."""

BELIEF, PATTERN, SESSION, MEMORY, PERSONA = "belief", "pattern", "session", "memory", "persona"
KNOWLEDGE_TYPES = (BELIEF, PATTERN, SESSION, MEMORY, PERSONA)

FIRST_KNOWLEDGE_KEY = min(FIRST_DOC_KEYS.values())
"""Least doc_key of a note; code, documents and commits stay below it."""


def note_store_of(doc_key: int) -> str:
    """Return the note store of a note."""
    return _NOTE_STORES[doc_key.bit_length()]


def knowledge_type(doc_id: str) -> str | None:
    """Return the type that a doc_id such as `belief:fusion-is-by-rank` names; None when it names no note."""
    kind, colon, name = doc_id.partition(":")
    return kind if colon and name and kind in KNOWLEDGE_TYPES else None


class KnowledgeFilter(Struct, frozen=True):
    """The notes that a query's filters leave: of these types, about one of `domains`, about none of the excluded ones.

    types, domains: None for any. Domains are compared without case.
    """

    types: frozenset[str] | None = None
    domains: frozenset[str] | None = None
    excluded_domains: frozenset[str] = frozenset()

    @property
    def filters_domains(self) -> bool:
        """Whether the filter depends on a note's domains."""
        return self.domains is not None or bool(self.excluded_domains)

    def allows_type(self, content_type: str) -> bool:
        """Return whether notes of this type are left."""
        return self.types is None or content_type in self.types

    def allows_domains(self, domains: Iterable[str]) -> bool:
        """Return whether a note about these domains is left."""
        about = frozenset(map(normalize_domain, domains))
        return (self.domains is None or not self.domains.isdisjoint(about)) and self.excluded_domains.isdisjoint(about)


ALL_KNOWLEDGE = KnowledgeFilter()


def normalize_domain(domain: str) -> str:
    """Return a domain's key for comparison."""
    return domain.strip().lower()


class KnowledgeDocument(Struct, frozen=True):
    """A note to be put into a note store.

    title: a short name to show. text: the whole text, as it is embedded and shown in full. snippet: the few words
    beside its name. terms: of title and text. time: in seconds since the epoch. path, line: its file, if any, relative
    to the project's root, and the 0-based line where it begins. code_refs: `file:line` or `file`. kind: its kind within
    its type, where a type has several; else the type.
    """

    doc_id: str
    content_type: str
    title: str
    text: str
    snippet: str
    terms: tuple[str, ...]
    time: int | None = None
    path: str = ""
    line: int = 0
    code_refs: tuple[str, ...] = ()
    session_id: str = ""
    domains: tuple[str, ...] = ()
    kind: str = ""


NoteKind = Literal["belief", "pattern", "session"]

NOTES_FOLDER = ".scry"
NOTE_FOLDERS: Mapping[str, NoteKind] = {
    ".scry/beliefs/": BELIEF,
    ".scry/patterns/": PATTERN,
    ".scry/sessions/": SESSION,
}
"""Folders of the files of each kind, from the project's root."""

ENTRENCHMENT_LEVELS: Mapping[str, float] = {"tentative": 0.2, "low": 0.3, "medium": 0.5, "high": 0.8, "core": 1.0}
"""Degrees of how firmly a belief is held, by the words for them."""

ACTIVE, DOUBTED, RETRACTED = "active", "doubted", "retracted"
BELIEF_STATUSES = (ACTIVE, DOUBTED, RETRACTED)
"""A retracted belief is listed and never found."""

NOTE_ID_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")
"""Valid ids: they stand in doc_ids, in file names and on command lines."""


class NoteFile(Struct, frozen=True):
    """A belief, a pattern or a session note, as its file states it.

    id: without the type in front. title: a belief's whole statement, else the note's name. body: the Markdown below the
    front matter. line: of the title, 0-based. entrenchment: 0 to 1, of a belief. evidence: citations as written.
    supports, attacks: ids of beliefs. date: when it was last stated, in seconds since the epoch. unknown: unknown keys
    of the front matter, each with its 1-based line.
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
        """The doc_id, such as `belief:fusion-is-by-rank`."""
        return f"{self.kind}:{self.id}"


class MalformedNote(Struct, frozen=True):
    """The error in an invalid note file: its 1-based line, the problem and the remedy."""

    line: int
    problem: str

    def __str__(self) -> str:
        """Return the error as a skipped file's detail."""
        return f"line {self.line}: {self.problem}"


def note_kind_of_path(path: str) -> NoteKind | None:
    """Return the kind of note that a file is, by its path from the project's root; None for any other file."""
    if not path.startswith(".scry/") or not path.endswith(".md"):
        return None
    return next((kind for folder, kind in NOTE_FOLDERS.items() if path.startswith(folder)), None)


_CITED_COMMIT = re.compile(r"(?:commit:)?([0-9a-f]{7,64})\Z")
_CITED_LINES = re.compile(r"(?::|#L)(\d{1,9})(?:-L?(\d{1,9}))?\Z")
_CITED_NOTE = re.compile(r"(?:session|memory|belief|pattern):\S+\Z")

CitationKind = Literal["file", "symbol", "commit", "note"]


class Citation(Struct, frozen=True):
    """A citation. raw_text: as the file has it. path: of a file or symbol, from the root. lines: 1-based, inclusive.
    name: the symbol's doc_id, the commit's digits, or the note's doc_id.
    """

    raw_text: str
    kind: CitationKind
    path: str = ""
    lines: tuple[int, int] | None = None
    name: str = ""

    @property
    def code_ref(self) -> str:
        """The citation as `file:line` or `file`; empty where it names no code."""
        if not self.path:
            return ""
        return f"{self.path}:{self.lines[0]}" if self.lines else self.path


def parse_citation(raw_text: str) -> Citation:
    """Parse a citation. Raises ValueError naming the valid forms."""
    text = raw_text.strip()
    commit = _CITED_COMMIT.match(text)
    if commit:
        return Citation(raw_text, "commit", name=commit[1])
    if _CITED_NOTE.match(text):
        return Citation(raw_text, "note", name=text)
    if "::" in text:
        named = parse_doc_id(text)
        return Citation(raw_text, "symbol", _project_path(named.path), name=f"./{text.removeprefix('./')}")
    lines = _CITED_LINES.search(text)
    path = text[: lines.start()] if lines else text
    if lines is None:
        return Citation(raw_text, "file", _project_path(path))
    first = int(lines[1])
    return Citation(raw_text, "file", _project_path(path), (first, max(first, int(lines[2] or first))))


def _project_path(path: str) -> str:
    plain = path.removeprefix("./").replace("\\", "/")
    if not plain or plain.startswith("/") or ".." in plain.split("/") or re.match(r"[A-Za-z]:", plain):
        raise ValueError(f"{path or 'nothing'} is no path in the project; cite FILE:LINE, commit:SHA or session:ID")
    return plain
