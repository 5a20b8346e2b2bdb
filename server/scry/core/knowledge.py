"""Knowledge as a question meets it: what a person prefers, what a team believes, what happened. Pure values.

Knowledge never enters the code's index. Each place of truth has a *shelf* of its own (store.shelf), and the numbers of
its documents tell which one they stand on.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

PROJECT_SHELF, PERSONA_SHELF, MEMORY_SHELF = "project", "persona", "memory"

FIRST_NUMBERS = {PROJECT_SHELF: 2**41, PERSONA_SHELF: 2**42, MEMORY_SHELF: 2**43}
"""Where the numbers of each shelf's documents begin. Code and documents stay below 2**40, commits below 2**41: one
question ranks them all."""

_SHELVES = {first.bit_length(): shelf for shelf, first in FIRST_NUMBERS.items()}
"""By the length of their numbers in bits: each shelf begins at a power of two."""

BELIEF, PATTERN, SESSION, MEMORY, PERSONA = "belief", "pattern", "session", "memory", "persona"
KNOWLEDGE_TYPES = (BELIEF, PATTERN, SESSION, MEMORY, PERSONA)

FIRST_NUMBER = min(FIRST_NUMBERS.values())
"""No document of code and no commit has this number or a higher one."""


def is_knowledge(number: int) -> bool:
    """Whether a document's number is that of a belief, pattern, session note, memory or persona note."""
    return number >= FIRST_NUMBER


def shelf_of(number: int) -> str:
    """The shelf that a knowledge document stands on."""
    return _SHELVES[number.bit_length()]


def knowledge_type(doc_id: str) -> str | None:
    """The type that a doc_id such as `belief:fusion-is-by-rank` names; None when it names no knowledge."""
    kind, colon, name = doc_id.partition(":")
    return kind if colon and name and kind in KNOWLEDGE_TYPES else None


class Chosen(Struct, frozen=True):
    """Which knowledge a question is for: of these types, about one of these domains, about none of those.

    types, domains: None for any. The case of a domain does not matter.
    """

    types: frozenset[str] | None = None
    domains: frozenset[str] | None = None
    without: frozenset[str] = frozenset()

    @property
    def asks_for_domains(self) -> bool:
        """Whether it depends on what a document is about."""
        return self.domains is not None or bool(self.without)

    def has_type(self, content_type: str) -> bool:
        """Whether documents of this type are meant."""
        return self.types is None or content_type in self.types

    def has_domains(self, domains: Iterable[str]) -> bool:
        """Whether a document that is about these is meant."""
        about = frozenset(map(fold_domain, domains))
        return (self.domains is None or not self.domains.isdisjoint(about)) and self.without.isdisjoint(about)


ALL = Chosen()


def fold_domain(domain: str) -> str:
    """A domain as it is compared."""
    return domain.strip().lower()


class Entry(Struct, frozen=True):
    """A knowledge document to be put on a shelf.

    title: a short name to show. text: all of it, as it is embedded and shown in full. snippet: the few words beside its
    name. terms: of title and text, as index.terms makes them. time: in seconds since the epoch. path, line: the file
    that it stands in, if any, relative to the project's root, and the 0-based line where it begins. code_refs:
    `file:line` or `file`. kind: what sort of its type it is, where a type has several; else the type.
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
