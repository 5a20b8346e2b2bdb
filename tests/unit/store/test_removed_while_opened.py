"""A reader that opens a cache at the moment in which its writer removes it finds none, and no damage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from scry.core import IndexMissing
from scry.store.history import HistoryReader, HistoryStore
from scry.store.history import database as history_database
from scry.store.index import IndexStore
from scry.store.index import database as index_database


def _open_history(folder: Path) -> None:
    HistoryReader.open(folder)


def _open_index(folder: Path) -> None:
    IndexStore.open(folder, write=False)


@pytest.mark.parametrize(
    ("module", "open_for_reading"), [(history_database, _open_history), (index_database, _open_index)]
)
def test_cache_that_is_removed_while_it_is_opened_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, open_for_reading: Callable[[Path], None]
) -> None:
    HistoryStore.open(tmp_path).close()
    IndexStore.open(tmp_path, write=True).close()
    open_database = module.open_database

    def open_and_remove(path: Path, *, write: bool) -> object:
        connection = open_database(path, write=write)
        path.unlink()
        return connection

    monkeypatch.setattr(module, "open_database", open_and_remove)
    with pytest.raises(IndexMissing):
        open_for_reading(tmp_path)
