"""The history of one project, for reading: commits, their words, what they changed, and what changes together."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct, field

from scry.core.doc_id import commit_id
from scry.core.errors import IndexUnavailable
from scry.core.knowledge import FIRST_NUMBER
from scry.core.ties import Integers
from scry.core.types import Document, Outline, Point, Span, Symbol
from scry.store.database import marks, parts, path_from_sql, path_to_sql
from scry.store.file_reader import in_folder
from scry.store.history_rows import COMMIT_NUMBERS, IS_TIE, Commit
from scry.store.kept_folders import KeptFolders
from scry.store.lexical import LexicalIndex

RECENT_DAYS = 90
HIGH_ACTIVITY = 8
MEDIUM_ACTIVITY = 3
"""A file's activity by its commits of the 90 days before the newest commit, merges and sweeping ones left out:
8 or more are high, 3 or more medium, one or two low; none where it was not changed in that time."""

_COMMIT_COLUMNS = "number, sha, time, author, subject, body, merge, files"
_KEPT = 50_000
"""So many outlines, and so many names of documents, are kept from question to question."""

_NONE = np.zeros(0, np.int64)
_FIRST = itemgetter(0)
_NOWHERE = Span(Point(0, 0, 0), Point(0, 0, 0))


def activity_level(recent: int) -> str:
    """The level for so many commits in RECENT_DAYS."""
    if recent >= HIGH_ACTIVITY:
        return "high"
    return "medium" if recent >= MEDIUM_ACTIVITY else "low" if recent else "none"


def is_commit(number: int) -> bool:
    """Whether a document's number is a commit's."""
    return COMMIT_NUMBERS <= number < FIRST_NUMBER


class HistoryReader:
    """The reading half of a `HistoryStore`. Every method may be called from any thread, and raises IndexUnavailable."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, *, write: bool) -> None:
        """connection: to the folder's `history.sqlite`. write: whether this process is the one that writes."""
        self._folder = folder
        self._write = write
        self._lock = threading.RLock()
        self._db = connection
        self._words = LexicalIndex(self._words_folder(), write=write)
        self._seen = self.generation
        self._kept = Kept(self._seen)
        self._kept_counts: KeptFolders[dict[str, tuple[int, int]]] = KeptFolders(self._db)

    def close(self) -> None:
        """Gives everything free."""
        with self._lock:
            self._words.close()
            self._db.close()

    def _select(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        try:
            with self._lock:
                return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise IndexUnavailable(f"the history can't be read: {error}") from error

    def _select_in(self, sql: str, values: Sequence[object]) -> list[Any]:
        """All rows of a statement in which `{}` stands for the values."""
        return [row for part in parts(values) for row in self._select(sql.format(marks(part)), part)]

    # State --------------------------------------------------------------------------------------------------------

    def _meta(self, key: str) -> object:
        rows = self._select("SELECT value FROM meta WHERE key = ?", (key,))
        return rows[0][0] if rows else None

    def _words_folder(self) -> Path:
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
    def tried(self) -> str | None:
        """The commit that was last tried to be brought in, well or not."""
        value = self._meta("tried")
        return value if isinstance(value, str) else None

    @property
    def note(self) -> str:
        """What a person should know of it, such as that it is cut; empty for nothing."""
        return str(self._meta("note") or "")

    def refreshed(self) -> int:
        """Sees what has been published since; returns the generation that is read from here on."""
        with self._lock:
            generation = self.generation
            if generation != self._seen:
                if not self._write and self._words.folder != self._words_folder():
                    self._words = LexicalIndex(self._words_folder(), write=False)
                else:
                    self._words.reload()
                self._seen = generation
            return generation

    # Commits ------------------------------------------------------------------------------------------------------

    @property
    def words(self) -> LexicalIndex:
        """The word index of commits as of the last `refreshed`; a commit counts as a file of its own there."""
        return self._words

    @property
    def size(self) -> int:
        """How many commits there are."""
        return int(self._select("SELECT count(*) FROM commits")[0][0])

    @property
    def is_empty(self) -> bool:
        """Whether there is no commit: without git, or before the first is read."""
        return not self._select("SELECT 1 FROM commits LIMIT 1")

    def commits(self, numbers: Sequence[int]) -> dict[int, Commit]:
        """The commits with these numbers; those that are no more are absent."""
        rows = self._select_in(f"SELECT {_COMMIT_COLUMNS} FROM commits WHERE number IN ({{}})", numbers)
        return {row[0]: _read_commit(row) for row in rows}

    def commit_named(self, sha: str) -> Commit | None:
        """The commit with this name, in full."""
        try:
            name = bytes.fromhex(sha)
        except ValueError:
            return None
        rows = self._select(f"SELECT {_COMMIT_COLUMNS} FROM commits WHERE sha = ?", (name,))
        return _read_commit(rows[0]) if rows else None

    def commits_beginning(self, digits: str, most: int = 4) -> list[Commit]:
        """Commits whose name begins with these hexadecimal digits, in the order of their names."""
        low = bytes.fromhex(digits + "0" * (len(digits) % 2))
        high = bytes.fromhex(digits + "f" * (len(digits) % 2)) + b"\xff" * 32
        sql = f"SELECT {_COMMIT_COLUMNS} FROM commits WHERE sha BETWEEN ? AND ? ORDER BY sha LIMIT ?"
        return [_read_commit(row) for row in self._select(sql, (low, high, most))]

    def outlines(self, numbers: Sequence[int]) -> dict[int, Outline]:
        """What ranking reads of commits: a commit has neither a path nor a name.

        What one question read is kept for the next, until something is published.
        """
        with self._lock:
            known = self._keeping().outlines
            missing = [number for number in numbers if number not in known]
            for number, sha in self._select_in("SELECT number, sha FROM commits WHERE number IN ({})", missing):
                known[number] = Outline(number, commit_id(sha.hex()), "commit", "", "", "commit", "")
            return {number: known[number] for number in numbers if number in known}

    def documents(self, numbers: Sequence[int]) -> dict[int, Document]:
        """Commits as documents: named by their subject, with their message's body as doc, and no place in a file."""
        return {
            commit.number: Document(
                commit.number,
                commit_id(commit.sha),
                "commit",
                "",
                "",
                Symbol(commit.subject, "commit", "", describe_commit(commit), commit.body, _NOWHERE, _NOWHERE, ""),
                time=commit.time,
            )
            for commit in self.commits(numbers).values()
        }

    def files_of(self, numbers: Sequence[int]) -> dict[int, list[str]]:
        """The paths that commits changed, as they are called today; merges have none."""
        found: dict[int, list[str]] = {}
        sql = "SELECT c.number, p.path FROM changes c JOIN paths p ON p.id = c.now WHERE c.number IN ({}) ORDER BY 2"
        for number, path in self._select_in(sql, numbers):
            found.setdefault(number, []).append(path_from_sql(path))
        return found

    # Files --------------------------------------------------------------------------------------------------------

    def activity(self, paths: Iterable[str]) -> dict[str, str]:
        """The activity level of each file that a commit is known for."""
        changed = "EXISTS (SELECT 1 FROM changes c WHERE c.now = p.id)"
        sql = f"SELECT p.path, p.recent FROM paths p WHERE p.path IN ({{}}) AND {changed}"
        rows = self._select_in(sql, [path_to_sql(path) for path in paths])
        return {path_from_sql(path): activity_level(recent) for path, recent in rows}

    def commit_counts(self, folder: str) -> dict[str, tuple[int, int]]:
        """Of each file at or below a folder that commits which can tie changed: how many did, and how many of late.

        What one question read is kept for the next, until anything is written.
        """

        def read() -> dict[str, tuple[int, int]]:
            where, values = in_folder("path", folder)
            rows = self._select(f"SELECT path, ties, recent FROM paths WHERE ties > 0 AND {where}", values)
            return {path_from_sql(path): (ties, recent) for path, ties, recent in rows}

        try:
            with self._lock:
                return self._kept_counts.get(folder, read)
        except sqlite3.Error as error:
            raise IndexUnavailable(f"the history can't be read: {error}") from error

    def last_changes(self, paths: Iterable[str]) -> dict[str, int]:
        """When each of these files was last committed, in seconds since the epoch."""
        sql = (
            "SELECT p.path, max(k.time) FROM paths p JOIN changes c ON c.now = p.id JOIN commits k USING (number) "
            "WHERE p.path IN ({}) GROUP BY p.id"
        )
        rows = self._select_in(sql, [path_to_sql(path) for path in paths])
        return {path_from_sql(path): time for path, time in rows}

    def changes_of(self, path: str) -> tuple[int, Commit | None]:
        """How many commits changed this file, and the newest of them."""
        columns = ", ".join(f"k.{column}" for column in _COMMIT_COLUMNS.split(", "))
        source = "FROM paths p JOIN changes c ON c.now = p.id JOIN commits k ON k.number = c.number WHERE p.path = ?"
        name = (path_to_sql(path),)
        rows = self._select(f"SELECT {columns} {source} ORDER BY k.time DESC, k.number DESC LIMIT 1", name)
        count = self._select(f"SELECT count(*) {source}", name)[0][0]
        return count, _read_commit(rows[0]) if rows else None

    def last_commits(self, paths: Iterable[str]) -> dict[str, Commit]:
        """The newest commit that changed each of these files; of equal times the one of the lowest name."""
        sql = (
            f"SELECT path, {_COMMIT_COLUMNS} FROM (SELECT p.path, k.*, row_number() OVER "
            "(PARTITION BY p.id ORDER BY k.time DESC, k.sha) AS place FROM paths p JOIN changes c ON c.now = p.id "
            "JOIN commits k USING (number) WHERE p.path IN ({})) WHERE place = 1"
        )
        rows = self._select_in(sql, [path_to_sql(path) for path in paths])
        return {path_from_sql(row[0]): _read_commit(row[1:]) for row in rows}

    def last_commits_of(self, doc_ids: Sequence[str]) -> dict[str, Commit]:
        """The newest commit with known lines that changed each of these documents, by doc_id."""
        sql = (
            f"SELECT doc_id, {_COMMIT_COLUMNS} FROM (SELECT s.doc_id, k.*, row_number() OVER "
            "(PARTITION BY s.id ORDER BY k.time DESC, k.sha) AS place FROM symbols s JOIN touched t ON t.symbol = s.id "
            "JOIN commits k USING (number) WHERE s.doc_id IN ({})) WHERE place = 1"
        )
        return {row[0]: _read_commit(row[1:]) for row in self._select_in(sql, doc_ids)}

    def newest_commits(self, since: float, offset: int, most: int) -> list[Commit]:
        """The commits made since a time, merges left out, the newest first; `most` of them after the first `offset`."""
        sql = (
            f"SELECT {_COMMIT_COLUMNS} FROM commits WHERE NOT merge AND time >= ? "
            "ORDER BY time DESC, sha LIMIT ? OFFSET ?"
        )
        return [_read_commit(row) for row in self._select(sql, (since, most, offset))]

    def changed_together(self, path: str, most: int) -> list[tuple[str, int]]:
        """The files that most commits changed together with this one, and how many did; equal ones by path."""
        sql = (
            "SELECT q.path, count(*) AS together FROM paths p JOIN changes a ON a.now = p.id "
            "JOIN commits k USING (number) JOIN changes b ON b.number = a.number AND b.now != a.now "
            "JOIN paths q ON q.id = b.now "
            f"WHERE p.path = ? AND {IS_TIE} GROUP BY q.id ORDER BY together DESC, q.path LIMIT ?"
        )
        return [(path_from_sql(other), count) for other, count in self._select(sql, (path_to_sql(path), most))]

    # Ties ---------------------------------------------------------------------------------------------------------

    def ties_in_all(self) -> int:
        """How many commits can tie documents: those with known lines, merges and sweeping ones left out."""
        return self._meta_number("ties")

    def _meta_number(self, key: str) -> int:
        value = self._meta(key)
        return value if isinstance(value, int) else 0

    def symbols_named(self, doc_ids: Sequence[str]) -> dict[str, int]:
        """The history's own numbers of these documents, of those that a commit with known lines changed."""
        return dict(self._select_in("SELECT doc_id, id FROM symbols WHERE doc_id IN ({})", doc_ids))

    def symbols(self, symbols: Sequence[int]) -> dict[int, tuple[str, int]]:
        """The doc_id of each of these documents, and how many commits that can tie changed it."""
        with self._lock:
            known = self._keeping().symbols
            missing = [symbol for symbol in symbols if symbol not in known]
            rows = self._select_in("SELECT id, doc_id, ties FROM symbols WHERE id IN ({})", missing)
            known.update({symbol: (doc_id, ties) for symbol, doc_id, ties in rows})
            return {symbol: known[symbol] for symbol in symbols if symbol in known}

    def commits_of_symbols(self, symbols: Sequence[int], most: int) -> dict[int, list[int]]:
        """Of each of these documents the newest `most` commits that can tie and changed it."""
        sql = (
            "SELECT t.symbol, t.number FROM touched t JOIN commits k USING (number) "
            f"WHERE t.symbol IN ({{}}) AND {IS_TIE} ORDER BY k.time DESC, k.number DESC"
        )
        found: dict[int, list[int]] = {symbol: [] for symbol in symbols}
        for symbol, number in self._select_in(sql, symbols):  # all of them: a window costs as much again
            if len(found[symbol]) < most:
                found[symbol].append(number)
        return found

    def commits_of_file(self, path: str, most: int) -> list[int]:
        """The newest `most` commits that can tie and changed this file."""
        sql = (
            "SELECT c.number FROM paths p JOIN changes c ON c.now = p.id JOIN commits k USING (number) "
            f"WHERE p.path = ? AND {IS_TIE} ORDER BY k.time DESC, k.number DESC LIMIT ?"
        )
        return [number for (number,) in self._select(sql, (path_to_sql(path), most))]

    def that_tie(self, numbers: Sequence[int]) -> list[int]:
        """Those of these commits that can tie."""
        rows = self._select_in(f"SELECT number FROM commits WHERE number IN ({{}}) AND {IS_TIE}", numbers)
        return [number for (number,) in rows]

    def touches(self, numbers: Sequence[int]) -> dict[int, Integers]:
        """The documents that each of these commits changed, by the history's own numbers, each once."""
        with self._lock:
            known = self._keeping().touches
            missing = [number for number in numbers if number not in known]
            rows = self._select_in("SELECT number, symbol FROM touched WHERE number IN ({})", missing)
            known.update(dict.fromkeys(missing, _NONE))
            known.update(
                {number: np.array([symbol for _, symbol in part], np.int64) for number, part in groupby(rows, _FIRST)}
            )
            return {number: known[number] for number in numbers}

    def all_numbers(self, most: int) -> tuple[list[int], list[int], list[int]]:
        """The numbers of all commits, of those with known lines, and of what these changed; none of a list that would
        be longer than `most`.
        """
        columns = ("number FROM commits", "DISTINCT number FROM touched", "id FROM symbols")
        found = [[number for (number,) in self._select(f"SELECT {c} LIMIT ?", (most + 1,))] for c in columns]
        commits, lines, symbols = (numbers if len(numbers) <= most else [] for numbers in found)
        return commits, lines, symbols

    def _keeping(self) -> Kept:
        """What earlier questions read, as long as nothing is published; under the lock."""
        if self._kept.generation != self._seen or self._kept.is_full:
            self._kept = Kept(self._seen)
        return self._kept


class Kept(Struct):
    """What questions read of one generation. touches: of a few thousand commits at most: no others have known lines."""

    generation: int
    outlines: dict[int, Outline] = field(default_factory=dict[int, Outline])
    symbols: dict[int, tuple[str, int]] = field(default_factory=dict[int, "tuple[str, int]"])
    touches: dict[int, Integers] = field(default_factory=dict[int, Integers])

    @property
    def is_full(self) -> bool:
        """Whether it should be begun anew."""
        return len(self.outlines) > _KEPT or len(self.symbols) > _KEPT


def _read_commit(row: Sequence[Any]) -> Commit:
    return Commit(row[0], row[1].hex(), row[2], row[3], row[4], row[5], bool(row[6]), row[7])


def describe_commit(commit: Commit) -> str:
    """`sha7: "subject" (N files)`; without the number where git could not tell it."""
    counted = "" if commit.files is None else f" ({commit.files} file{'' if commit.files == 1 else 's'})"
    return f'{commit.sha[:7]}: "{commit.subject}"{counted}'


def timestamps(commits: Mapping[int, Commit]) -> dict[int, int]:
    """When each was committed, in seconds since the epoch."""
    return {number: commit.time for number, commit in commits.items()}
