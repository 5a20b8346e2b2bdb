"""Make, list, restore and drop backups of the files that can't be made again.

A file has a backup of each of the last days on which it changed, in a folder `backups` beside it; that of today is
renewed every hour in which it changes. What a person had
forgotten is in none of them: forgetting drops all, and begins anew.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

from msgspec import Struct

from scry.core.platform import create_private_file, is_process_alive, make_private_folder
from scry.store.sqlite.database import undecodable_schema_is_damage

BACKUP_FOLDER = "backups"

KEPT_BACKUPS = 3
"""Backups of a file that are kept, one a day."""

RENEWED_AFTER_S = 3600.0
"""Age from which today's backup is renewed after a change."""

LARGE_BYTES = 100_000_000
"""Size of a file from which one backup of it is kept, and not renewed on the same day."""

_PAGES_AT_ONCE = 1000
_DRAFT, _RESTORED = ".new", ".restored"
"""Ends of the names of unfinished copies: of a backup, after the id of the process, and of a backup put back."""

_NAME = re.compile(r"-(\d{4}-\d{2}-\d{2})\.sqlite")


class Backup(Struct, frozen=True):
    """A backup of a file. day: when it was made, such as 2026-11-22, by UTC."""

    path: Path
    day: str
    size: int


def list_backups(path: Path) -> list[Backup]:
    """Return the backups of a file, the newest first."""
    found: list[Backup] = []
    try:
        entries = list((path.parent / BACKUP_FOLDER).iterdir())
    except OSError:
        return []
    for entry in entries:
        match = _NAME.fullmatch(entry.name.removeprefix(path.stem))
        if entry.name.startswith(f"{path.stem}-") and match:
            found.append(Backup(entry, match.group(1), entry.stat().st_size))
    return sorted(found, key=lambda backup: backup.day, reverse=True)


def is_backup_due(path: Path, now: float) -> bool:
    """Return whether a file changed since its last backup, and that is old enough. now: seconds since the epoch."""
    if not path.exists() or not path.stat().st_size:
        return False
    known = list_backups(path)
    if not known:
        return True
    made_at = known[0].path.stat().st_mtime
    is_old = _day(made_at) < _day(now) or (now - made_at > RENEWED_AFTER_S and known[0].size <= LARGE_BYTES)
    return is_old and _changed_at(path) > made_at


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))


def make_backup(path: Path, now: float) -> Backup:
    """Back up a file, in the place of today's backup if there is one, and drop the oldest.

    The caller has checked that the file is intact. Raises OSError, sqlite3.Error.
    """
    made = _make_backup(path, _day(now))
    keep = 1 if made.size > LARGE_BYTES else KEPT_BACKUPS
    for old in list_backups(path)[keep:]:
        old.path.unlink(missing_ok=True)
    return made


def _changed_at(path: Path) -> float:
    journal = Path(f"{path}-wal")
    times = [path.stat().st_mtime]
    if journal.exists() and journal.stat().st_size:
        times.append(journal.stat().st_mtime)
    return max(times)


def _make_backup(path: Path, day: str) -> Backup:
    folder = path.parent / BACKUP_FOLDER
    make_private_folder(folder)
    for left in _list_drafts(path):
        if not _is_being_written(left):
            left.unlink(missing_ok=True)
    target, draft = folder / f"{path.stem}-{day}.sqlite", folder / f"{path.stem}-{day}.{os.getpid()}{_DRAFT}"
    create_private_file(draft)
    try:
        source = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        with undecodable_schema_is_damage(), closing(source), closing(sqlite3.connect(draft)) as copy:
            source.backup(copy, pages=_PAGES_AT_ONCE)
            copy.execute("PRAGMA journal_mode=DELETE")
        sync_file(draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    return Backup(target, day, target.stat().st_size)


def _list_drafts(path: Path) -> list[Path]:
    """Return the unfinished backups of a file; a killed process leaves its own."""
    return list((path.parent / BACKUP_FOLDER).glob(f"{path.stem}-*{_DRAFT}*"))


def _is_being_written(draft: Path) -> bool:
    """Return whether another process that still runs writes this draft."""
    process_id = draft.name.partition(_DRAFT)[0].rpartition(".")[2]
    return process_id.isdecimal() and int(process_id) != os.getpid() and is_process_alive(int(process_id))


def renew_backups(path: Path) -> None:
    """Drop all backups and kept copies of a file from which something was erased, and back it up as it is now."""
    dropped = drop_copies(path)
    if dropped and path.exists():
        _make_backup(path, _day(time.time()))


def drop_copies(path: Path) -> int:
    """Delete the backups of a file, and the damaged and replaced files kept beside it; return their number.

    Drafts go too: one that another process is writing may hold what was erased, and that process makes no backup then.
    """
    drafts = _list_drafts(path)
    for draft in drafts:  # first: one that is finished meanwhile is a backup, which is listed below
        with suppress(PermissionError):  # Windows deletes no open file
            draft.unlink(missing_ok=True)
    copies = [backup.path for backup in list_backups(path)]
    for name in (".damaged-*", ".replaced-*", _RESTORED):
        copies += path.parent.glob(f"{path.name}{name}")
    for copy in copies:
        copy.unlink(missing_ok=True)
    return len(drafts) + len(copies)


def restore_backup(path: Path, backup: Backup) -> Path | None:
    """Put a backup in the place of a file; return where the file itself is kept, None where there was none.

    Raises OSError, sqlite3.Error.
    """
    draft = path.with_name(f"{path.name}{_RESTORED}")
    create_private_file(draft)
    shutil.copyfile(backup.path, draft)
    sync_file(draft)
    kept = keep_copy(path, "replaced") if path.exists() else None
    replace_database(path, draft)
    return kept


def keep_copy(path: Path, reason: str) -> Path:
    """Copy a file, with its journal, to a name beside it with the reason and the time; return the copy's path."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    kept = path.with_name(f"{path.name}.{reason}-{stamp}")
    number = 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.name}.{reason}-{stamp}-{number}")
    for suffix in ("", "-wal"):
        source = Path(f"{path}{suffix}")
        if source.exists():
            create_private_file(Path(f"{kept}{suffix}"))
            shutil.copyfile(source, f"{kept}{suffix}")
            sync_file(Path(f"{kept}{suffix}"))
    return kept


def replace_database(path: Path, new: Path) -> None:
    """Put a database without a journal in the place of another one, whose journal must not be applied to it."""
    for suffix in ("-wal", "-shm", "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    new.replace(path)


def sync_file(path: Path) -> None:
    """Wait until a file is on the disk."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
