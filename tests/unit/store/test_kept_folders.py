"""What is kept of folders from question to question: as long as nothing is written, and no longer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scry.core.types import FileStructure
from scry.store.index.rows import NewFile
from scry.store.index.store import IndexStore
from scry.store.sqlite import database as kept_folders
from scry.store.sqlite.database import FolderCache


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[IndexStore]:
    with closing(IndexStore.open(tmp_path, write=True)) as store:
        store.publish([NewFile(path, 1, 1, b"x") for path in ("a.py", "src/b.py")])
        yield store


@pytest.mark.acceptance("O1")
def test_a_reader_sees_what_another_connection_wrote(writer: IndexStore, tmp_path: Path) -> None:
    with closing(IndexStore.open(tmp_path, write=False)) as reader:
        first = reader.columns_in_folder("")
        assert reader.columns_in_folder("") is first
        assert list(first.paths) == ["a.py", "src/b.py"]
        writer.save_structures({"a.py": FileStructure(importers=7)})  # which raises no generation
        assert reader.columns_in_folder("").importers.tolist() == [7, 0]
        writer.publish([NewFile("src/c.py", 1, 1, b"x")], removed_paths=["a.py"])
        assert list(reader.columns_in_folder("").paths) == ["src/b.py", "src/c.py"]
        assert list(reader.columns_in_folder("src").paths) == ["src/b.py", "src/c.py"]


@pytest.mark.acceptance("O1")
def test_a_writer_sees_what_it_wrote_itself(writer: IndexStore) -> None:
    assert writer.columns_in_folder("").importers.tolist() == [0, 0]
    writer.save_structures({"src/b.py": FileStructure(importers=3)})
    assert writer.columns_in_folder("").importers.tolist() == [0, 3]


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_folders, "MOST_FILES", 3)
    read: list[str] = []
    with closing(sqlite3.connect(":memory:")) as database:
        kept: FolderCache[list[int]] = FolderCache(database)

        def ask(folder: str, size: int) -> None:
            kept.get(folder, lambda: read.append(folder) or [0] * size)

        for folder, size in (("a", 2), ("b", 2), ("a", 2), ("a", 2), ("b", 1)):
            ask(folder, size)
    assert read == ["a", "b", "a", "b"]
