"""A project on disk, indexed in this process and queried through the real engine."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from scry.core import IndexState, load_settings
from scry.engine import Engine
from scry.index.git import update_changed_documents, update_history
from scry.index.graph import update_graph
from scry.index.notes import update_belief_coverage
from scry.indexer import refresh_index
from scry.store.history import HistoryStore
from scry.store.index import IndexStore
from scry_protocol import messages
from tests.sample.project import SampleProject


@dataclass(eq=False)
class IndexedProject(SampleProject):
    """The project; call `update_index` and then `find`."""

    def update_index(self, only: frozenset[str] | None = None) -> IndexState:
        """Run one pass of the indexer in this process."""
        store = IndexStore.open(self.project.cache, write=True)
        try:
            settings = load_settings(self.root, {})
            state = refresh_index(
                self.project, settings, store, only_paths=only, report=lambda _: None, checkpoint=lambda: None
            )
            self._bring_history(store)
            return state
        finally:
            store.close()

    def _bring_history(self, index: IndexStore) -> None:
        with closing(HistoryStore.open(self.project.cache)) as history:
            if update_history(self.root.resolve(), history, lambda: None):
                update_changed_documents(history, index, lambda: None)
            update_belief_coverage(self.project, history, lambda: None)

    def update_graph(self) -> None:
        """Update the code graph, as an idle indexer does."""
        with closing(IndexStore.open(self.project.cache, write=True)) as store:
            update_graph(store, lambda: None)

    def engine(self) -> Engine:
        """Return the real engine on what is indexed, without an indexer process."""
        return Engine.open(self.root, load_settings(self.root, {}), start_indexer=False)

    def find(self, query: str, limit: int = 10, **params: object) -> messages.Answer:
        """Return the answer of the real engine to a query."""
        find_params = messages.FindParams(query=query, limit=limit, **params)  # type: ignore[arg-type]
        return self.ask(lambda engine: engine.find(find_params))

    def ask(self, question: Callable[[Engine], messages.Answer]) -> messages.Answer:
        """Return the engine's answer to any request."""
        with closing(self.engine()) as engine:
            return question(engine)


def doc_ids(answer: messages.Answer) -> list[str]:
    """Return the doc_ids of an answer, in order."""
    return [result.doc_id for result in answer.results]


def recomputed_score(answer: messages.Answer, result: messages.ResultItem) -> float:
    """Return the fused score as it follows from what the answer itself says,
    in the documented order of operations (F5).
    """
    scoring, score = answer.scoring, 0.0
    for name, weight in scoring.weights.items():
        if name in result.contributions:
            score += weight / (scoring.k + result.contributions[name].rank)
    for adjustment in result.adjustments:
        score *= adjustment.factor
    return score / scoring.ceiling


def recomputed_confidence(result: messages.ResultItem, weights: dict[str, float], *, cosine_counts: bool) -> float:
    """Return the confidence as it follows from what the answer itself says (F15)."""
    lexical, semantic = result.contributions.get("lexical"), result.contributions.get("semantic")
    if lexical is None and semantic is None:
        return max([c.raw_score for c in result.contributions.values() if c.score_type == "relevance"], default=0.0)
    matches = lexical.matches if lexical is not None and isinstance(lexical.matches, list) else []
    share = sum(weights[term] for term in matches) / sum(weights.values())
    cosine = semantic.raw_score if semantic is not None else 0.0
    if not cosine_counts or result.content_type == "commit":
        cosine = share / 2
    return 1 / (1 + math.exp(9 - 7.5 * share - 14 * cosine + 10 * share * cosine))
