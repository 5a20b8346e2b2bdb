"""What is to be said of a history: whether it is there, all of it, and what a person should know of it."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from scry.core.types import IndexState
from scry.index.git_folder import find_repository
from scry.index.project import head_commit
from scry.store.history_reader import HistoryReader

HISTORY_PENDING = "pending"
HISTORY_READY = "ready"
HISTORY_NONE = "none"


class HistoryState(Struct, frozen=True):
    """state: pending, ready or none. generation: of what is published. note: what is wrong, for a person, or empty.

    extent: how much of it is held where that is not all; empty where it is.
    """

    state: str = HISTORY_NONE
    generation: int = 0
    note: str = ""
    extent: str = ""


def read_history_state(root: Path, history: HistoryReader | None) -> HistoryState:
    """The state of a folder's history; `history` is what is held of it, None for nothing.

    It is pending until the commit that is checked out was brought in or could not be; then an older one still answers.
    """
    if history is None:
        return HistoryState(_state_without_history(root))
    head = head_commit(root)
    if head is None:
        return HistoryState(HISTORY_NONE, history.generation)
    if head == history.head:
        return HistoryState(HISTORY_READY, history.generation, extent=history.warning)
    if head != history.last_attempted_head:
        return HistoryState(HISTORY_PENDING, history.generation)
    return HistoryState(HISTORY_READY if history.head else HISTORY_NONE, history.generation, note=history.warning)


def _state_without_history(root: Path) -> str:
    """A folder without git, or before its first commit, has no history to wait for."""
    return HISTORY_NONE if find_repository(root) is None or head_commit(root) is None else HISTORY_PENDING


def merge_history_state(index: IndexState, history: HistoryState) -> IndexState:
    """The state of the index with that of its history laid over it."""
    message = "; ".join(words for words in (index.message, history.note) if words)
    generation = index.generation + history.generation
    return replace(index, history=history.state, history_extent=history.extent, generation=generation, message=message)
