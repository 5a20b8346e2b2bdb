"""What there is to explain from, as of one moment: the index, the history, and the answers that were given."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from scry.core.settings import Settings
from scry.core.types import IndexState
from scry.engine.answers import AnswerArchive
from scry.engine.asked_again import RecalledQuery, recall_query
from scry.engine.locate import DocumentResolver, ResolvedDocument
from scry.index.project import Project
from scry.store.history_reader import HistoryReader
from scry.store.index_store import IndexStore
from scry.store.shelves import NoteStores

MAX_RECALLED_DOCUMENTS = 200
"""So many documents of a file are looked up among the answers."""


class ProjectSnapshot(Struct, frozen=True):
    """store: None while there is no index. history: None where there is none, or it can't be read. knowledge: None
    where there is none.
    """

    project: Project
    settings: Settings
    store: IndexStore | None
    history: HistoryReader | None
    state: IndexState
    knowledge: NoteStores | None = None

    def resolve(self, doc_id: str) -> ResolvedDocument:
        """What a doc_id names. Raises BadRequest for an empty one."""
        complete = self.state.files_indexed >= self.state.files_total
        return DocumentResolver(self.project, self.settings, self.store, self.history, complete, self.knowledge).resolve(doc_id)

    def recall_query(
        self, query: str | None, query_id: str | None, target: ResolvedDocument, answers: Sequence[AnswerArchive]
    ) -> RecalledQuery:
        """The question to explain the target for; see engine.asked_again."""
        doc_ids = [target.doc_id]
        if len(target.doc_keys) > 1 and self.store is not None:
            documents = self.store.headers(target.doc_keys[:MAX_RECALLED_DOCUMENTS])
            doc_ids += [outline.doc_id for outline in documents.values()]
        named = [*doc_ids, *(f"{self.project.name}:{doc_id}" for doc_id in doc_ids)]
        return recall_query(query, query_id, named, answers)
