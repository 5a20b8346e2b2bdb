"""The semantic score of one document split by words, where its model allows it (W3)."""

from __future__ import annotations

from scry.core.knowledge import is_knowledge
from scry.core.settings import BUNDLED_MODEL
from scry.core.types import DocumentHeader
from scry.embedding.choose import load_bundled_model
from scry.embedding.embedder import Passage
from scry.embedding.shares import CosineAttribution, attribute_cosine
from scry.index.passages import make_document_passage
from scry.index.project import Project
from scry.index.shelf_vectors import make_note_passage
from scry.store.index_store import IndexStore
from scry.store.shelves import NoteStores

MAX_SPLIT_CHARACTERS = 100_000
"""Each word of the question meets each of the text: more than this takes seconds."""


def split_semantic_score(
    project: Project, store: IndexStore, knowledge: NoteStores | None, document: DocumentHeader, words: str
) -> CosineAttribution | str:
    """The cosine of the question's words and a document by shares, or why it can't be split."""
    maker = store.embedder
    if maker is None:
        return "there are no vectors yet"
    if maker.model != BUNDLED_MODEL:
        return f"the model {maker.model} reads a text as a whole: its score can't be split by words"
    model, known = load_bundled_model(), is_knowledge(document.doc_key)
    if model.identity != maker.identity:
        return "made by another version of the bundled model: its score can't be split by words"
    passage = _chunk_of_note(knowledge, document) if known else make_document_passage(project, store, document)
    if passage is None:
        return "its text is no longer held as it was indexed, so that its score can't be split by words"
    if len(words) > MAX_SPLIT_CHARACTERS or len(passage.text) > MAX_SPLIT_CHARACTERS:
        return "too long to be split by words"
    return attribute_cosine(model, words, passage)


def _chunk_of_note(knowledge: NoteStores | None, document: DocumentHeader) -> Passage | None:
    """As it stands on its shelf; None where it is gone."""
    found = knowledge.get_documents([document.doc_key]) if knowledge is not None else {}
    return next((make_note_passage(each.symbol.name, each.symbol.doc) for each in found.values()), None)
