"""What the history says of one file: its commits, when it changed last, and what changes with it."""

from __future__ import annotations

from msgspec import Struct

from scry.core.errors import IndexUnavailable
from scry.store.history_reader import HistoryReader, describe_commit

MAX_CO_CHANGES = 5
"""Files that change with it, as far as an explanation lists them."""


class FileHistory(Struct, frozen=True):
    """A file's life. commits: how many changed it. last_commit: the newest, in words. last_changed: when that was, in
    seconds since the epoch. co_changes: path and number of common commits, most first.
    """

    commits: int
    last_commit: str
    last_changed: int | None
    uncommitted: bool
    co_changes: tuple[tuple[str, int], ...]


def read_file_history(path: str, history: HistoryReader | None, uncommitted: bool) -> FileHistory | None:
    """What is known of a file; None where nothing is. uncommitted: whether it has changes that are not committed."""
    try:
        commits, newest = history.change_count_and_last_commit(path) if history else (0, None)
        together = history.co_changed_files(path, MAX_CO_CHANGES) if history and commits else []
    except IndexUnavailable:
        commits, newest, together = 0, None, []
    if not commits and not uncommitted:
        return None
    last = describe_commit(newest) if newest else ""
    return FileHistory(commits, last, newest.time if newest else None, uncommitted, tuple(together))
