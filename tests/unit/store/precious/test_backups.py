"""Backups of what can't be made again: one a day, renewed every hour, none with what was forgotten."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from scry.store.notes.persona import PersonaDatabase, PersonaNoteBody
from scry.store.precious import is_backup_due, list_backups, make_backup, restore_backup

DAY = 86_400.0
NOON = 1_800_000_000.0 - 1_800_000_000 % DAY + DAY / 2


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "persona" / "persona.sqlite"
    add(path, "first")
    return path


def add(path: Path, text: str) -> str:
    with closing(PersonaDatabase.open(path)) as database:
        return database.add(PersonaNoteBody(text), 1_700_000_000_000).doc_id


def texts(path: Path) -> list[str]:
    with closing(PersonaDatabase.open(path)) as database:
        return sorted(note.body.text for note in database.current_notes())


def set_time(path: Path, moment: float) -> None:
    os.utime(path, (moment, moment))


def back_up(path: Path, now: float) -> None:
    set_time(make_backup(path, now).path, now)


def test_backup_is_due_a_day_later_and_after_an_hour_of_change(path: Path) -> None:
    set_time(path, NOON)
    assert is_backup_due(path, NOON)
    back_up(path, NOON)
    assert not is_backup_due(path, NOON + DAY), "nothing has changed"
    set_time(path, NOON + 60)
    assert not is_backup_due(path, NOON + 120)
    assert is_backup_due(path, NOON + 3700)
    assert is_backup_due(path, NOON + DAY)


def test_backups_of_the_last_three_days_are_kept(path: Path) -> None:
    for day in range(5):
        back_up(path, NOON + day * DAY)
    found = list_backups(path)
    assert len({backup.day for backup in found}) == len(found) == 3
    assert found[0].day > found[2].day
    assert stat.S_IMODE(found[0].path.stat().st_mode) == 0o600
    assert stat.S_IMODE(found[0].path.parent.stat().st_mode) == 0o700


def test_restored_backup_keeps_what_was_there(path: Path) -> None:
    back_up(path, NOON)
    add(path, "second")
    kept = restore_backup(path, list_backups(path)[0])
    assert texts(path) == ["first"]
    assert kept is not None
    with closing(sqlite3.connect(kept)) as database:
        assert database.execute("SELECT count(*) FROM persona_events").fetchone()[0] == 2


def test_forgotten_note_is_in_no_backup(path: Path) -> None:
    secret = add(path, "the colour of the cat is heliotrope")
    back_up(path, NOON)
    with closing(PersonaDatabase.open(path)) as database:
        database.forget(secret, 1_700_000_001_000)
    for file in path.parent.rglob("*"):
        assert file.is_dir() or b"heliotrope" not in file.read_bytes(), file
    assert len(list_backups(path)) == 1, "a backup of what is left is there at once"


def test_forgotten_note_is_in_no_unfinished_copy(path: Path) -> None:
    secret = add(path, "the colour of the cat is heliotrope")
    back_up(path, NOON)
    copies = [path.parent / "backups" / name for name in ("persona-2027-01-15.new", f"persona-x.{os.getppid()}.new")]
    for copy in (*copies, path.with_name(f"{path.name}.restored")):
        copy.write_bytes(b"heliotrope")
    with closing(PersonaDatabase.open(path)) as database:
        database.forget(secret, 1_700_000_001_000)
    for file in path.parent.rglob("*"):
        assert file.is_dir() or b"heliotrope" not in file.read_bytes(), file


def test_next_backup_removes_drafts_of_dead_processes_alone(path: Path) -> None:
    back_up(path, NOON)
    folder = path.parent / "backups"
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    dead = [folder / f"persona-2027-01-15.{ended.pid}.new", folder / "persona-2027-01-15.new"]
    alive, other = folder / f"persona-2027-01-15.{os.getppid()}.new", folder / "memory-2027-01-15.new"
    for draft in (*dead, alive, other):
        draft.write_bytes(b"half a backup")
    back_up(path, NOON + DAY)
    assert {file.name for file in folder.glob("*.new")} == {alive.name, other.name}
    assert len(list_backups(path)) == 2
