"""The index and the history as the modes without oracles read them: as of one moment."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from scry.core.doc_id import new_query_id
from scry.core.errors import IndexUnavailable
from scry.core.types import Answer, FusionScoring, IndexState, OracleFault
from scry.engine.search.query import browse_question
from scry.store.history.reader import HistoryReader
from scry.store.index.store import IndexStore

UNFUSED_SCORING = FusionScoring(k=0, weights={}, ceiling=1.0, depth=0)
"""The scoring of a mode without oracles: see the protocol's Scoring."""


class IndexView(Struct, frozen=True):
    """The index and the history as of one moment.

    history: None where no commit is known, or where it can't be read; then `faults` says why.
    """

    store: IndexStore
    state: IndexState
    history: HistoryReader | None
    faults: tuple[OracleFault, ...] = ()


def open_view(store: IndexStore, state: IndexState, history: Callable[[], HistoryReader | None]) -> IndexView:
    """Return the index as it is published now, with its history where that can be read."""
    store.refresh()
    try:
        reader = history()
        return IndexView(store, state, None if reader is None or reader.is_empty else reader)
    except IndexUnavailable as error:
        return IndexView(store, state, None, (OracleFault("history", str(error)),))


def unindexed_answer(text: str, limit: int, state: IndexState) -> Answer:
    """Return the answer while there is no index: the state alone. text: the question, or the requested path."""
    return Answer(browse_question(text, limit), new_query_id(), UNFUSED_SCORING, state, ())
