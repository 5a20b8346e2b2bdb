"""Knowledge as a question meets it: what a person prefers, what a team believes, what happened. Pure values.

Knowledge never enters the code's index. Each place of truth has a *shelf* of its own (store.shelf), and the numbers of
its documents tell which one they stand on.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

PROJECT_NOTES, PERSONA_NOTES, MEMORY_NOTES = "project", "persona", "memory"

FIRST_DOC_KEYS = {PROJECT_NOTES: 2**41, PERSONA_NOTES: 2**42, MEMORY_NOTES: 2**43}
"""Where the numbers of each shelf's documents begin. Code and documents stay below 2**40, commits below 2**41: one
question ranks them all."""

_NOTE_STORES = {first.bit_length(): shelf for shelf, first in FIRST_DOC_KEYS.items()}
"""By the length of their numbers in bits: each shelf begins at a power of two."""

BELIEF, PATTERN, SESSION, MEMORY, PERSONA = "belief", "pattern", "session", "memory", "persona"
KNOWLEDGE_TYPES = (BELIEF, PATTERN, SESSION, MEMORY, PERSONA)

FIRST_KNOWLEDGE_KEY = min(FIRST_DOC_KEYS.values())
"""No document of code and no commit has this number or a higher one."""


def is_knowledge(doc_key: int) -> bool:
    """Whether a document's number is that of a belief, pattern, session note, memory or persona note."""
    return doc_key >= FIRST_KNOWLEDGE_KEY


def note_store_of(doc_key: int) -> str:
    """The shelf that a knowledge document stands on."""
    return _NOTE_STORES[doc_key.bit_length()]


def knowledge_type(doc_id: str) -> str | None:
    """The type that a doc_id such as `belief:fusion-is-by-rank` names; None when it names no knowledge."""
    kind, colon, name = doc_id.partition(":")
    return kind if colon and name and kind in KNOWLEDGE_TYPES else None


class KnowledgeFilter(Struct, frozen=True):
    """Which knowledge a question is for: of these types, about one of these domains, about none of those.

    types, domains: None for any. The case of a domain does not matter.
    """

    types: frozenset[str] | None = None
    domains: frozenset[str] | None = None
    excluded_domains: frozenset[str] = frozenset()

    @property
    def filters_domains(self) -> bool:
        """Whether it depends on what a document is about."""
        return self.domains is not None or bool(self.excluded_domains)

    def allows_type(self, content_type: str) -> bool:
        """Whether documents of this type are meant."""
        return self.types is None or content_type in self.types

    def allows_domains(self, domains: Iterable[str]) -> bool:
        """Whether a document that is about these is meant."""
        about = frozenset(map(normalize_domain, domains))
        return (self.domains is None or not self.domains.isdisjoint(about)) and self.excluded_domains.isdisjoint(about)


ALL_KNOWLEDGE = KnowledgeFilter()


def normalize_domain(domain: str) -> str:
    """A domain as it is compared."""
    return domain.strip().lower()


class KnowledgeDocument(Struct, frozen=True):
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
