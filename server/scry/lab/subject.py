"""What is judged: the index of one project as it is, asked as find asks it, but nothing is kept or logged of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from scry.core.settings import Settings
from scry.core.types import Candidate, Document, Question
from scry.embedding.embedder import Vectors
from scry.engine.encode import QuestionEncoder
from scry.engine.find import BASE_WEIGHTS, Ranking, rank
from scry.engine.history import History
from scry.engine.plan import plan
from scry.index.indexer import Indexer
from scry.index.project import Project, find_root
from scry.lab.metrics import K, Place, same_file
from scry.store.index_store import IndexStore
from scry.store.vector_sets import Maker

PATIENCE_S = 30.0
"""How long a model in another process may take for a question: nobody waits for the single answer."""


class Subject:
    """A project's index, open for reading."""

    def __init__(self, project: Project, settings: Settings) -> None:
        """Raises IndexUnavailable where there is no index, or none that can be read."""
        self.project = project
        self.store = IndexStore.open(project.cache, write=False)
        self.history = History(project)
        self._settings = settings
        self._indexer: Indexer | None = None
        self._encoder = QuestionEncoder(self._connect)
        self._above = _folders_above(project.root)
        self._read: dict[int, Document] = {}

    def rank(self, question: Question) -> Ranking:
        """Find's own ranking of a question, whole."""
        return rank(question, self.store, self._encode, _never, self.history.read)

    def ask(self, query: str, limit: int = K) -> Ranking:
        """The same of a query's text, read as find reads it."""
        return self.rank(plan(query, BASE_WEIGHTS, limit=limit))

    def places(self, ranking: Ranking, count: int) -> list[Place]:
        """Where the first `count` of a ranking are."""
        first = ranking.ranked[:count]
        missing = [each.document.number for each in first if each.document.number not in self._read]
        self._read.update(ranking.reader.documents(missing))
        return [self._place(each) for each in first if each.document.number in self._read]

    def path_of(self, path: str) -> str:
        """The indexed file that a path of a question set means, relative to the root; the path itself if none is."""
        files = list(self.store.files())
        wanted = path.removeprefix(self._above)
        if wanted in files:
            return wanted
        return next((file for file in sorted(files) if same_file(self._above + file, path)), path)

    @property
    def model(self) -> str | None:
        """The identity of the model whose vectors answer."""
        maker = self.store.embedder
        return maker.identity if maker else None

    def close(self) -> None:
        """Gives everything free."""
        if self._indexer is not None:
            self._indexer.close()
        self.history.close()
        self.store.close()

    def _place(self, candidate: Candidate) -> Place:
        document = self._read[candidate.document.number]
        if not document.path:
            return Place(document.doc_id, "", 0, 0)
        span = document.symbol.span
        return Place(document.doc_id, self._above + document.path, span.start.line + 1, span.end.line + 1)

    def _encode(self, maker: Maker, query: str) -> Vectors:
        return self._encoder.encode(maker, query, PATIENCE_S)

    def _connect(self) -> Indexer:
        if self._indexer is None:
            self._indexer = Indexer.connect(self.project, self._settings)
        return self._indexer


def missing_oracles(rankings: Sequence[Ranking]) -> list[str]:
    """What could not answer, and why, once each."""
    return sorted({f"{fault.oracle}: {fault.message}" for ranking in rankings for fault in ranking.evidence.faults})


def _folders_above(root: Path) -> str:
    """What stands between the repository's top and the project's root, with a slash at its end; empty for nothing."""
    top = find_root(root)
    return "" if top == root else os.path.relpath(root, top) + "/"


def _never() -> bool:
    return False
