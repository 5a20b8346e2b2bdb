"""The few words of a document that a person sees beside its name (J6)."""

from __future__ import annotations

import unicodedata
from itertools import islice

from scry.core.knowledge import is_knowledge
from scry.core.text import split_source_lines
from scry.core.types import Document

SNIPPET_WIDTH = 200
"""About how many characters a snippet holds."""

_ELLIPSIS = "…"

_MAX_SNIPPET_LINES = 6


def make_snippet(document: Document, text: str | None) -> str:
    """Signature and the doc comment's first line; for text outside symbols, its first lines that say something.

    text: the file's text as it was indexed.
    """
    symbol = document.symbol
    if symbol.kind == "commit" or is_knowledge(document.doc_key):
        return symbol.signature
    if symbol.kind in ("section", "text"):
        return truncate(_first_lines(document, text or ""))
    first = symbol.doc.strip().partition("\n")[0].strip()
    return truncate(f"{symbol.signature} — {first}" if first else symbol.signature)


def _first_lines(document: Document, text: str) -> str:
    span = document.symbol.span
    lines = split_source_lines(text)[span.start.line : span.end.line + 1]
    says = (" ".join(line.split()) for line in lines if any(map(str.isalnum, line)))
    stated = list(islice(says, _MAX_SNIPPET_LINES + 1))
    first = 1 if document.symbol.kind == "section" and len(stated) > 1 else 0  # a section's is its heading
    return " ".join(stated[first : first + _MAX_SNIPPET_LINES])


def truncate(text: str, width: int = SNIPPET_WIDTH) -> str:
    """At most `width` characters, cut at a space where there is one near and never between a letter and its marks."""
    if len(text) <= width:
        return text
    end = width - 1
    while end > 0 and _is_combining(text[end]):
        end -= 1
    space = text.rfind(" ", end - 30, end)
    return text[: space if space > 0 else end].rstrip() + _ELLIPSIS


def _is_combining(character: str) -> bool:
    joins = character in "\u200d\ufe0e\ufe0f" or "\U0001f3fb" <= character <= "\U0001f3ff"
    return joins or unicodedata.category(character).startswith("M")
