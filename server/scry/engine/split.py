"""The semantic score of one document split by words, where its model allows it (W3)."""

from __future__ import annotations

from scry.core.knowledge import is_knowledge
from scry.core.settings import BUNDLED
from scry.core.types import Outline
from scry.embedding.choose import bundled
from scry.embedding.embedder import Passage
from scry.embedding.shares import Shares, split_cosine
from scry.index.passages import passage_of
from scry.index.project import Project
from scry.index.shelf_vectors import note_passage
from scry.store.index_store import IndexStore
from scry.store.shelves import Shelves

MOST_CHARACTERS = 100_000
"""Each word of the question meets each of the text: more than this takes seconds."""


def split(
    project: Project, store: IndexStore, knowledge: Shelves | None, document: Outline, words: str
) -> Shares | str:
    """The cosine of the question's words and a document by shares, or why it can't be split."""
    maker = store.embedder
    if maker is None:
        return "there are no vectors yet"
    if maker.model != BUNDLED:
        return f"the model {maker.model} reads a text as a whole: its score can't be split by words"
    model, known = bundled(), is_knowledge(document.number)
    if model.identity != maker.identity:
        return "made by another version of the bundled model: its score can't be split by words"
    passage = _passage_of_note(knowledge, document) if known else passage_of(project, store, document)
    if passage is None:
        return "its text is no longer held as it was indexed, so that its score can't be split by words"
    if len(words) > MOST_CHARACTERS or len(passage.text) > MOST_CHARACTERS:
        return "too long to be split by words"
    return split_cosine(model, words, passage)


def _passage_of_note(knowledge: Shelves | None, document: Outline) -> Passage | None:
    """As it stands on its shelf; None where it is gone."""
    found = knowledge.documents([document.number]) if knowledge is not None else {}
    return next((note_passage(each.symbol.name, each.symbol.doc) for each in found.values()), None)
