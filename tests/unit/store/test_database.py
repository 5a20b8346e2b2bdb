"""How files are moved forward, also by several at a time."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from scry.store.sqlite.database import apply_migrations, open_database, schema_version

_AGAIN_AND_AGAIN = "DELETE FROM notes; -- a comment; with its own\n INSERT INTO notes (text) VALUES ('a;b');"
MIGRATIONS = ("CREATE TABLE notes (text TEXT);", _AGAIN_AND_AGAIN, "ALTER TABLE notes ADD COLUMN time INTEGER;")


def test_a_file_is_brought_forward_from_where_it_is(tmp_path: Path) -> None:
    database = open_database(tmp_path / "notes.sqlite", write=True)
    apply_migrations(database, MIGRATIONS[:1])
    assert schema_version(database) == 1
    apply_migrations(database, MIGRATIONS)
    apply_migrations(database, MIGRATIONS)
    assert schema_version(database) == 3
    assert database.execute("SELECT text, time FROM notes").fetchall() == [("a;b", None)]


def test_who_is_overtaken_does_not_set_the_file_back(tmp_path: Path) -> None:
    mine, other = (open_database(tmp_path / "notes.sqlite", write=True) for _ in range(2))
    apply_migrations(mine, MIGRATIONS[:1])

    def overtake(statement: str) -> None:
        if statement.startswith("BEGIN IMMEDIATE"):
            mine.set_trace_callback(None)
            apply_migrations(other, MIGRATIONS)

    mine.set_trace_callback(overtake)
    apply_migrations(mine, MIGRATIONS)
    assert schema_version(mine) == schema_version(other) == 3


def test_a_migration_that_fails_leaves_nothing(tmp_path: Path) -> None:
    database = open_database(tmp_path / "notes.sqlite", write=True)
    broken = (*MIGRATIONS[:1], "INSERT INTO notes VALUES ('half'); INSERT INTO nowhere VALUES (1);")
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        apply_migrations(database, broken)
    assert schema_version(database) == 1
    assert not database.execute("SELECT * FROM notes").fetchall()
