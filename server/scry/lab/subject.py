"""What is judged: the index of one project as it is, asked as find asks it, but nothing is kept or logged of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from scry.core.errors import IndexUnavailable
from scry.core.settings import Settings
from scry.core.types import Candidate, Document, IndexState, Question
from scry.embedding.embedder import Vectors
from scry.engine.find import Ranking, rank, weigh
from scry.engine.indexed import Indexed
from scry.index.project import Project, find_root
from scry.lab.metrics import Place, same_file
from scry.lab.recipe import USUAL, Recipe
from scry.oracles.oracle import Reader
from scry.store.vector_sets import Maker

PATIENCE_S = 30.0
"""How long a model in another process may take for a question: nobody waits for the single answer."""


class Subject:
    """A project's index, open for reading.

    oracles, adjustments: the names of those that found or moved anything so far.
    """

    def __init__(self, project: Project, settings: Settings) -> None:
        """Raises IndexUnavailable where there is no index, or none that can be read."""
        self.project = project
        self._indexed = Indexed(project, settings, start_indexer=False)
        store = self._indexed.store()
        if store is None:
            raise IndexUnavailable(f"{project.root} has no index yet; make one with: scry index")
        self.store = store
        self._above = _folders_above(project.root)
        self._read: dict[int, Document] = {}
        self.adjustments: set[str] = set()
        self.oracles: set[str] = set()

    def rank(self, question: Question, recipe: Recipe = USUAL) -> Ranking:
        """Find's own ranking of a question, whole. recipe: what to weigh otherwise."""
        asked = rank(question, self.store, self._encode, _never, self._indexed.history.read)
        self.oracles.update(name for name, votes in asked.evidence.votes.items() if votes)
        self.adjustments.update(moved.name for each in asked.ranked for moved in each.adjustments)
        return asked if recipe is USUAL else weighed(asked, recipe)

    def places(self, ranked: Sequence[Candidate], reader: Reader) -> list[Place]:
        """Where these are. reader: of their ranking."""
        missing = [each.document.number for each in ranked if each.document.number not in self._read]
        self._read.update(reader.documents(missing))
        return [self._place(each) for each in ranked if each.document.number in self._read]

    def path_of(self, path: str) -> str:
        """The indexed file that a path of a question set means, relative to the root; the path itself if none is."""
        files = list(self.store.files())
        wanted = path.removeprefix(self._above)
        if wanted in files:
            return wanted
        return next((file for file in sorted(files) if same_file(self._above + file, path)), path)

    def state(self) -> IndexState:
        """What is indexed, and the model that answers."""
        return self._indexed.answering_state(())

    def close(self) -> None:
        """Gives everything free."""
        self._indexed.close()

    def _place(self, candidate: Candidate) -> Place:
        document = self._read[candidate.document.number]
        if not document.path:
            return Place(document.doc_id, "", 0, 0)
        span = document.symbol.span
        return Place(document.doc_id, self._above + document.path, span.start.line + 1, span.end.line + 1)

    def _encode(self, maker: Maker, query: str) -> Vectors:
        return self._indexed.encode(PATIENCE_S, maker, query)


def weighed(ranking: Ranking, recipe: Recipe) -> Ranking:
    """The same votes, weighed by a recipe."""
    return weigh(recipe.applied(ranking.question), ranking.reader, ranking.evidence)


def missing_oracles(rankings: Iterable[Ranking]) -> list[str]:
    """What could not answer, and why, once each."""
    return sorted({f"{fault.oracle}: {fault.message}" for ranking in rankings for fault in ranking.evidence.faults})


def _folders_above(root: Path) -> str:
    """What stands between the repository's top and the project's root, with a slash at its end; empty for nothing."""
    top = find_root(root)
    return "" if top == root else os.path.relpath(root, top) + "/"


def _never() -> bool:
    return False
