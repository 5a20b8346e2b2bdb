"""What one question read of a folder and another may need again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sized
from typing import Generic, TypeVar

from scry.store.database import change_mark

MOST_FILES = 200_000
"""So many files' values are kept, of however many folders: some 50 MB."""

T = TypeVar("T", bound=Sized)


class KeptFolders(Generic[T]):
    """Values of folders, each of the length of its files, until anything is written to their database.

    Used under the lock of the connection.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        """connection: to the database that the values are read from."""
        self._db = connection
        self._mark = (0, 0)
        self._kept: dict[str, T] = {}

    def get(self, folder: str, read: Callable[[], T]) -> T:
        """The value of a folder, read now unless it was read since the last write."""
        mark = change_mark(self._db)
        if mark != self._mark or sum(map(len, self._kept.values())) > MOST_FILES:
            self._kept, self._mark = {}, mark
        if folder not in self._kept:
            self._kept[folder] = read()
        return self._kept[folder]
