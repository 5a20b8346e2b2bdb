"""What an embedder was given of a document, for those who explain its score. Writes nothing."""

from __future__ import annotations

from scry.core.types import DocumentHeader
from scry.embedding.embedder import Passage
from scry.index.contents import load_parsed
from scry.index.documents import assign_doc_ids
from scry.index.embed import make_passages
from scry.index.project import Project
from scry.store.index_store import IndexStore


def make_document_passage(project: Project, store: IndexStore, document: DocumentHeader) -> Passage | None:
    """The passage of an indexed document; None where this version of Scry reads no such document out of its file."""
    for file in store.get_indexed_files([document.path]):
        parsed = load_parsed(project, file.path, file.hash, lambda: store.get_text(document.path) or "")
        symbols = [symbol for doc_id, _, symbol in assign_doc_ids(file.path, parsed) if doc_id == document.doc_id]
        return next(iter(make_passages(file.path, symbols)), None)
    return None
