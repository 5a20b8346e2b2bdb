"""A damaged file that can't be made again: kept, read as far as possible, and begun anew."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from scry.store.notes.persona import PersonaDatabase, PersonaNoteBody, persona_file
from scry.store.precious import ensure_intact, list_kept_files, make_backup
from scry.store.precious.pages import Column, Table, apply_journal, scan_rows
from tests.trust.damage import WAYS

NOTES = 60
Damage = Callable[[Path, random.Random], None]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with notes of several pages."""
    path = tmp_path / "persona" / "persona.sqlite"
    with closing(PersonaDatabase.open(path)) as database:
        for number in range(NOTES):
            body = PersonaNoteBody(f"note {number}: " + "what I like about it " * 20)
            database.add(body, 1_700_000_000_000 + number * 1000)
    return path


def texts(path: Path) -> list[str]:
    with closing(PersonaDatabase.open(path)) as database:
        return [note.body.text[:8] for note in reversed(database.current_notes())]


def corrupt_page(path: Path, number: int) -> None:
    content = bytearray(path.read_bytes())
    content[(number - 1) * 4096 : number * 4096] = b"\xa5" * 4096
    path.write_bytes(content)


def test_intact_file_is_left_alone(path: Path) -> None:
    before = path.read_bytes()
    assert ensure_intact(persona_file(path), thorough=True) is None
    assert (path.read_bytes(), list_kept_files(path)) == (before, [])


def test_lost_header_loses_no_note(path: Path) -> None:
    before = bytearray(path.read_bytes())
    before[:4096] = b"\0" * 4096
    path.write_bytes(before)
    report = ensure_intact(persona_file(path))
    assert report is not None
    assert len(texts(path)) == NOTES
    assert report.kept.read_bytes() == before
    assert "could be saved" in report.describe()


@pytest.mark.parametrize("bit", [0x01, 0x80], ids=["another-letter", "no-utf8"])
def test_damaged_text_of_the_schema_loses_no_note(path: Path, bit: int) -> None:
    original = path.read_bytes()
    first, last = original.index(b"CREATE TABLE"), 4096
    for place in random.Random(1).sample(range(first, last), 60):
        content = bytearray(original)
        content[place] ^= bit
        path.write_bytes(content)
        assert len(texts(path)) == NOTES, place
        ensure_intact(persona_file(path), thorough=True)
        assert len(texts(path)) == NOTES, place


def test_every_page_can_be_lost_at_the_cost_of_its_own_notes(path: Path) -> None:
    original = path.read_bytes()
    lost: list[int] = []
    for number in range(1, len(original) // 4096 + 1):
        path.write_bytes(original)
        corrupt_page(path, number)
        ensure_intact(persona_file(path), thorough=True)
        lost.append(NOTES - len(texts(path)))
    assert max(lost) <= 10, "a page holds fewer than ten notes"
    assert lost.count(0) >= len(lost) // 3, "pages of words and indexes cost no note"


def test_backup_fills_in_what_a_lost_page_held(path: Path) -> None:
    make_backup(path, 1_800_000_000)
    original = path.read_bytes()
    for number in range(1, len(original) // 4096 + 1):
        path.write_bytes(original)
        corrupt_page(path, number)
        ensure_intact(persona_file(path), thorough=True)
        assert len(texts(path)) == NOTES


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("seed", range(3))
def test_notes_can_be_added_after_any_damage(path: Path, way: Damage, seed: int) -> None:
    before = set(texts(path))
    way(path, random.Random(seed))
    damaged = path.read_bytes() if path.exists() else b""
    with closing(PersonaDatabase.open(path)) as database:
        database.add(PersonaNoteBody("one more"), 1_900_000_000_000)
    found = texts(path)
    assert found[-1] == "one more"
    assert len(set(found) & before) == len(found) - 1, "no note is made up, nor found twice"
    for kept in list_kept_files(path):
        assert kept.path.read_bytes() == damaged


def test_emptied_file_is_brought_back_from_the_backup(path: Path) -> None:
    make_backup(path, 1_800_000_000)
    path.write_bytes(b"")
    with closing(PersonaDatabase.open(path)):
        assert len(texts(path)) == NOTES
    assert "it is empty" in list_kept_files(path)[0].report


def test_file_of_a_newer_version_is_not_touched(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version=99")
    corrupt_page(path, 3)
    before = path.read_bytes()
    assert ensure_intact(persona_file(path), thorough=True) is None
    assert path.read_bytes() == before


def test_committed_pages_of_a_journal_are_read_without_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "some.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE words (number INTEGER PRIMARY KEY, word TEXT NOT NULL, extra BLOB)")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        long = "x" * 10_000
        database.executemany(
            "INSERT INTO words VALUES (?, ?, ?)", [(1, "one", None), (-2, long, b"\0"), (3, "three", b"")]
        )
        content = apply_journal(path.read_bytes(), Path(f"{path}-wal").read_bytes())
    columns = (
        Column("number", "INTEGER", is_required=False, is_rowid=True),
        Column("word", "TEXT", is_required=True, is_rowid=False),
        Column("extra", "BLOB", is_required=False, is_rowid=False),
    )
    rows = list(scan_rows(content, [Table("words", columns, has_rowid=True)]))
    assert sorted(row for _, row in rows) == [(-2, long, b"\0"), (1, "one", None), (3, "three", b"")]  # type: ignore[type-var]
