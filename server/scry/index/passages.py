"""What an embedder was given of a document, for those who explain its score. Writes nothing."""

from __future__ import annotations

from scry.core.types import Symbol
from scry.embedding.embedder import Passage
from scry.index.contents import parse_to_explain
from scry.index.documents import make_documents
from scry.index.project import Project
from scry.store.rows import IndexedFile


def passage_of(path: str, symbol: Symbol) -> Passage:
    """A document's passage: its symbol's own text with what is said of it."""
    text = f"{symbol.doc}\n{symbol.own_text}" if symbol.doc else symbol.own_text
    return Passage(symbol.name, path, symbol.container, text)


def passage_named(project: Project, file: IndexedFile, doc_id: str) -> Passage | None:
    """The passage of an indexed file's document; None where this version of Scry reads no such document out of it."""
    parsed = parse_to_explain(project, file)
    for document in make_documents(file.path, parsed):
        if document.doc_id == doc_id:
            return passage_of(file.path, document.symbol)
    return None
