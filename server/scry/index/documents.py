"""Turns what was read out of a file into documents with names (J2a) that stay while other lines change (F2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from scry.core.doc_id import make_doc_id, qualified_name
from scry.core.types import ParsedFile, Symbol
from scry.index.terms import weighted_terms
from scry.store.rows import NewDocument

PROSE_LANGUAGES = frozenset({"markdown", "rst", "text", "asciidoc"})
"""Languages whose files are documents, not code."""


def content_type(language: str) -> str:
    """`doc` for prose, `code` for everything else."""
    return "doc" if language in PROSE_LANGUAGES else "code"


def make_documents(path: str, parsed: ParsedFile) -> tuple[NewDocument, ...]:
    """One document a symbol, section or stretch of text, in the order of the file."""
    return tuple(
        NewDocument(doc_id, ordinal, symbol, weighted_terms(path, symbol))
        for doc_id, ordinal, symbol in assign_doc_ids(path, parsed)
    )


def assign_doc_ids(path: str, parsed: ParsedFile) -> Iterator[tuple[str, int, Symbol]]:
    """Each symbol with its doc_id, and which of that name in its file it is, from 0; in the order of the file."""
    seen: Counter[str] = Counter()
    for symbol in parsed.symbols:
        yield *_doc_id_and_ordinal(path, symbol, seen), symbol


def _doc_id_and_ordinal(path: str, symbol: Symbol, seen: Counter[str]) -> tuple[str, int]:
    name, kind, container = symbol.name, symbol.kind, symbol.container
    ordinal = 0
    if name:
        qualified = qualified_name(name, kind, container)
        ordinal = seen[qualified]
        seen[qualified] += 1
    return make_doc_id(path, name, kind, container, ordinal, (symbol.span.start.line, last_line(symbol))), ordinal


def last_line(symbol: Symbol) -> int:
    """The last line that holds text of the symbol, 0-based: a span that ends at a line's start ends on the one
    before.
    """
    end = symbol.span.end
    return end.line - 1 if end.utf8 == 0 and end.line > symbol.span.start.line else end.line
