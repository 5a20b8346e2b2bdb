"""Read commits, file activity and co-changes of one project's history."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from scry.core.decoding import decode_json
from scry.core.doc_id import commit_doc_id
from scry.core.errors import IndexDamaged, IndexMissing, IndexUnavailable
from scry.core.types import Document, DocumentHeader, IndexState, Point, Span, Symbol
from scry.store.history.commits import (
    COMMIT_COLUMNS,
    IS_COCHANGE_SQL,
    NEWEST_FIRST,
    Commit,
    describe_commit,
    read_commit,
)
from scry.store.history.database import HISTORY_FILE, HistoryDatabase
from scry.store.lexical import LexicalIndex, open_lexical_index
from scry.store.seals import describe_seal_damage
from scry.store.sqlite.database import FolderCache, batches, decode_path, encode_path, folder_condition

IntArray = NDArray[np.int64]

_MAX_CACHED = 50_000
"""Headers, and doc_ids of changed symbols, that are cached from query to query."""

ACTIVITY_LEVELS = ("none", *["low"] * 2, *["medium"] * 5, "high")
"""The activity level of a file by its number of recent commits; the last one is that of more commits, too."""

_NO_SYMBOLS = np.zeros(0, np.int64)
_FIRST = itemgetter(0)
_EMPTY_SPAN = Span(Point(0, 0, 0), Point(0, 0, 0))


def commit_document(commit: Commit) -> Document:
    """Return a commit as a document: the subject as name, the body of the message as doc, and no place in a file."""
    symbol = Symbol(commit.subject, "commit", "", describe_commit(commit), commit.body, _EMPTY_SPAN, _EMPTY_SPAN, "")
    return Document(commit.doc_key, commit_doc_id(commit.sha), "commit", "", "", symbol, time=commit.time)


class HistoryReader:
    """The history of one project, for reading: commits, activity of files and co-changes.

    lexical: the lexical index of commits as of the last `refresh`; each commit counts as a file there. Every method may
    be called from any thread, and raises IndexUnavailable.
    """

    @classmethod
    def open(cls, folder: Path) -> HistoryReader:
        """Open the history in a folder. Raises IndexMissing where there is none yet, IndexDamaged, IndexUnavailable."""
        if damage := describe_seal_damage(folder / "history.seal", thorough=False):
            raise IndexDamaged(damage)
        if not (folder / HISTORY_FILE).exists():
            raise IndexMissing(f"no history is indexed in {folder} yet")
        return cls(HistoryDatabase(folder, write=False))

    def __init__(self, database: HistoryDatabase) -> None:
        """Read from an open history."""
        self._database = database
        self._lock = database.lock
        self._select = database.select
        self._select_in = database.select_in
        self.opened = database.opened
        self.lexical = open_lexical_index(database.lexical_folder, write=database.is_writer)
        self._cache = HistoryCache(database.generation_seen)
        self._counts_cache: FolderCache[dict[str, tuple[int, int]]] = FolderCache(database.connection)

    def close(self) -> None:
        """Close the files."""
        with self._lock:
            self.lexical.close()
            self._database.connection.close()

    # State --------------------------------------------------------------------------------------------------------

    @property
    def generation(self) -> int:
        """The number of the published history; it rises with every change that can be searched."""
        return self._database.meta.generation

    @property
    def head(self) -> str | None:
        """The commit whose history is complete; None before the first pass has ended."""
        head = self._database.meta.get("head")
        return head if isinstance(head, str) else None

    def state_at(self, head: str | None) -> HistoryState:
        """Return the state of this history; see `read_history_state`."""
        meta = self._database.meta
        generation, stored, note = meta.generation, meta.get("head"), str(meta.get("note") or "")
        if head is None:
            return HistoryState(HISTORY_NONE, generation)
        if head == stored and not meta.get_int("partial"):
            return HistoryState(HISTORY_READY, generation, extent=note)
        if head != meta.get_text("tried"):
            return HistoryState(HISTORY_PENDING, generation)
        return HistoryState(HISTORY_READY if isinstance(stored, str) else HISTORY_NONE, generation, note=note)

    def faults(self) -> dict[str, str]:
        """Return for which commits, files and beliefs a stage failed: stage and reason by doc_id."""
        return decode_json(self._database.meta.get_text("faults") or "{}", dict[str, str])

    def refresh(self) -> int:
        """Make everything visible that has been published; return the generation that is read from here on."""
        database = self._database
        with self._lock:
            generation = database.meta.generation
            if generation != database.generation_seen:
                if not database.is_writer and self.lexical.folder != database.lexical_folder():
                    self.lexical = open_lexical_index(database.lexical_folder, write=False)
                else:
                    self.lexical.reload()
                database.generation_seen = generation
            return generation

    # Commits ------------------------------------------------------------------------------------------------------

    def switch_lexical(self, fresh: LexicalIndex) -> LexicalIndex:
        """Search another lexical index from here on, for the writer; return the previous one."""
        previous, self.lexical = self.lexical, fresh
        return previous

    @property
    def commit_count(self) -> int:
        """The number of commits."""
        return int(self._select("SELECT count(*) FROM commits")[0][0])

    @property
    def is_empty(self) -> bool:
        """Whether there is no commit: without git, or before the first is read."""
        return not self._select("SELECT 1 FROM commits LIMIT 1")

    def get_commits(self, doc_keys: Sequence[int]) -> dict[int, Commit]:
        """Return the commits with these keys, by key; removed ones are absent."""
        rows = self._select_in(f"SELECT {COMMIT_COLUMNS} FROM commits WHERE number IN ({{}})", doc_keys)
        return {row[0]: read_commit(row) for row in rows}

    def commit_by_sha(self, sha: str) -> Commit | None:
        """Return the commit with this full hash."""
        try:
            name = bytes.fromhex(sha)
        except ValueError:
            return None
        rows = self._select(f"SELECT {COMMIT_COLUMNS} FROM commits WHERE sha = ?", (name,))
        return read_commit(rows[0]) if rows else None

    def commits_with_prefix(self, prefix: str, limit: int = 4) -> list[Commit]:
        """Return commits whose hash begins with these hexadecimal digits, ordered by hash."""
        low = bytes.fromhex(prefix + "0" * (len(prefix) % 2))
        high = bytes.fromhex(prefix + "f" * (len(prefix) % 2)) + b"\xff" * 32
        sql = f"SELECT {COMMIT_COLUMNS} FROM commits WHERE sha BETWEEN ? AND ? ORDER BY sha LIMIT ?"
        return [read_commit(row) for row in self._select(sql, (low, high, limit))]

    def headers(self, doc_keys: Sequence[int]) -> dict[int, DocumentHeader]:
        """Return the headers of commits: a commit has no path, and its subject as name.

        Headers are cached from query to query, until something is published.
        """
        with self._lock:
            cache = self._current_cache()
            cached = cache.headers
            missing = [doc_key for doc_key in doc_keys if doc_key not in cached]
            sql = f"SELECT number, sha, subject, {IS_COCHANGE_SQL} FROM commits WHERE number IN ({{}})"
            for doc_key, sha, subject, is_cochange in self._select_in(sql, missing):
                cached[doc_key] = DocumentHeader(doc_key, commit_doc_id(sha.hex()), "commit", "", subject, "commit", "")
                if is_cochange:
                    cache.cochange_commits.add(doc_key)
            return {doc_key: cached[doc_key] for doc_key in doc_keys if doc_key in cached}

    def get_documents(self, doc_keys: Sequence[int]) -> dict[int, Document]:
        """Return commits as documents: the subject as name, the body of the message as doc, and no place in a file."""
        return {commit.doc_key: commit_document(commit) for commit in self.get_commits(doc_keys).values()}

    def files_by_commit(self, doc_keys: Sequence[int]) -> dict[int, list[str]]:
        """Return the paths that commits changed, under their current names; merges have none."""
        paths_by_commit: dict[int, list[str]] = {}
        sql = "SELECT c.number, p.path FROM changes c JOIN paths p ON p.id = c.now WHERE c.number IN ({}) ORDER BY 2"
        for doc_key, path in self._select_in(sql, doc_keys):
            paths_by_commit.setdefault(doc_key, []).append(decode_path(path))
        return paths_by_commit

    # Files --------------------------------------------------------------------------------------------------------

    def activity_levels(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the activity level of each file with a known commit.

        The level counts commits of the RECENT_DAYS before the newest commit, merges and commits of many files left out:
        8 or more are high, 3 or more medium, one or two low, and none is none.
        """
        changed = "EXISTS (SELECT 1 FROM changes c WHERE c.now = p.id)"
        sql = f"SELECT p.path, p.recent FROM paths p WHERE p.path IN ({{}}) AND {changed}"
        rows = self._select_in(sql, [encode_path(path) for path in paths])
        highest = len(ACTIVITY_LEVELS) - 1
        return {decode_path(path): ACTIVITY_LEVELS[min(recent, highest)] for path, recent in rows}

    def commit_counts(self, folder: str) -> dict[str, tuple[int, int]]:
        """Return for each file at or below a folder its number of co-change commits, and of recent ones.

        Counts are cached from query to query, until the next write.
        """

        def read() -> dict[str, tuple[int, int]]:
            where, values = folder_condition("path", folder)
            rows = self._select(f"SELECT path, ties, recent FROM paths WHERE ties > 0 AND {where}", values)
            return {decode_path(path): (commits, recent) for path, commits, recent in rows}

        try:
            with self._lock:
                return self._counts_cache.get(folder, read)
        except sqlite3.Error as error:
            raise IndexUnavailable(f"the history can't be read: {error}") from error

    def last_commit_times(self, paths: Iterable[str]) -> dict[str, int]:
        """Return when each of these files was last committed, in seconds since the epoch."""
        sql = (
            "SELECT p.path, max(k.time) FROM paths p JOIN changes c ON c.now = p.id JOIN commits k USING (number) "
            "WHERE p.path IN ({}) GROUP BY p.id"
        )
        rows = self._select_in(sql, [encode_path(path) for path in paths])
        return {decode_path(path): time for path, time in rows}

    def change_count_and_last_commit(self, path: str) -> tuple[int, Commit | None]:
        """Return the number of commits that changed this file, and the newest of them."""
        columns = ", ".join(f"k.{column}" for column in COMMIT_COLUMNS.split(", "))
        source = "FROM paths p JOIN changes c ON c.now = p.id JOIN commits k ON k.number = c.number WHERE p.path = ?"
        name = (encode_path(path),)
        rows = self._select(f"SELECT {columns} {source} ORDER BY {NEWEST_FIRST} LIMIT 1", name)
        count = self._select(f"SELECT count(*) {source}", name)[0][0]
        return count, read_commit(rows[0]) if rows else None

    def count_changes_since(self, used: Sequence[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """Return how many commits later than a time changed each file. used: paths, with seconds since the epoch."""
        sql = (
            "WITH used(path, time) AS (VALUES {}) SELECT used.path, used.time, (SELECT count(*) FROM changes c "
            "JOIN commits k USING (number) WHERE c.now = p.id AND k.time > used.time) "
            "FROM used JOIN paths p ON p.path = used.path"
        )
        counts: dict[tuple[str, int], int] = {}
        for part in batches(list(dict.fromkeys(used)), variables_per_value=2):
            values = [value for path, time in part for value in (encode_path(path), time)]
            rows = self._select(sql.format(", ".join(["(?, ?)"] * len(part))), values)
            counts |= {(decode_path(path), time): count for path, time, count in rows}
        return counts

    def last_commits(self, paths: Iterable[str]) -> dict[str, Commit]:
        """Return the newest commit that changed each of these files; of equal times the last one."""
        sql = (
            f"SELECT path, {COMMIT_COLUMNS} FROM (SELECT p.path, k.*, row_number() OVER "
            f"(PARTITION BY p.id ORDER BY {NEWEST_FIRST}) AS newness FROM paths p JOIN changes c ON c.now = p.id "
            "JOIN commits k USING (number) WHERE p.path IN ({})) WHERE newness = 1"
        )
        rows = self._select_in(sql, [encode_path(path) for path in paths])
        return {decode_path(row[0]): read_commit(row[1:]) for row in rows}

    def last_commits_by_doc_id(self, doc_ids: Sequence[str]) -> dict[str, Commit]:
        """Return the newest commit with known lines that changed each of these documents, by doc_id."""
        sql = (
            f"SELECT doc_id, {COMMIT_COLUMNS} FROM (SELECT s.doc_id, k.*, row_number() OVER "
            f"(PARTITION BY s.id ORDER BY {NEWEST_FIRST}) AS newness FROM symbols s JOIN touched t ON t.symbol = s.id "
            "JOIN commits k USING (number) WHERE s.doc_id IN ({})) WHERE newness = 1"
        )
        return {row[0]: read_commit(row[1:]) for row in self._select_in(sql, doc_ids)}

    def newest_commits(self, since: float, offset: int, limit: int) -> list[Commit]:
        """Return the commits since a time, merges left out, the newest first: `limit` after `offset`."""
        sql = (
            f"SELECT {COMMIT_COLUMNS} FROM commits k WHERE NOT merge AND time >= ? "
            f"ORDER BY {NEWEST_FIRST} LIMIT ? OFFSET ?"
        )
        return [read_commit(row) for row in self._select(sql, (since, limit, offset))]

    def co_changed_files(self, path: str, limit: int) -> list[tuple[str, int]]:
        """Return the files changed by most commits together with this one, with the number of commits; ties by path."""
        sql = (
            "SELECT q.path, count(*) AS together FROM paths p JOIN changes a ON a.now = p.id "
            "JOIN commits k USING (number) JOIN changes b ON b.number = a.number AND b.now != a.now "
            "JOIN paths q ON q.id = b.now "
            f"WHERE p.path = ? AND {IS_COCHANGE_SQL} GROUP BY q.id ORDER BY together DESC, q.path LIMIT ?"
        )
        return [(decode_path(other), count) for other, count in self._select(sql, (encode_path(path), limit))]

    # Co-changes ---------------------------------------------------------------------------------------------------

    def cochange_commit_count(self) -> int:
        """Return the number of co-change commits: those with known lines, without merges and commits of many files."""
        with self._lock:
            cache = self._current_cache()
            if cache.cochange_commit_count is None:
                cache.cochange_commit_count = self._database.meta.get_int("ties")
            return cache.cochange_commit_count

    def symbol_ids_by_doc_id(self, doc_ids: Sequence[str]) -> dict[str, int]:
        """Return the symbol id of each of these documents that a commit with known lines changed."""
        return dict(self._select_in("SELECT doc_id, id FROM symbols WHERE doc_id IN ({})", doc_ids))

    def get_symbols(self, symbol_ids: Sequence[int]) -> dict[int, tuple[str, int]]:
        """Return the doc_id of each of these symbols, and its number of co-change commits."""
        with self._lock:
            cached = self._current_cache().symbols
            missing = [symbol for symbol in symbol_ids if symbol not in cached]
            rows = self._select_in("SELECT id, doc_id, ties FROM symbols WHERE id IN ({})", missing)
            cached.update({symbol: (doc_id, commit_count) for symbol, doc_id, commit_count in rows})
            return {symbol: cached[symbol] for symbol in symbol_ids if symbol in cached}

    def cochange_commits_by_symbol(self, symbol_ids: Sequence[int], limit: int) -> dict[int, list[int]]:
        """Return the newest `limit` co-change commits that changed each of these symbols."""
        sql = (
            "SELECT t.symbol, t.number FROM touched t JOIN commits k USING (number) "
            f"WHERE t.symbol IN ({{}}) AND {IS_COCHANGE_SQL} ORDER BY {NEWEST_FIRST}"
        )
        with self._lock:
            cached = self._current_cache().commits_by_symbol
            missing = [symbol for symbol in symbol_ids if symbol not in cached]
            rows = self._select_in(sql, missing)  # all rows: a window function would double the time
            cached.update({symbol: [] for symbol in missing})
            for symbol, doc_key in rows:
                cached[symbol].append(doc_key)
            return {symbol: cached[symbol][:limit] for symbol in symbol_ids}

    def cochange_commits_of_file(self, path: str, limit: int) -> list[int]:
        """Return the newest `limit` co-change commits that changed this file."""
        sql = (
            "SELECT c.number FROM paths p JOIN changes c ON c.now = p.id JOIN commits k USING (number) "
            f"WHERE p.path = ? AND {IS_COCHANGE_SQL} ORDER BY {NEWEST_FIRST} LIMIT ?"
        )
        with self._lock:
            cached = self._current_cache().commits_by_file
            if (path, limit) not in cached:
                rows = self._select(sql, (encode_path(path), limit))
                cached[path, limit] = [doc_key for (doc_key,) in rows]
            return cached[path, limit]

    def filter_cochange_commits(self, doc_keys: Sequence[int]) -> list[int]:
        """Return those of these commits that are co-change commits, in the order of their keys."""
        with self._lock:
            self.headers(doc_keys)
            return sorted(self._current_cache().cochange_commits.intersection(doc_keys))

    def symbol_ids_by_commit(self, doc_keys: Sequence[int]) -> dict[int, IntArray]:
        """Return the ids of the symbols that each of these commits changed, each once."""
        with self._lock:
            cached = self._current_cache().changed_symbols
            missing = [doc_key for doc_key in doc_keys if doc_key not in cached]
            rows = self._select_in("SELECT number, symbol FROM touched WHERE number IN ({})", missing)
            cached.update(dict.fromkeys(missing, _NO_SYMBOLS))
            cached.update(
                {doc_key: np.array([symbol for _, symbol in part], np.int64) for doc_key, part in groupby(rows, _FIRST)}
            )
            return {doc_key: cached[doc_key] for doc_key in doc_keys}

    def all_keys(self, limit: int) -> tuple[list[int], list[int], list[int]]:
        """Return the keys of all commits, of those with known lines, and the ids of all symbols.

        A list longer than `limit` is returned empty.
        """
        columns = ("number FROM commits", "DISTINCT number FROM touched", "id FROM symbols")
        doc_keys_by_column = [
            [doc_key for (doc_key,) in self._select(f"SELECT {c} LIMIT ?", (limit + 1,))] for c in columns
        ]
        commits, lines, symbols = (doc_keys if len(doc_keys) <= limit else [] for doc_keys in doc_keys_by_column)
        return commits, lines, symbols

    def _current_cache(self) -> HistoryCache:
        """Return the cache of the current generation; under the lock."""
        cache, seen = self._cache, self._database.generation_seen
        is_full = len(cache.headers) > _MAX_CACHED or len(cache.symbols) > _MAX_CACHED
        if is_full or cache.generation != seen:
            # A commit never changes. Removed ones count as dead words until these are written anew, to another folder.
            removed = self.lexical.folder, self._database.meta.get_int("dead_words")
            self._cache = HistoryCache(seen, removed)
            if not is_full and cache.removed == removed:
                self._cache.headers, self._cache.cochange_commits = cache.headers, cache.cochange_commits
        return self._cache


class HistoryCache(Struct):
    """Values that queries have read of one generation.

    removed: differs where commits were removed; headers of others outlast a generation. cochange_commits: those among
    `headers`. changed_symbols, commits_by_symbol: of a few thousand commits at most, since no others have known lines.
    commits_by_file: by path and their greatest number.
    """

    generation: int
    removed: tuple[Path, int] | None = None
    headers: dict[int, DocumentHeader] = field(default_factory=dict[int, DocumentHeader])
    symbols: dict[int, tuple[str, int]] = field(default_factory=dict[int, "tuple[str, int]"])
    changed_symbols: dict[int, IntArray] = field(default_factory=dict[int, IntArray])
    cochange_commits: set[int] = field(default_factory=set[int])
    cochange_commit_count: int | None = None
    commits_by_symbol: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    commits_by_file: dict[tuple[str, int], list[int]] = field(default_factory=dict[tuple[str, int], list[int]])


HISTORY_PENDING = "pending"
HISTORY_READY = "ready"
HISTORY_NONE = "none"


class HistoryState(Struct, frozen=True):
    """The state of a project's stored history.

    state: pending, ready or none. generation: of the published history. note: a problem, in words for a person, or
    empty. extent: the part of the history that is stored, in words; empty where all of it is.
    """

    state: str = HISTORY_NONE
    generation: int = 0
    note: str = ""
    extent: str = ""


def read_history_state(head: str | None, history: HistoryReader | None) -> HistoryState:
    """Return the state of a project's history. history: the stored history, None for none.

    head: the commit that is checked out; None without git or before the first commit, where there is no history to wait
    for. The history is pending until this commit was stored or could not be; an older history answers meanwhile.
    """
    if history is None:
        return HistoryState(HISTORY_NONE if head is None else HISTORY_PENDING)
    return history.state_at(head)


def merge_history_state(index: IndexState, history: HistoryState) -> IndexState:
    """Return the state of the index with that of its history."""
    message = "; ".join([text for text in (index.message, history.note) if text])
    generation = index.generation + history.generation
    return replace(index, history=history.state, history_extent=history.extent, generation=generation, message=message)
