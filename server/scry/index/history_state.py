"""What is to be said of a history: whether it is there, all of it, and what a person should know of it."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from scry.core.types import IndexState
from scry.index.git_folder import find_git_folder
from scry.index.project import head_commit
from scry.store.history_reader import HistoryReader

PENDING = "pending"
READY = "ready"
NONE = "none"


class HistoryState(Struct, frozen=True):
    """state: pending, ready or none. generation: of what is published. note: what is wrong, for a person, or empty.

    extent: how much of it is held where that is not all; empty where it is.
    """

    state: str = NONE
    generation: int = 0
    note: str = ""
    extent: str = ""


def history_state(root: Path, history: HistoryReader | None) -> HistoryState:
    """The state of a folder's history; `history` is what is held of it, None for nothing.

    It is pending until the commit that is checked out was brought in or could not be; then an older one still answers.
    """
    if history is None:
        return HistoryState(_without(root))
    head = head_commit(root)
    if head is None:
        return HistoryState(NONE, history.generation)
    if head == history.head:
        return HistoryState(READY, history.generation, extent=history.note)
    if head != history.tried:
        return HistoryState(PENDING, history.generation)
    return HistoryState(READY if history.head else NONE, history.generation, note=history.note)


def _without(root: Path) -> str:
    """A folder without git, or before its first commit, has no history to wait for."""
    return NONE if find_git_folder(root) is None or head_commit(root) is None else PENDING


def with_history(index: IndexState, history: HistoryState) -> IndexState:
    """The state of the index with that of its history laid over it."""
    message = "; ".join(words for words in (index.message, history.note) if words)
    generation = index.generation + history.generation
    return replace(index, history=history.state, history_extent=history.extent, generation=generation, message=message)
