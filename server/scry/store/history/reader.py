"""Read commits, file activity and co-changes of one project's history.

The history of one project, for reading: commits, their words, what they changed, and what changes together.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct, field

from scry.core.co_changes import IntArray
from scry.core.doc_id import commit_doc_id
from scry.core.errors import IndexUnavailable
from scry.core.types import Document, DocumentHeader, Point, Span, Symbol
from scry.store.history.commits import (
    COMMIT_COLUMNS,
    IS_COCHANGE_SQL,
    Commit,
    activity_level,
    describe_commit,
    read_commit,
)
from scry.store.lexical import LexicalIndex
from scry.store.sqlite.database import FolderCache, batches, decode_path, encode_path, folder_condition, placeholders

"""A file's activity by its commits of the 90 days before the newest commit, merges and sweeping ones left out:
8 or more are high, 3 or more medium, one or two low; none where it was not changed in that time."""

_MAX_CACHED = 50_000
"""So many outlines, and so many names of documents, are kept from question to question."""

_NO_SYMBOLS = np.zeros(0, np.int64)
_FIRST = itemgetter(0)
_EMPTY_SPAN = Span(Point(0, 0, 0), Point(0, 0, 0))


class HistoryReader:
    """The reading half of a `HistoryStore`. Every method may be called from any thread, and raises IndexUnavailable."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, *, write: bool) -> None:
        """connection: to the folder's `history.sqlite`. write: whether this process is the one that writes."""
        self._folder = folder
        self._is_writer = write
        self._lock = threading.RLock()
        self._db = connection
        self._lexical = LexicalIndex(self._lexical_folder(), write=write)
        self._generation_seen = self.generation
        self._cache = HistoryCache(self._generation_seen)
        self._counts_cache: FolderCache[dict[str, tuple[int, int]]] = FolderCache(self._db)

    def close(self) -> None:
        """Gives everything free."""
        with self._lock:
            self._lexical.close()
            self._db.close()

    def _select(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        try:
            with self._lock:
                return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise IndexUnavailable(f"the history can't be read: {error}") from error

    def _select_in(self, sql: str, values: Sequence[object]) -> list[Any]:
        """All rows of a statement in which `{}` stands for the values."""
        return [row for part in batches(values) for row in self._select(sql.format(placeholders(part)), part)]

    # State --------------------------------------------------------------------------------------------------------

    def _meta(self, key: str) -> object:
        rows = self._select("SELECT value FROM meta WHERE key = ?", (key,))
        return rows[0][0] if rows else None

    def _lexical_folder(self) -> Path:
        return self._folder / str(self._meta("words") or "commit-words-1")

    @property
    def generation(self) -> int:
        """Number of the published history; it rises with every change that can be searched."""
        value = self._meta("generation")
        return value if isinstance(value, int) else 0

    @property
    def head(self) -> str | None:
        """The commit whose history is held in full; None before the first pass came to its end."""
        value = self._meta("head")
        return value if isinstance(value, str) else None

    @property
    def last_attempted_head(self) -> str | None:
        """The commit that was last tried to be brought in, well or not."""
        value = self._meta("tried")
        return value if isinstance(value, str) else None

    @property
    def warning(self) -> str:
        """What a person should know of it, such as that it is cut; empty for nothing."""
        return str(self._meta("note") or "")

    def refresh(self) -> int:
        """Sees what has been published since; returns the generation that is read from here on."""
        with self._lock:
            generation = self.generation
            if generation != self._generation_seen:
                if not self._is_writer and self._lexical.folder != self._lexical_folder():
                    self._lexical = LexicalIndex(self._lexical_folder(), write=False)
                else:
                    self._lexical.reload()
                self._generation_seen = generation
            return generation

    # Commits ------------------------------------------------------------------------------------------------------

    @property
    def lexical(self) -> LexicalIndex:
        """The word index of commits as of the last `refreshed`; a commit counts as a file of its own there."""
        return self._lexical

    @property
    def commit_count(self) -> int:
        """How many commits there are."""
        return int(self._select("SELECT count(*) FROM commits")[0][0])

    @property
    def is_empty(self) -> bool:
        """Whether there is no commit: without git, or before the first is read."""
        return not self._select("SELECT 1 FROM commits LIMIT 1")

    def get_commits(self, doc_keys: Sequence[int]) -> dict[int, Commit]:
        """The commits with these numbers; those that are no more are absent."""
        rows = self._select_in(f"SELECT {COMMIT_COLUMNS} FROM commits WHERE number IN ({{}})", doc_keys)
        return {row[0]: read_commit(row) for row in rows}

    def commit_by_sha(self, sha: str) -> Commit | None:
        """The commit with this name, in full."""
        try:
            name = bytes.fromhex(sha)
        except ValueError:
            return None
        rows = self._select(f"SELECT {COMMIT_COLUMNS} FROM commits WHERE sha = ?", (name,))
        return read_commit(rows[0]) if rows else None

    def commits_with_prefix(self, prefix: str, limit: int = 4) -> list[Commit]:
        """Commits whose name begins with these hexadecimal digits, in the order of their names."""
        low = bytes.fromhex(prefix + "0" * (len(prefix) % 2))
        high = bytes.fromhex(prefix + "f" * (len(prefix) % 2)) + b"\xff" * 32
        sql = f"SELECT {COMMIT_COLUMNS} FROM commits WHERE sha BETWEEN ? AND ? ORDER BY sha LIMIT ?"
        return [read_commit(row) for row in self._select(sql, (low, high, limit))]

    def headers(self, doc_keys: Sequence[int]) -> dict[int, DocumentHeader]:
        """What ranking reads of commits: a commit has neither a path nor a name.

        What one question read is kept for the next, until something is published.
        """
        with self._lock:
            known = self._current_cache().headers
            missing = [number for number in doc_keys if number not in known]
            for number, sha in self._select_in("SELECT number, sha FROM commits WHERE number IN ({})", missing):
                known[number] = DocumentHeader(number, commit_doc_id(sha.hex()), "commit", "", "", "commit", "")
            return {number: known[number] for number in doc_keys if number in known}

    def get_documents(self, doc_keys: Sequence[int]) -> dict[int, Document]:
        """Commits as documents: named by their subject, with their message's body as doc, and no place in a file."""
        return {
            commit.doc_key: Document(
                commit.doc_key,
                commit_doc_id(commit.sha),
                "commit",
                "",
                "",
                Symbol(
                    commit.subject, "commit", "", describe_commit(commit), commit.body, _EMPTY_SPAN, _EMPTY_SPAN, ""
                ),
                time=commit.time,
            )
            for commit in self.get_commits(doc_keys).values()
        }

    def files_by_commit(self, doc_keys: Sequence[int]) -> dict[int, list[str]]:
        """The paths that commits changed, as they are called today; merges have none."""
        found: dict[int, list[str]] = {}
        sql = "SELECT c.number, p.path FROM changes c JOIN paths p ON p.id = c.now WHERE c.number IN ({}) ORDER BY 2"
        for number, path in self._select_in(sql, doc_keys):
            found.setdefault(number, []).append(decode_path(path))
        return found

    # Files --------------------------------------------------------------------------------------------------------

    def activity_levels(self, paths: Iterable[str]) -> dict[str, str]:
        """The activity level of each file that a commit is known for."""
        changed = "EXISTS (SELECT 1 FROM changes c WHERE c.now = p.id)"
        sql = f"SELECT p.path, p.recent FROM paths p WHERE p.path IN ({{}}) AND {changed}"
        rows = self._select_in(sql, [encode_path(path) for path in paths])
        return {decode_path(path): activity_level(recent) for path, recent in rows}

    def commit_counts(self, folder: str) -> dict[str, tuple[int, int]]:
        """Of each file at or below a folder that commits which can tie changed: how many did, and how many of late.

        What one question read is kept for the next, until anything is written.
        """

        def read() -> dict[str, tuple[int, int]]:
            where, values = folder_condition("path", folder)
            rows = self._select(f"SELECT path, ties, recent FROM paths WHERE ties > 0 AND {where}", values)
            return {decode_path(path): (ties, recent) for path, ties, recent in rows}

        try:
            with self._lock:
                return self._counts_cache.get(folder, read)
        except sqlite3.Error as error:
            raise IndexUnavailable(f"the history can't be read: {error}") from error

    def last_commit_times(self, paths: Iterable[str]) -> dict[str, int]:
        """When each of these files was last committed, in seconds since the epoch."""
        sql = (
            "SELECT p.path, max(k.time) FROM paths p JOIN changes c ON c.now = p.id JOIN commits k USING (number) "
            "WHERE p.path IN ({}) GROUP BY p.id"
        )
        rows = self._select_in(sql, [encode_path(path) for path in paths])
        return {decode_path(path): time for path, time in rows}

    def change_count_and_last_commit(self, path: str) -> tuple[int, Commit | None]:
        """How many commits changed this file, and the newest of them."""
        columns = ", ".join(f"k.{column}" for column in COMMIT_COLUMNS.split(", "))
        source = "FROM paths p JOIN changes c ON c.now = p.id JOIN commits k ON k.number = c.number WHERE p.path = ?"
        name = (encode_path(path),)
        rows = self._select(f"SELECT {columns} {source} ORDER BY k.time DESC, k.number DESC LIMIT 1", name)
        count = self._select(f"SELECT count(*) {source}", name)[0][0]
        return count, read_commit(rows[0]) if rows else None

    def last_commits(self, paths: Iterable[str]) -> dict[str, Commit]:
        """The newest commit that changed each of these files; of equal times the one of the lowest name."""
        sql = (
            f"SELECT path, {COMMIT_COLUMNS} FROM (SELECT p.path, k.*, row_number() OVER "
            "(PARTITION BY p.id ORDER BY k.time DESC, k.sha) AS place FROM paths p JOIN changes c ON c.now = p.id "
            "JOIN commits k USING (number) WHERE p.path IN ({})) WHERE place = 1"
        )
        rows = self._select_in(sql, [encode_path(path) for path in paths])
        return {decode_path(row[0]): read_commit(row[1:]) for row in rows}

    def last_commits_by_doc_id(self, doc_ids: Sequence[str]) -> dict[str, Commit]:
        """The newest commit with known lines that changed each of these documents, by doc_id."""
        sql = (
            f"SELECT doc_id, {COMMIT_COLUMNS} FROM (SELECT s.doc_id, k.*, row_number() OVER "
            "(PARTITION BY s.id ORDER BY k.time DESC, k.sha) AS place FROM symbols s JOIN touched t ON t.symbol = s.id "
            "JOIN commits k USING (number) WHERE s.doc_id IN ({})) WHERE place = 1"
        )
        return {row[0]: read_commit(row[1:]) for row in self._select_in(sql, doc_ids)}

    def newest_commits(self, since: float, offset: int, limit: int) -> list[Commit]:
        """The commits made since a time, merges left out, the newest first; `most` of them after the first `offset`."""
        sql = (
            f"SELECT {COMMIT_COLUMNS} FROM commits WHERE NOT merge AND time >= ? "
            "ORDER BY time DESC, sha LIMIT ? OFFSET ?"
        )
        return [read_commit(row) for row in self._select(sql, (since, limit, offset))]

    def co_changed_files(self, path: str, limit: int) -> list[tuple[str, int]]:
        """The files that most commits changed together with this one, and how many did; equal ones by path."""
        sql = (
            "SELECT q.path, count(*) AS together FROM paths p JOIN changes a ON a.now = p.id "
            "JOIN commits k USING (number) JOIN changes b ON b.number = a.number AND b.now != a.now "
            "JOIN paths q ON q.id = b.now "
            f"WHERE p.path = ? AND {IS_COCHANGE_SQL} GROUP BY q.id ORDER BY together DESC, q.path LIMIT ?"
        )
        return [(decode_path(other), count) for other, count in self._select(sql, (encode_path(path), limit))]

    # Ties ---------------------------------------------------------------------------------------------------------

    def cochange_commit_count(self) -> int:
        """How many commits can tie documents: those with known lines, merges and sweeping ones left out."""
        return self._int_meta("ties")

    def _int_meta(self, key: str) -> int:
        value = self._meta(key)
        return value if isinstance(value, int) else 0

    def symbol_ids_by_doc_id(self, doc_ids: Sequence[str]) -> dict[str, int]:
        """The history's own numbers of these documents, of those that a commit with known lines changed."""
        return dict(self._select_in("SELECT doc_id, id FROM symbols WHERE doc_id IN ({})", doc_ids))

    def get_symbols(self, symbol_ids: Sequence[int]) -> dict[int, tuple[str, int]]:
        """The doc_id of each of these documents, and how many commits that can tie changed it."""
        with self._lock:
            known = self._current_cache().symbols
            missing = [symbol for symbol in symbol_ids if symbol not in known]
            rows = self._select_in("SELECT id, doc_id, ties FROM symbols WHERE id IN ({})", missing)
            known.update({symbol: (doc_id, ties) for symbol, doc_id, ties in rows})
            return {symbol: known[symbol] for symbol in symbol_ids if symbol in known}

    def cochange_commits_by_symbol(self, symbol_ids: Sequence[int], limit: int) -> dict[int, list[int]]:
        """Of each of these documents the newest `most` commits that can tie and changed it."""
        sql = (
            "SELECT t.symbol, t.number FROM touched t JOIN commits k USING (number) "
            f"WHERE t.symbol IN ({{}}) AND {IS_COCHANGE_SQL} ORDER BY k.time DESC, k.number DESC"
        )
        found: dict[int, list[int]] = {symbol: [] for symbol in symbol_ids}
        for symbol, number in self._select_in(sql, symbol_ids):  # all of them: a window costs as much again
            if len(found[symbol]) < limit:
                found[symbol].append(number)
        return found

    def cochange_commits_of_file(self, path: str, limit: int) -> list[int]:
        """The newest `most` commits that can tie and changed this file."""
        sql = (
            "SELECT c.number FROM paths p JOIN changes c ON c.now = p.id JOIN commits k USING (number) "
            f"WHERE p.path = ? AND {IS_COCHANGE_SQL} ORDER BY k.time DESC, k.number DESC LIMIT ?"
        )
        return [number for (number,) in self._select(sql, (encode_path(path), limit))]

    def filter_cochange_commits(self, doc_keys: Sequence[int]) -> list[int]:
        """Those of these commits that can tie."""
        rows = self._select_in(f"SELECT number FROM commits WHERE number IN ({{}}) AND {IS_COCHANGE_SQL}", doc_keys)
        return [number for (number,) in rows]

    def symbol_ids_by_commit(self, doc_keys: Sequence[int]) -> dict[int, IntArray]:
        """The documents that each of these commits changed, by the history's own numbers, each once."""
        with self._lock:
            known = self._current_cache().changed_symbols
            missing = [number for number in doc_keys if number not in known]
            rows = self._select_in("SELECT number, symbol FROM touched WHERE number IN ({})", missing)
            known.update(dict.fromkeys(missing, _NO_SYMBOLS))
            known.update(
                {number: np.array([symbol for _, symbol in part], np.int64) for number, part in groupby(rows, _FIRST)}
            )
            return {number: known[number] for number in doc_keys}

    def all_keys(self, limit: int) -> tuple[list[int], list[int], list[int]]:
        """The numbers of all commits, of those with known lines, and of what these changed; none of a list that would
        be longer than `most`.
        """
        columns = ("number FROM commits", "DISTINCT number FROM touched", "id FROM symbols")
        found = [[number for (number,) in self._select(f"SELECT {c} LIMIT ?", (limit + 1,))] for c in columns]
        commits, lines, symbols = (numbers if len(numbers) <= limit else [] for numbers in found)
        return commits, lines, symbols

    def _current_cache(self) -> HistoryCache:
        """What earlier questions read, as long as nothing is published; under the lock."""
        if self._cache.generation != self._generation_seen or self._cache.is_full:
            self._cache = HistoryCache(self._generation_seen)
        return self._cache


class HistoryCache(Struct):
    """What questions read of one generation. touches: of a few thousand commits at most: no others have known lines."""

    generation: int
    headers: dict[int, DocumentHeader] = field(default_factory=dict[int, DocumentHeader])
    symbols: dict[int, tuple[str, int]] = field(default_factory=dict[int, "tuple[str, int]"])
    changed_symbols: dict[int, IntArray] = field(default_factory=dict[int, IntArray])

    @property
    def is_full(self) -> bool:
        """Whether it should be begun anew."""
        return len(self.headers) > _MAX_CACHED or len(self.symbols) > _MAX_CACHED
