"""All that a mode reads which asks no oracle: the index and the history, as of now."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from scry.core.errors import IndexUnavailable
from scry.core.types import Answer, OracleFault, IndexState, FusionScoring
from scry.engine.plan import browse_question
from scry.engine.query_id import new_query_id
from scry.store.history_reader import HistoryReader
from scry.store.index_store import IndexStore

UNFUSED_SCORING = FusionScoring(k=0, weights={}, ceiling=1.0, depth=0)
"""The scoring of a mode in which no oracle votes: see the protocol's Scoring."""


class IndexView(Struct, frozen=True):
    """history: None where no commit is known, or where it can't be read; then `faults` says why."""

    store: IndexStore
    state: IndexState
    history: HistoryReader | None
    faults: tuple[OracleFault, ...] = ()


def open_view(store: IndexStore, state: IndexState, history: Callable[[], HistoryReader | None]) -> IndexView:
    """The index as it is published now, with its history as far as that can be read."""
    store.refresh()
    try:
        reader = history()
        return IndexView(store, state, None if reader is None or reader.is_empty else reader)
    except IndexUnavailable as error:
        return IndexView(store, state, None, (OracleFault("history", str(error)),))


def unindexed_answer(text: str, limit: int, state: IndexState) -> Answer:
    """The answer while there is no index: nothing but its state. text: what was asked about."""
    return Answer(browse_question(text, limit), new_query_id(), UNFUSED_SCORING, state, ())
