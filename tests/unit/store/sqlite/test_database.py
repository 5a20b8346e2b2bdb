"""Migrations of database files, also by several processes at a time."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scry.core import FileStructure
from scry.core.events import LogEvent
from scry.store.events import EVENTS_FILE, EventLog, EventReader
from scry.store.events.log import event_log_file
from scry.store.index import IndexStore, NewFile
from scry.store.memory import MEMORY_MIGRATIONS
from scry.store.precious.salvage import describe_file_damage
from scry.store.sqlite import FolderCache, apply_migrations, open_database, open_shared_database, schema_version
from scry.store.sqlite import database as cache_module
from scry.store.sqlite.database import CacheSchema, create_cache_tables

_AGAIN_AND_AGAIN = "DELETE FROM notes; -- a comment; with its own\n INSERT INTO notes (text) VALUES ('a;b');"
MIGRATIONS = ("CREATE TABLE notes (text TEXT);", _AGAIN_AND_AGAIN, "ALTER TABLE notes ADD COLUMN time INTEGER;")


def test_migrations_continue_from_the_file_version(tmp_path: Path) -> None:
    database = open_database(tmp_path / "notes.sqlite", write=True)
    apply_migrations(database, MIGRATIONS[:1])
    assert schema_version(database) == 1
    apply_migrations(database, MIGRATIONS)
    apply_migrations(database, MIGRATIONS)
    assert schema_version(database) == 3
    assert database.execute("SELECT text, time FROM notes").fetchall() == [("a;b", None)]


def test_overtaken_migration_does_not_revert_the_file(tmp_path: Path) -> None:
    mine, other = (open_database(tmp_path / "notes.sqlite", write=True) for _ in range(2))
    apply_migrations(mine, MIGRATIONS[:1])

    def overtake(statement: str) -> None:
        if statement.startswith("BEGIN IMMEDIATE"):
            mine.set_trace_callback(None)
            apply_migrations(other, MIGRATIONS)

    mine.set_trace_callback(overtake)
    apply_migrations(mine, MIGRATIONS)
    assert schema_version(mine) == schema_version(other) == 3


def test_failed_migration_leaves_no_change(tmp_path: Path) -> None:
    database = open_database(tmp_path / "notes.sqlite", write=True)
    apply_migrations(database, MIGRATIONS[:1])
    broken = (*MIGRATIONS[:1], "INSERT INTO notes VALUES ('half'); INSERT INTO nowhere VALUES (1);")
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        apply_migrations(database, broken)
    assert schema_version(database) == 1
    assert not database.execute("SELECT * FROM notes").fetchall()


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[IndexStore]:
    with closing(IndexStore.open(tmp_path, write=True)) as store:
        store.publish([NewFile(path, 1, 1, b"x") for path in ("a.py", "src/b.py")])
        yield store


@pytest.mark.acceptance("O1")
def test_a_reader_sees_what_another_connection_wrote(writer: IndexStore, tmp_path: Path) -> None:
    with closing(IndexStore.open(tmp_path, write=False)) as reader:
        first = reader.files.columns_in_folder("")
        assert reader.files.columns_in_folder("") is first
        assert list(first.paths) == ["a.py", "src/b.py"]
        writer.files.save_structures({"a.py": FileStructure(importers=7)})  # which raises no generation
        assert reader.files.columns_in_folder("").importers.tolist() == [7, 0]
        writer.publish([NewFile("src/c.py", 1, 1, b"x")], removed_paths=["a.py"])
        assert list(reader.files.columns_in_folder("").paths) == ["src/b.py", "src/c.py"]
        assert list(reader.files.columns_in_folder("src").paths) == ["src/b.py", "src/c.py"]


@pytest.mark.acceptance("O1")
def test_a_writer_sees_what_it_wrote_itself(writer: IndexStore) -> None:
    assert writer.files.columns_in_folder("").importers.tolist() == [0, 0]
    writer.files.save_structures({"src/b.py": FileStructure(importers=3)})
    assert writer.files.columns_in_folder("").importers.tolist() == [0, 3]


def test_only_a_file_without_tables_is_written_without_waiting_for_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    with closing(open_database(path, write=True)) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (1,)
        statements: list[str] = []
        connection.set_trace_callback(statements.append)
        create_cache_tables(connection, CacheSchema(1, "CREATE TABLE a (b);"))
        written = [each for each in statements if each.startswith(("PRAGMA synchronous=", "CREATE"))]
        assert written == ["PRAGMA synchronous=OFF", "CREATE TABLE a (b);", "PRAGMA synchronous=NORMAL"]
        statements.clear()
        create_cache_tables(connection, CacheSchema(2, "CREATE TABLE a (b, c);"))
        assert "PRAGMA synchronous=OFF" not in statements
        assert connection.execute("PRAGMA synchronous").fetchone() == (1,)


def test_folder_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "MOST_FILES", 3)
    read: list[str] = []
    with closing(sqlite3.connect(":memory:")) as database:
        cache: FolderCache[list[int]] = FolderCache(database)

        def read_folder(folder: str, size: int) -> None:
            cache.get(folder, lambda: read.append(folder) or [0] * size)

        for folder, size in (("a", 2), ("b", 2), ("a", 2), ("a", 2), ("b", 1)):
            read_folder(folder, size)
    assert read == ["a", "b", "a", "b"]


def test_readers_see_no_state_between_an_empty_file_and_a_whole_one(tmp_path: Path) -> None:
    path, seen = tmp_path / "memory.sqlite", list[int]()
    with closing(open_shared_database(path, timeout=5, synchronous="FULL", on_network=False)) as writer:

        def look(_: str) -> None:  # with every statement of the writer
            with closing(open_database(path, write=False)) as reader:
                seen.append(schema_version(reader))

        writer.set_trace_callback(look)
        apply_migrations(writer, MEMORY_MIGRATIONS)
        writer.set_trace_callback(None)
    assert len(seen) > len(MEMORY_MIGRATIONS), "a reader looked between any two migrations"
    assert set(seen) == {0, len(MEMORY_MIGRATIONS)}
    with closing(open_database(path, write=False)) as reader:
        assert schema_version(reader) == len(MEMORY_MIGRATIONS)


_KILLED_WRITER = """
import os, signal, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA journal_mode=DELETE")
database.execute("PRAGMA cache_size=1")
database.execute("BEGIN")
database.execute("UPDATE events SET body = 'half'")
os.kill(os.getpid(), signal.SIGKILL)
"""


def _kill_a_writer(path: Path) -> None:
    """Leave the journal of a transaction of which a part is in the file already."""
    done = subprocess.run([sys.executable, "-c", _KILLED_WRITER, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert Path(f"{path}-journal").stat().st_size


def test_reader_sees_nothing_of_a_transaction_whose_writer_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "events.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE events (body TEXT)")
        database.executemany("INSERT INTO events VALUES (?)", [("whole " * 500,)] * 100)
        database.commit()
    _kill_a_writer(path)
    with closing(open_database(path, write=False)) as reader:
        assert {row[0] for row in reader.execute("SELECT body FROM events")} == {"whole " * 500}


def test_log_whose_writer_was_killed_on_a_network_is_whole(tmp_path: Path) -> None:
    log = EventLog.open(tmp_path, lambda: None)
    log.append(
        [LogEvent("scry.query", number, json.dumps({"query": "whole " * 500}), f"q_{number}") for number in range(99)]
    )
    log.close()
    with closing(sqlite3.connect(tmp_path / EVENTS_FILE)) as database:
        database.execute("PRAGMA journal_mode=DELETE")
    _kill_a_writer(tmp_path / EVENTS_FILE)
    assert describe_file_damage(event_log_file(tmp_path), thorough=True) == ""
    _kill_a_writer(tmp_path / EVENTS_FILE)
    reader = EventReader.open(tmp_path)
    assert reader is not None
    with closing(reader):
        assert {json.loads(each.event.body)["query"] for each in reader.iter_events()} == {"whole " * 500}
