"""A result in full: its text as it is indexed now, and what it is tied to (D1, D2)."""

from __future__ import annotations

from msgspec import Struct

from scry.core.doc_id import commit_of
from scry.core.knowledge import is_knowledge
from scry.core.types import Document, Span
from scry.engine.surroundings import Graph, read_graph
from scry.index.git_patch import read_patch
from scry.index.project import Project
from scry.store.history_reader import HistoryReader, is_commit
from scry.store.index_store import IndexStore

BODY_CHARACTERS = 40_000
"""Where a body is cut in detail: some 1,000 lines."""

BODY_CHARACTERS_OF_MANY = 8_000
"""Where it is cut when every result of an answer is given in full: some 200 lines."""


class Full(Struct, frozen=True):
    """The fields are those of the wire's struct of this name."""

    language: str
    signature: str
    doc: str
    body: str
    truncated: bool
    graph: Graph | None


def make_full(
    document: Document, project: Project, store: IndexStore | None, history: HistoryReader | None, most: int
) -> Full:
    """The document in full; its body is cut at the last line's end within `most` characters."""
    symbol = document.symbol
    if is_commit(document.number):
        sha = commit_of(document.doc_id)
        patch = read_patch(project.root, sha, most) if sha else None
        body, cut = patch or ("", False)
        return Full("diff", symbol.signature, symbol.doc, body, cut, None)
    if is_knowledge(document.number):
        body, cut = cut_lines(symbol.doc, most)
        return Full("markdown", symbol.name, "", body, cut, None)
    text = store.text(document.path) if store else None
    whole = symbol.kind == "file"
    body, cut = cut_lines((text or "").rstrip("\n") if whole else text_of(text or "", symbol.span), most)
    graph = read_graph(document, store, history) if store else None
    return Full(document.language, symbol.signature, symbol.doc, body, cut, graph)


def text_of(text: str, span: Span) -> str:
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


def cut_lines(text: str, most: int) -> tuple[str, bool]:
    """At most so many characters, cut at a line's end where there is one, and whether it was cut."""
    if len(text) <= most:
        return text, False
    end = text.rfind("\n", 0, most)
    return text[: end if end > 0 else most], True
