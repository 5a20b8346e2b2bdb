"""What an embedder was given of a document, for those who explain its score. Writes nothing."""

from __future__ import annotations

from scry.core.types import Outline
from scry.embedding.embedder import Passage
from scry.index.contents import parse_to_explain
from scry.index.documents import name_symbols
from scry.index.embed import make_passages
from scry.index.project import Project
from scry.store.index_store import IndexStore


def passage_of(project: Project, store: IndexStore, document: Outline) -> Passage | None:
    """The passage of an indexed document; None where this version of Scry reads no such document out of its file."""
    for file in store.indexed([document.path]):
        parsed = parse_to_explain(project, file.path, file.hash, lambda: store.text(document.path) or "")
        symbols = [symbol for doc_id, _, symbol in name_symbols(file.path, parsed) if doc_id == document.doc_id]
        return next(iter(make_passages(file.path, symbols)), None)
    return None
