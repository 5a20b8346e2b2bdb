"""Cache parse results and vectors by content hash, shared by all projects.

A known content is not parsed again, in whichever project it is. The key is the hash of the content with everything else
that the result depends on. The cache is shared by the indexers of all projects and may vanish at any time; an error
with it costs work, never an answer.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

from scry.core.errors import IndexUnavailable
from scry.store.sqlite.database import (
    CacheSchema,
    batches,
    create_cache_tables,
    describe_damage_error,
    open_database,
    placeholders,
)

MAX_CACHE_BYTES = 1_000_000_000
"""Size from which the cache is cut to nine tenths of it, the longest unused entries first."""

BLOB_SCHEMA = CacheSchema(
    1,
    """
    -- The parsed content, whichever project it stands in. `used` is a day number, for eviction.
    CREATE TABLE parsed (key BLOB PRIMARY KEY, used INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;
    CREATE INDEX parsed_by_use ON parsed (used);
    """,
)
"""The table of `blobs.sqlite`."""

CACHE_LOOKUP_BYTES = 100_000
CACHE_LOOKUP_FILES = 40
"""Amount of text that is parsed between two look-ups in the cache: 0.05 s of work, which another process may do
meanwhile.
"""

T = TypeVar("T")


def split_into_batches(
    items: Iterable[T], size: Callable[[T], int], *, target_size: int, max_items: int
) -> Iterator[list[T]]:
    """Yield the items in order, in lists that end once their sizes reach `target_size`, or after `max_items` items."""
    batch: list[T] = []
    total = 0
    for item in items:
        batch.append(item)
        total += size(item)
        if total >= target_size or len(batch) >= max_items:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


_MAX_BLOB_BYTES = 256 << 20
"""Longest data of a key, unpacked: more than a file of the largest size has symbols, less than what fills memory."""


def read_cached_blob(folder: Path, key: bytes) -> bytes | None:
    """Return the data of one key without updating its last use; None for an unknown key."""
    try:
        with closing(open_database(folder / "blobs.sqlite", write=False)) as db:
            row = db.execute("SELECT data FROM parsed WHERE key = ?", (key,)).fetchone()
    except (OSError, sqlite3.Error, IndexUnavailable):
        return None
    return unpack_blob(row[0]) if row else None


def unpack_blob(data: bytes) -> bytes | None:
    """Return the data; None where it is damaged or too long: it is computed again, and overwritten."""
    unpacking = zlib.decompressobj()
    try:
        whole = unpacking.decompress(data, _MAX_BLOB_BYTES)
    except zlib.error:
        return None
    return whole if unpacking.eof else None


def open_blob_cache(project_cache: Path) -> BlobCache:
    """Open the cache that a project shares with all others. project_cache: the project's own folder in it."""
    return BlobCache(project_cache.parent, int(time.time() // 86400))


class BlobCache:
    """Bytes by key, compressed, with the day of their last use."""

    def __init__(self, folder: Path, today: int) -> None:
        """Open the cache in a folder, which must exist: a removed one is not created again.

        today: a day number, the same for all projects (days since the epoch).
        """
        self._today = today
        self._path = folder / "blobs.sqlite"
        self._db: sqlite3.Connection | None = None
        self._open()

    def _open(self) -> None:
        for _ in range(2):  # a damaged file is replaced by a new one
            try:
                self._db = open_database(self._path, write=True)
                create_cache_tables(self._db, BLOB_SCHEMA)
                # A power cut may damage the file. All packed values have a checksum, so the damage costs work alone.
                self._db.execute("PRAGMA synchronous=OFF")
                # Some builds of SQLite write zeros over what is deleted: 2 GB more for an eviction of 2 GB.
                self._db.execute("PRAGMA secure_delete=FAST")
            except (OSError, sqlite3.Error, IndexUnavailable) as error:
                self.close()
                if not self._remove_damaged(error):
                    return
            else:
                return

    def _handle_failure(self, error: Exception) -> None:
        """Replace a damaged file by a new one; any other failure costs what it was about."""
        if self._db is not None and self._db.in_transaction:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
        if describe_damage_error(error):
            self.close()
            self._remove_damaged(error)
            self._open()

    def _remove_damaged(self, error: Exception) -> bool:
        if not describe_damage_error(error):
            return False
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{self._path}{suffix}").unlink(missing_ok=True)
        return True

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the data of these keys that are known."""
        data_by_key: dict[bytes, bytes] = {}
        if self._db is None:
            return data_by_key
        for part in batches(keys):
            question_marks = placeholders(part)
            try:
                rows = self._db.execute(
                    f"SELECT key, data FROM parsed WHERE key IN ({question_marks})", part
                ).fetchall()
                self._db.execute(
                    f"UPDATE parsed SET used = ? WHERE used < ? AND key IN ({question_marks})",
                    (self._today, self._today, *part),
                )
            except sqlite3.Error as error:
                self._handle_failure(error)
                return data_by_key
            data_by_key |= {key: data for key, packed in rows if (data := unpack_blob(packed)) is not None}
        return data_by_key

    def put(self, blobs: Mapping[bytes, bytes], *, is_incompressible: bool = False) -> None:
        """Store data by key. is_incompressible: compressing it would waste time."""
        if self._db is None or not blobs:
            return
        level = 0 if is_incompressible else 1
        rows = [(key, self._today, zlib.compress(data, level)) for key, data in blobs.items()]
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO parsed VALUES (?, ?, ?)", rows)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            self._handle_failure(error)

    def evict(self) -> int:
        """Remove the longest unused entries until the cache is small enough; return their number.

        The file is written anew where most of it would be unused.
        """
        if self._db is None:
            return 0
        try:
            total = int(self._db.execute("SELECT coalesce(sum(length(data)), 0) FROM parsed").fetchone()[0])
            if total <= MAX_CACHE_BYTES:
                return 0
            removed, bound = 0, total - MAX_CACHE_BYTES * 9 // 10
            rows = self._db.execute("SELECT key, length(data) FROM parsed ORDER BY used, key")
            keys: list[tuple[bytes]] = []
            for key, size in rows:
                if removed >= bound:
                    break
                keys.append((key,))
                removed += size
            rows.close()  # the file can't be written anew while rows are read
            self._db.executemany("DELETE FROM parsed WHERE key = ?", keys)
            unused, pages = (
                self._db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_count")
            )
            if unused > pages / 2:
                self._db.execute("VACUUM")
        except sqlite3.Error as error:
            self._handle_failure(error)
            return 0
        return len(keys)

    def close(self) -> None:
        """Close the file."""
        if self._db is not None:
            self._db.close()
            self._db = None
