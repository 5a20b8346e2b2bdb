"""What one question read of a folder and another may need again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sized
from typing import Generic, TypeVar

from scry.store.database import write_counter

MOST_FILES = 200_000
"""So many files' values are kept, of however many folders: some 50 MB."""

SizedT = TypeVar("T", bound=Sized)


class FolderCache(Generic[SizedT]):
    """Values of folders, each of the length of its files, until anything is written to their database.

    Used under the lock of the connection.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        """connection: to the database that the values are read from."""
        self._db = connection
        self._counter_seen = (0, 0)
        self._values: dict[str, SizedT] = {}

    def get(self, folder: str, read: Callable[[], SizedT]) -> SizedT:
        """The value of a folder, read now unless it was read since the last write."""
        mark = write_counter(self._db)
        if mark != self._counter_seen or sum(map(len, self._values.values())) > MOST_FILES:
            self._values, self._counter_seen = {}, mark
        if folder not in self._values:
            self._values[folder] = read()
        return self._values[folder]
