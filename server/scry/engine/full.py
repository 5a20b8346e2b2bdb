"""A result in full: its text as it is indexed now, and what it is tied to (D1, D2)."""

from __future__ import annotations

from msgspec import Struct

from scry.core.doc_id import commit_sha_of
from scry.core.knowledge import is_knowledge
from scry.core.types import Document, Span
from scry.engine.surroundings import DocumentRelations, read_relations
from scry.index.git_patch import read_patch
from scry.index.project import Project
from scry.store.history_reader import HistoryReader, is_commit_key
from scry.store.index_store import IndexStore

MAX_BODY_CHARACTERS = 40_000
"""Where a body is cut in detail: some 1,000 lines."""

MAX_BODY_CHARACTERS_IN_LIST = 8_000
"""Where it is cut when every result of an answer is given in full: some 200 lines."""


class FullDocument(Struct, frozen=True):
    """The fields are those of the wire's struct of this name."""

    language: str
    signature: str
    doc: str
    body: str
    truncated: bool
    graph: DocumentRelations | None


def read_full_document(
    document: Document, project: Project, store: IndexStore | None, history: HistoryReader | None, max_characters: int
) -> FullDocument:
    """The document in full; its body is cut at the last line's end within `most` characters."""
    symbol = document.symbol
    if is_commit_key(document.doc_key):
        sha = commit_sha_of(document.doc_id)
        patch = read_patch(project.root, sha, max_characters) if sha else None
        body, cut = patch or ("", False)
        return FullDocument("diff", symbol.signature, symbol.doc, body, cut, None)
    if is_knowledge(document.doc_key):
        body, cut = truncate_at_line(symbol.doc, max_characters)
        return FullDocument("markdown", symbol.name, "", body, cut, None)
    text = store.get_text(document.path) if store else None
    whole = symbol.kind == "file"
    body, cut = truncate_at_line((text or "").rstrip("\n") if whole else text_in_span(text or "", symbol.span), max_characters)
    graph = read_relations(document, store, history) if store else None
    return FullDocument(document.language, symbol.signature, symbol.doc, body, cut, graph)


def text_in_span(text: str, span: Span) -> str:
    """The span's text, from the start of its first line where only blanks stand before it."""
    lines = text.split("\n")[span.start.line : span.end.line + 1]
    if not lines:
        return ""
    if len(lines) == span.end.line - span.start.line + 1:
        lines[-1] = lines[-1].encode("utf-8", "surrogatepass")[: span.end.utf8].decode("utf-8", "replace")
    head = lines[0].encode("utf-8", "surrogatepass")[: span.start.utf8].decode("utf-8", "replace")
    if head.strip():
        lines[0] = lines[0][len(head) :]
    return "\n".join(lines).rstrip("\n")


def truncate_at_line(text: str, max_characters: int) -> tuple[str, bool]:
    """At most so many characters, cut at a line's end where there is one, and whether it was cut."""
    if len(text) <= max_characters:
        return text, False
    end = text.rfind("\n", 0, max_characters)
    return text[: end if end > 0 else max_characters], True
