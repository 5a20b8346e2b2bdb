"""Find damage of a file that can't be made again, keep the damaged file, and save its rows into a new one.

SQLite reads what it can; the rows of pages that it can't reach are read from the pages themselves, and what is still
missing is taken from the newest backup. The damaged file stays beside the new one, with the time in its name, and so
does a report of what was saved.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from msgspec import Struct, field

from scry.core.errors import IndexUnavailable
from scry.core.files import DAMAGE_MARK
from scry.core.platform import create_private_file, data_home, lock_handle, make_private_folder
from scry.core.text import format_count
from scry.store.precious.backups import Backup, keep_copy, list_backups, replace_database, sync_file
from scry.store.precious.file import PreciousFile, StoredRow
from scry.store.precious.pages import HEADER, Column, Row, Table, apply_journal, scan_rows
from scry.store.sqlite.database import (
    CHECKED_BYTES,
    apply_migrations,
    describe_damage_error,
    open_shared_database,
    roll_back,
    transaction,
    undecodable_schema_is_damage,
)

_REPORT_SUFFIX = ".report"
_REPORTED_S = 24 * 3600.0
"""How long answers say that something was damaged; `scry doctor` says it as long as the damaged file is kept."""

_BUSY_TIMEOUT_S = 5.0
_log = logging.getLogger(__name__)


_LOST_CHARACTER = "\N{REPLACEMENT CHARACTER}"


def describe_file_damage(file: PreciousFile, *, thorough: bool = False) -> str:
    """Return the damage of the file; "" for an intact one, and for none.

    A large file is checked as a whole only if `thorough`. Raises sqlite3.OperationalError where it can't be read.
    """
    try:
        size = file.path.stat().st_size
    except OSError:
        return ""
    if size == 0:
        return "it is empty" if list_backups(file.path) else ""
    try:
        with undecodable_schema_is_damage(), closing(_connect(file.path)) as database:
            version = int(database.execute("PRAGMA user_version").fetchone()[0])
            if version > len(file.migrations):  # of a newer Scry, which looks after it
                return ""
            if not thorough and size > CHECKED_BYTES:
                database.execute("SELECT count(*) FROM sqlite_master").fetchone()
                return ""
            problem = str(database.execute("PRAGMA integrity_check(1)").fetchone()[0])
            if problem != "ok":
                return problem.splitlines()[-1]
            for table in file.tables if version else ():
                if not all(_is_valid(file, table, row) for row in _iter_rows(database, table)):
                    return f"a row of {table} is not as it was written"
    except sqlite3.Error as error:
        if damage := describe_damage_error(error):
            return damage
        raise
    return ""


class SalvageReport(Struct, frozen=True):
    """The outcome of a salvage.

    damage: of the file. kept: its copy. saved: the number of saved rows. from_backup: how many of them only the backup
    of `backup_day` held. is_complete: whether SQLite could read every row.
    """

    path: Path
    label: str
    damage: str
    kept: Path
    saved: int
    from_backup: int = 0
    backup_day: str = ""
    is_complete: bool = False

    def describe(self) -> str:
        """Return the report for a person."""
        saved = f"{format_count(self.saved, 'row')} of it could be saved"
        if self.from_backup:
            saved += f", {self.from_backup} from the backup of {self.backup_day}"
        lost = "" if self.is_complete else "; what else was on the damaged pages is lost"
        return f"{self.label} ({self.path}) was damaged ({self.damage}): {saved}{lost}; the damaged file is {self.kept}"


def ensure_intact(file: PreciousFile, *, thorough: bool = False) -> SalvageReport | None:
    """Save the rows of a file into a new one if it is damaged; return what became of it, None for an intact one.

    Raises OSError, sqlite3.Error.
    """
    if not describe_file_damage(file, thorough=thorough):
        return None
    with _lock(file.path):
        damage = describe_file_damage(file, thorough=thorough)  # another process may have saved it meanwhile
        return _salvage(file, damage) if damage else None


def _salvage(file: PreciousFile, damage: str) -> SalvageReport:
    import tempfile  # what is intact needs none of it

    kept = keep_copy(file.path, "damaged")
    with tempfile.TemporaryDirectory(prefix=".salvage-", dir=file.path.parent) as folder:
        new = Path(folder, file.path.name)
        opened = open_shared_database(new, timeout=_BUSY_TIMEOUT_S, synchronous="FULL", on_network=True)
        with closing(opened) as database:
            apply_migrations(database, file.migrations)
            saved = _collect_rows(file, kept, _read_schema(database))
            with transaction(database):
                for table, rows in saved.rows.items():
                    _insert_rows(database, table, rows)
        file.derive(new)
        _settle(new)
        replace_database(file.path, new)
    report = SalvageReport(
        file.path, file.label, damage, kept, saved.count, saved.from_backup, saved.backup_day, saved.is_complete
    )
    Path(f"{kept}{_REPORT_SUFFIX}").write_text(report.describe() + "\n", "utf-8", "replace")
    mark_damage()
    _log.warning("%s", report.describe())
    return report


def _settle(path: Path) -> None:
    """Leave a database without a journal, on the disk."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=DELETE")
    sync_file(path)


class _SavedRows(Struct):
    """Rows by table, each a mapping from column to value."""

    rows: dict[str, list[StoredRow]] = field(default_factory=dict[str, list[StoredRow]])
    from_backup: int = 0
    backup_day: str = ""
    is_complete: bool = True

    @property
    def count(self) -> int:
        """The number of rows."""
        return sum(map(len, self.rows.values()))


def _collect_rows(file: PreciousFile, kept: Path, schema: Mapping[str, Table]) -> _SavedRows:
    """Return the rows of a damaged file. schema: of an intact one."""
    import tempfile

    saved = _SavedRows()
    journal = Path(f"{kept}-wal")
    content = apply_journal(kept.read_bytes(), journal.read_bytes() if journal.exists() else b"")
    scanned: dict[str, list[Row]] | None = None
    marred: dict[str, list[StoredRow]] = {}
    with tempfile.TemporaryDirectory(prefix=".salvage-", dir=file.path.parent) as folder:
        work = Path(folder, "work.sqlite")
        work.write_bytes(_without_journal_mode(content))
        for name in file.tables:
            rows, is_complete = _read_table(work, schema[name])
            if not is_complete:
                scanned = _scan_tables(content, schema) if scanned is None else scanned
                columns = [column.name for column in schema[name].columns]
                rows += [dict(zip(columns, row, strict=True)) for row in scanned.get(name, ())]
            valid = [row for row in rows if _is_valid(file, name, row)]
            clean = [row for row in valid if not _has_lost_text(row)]
            saved.is_complete &= is_complete and len(clean) == len(rows)
            saved.rows[name] = _distinct(clean, schema[name])
            marred[name] = [row for row in valid if _has_lost_text(row)]
    if not saved.is_complete:
        for backup in list_backups(file.path)[:1]:
            _add_from_backup(saved, backup, schema)
    for name, rows in marred.items():  # where there is no better one
        saved.rows[name] = _distinct([*saved.rows[name], *rows], schema[name])
    return saved


def _has_lost_text(row: StoredRow) -> bool:
    return any(isinstance(value, str) and _LOST_CHARACTER in value for value in row.values())


def _without_journal_mode(content: bytes) -> bytes:
    """Return a database as one that needs no journal, also where its first bytes are lost."""
    if not content.startswith(HEADER):
        return content
    return content[:18] + b"\1\1" + content[20:]


def _is_valid(file: PreciousFile, table: str, row: StoredRow) -> bool:
    try:
        return file.is_valid(table, row)
    except KeyError:  # the name of a column is damaged
        return False


def _read_table(path: Path, table: Table) -> tuple[list[StoredRow], bool]:
    """Return the rows that SQLite can read of a table, and whether these are all: none where a column is unknown.

    What is no UTF-8 of a text becomes U+FFFD.
    """
    rows: list[StoredRow] = []
    known = {column.name for column in table.columns}
    try:
        with undecodable_schema_is_damage(), closing(sqlite3.connect(path)) as database:
            database.text_factory = _decode_leniently
            intact = database.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
            for row in _iter_rows(database, table.name):
                if not known.issuperset(row):
                    return [], False
                rows.append(row)  # what came before an error counts
    except sqlite3.Error:
        return rows, False
    return rows, intact


def _decode_leniently(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _iter_rows(database: sqlite3.Connection, table: str) -> Generator[StoredRow]:
    cursor = database.execute(f"SELECT * FROM {table}")
    columns = [column[0] for column in cursor.description]
    yield from (dict(zip(columns, row, strict=True)) for row in cursor)


def _scan_tables(content: bytes, schema: Mapping[str, Table]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for table, row in scan_rows(content, list(schema.values())):
        found.setdefault(table, []).append(row)
    return found


def _distinct(rows: Sequence[StoredRow], table: Table) -> list[StoredRow]:
    """Return the rows without those whose key came before."""
    keys = [column.name for column in table.columns if column.is_rowid] or [column.name for column in table.columns]
    found: dict[tuple[object, ...], StoredRow] = {}
    for row in rows:
        found.setdefault(tuple(row.get(key) for key in keys), row)
    return list(found.values())


def _add_from_backup(saved: _SavedRows, backup: Backup, schema: Mapping[str, Table]) -> None:
    for name, rows in saved.rows.items():
        before = len(rows)
        saved.rows[name] = _distinct([*rows, *_read_table(backup.path, schema[name])[0]], schema[name])
        saved.from_backup += len(saved.rows[name]) - before
    saved.backup_day = backup.day


def _read_schema(database: sqlite3.Connection) -> dict[str, Table]:
    """Return all tables of a database, also those that are not saved: their rows must not be taken for others."""
    tables: dict[str, Table] = {}
    names = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    for name, sql in names:
        has_rowid = "WITHOUT ROWID" not in str(sql).upper()
        rows = database.execute(f"PRAGMA table_info({name})").fetchall()
        columns = tuple(
            Column(row[1], row[2].upper(), bool(row[3]), has_rowid and bool(row[5]) and row[2].upper() == "INTEGER")
            for row in rows
        )
        tables[name] = Table(name, columns, has_rowid)
    return tables


def _insert_rows(database: sqlite3.Connection, table: str, rows: Sequence[StoredRow]) -> None:
    """Insert the rows that the table takes; one that contradicts another one is left out."""
    known = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
    for row in rows:
        columns = [column for column in row if column in known]
        marks = ",".join("?" * len(columns))
        with suppress(sqlite3.IntegrityError, sqlite3.InterfaceError, OverflowError):
            database.execute(
                f"INSERT OR IGNORE INTO {table} ({','.join(columns)}) VALUES ({marks})", [row[c] for c in columns]
            )


def _connect(path: Path) -> sqlite3.Connection:
    roll_back(path)
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=_BUSY_TIMEOUT_S)


# Reports --------------------------------------------------------------------------------------------------------------


class KeptFile(Struct, frozen=True):
    """A damaged file that was kept. report: what was saved of it. time: of the damage, seconds since the epoch."""

    path: Path
    report: str
    time: float


def list_kept_files(path: Path) -> list[KeptFile]:
    """Return the damaged files that are kept beside a file, the newest first."""
    found: list[KeptFile] = []
    try:
        names = os.listdir(path.parent)  # noqa: PTH208 — asked with every question, and ten times as fast
    except OSError:
        return []
    prefix = f"{path.name}.damaged-"
    for name in names:
        if not (name.startswith(prefix) and name.endswith(_REPORT_SUFFIX)):
            continue
        report = path.parent / name
        with suppress(OSError):
            text = report.read_text("utf-8", "replace").strip()
            found.append(KeptFile(report.with_name(report.name[: -len(_REPORT_SUFFIX)]), text, report.stat().st_mtime))
    return sorted(found, key=lambda kept: kept.time, reverse=True)


def mark_damage() -> None:
    """Have answers say from now on what was damaged or is gone."""
    with suppress(OSError):
        create_private_file(data_home() / DAMAGE_MARK)
        os.utime(data_home() / DAMAGE_MARK)


def unmark_old_damage() -> None:
    """Have answers no longer look for damage a day after the last."""
    with suppress(OSError):
        mark = data_home() / DAMAGE_MARK
        if time.time() - mark.stat().st_mtime > _REPORTED_S:
            mark.unlink()


def describe_recent_damage(path: Path) -> str:
    """Return the report of damage within the last day, or that a file with backups is gone; "" otherwise."""
    kept = list_kept_files(path)
    if kept and time.time() - kept[0].time < _REPORTED_S:
        return kept[0].report
    if not path.exists() and (backups := list_backups(path)):
        return f"{path} is gone; `scry restore` brings back its backup of {backups[0].day}"
    return ""


# One process at a time ------------------------------------------------------------------------------------------------


@contextmanager
def _lock(path: Path) -> Generator[None]:
    """Hold the lock of a file's salvage, which other processes wait for. Raises OSError."""
    make_private_folder(path.parent)
    handle = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        lock_handle(handle, wait=True)
        yield
    finally:
        os.close(handle)


def require_intact(file: PreciousFile) -> None:
    """Save a damaged file, as `ensure_intact` does, before it is opened. Raises IndexUnavailable where that fails."""
    try:
        ensure_intact(file)
    except (OSError, sqlite3.Error) as error:
        raise IndexUnavailable(f"{file.path} can't be opened: {error}") from error
