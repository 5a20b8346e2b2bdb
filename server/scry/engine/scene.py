"""What there is to explain from, as of one moment: the index, the history, and the answers that were given."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from scry.core.settings import Settings
from scry.core.types import IndexState
from scry.engine.answers import Answers
from scry.engine.asked_again import AskedAgain, asked_again
from scry.engine.locate import Locator, Target
from scry.index.project import Project
from scry.store.history_reader import HistoryReader
from scry.store.index_store import IndexStore
from scry.store.shelves import Shelves

MOST_DOCUMENTS = 200
"""So many documents of a file are looked up among the answers."""


class Scene(Struct, frozen=True):
    """store: None while there is no index. history: None where there is none, or it can't be read. knowledge: None
    where there is none.
    """

    project: Project
    settings: Settings
    store: IndexStore | None
    history: HistoryReader | None
    state: IndexState
    knowledge: Shelves | None = None

    def locate(self, doc_id: str) -> Target:
        """What a doc_id names. Raises BadRequest for an empty one."""
        complete = self.state.files_indexed >= self.state.files_total
        return Locator(self.project, self.settings, self.store, self.history, complete, self.knowledge).locate(doc_id)

    def asked_again(
        self, query: str | None, query_id: str | None, target: Target, answers: Sequence[Answers]
    ) -> AskedAgain:
        """The question to explain the target for; see engine.asked_again."""
        doc_ids = [target.doc_id]
        if len(target.numbers) > 1 and self.store is not None:
            documents = self.store.outlines(target.numbers[:MOST_DOCUMENTS])
            doc_ids += [outline.doc_id for outline in documents.values()]
        named = [*doc_ids, *(f"{self.project.name}:{doc_id}" for doc_id in doc_ids)]
        return asked_again(query, query_id, named, answers)
