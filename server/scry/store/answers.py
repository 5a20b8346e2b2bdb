"""Store the last answers of a project, for detail, open and use, which do not search again.

All processes that answer queries of the project share them. An answer is written before it is sent, without waiting for
the disk: at a loss of power the latest ones may be lost. An answer that cannot be written is kept in this process
alone until the next one is written, and `last_error` says so; a damaged file is replaced by a new one.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from scry.store.sqlite.database import apply_migrations, open_shared_database, schema_version

ANSWERS_FILE = "answers.sqlite"

ANSWER_MIGRATIONS = (
    """
    -- The last answers, the oldest first. doc_ids: those of its results, each between two line ends.
    CREATE TABLE answers (
        sequence    INTEGER PRIMARY KEY AUTOINCREMENT,
        query_id    TEXT NOT NULL UNIQUE,
        doc_ids     TEXT NOT NULL,
        packed      INTEGER NOT NULL,           -- how data is stored: see unpack_answer
        data        BLOB NOT NULL
    );
    """,
)
"""Scripts of `answers.sqlite`; the list only grows."""

MAX_ANSWERS = 1000
"""Number of answers that are kept (D1)."""

_BUSY_TIMEOUT_S = 0.2
"""How long an answer waits at most for a write of another process."""

_RETRY_AFTER_S = 2.0
"""How long answers are not written to the file after a failure."""

_LOCK_PATIENCE_S = 10.0
"""How long another process may hold the file before that is a failure: on a machine with too much to do it may have to
wait for its turn in the middle of a write.
"""

_ANSWERS_AT_ONCE = 20
"""How many answers are read at a time where the newest of a kind is sought."""

_COMPRESS_FROM_BYTES = 32_768
"""Size from which an answer is compressed. Most are smaller, and are written faster than compressed."""


class AnswerStore:
    """The answers of one project. Every method may be called from any thread; none raises.

    last_error: why the last answer was not written, in words for a person; "" when it was. lasting_error: the same, but
    "" while another process has held the file for a moment only.
    """

    def __init__(self, folder: Path, make_folder: Callable[[], None], max_answers: int = MAX_ANSWERS) -> None:
        """Open nothing yet. make_folder: creates the folder; may raise OSError."""
        self._path = folder / ANSWERS_FILE
        self._make_folder = make_folder
        self._max_answers = max_answers
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._opened: os.stat_result | None = None
        self._retry_at = 0.0
        self._locked_since = 0.0
        self._unsaved: OrderedDict[str, tuple[str, str, int, bytes]] = OrderedDict()
        self.last_error = self.lasting_error = ""

    def prepare(self) -> None:
        """Open the file, created where it is missing."""
        with self._lock:
            for _ in range(2):  # a damaged file is replaced by a new one
                try:
                    self._open()
                except (sqlite3.Error, OSError) as error:
                    if not self._handle_failure(error):
                        return
                else:
                    return

    def put(self, query_id: str, doc_ids: Sequence[str], data: bytes) -> None:
        """Store an answer, and drop the oldest ones beyond the limit."""
        joined_ids = "\n".join(("", *doc_ids, ""))
        if len(data) >= _COMPRESS_FROM_BYTES:
            row = (query_id, joined_ids, _COMPRESSED, zlib.compress(data, 1))
        else:
            row = (query_id, joined_ids, _CHECKED, zlib.crc32(data).to_bytes(4, "big") + data)
        with self._lock:
            self._unsaved[query_id] = row
            try:
                if self._try_write():
                    self._unsaved.clear()
            except Exception:  # it must not fail those after it, too
                self.close(save=False)
                del self._unsaved[query_id]
                raise
            while len(self._unsaved) > self._max_answers:
                self._unsaved.popitem(last=False)
            if self._unsaved and not self.lasting_error:
                self._save_soon()

    def _save_soon(self) -> None:
        """Save what a lock of a moment kept out, in a thread, which tries until the lock has lasted too long."""
        retry = threading.Timer(_BUSY_TIMEOUT_S, self._save)
        retry.daemon = True
        retry.start()

    def _save(self) -> None:
        with self._lock, suppress(Exception):
            if self._unsaved and self._try_write():
                self._unsaved.clear()
            if self._unsaved and not self.lasting_error:
                self._save_soon()

    def get(self, query_id: str) -> bytes | None:
        """Return an answer as it was put; None when it is not stored (any more)."""
        with self._lock:
            if query_id in self._unsaved:
                return unpack_answer(*self._unsaved[query_id][2:])
            return self._select_answer("WHERE query_id = ?", query_id)

    def newest_with_document(self, doc_id: str) -> bytes | None:
        """Return the newest answer that shows this document."""
        name = f"\n{doc_id}\n"
        with self._lock:
            unsaved = [row for row in self._unsaved.values() if name in row[1]]
            return (
                unpack_answer(*unsaved[-1][2:])
                if unsaved
                else self._select_answer("WHERE instr(doc_ids, ?) ORDER BY sequence DESC LIMIT 1", name)
            )

    def newest_first(self) -> Iterator[bytes]:
        """Yield the answers as they were put, the newest first; one that can't be read is left out."""
        with self._lock:
            unsaved = [row[2:] for row in reversed(self._unsaved.values())]
            newest = self._select("SELECT max(sequence) + 1 FROM answers")
        yield from filter(None, (unpack_answer(*row) for row in unsaved))
        before = newest[0][0] if newest else None
        while before is not None:
            sql = "SELECT sequence, packed, data FROM answers WHERE sequence < ? ORDER BY sequence DESC LIMIT ?"
            with self._lock:
                rows = self._select(sql, before, _ANSWERS_AT_ONCE)
            before = rows[-1][0] if rows else None
            yield from filter(None, (unpack_answer(*row[1:]) for row in rows))

    def oldest_query_id(self) -> str | None:
        """Return the query_id of the oldest stored answer, once older ones have been dropped."""
        with self._lock:
            rows = self._select("SELECT query_id, sequence FROM answers ORDER BY sequence LIMIT 1")
        return rows[0][0] if rows and rows[0][1] > 1 else None

    def close(self, *, save: bool = True) -> None:
        """Close the file, after saving what a lock kept out; without `save`, as it is."""
        with self._lock:
            if save and self._unsaved:
                self._save()
            if self._db is not None:
                self._db.close()
                self._db = None

    # Internals, under the lock ------------------------------------------------------------------------------------

    def _try_write(self) -> bool:
        if time.monotonic() < self._retry_at:
            return False
        for _ in range(2):  # a damaged file is replaced by a new one
            try:
                database = self._open()
                database.execute("BEGIN IMMEDIATE")
                last = 0
                for row in self._unsaved.values():
                    last = database.execute(
                        "INSERT OR REPLACE INTO answers (query_id, doc_ids, packed, data) VALUES (?, ?, ?, ?)", row
                    ).lastrowid
                database.execute("DELETE FROM answers WHERE sequence <= ?", ((last or 0) - self._max_answers,))
                database.execute("COMMIT")
            except (sqlite3.Error, OSError) as error:
                if not self._handle_failure(error):
                    return False
            else:
                self.last_error = self.lasting_error = ""
                self._locked_since = 0.0
                return True
        return False

    def _select_answer(self, condition: str, value: str) -> bytes | None:
        rows = self._select(f"SELECT packed, data FROM answers {condition}", value)
        return unpack_answer(*rows[0]) if rows else None

    def _select(self, sql: str, *values: str | int) -> list[Any]:
        if not self._path.exists():
            return []
        try:
            return self._open().execute(sql, values).fetchall()
        except (sqlite3.Error, OSError) as error:
            self._handle_failure(error)
            return []

    def _open(self) -> sqlite3.Connection:
        """Return the connection, opened again where the file was removed or replaced."""
        if self._db is not None and not self._is_file_in_place():
            self.close(save=False)
        if self._db is None:
            self._make_folder()
            connection = open_shared_database(self._path, timeout=_BUSY_TIMEOUT_S, synchronous="OFF")
            try:
                if schema_version(connection) > len(ANSWER_MIGRATIONS):
                    raise sqlite3.DatabaseError("it was written by a newer version of Scry")
                apply_migrations(connection, ANSWER_MIGRATIONS)
            except BaseException:
                connection.close()
                raise
            self._db = connection
            self._opened = self._path.stat()
        return self._db

    def _is_file_in_place(self) -> bool:
        try:
            return self._opened is not None and os.path.samestat(self._path.stat(), self._opened)
        except OSError:
            return False

    def _handle_failure(self, error: Exception) -> bool:
        """Record a failure; return whether it was a damaged file, which is removed."""
        self.close(save=False)
        self.last_error = _explain_error(error)
        if type(error) is sqlite3.DatabaseError:
            with suppress(OSError):
                for suffix in ("", "-wal", "-shm"):
                    Path(f"{self._path}{suffix}").unlink(missing_ok=True)
                return True
        now = time.monotonic()
        self._locked_since = (self._locked_since or now) if "locked" in self.last_error else 0.0
        self.lasting_error = (
            "" if now < self._locked_since + _LOCK_PATIENCE_S and self._locked_since else self.last_error
        )
        if not self.lasting_error:
            return False
        self._retry_at = now + _RETRY_AFTER_S
        return False


_MAX_ANSWER_BYTES = 256 << 20
"""Longest stored answer, unpacked: far more than any answer, less than what fills memory."""

_PLAIN, _COMPRESSED, _CHECKED = range(3)
"""How the data of an answer is stored; earlier versions stored small ones without a checksum."""


def unpack_answer(packing: int, data: bytes) -> bytes | None:
    """Return the data of a stored answer; None where it is not as it was written, or longer than any answer.

    packing: its column `packed`.
    """
    if packing == _CHECKED:
        return data[4:] if data[:4] == zlib.crc32(data[4:]).to_bytes(4, "big") else None
    if packing == _PLAIN:
        return data
    unpacking = zlib.decompressobj()
    try:
        whole = unpacking.decompress(data, _MAX_ANSWER_BYTES)
    except zlib.error:
        return None
    return whole if unpacking.eof else None


def _explain_error(error: Exception) -> str:
    """Return the cause of a failure, as a person can fix it."""
    reason = str(error)
    if "full" in reason or "disk I/O" in reason:
        return f"the disk is full, or fails: {reason}"
    return "nothing may be written there" if "readonly" in reason else reason
