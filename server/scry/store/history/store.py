"""Open and write the history of one project: commits, renames and changed symbols.

The history is separate from the index so that neither the words nor the ranks of code depend on it, and so that either
can be rebuilt without the other. A batch of commits is published words first, then in one SQLite transaction; readers
ignore the words of commits that SQLite does not know, and they are removed when the history is next opened for writing.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec import Struct

from scry.core.doc_id import commit_sha_of
from scry.core.errors import IndexDamaged, IndexUnavailable
from scry.core.platform import make_private_folder
from scry.core.text import format_count
from scry.core.types import IndexingStage
from scry.store.history.commits import (
    FIRST_COMMIT_KEY,
    IS_COCHANGE_SQL,
    NEWEST_FIRST,
    RECENT_DAYS,
    Commit,
    Hunk,
    NewCommit,
    StoredCommit,
    pack_hunks,
    unpack_hunks,
)
from scry.store.history.database import HISTORY_FILE, HISTORY_SCHEMA, HistoryDatabase
from scry.store.history.reader import HistoryReader
from scry.store.lexical import LexicalEntry, LexicalIndex
from scry.store.seals import CacheSeal
from scry.store.sqlite.database import (
    batches,
    decode_path,
    describe_damage_error,
    encode_path,
    is_access_failure,
    open_database,
    placeholders,
    schema_version,
)
from scry.store.word_files import describe_word_damage

_DAY_S = 86_400
_log = logging.getLogger(__name__)


class HistoryRows(Struct, frozen=True):
    """The rows of a history. lines: the keys of the commits with known changed lines.

    paths: id, path, number of co-change commits and of recent ones. changes: commit, path's id, id of its path today.
    symbols: id, doc_id, number of co-change commits. touched: symbol's id, commit.
    """

    commits: Sequence[Commit] = ()
    lines: frozenset[int] = frozenset()
    paths: Sequence[tuple[int, str, int, int]] = ()
    changes: Sequence[tuple[int, int, int]] = ()
    symbols: Sequence[tuple[int, str, int]] = ()
    touched: Sequence[tuple[int, int]] = ()
    cochange_commits: int = 0


class HistoryStore:
    """The history of one project, for writing by one process; any number of others read it meanwhile.

    reader: reads all that was written. Every method may be called from any thread.
    """

    @classmethod
    def open(cls, folder: Path) -> HistoryStore:
        """Open the history in a folder, created where it is missing, damaged or of another format.

        Raises IndexUnavailable.
        """
        try:
            make_private_folder(folder)
            if damage := _describe_opening_damage(folder):
                raise IndexDamaged(damage)
            return cls(folder)
        except (IndexUnavailable, sqlite3.Error, OSError) as error:
            if is_access_failure(error):
                raise IndexUnavailable(f"the history in {folder} can't be written: {error}") from error
            _log.warning("the history is made anew: %s", error)
        delete_history(folder)
        return cls(folder)

    def __init__(self, folder: Path) -> None:
        """Use `open`."""
        self._database = HistoryDatabase(folder, write=True)
        self._db = self._database.connection
        self._select = self._database.select
        self._select_in = self._database.select_in
        self._transaction = self._database.transaction
        try:
            self.reader = HistoryReader(self._database)
            if self.reader.lexical.has_newer(self.next_doc_key - 1):
                self._database.remove_seal()
                self.reader.lexical.delete_newer(self.next_doc_key - 1)
            self._remove_words()
        except BaseException:
            self._db.close()
            raise

    def seal(self) -> bool:
        """Record the checksums of all files, unless a reader holds the journal; return whether that is done."""
        self.reader.lexical.rest()
        return self._database.write_seal()

    def close(self) -> None:
        """Close the files."""
        self.reader.close()

    @property
    def next_doc_key(self) -> int:
        """The key of the next commit: greater than that of any commit that was ever stored here."""
        return self._database.meta.get_int("next_number") or FIRST_COMMIT_KEY

    # Stored state -------------------------------------------------------------------------------------------------

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of everything but HEAD that the reading of the history depends on."""
        return self._database.meta.get_text("basis")

    def stored_commits(self) -> dict[str, StoredCommit]:
        """Return every commit by its hash."""
        rows = self._select("SELECT sha, number, time, merge, lines, place FROM commits")
        return {
            sha.hex(): StoredCommit(doc_key, time, bool(merge), bool(lines), place)
            for sha, doc_key, time, merge, lines, place in rows
        }

    def read_rows(self) -> HistoryRows:
        """Return everything that answers are made of, for another store."""
        with self._database.lock:
            numbers = [row[0] for row in self._select("SELECT number FROM commits ORDER BY number")]
            commits = self.reader.get_commits(numbers)
            lines = self._select("SELECT number FROM commits WHERE lines")
            paths = self._select("SELECT id, path, ties, recent FROM paths")
            return HistoryRows(
                [commits[number] for number in numbers],
                frozenset([number for (number,) in lines]),
                [(number, decode_path(path), ties, recent) for number, path, ties, recent in paths],
                self._select("SELECT number, path, now FROM changes"),
                self._select("SELECT id, doc_id, ties FROM symbols"),
                self._select("SELECT symbol, number FROM touched"),
                self.reader.cochange_commit_count(),
            )

    # Faults -------------------------------------------------------------------------------------------------------

    def record_faults(self, faults: Mapping[str, str], checked: Iterable[str], version: str) -> None:
        """Record for which commits, files and beliefs a stage failed: stage and reason by doc_id.

        checked: the items that were handled; faults of theirs that are not among `faults` are forgotten. version: of
        Scry, in which they are not tried again.
        """
        before = self.reader.faults()
        done = set(checked)
        after = {**{item: fault for item, fault in before.items() if item not in done}, **faults}
        if after == before:
            return
        with self._transaction():
            self._database.meta.set("faults", msgspec.json.encode(after).decode() if after else None)
            self._database.meta.set("faults_version", version if after else None)
            self._write_note(self._database.meta.get_text("extent") or "", after)

    def _write_note(self, extent: str, faults: Mapping[str, str]) -> None:
        failed = f"{format_count(len(faults), 'item')} of it failed, see scry doctor" if faults else ""
        self._database.meta.set("note", "; ".join(filter(None, (extent, failed))))

    @property
    def faults_version(self) -> str:
        """The version of Scry in which stages failed; empty where none did."""
        return self._database.meta.get_text("faults_version") or ""

    @property
    def is_partial(self) -> bool:
        """Whether an update was interrupted: the stored commits are not those of the stored head."""
        return self._database.meta.get_int("partial") == 1

    def unread_commits(self) -> frozenset[str]:
        """Return the hashes of the commits that are left out since git itself could not read them."""
        faults = self.reader.faults().items()
        unread = (commit_sha_of(item) for item, fault in faults if fault.startswith(f"{IndexingStage.GIT.value}: "))
        return frozenset(filter(None, unread))

    def incomplete_commits(self) -> list[str]:
        """Return the hashes of the commits that were stored without their files or changed lines, the newest first."""
        rows = self._select(
            "SELECT sha FROM commits k WHERE files IS NULL OR lines AND EXISTS "
            "(SELECT 1 FROM changes c WHERE c.number = k.number AND hunks IS NULL) ORDER BY time DESC, number DESC"
        )
        return [sha.hex() for (sha,) in rows]

    # Commits ------------------------------------------------------------------------------------------------------

    def publish(self, commits: Sequence[NewCommit], doc_keys: Mapping[str, int] | None = None) -> None:
        """Write commits, the oldest first. A known one keeps its key; others get theirs of `doc_keys`, or the next."""
        with self._database.lock:
            known = self._doc_keys_by_sha([commit.sha for commit in commits])
            doc_key = self.next_doc_key
            numbered: list[tuple[int, NewCommit]] = []
            for commit in commits:
                if commit.sha not in known:
                    known[commit.sha] = (doc_keys or {}).get(commit.sha, doc_key)
                    doc_key = max(doc_key, known[commit.sha] + 1)
                numbered.append((known[commit.sha], commit))
            entries = [LexicalEntry(n, n, commit.terms) for n, commit in numbered]
            self._database.remove_seal()
            self.reader.lexical.write([entry.doc_key for entry in entries], entries)
            with self._transaction():
                paths = self._ensure_path_ids(commits)
                for given, commit in numbered:
                    self._insert_commit(given, commit, paths)
                self._database.meta.set("next_number", doc_key)
                self._database.meta.set_all(partial=1, tried=None)
                self._database.meta.raise_generation()
            self._database.generation_seen = self._database.meta.generation

    def _doc_keys_by_sha(self, shas: Sequence[str]) -> dict[str, int]:
        rows = self._select_in("SELECT sha, number FROM commits WHERE sha IN ({})", [bytes.fromhex(s) for s in shas])
        return {sha.hex(): doc_key for sha, doc_key in rows}

    def _ensure_path_ids(self, commits: Iterable[NewCommit]) -> dict[str, int]:
        paths = {
            path for commit in commits for c in commit.changes for path in (c.path, c.renamed_from) if path is not None
        }
        values = [encode_path(path) for path in sorted(paths)]
        self._db.executemany("INSERT OR IGNORE INTO paths (path) VALUES (?)", [(value,) for value in values])
        rows = self._select_in("SELECT path, id FROM paths WHERE path IN ({})", values)
        return {decode_path(path): path_id for path, path_id in rows}

    def _insert_commit(self, doc_key: int, commit: NewCommit, paths: Mapping[str, int]) -> None:
        self._db.execute("DELETE FROM commits WHERE number = ?", (doc_key,))
        self._db.execute(
            "INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                doc_key,
                bytes.fromhex(commit.sha),
                commit.time,
                commit.author,
                commit.subject,
                commit.body,
                commit.is_merge,
                commit.file_count,
                commit.has_lines,
                commit.place,
            ),
        )
        self._db.executemany(
            "INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?, ?)",
            [
                (
                    doc_key,
                    paths[change.path],
                    paths[change.path],
                    None if change.renamed_from is None else paths[change.renamed_from],
                    None if change.hunks is None else pack_hunks(change.hunks),
                )
                for change in commit.changes
            ],
        )

    def remove_commits(self, shas: Sequence[str]) -> None:
        """Remove commits that HEAD no longer reaches; their words after that, so that none is ever without words."""
        if not shas:
            return
        with self._database.lock:
            doc_keys = list(self._doc_keys_by_sha(shas).values())
            self._forget_traces(doc_keys)
            with self._transaction():
                self._db.executemany("DELETE FROM commits WHERE number = ?", [(doc_key,) for doc_key in doc_keys])
                self._database.meta.set("dead_words", self._database.meta.get_int("dead_words") + len(doc_keys))
                removed = [*self._database.meta.get_ids("removed"), *doc_keys]
                self._database.meta.set("removed", msgspec.json.encode(removed).decode())
                self._database.meta.set_all(partial=1, tried=None)
                self._database.meta.raise_generation()
            self._remove_words()

    def _remove_words(self) -> None:
        """Remove the words of removed commits."""
        if doc_keys := self._database.meta.get_ids("removed"):
            self._database.remove_seal()
            self.reader.lexical.write(doc_keys, [])
            with self._transaction():
                self._database.meta.set("removed", None)
                self._database.meta.raise_generation()
            self._database.generation_seen = self._database.meta.generation

    def forget_changed_lines(self, doc_keys: Sequence[int]) -> None:
        """Forget the changed lines of commits that are no longer among the newest."""
        self._forget_traces(doc_keys)
        with self._transaction():
            for part in batches(doc_keys):
                self._db.execute(f"UPDATE commits SET lines = 0 WHERE number IN ({placeholders(part)})", part)
                self._db.execute(f"UPDATE changes SET hunks = NULL WHERE number IN ({placeholders(part)})", part)
                self._db.execute(f"DELETE FROM touched WHERE number IN ({placeholders(part)})", part)

    def rewrite_lexical(self, entries: Iterable[LexicalEntry]) -> None:
        """Write a new lexical index without removed commits, and switch to it."""
        with self._database.lock:
            old = self._database.lexical_folder()
            name = f"commit-words-{int(old.name.rpartition('-')[2]) + 1}"
            shutil.rmtree(self._database.folder / name, ignore_errors=True)
            fresh = LexicalIndex(self._database.folder / name, write=True)
            fresh.write([], entries)
            with self._transaction():
                self._database.meta.set("words", name)
                self._database.meta.set("dead_words", 0)
                self._database.meta.raise_generation()
            previous = self.reader.switch_lexical(fresh)
            self._database.generation_seen = self._database.meta.generation
            previous.delete()

    @property
    def dead_commit_count(self) -> int:
        """The number of removed commits whose words the lexical index still counts."""
        return self._database.meta.get_int("dead_words")

    # Renames and counts -------------------------------------------------------------------------------------------

    def follow_renames(self, *, retrace: bool = False) -> None:
        """Set the current path of every change, from the newest commit back.

        retrace: have the changed lines of all files traced again, after an update that did not end.
        """
        rows: list[tuple[int, int, int, int | None]] = self._select(
            "SELECT number, c.path, c.now, c.source FROM changes c JOIN commits k USING (number) "
            f"ORDER BY {NEWEST_FIRST}"
        )
        current_names: dict[int, int] = {}
        renamed: dict[int, int] = {}
        changed: list[tuple[int, int, int]] = []
        last = -1
        for doc_key, path, now, source in rows:
            if doc_key != last:  # renames of a commit apply to earlier commits
                current_names |= renamed
                renamed, last = {}, doc_key
            current_name = current_names.get(path, path)
            if source is not None:
                renamed[source] = current_name
            if current_name != now:
                changed.append((current_name, doc_key, path))
        with self._transaction():
            self._db.executemany("UPDATE changes SET now = ? WHERE number = ? AND path = ?", changed)
            if changed or retrace:
                self._db.execute("DELETE FROM traced")

    def mark_complete(self, *, head: str, fingerprint: str, warning: str) -> None:
        """Count co-changes and activity, and record that the history of `head` is complete."""
        newest = int(self._select("SELECT coalesce(max(time), 0) FROM commits")[0][0])
        counts = (
            f"UPDATE paths SET ties = counted.ties, recent = counted.recent FROM (SELECT now, count(*) AS ties, "
            f"total(time >= {newest - RECENT_DAYS * _DAY_S}) AS recent FROM changes JOIN commits USING (number) "
            f"WHERE {IS_COCHANGE_SQL} GROUP BY now) AS counted WHERE counted.now = paths.id"
        )
        with self._transaction():
            self._db.execute("UPDATE paths SET ties = 0, recent = 0 WHERE ties OR recent")
            self._db.execute(counts)
            self._database.meta.set(
                "ties", self._select(f"SELECT count(*) FROM commits WHERE lines AND {IS_COCHANGE_SQL}")[0][0]
            )
            self._database.meta.set_all(head=head, tried=head, basis=fingerprint, extent=warning, partial=None)
            self._write_note(warning, self.reader.faults())
            self._database.meta.raise_generation()
            self._database.generation_seen = self._database.meta.generation

    def mark_failed(self, *, head: str, warning: str) -> None:
        """Record that the history of `head` could not be read, so that it is not tried again and again."""
        with self._transaction():
            self._database.meta.set("tried", head)
            self._database.meta.set("note", warning)

    def reset(self, fingerprint: str | None = None) -> None:
        """Delete everything. fingerprint: of what is read from now on, by which an interrupted reading is resumed."""
        with self._transaction():
            for table in ("touched", "symbols", "traced", "changes", "paths", "commits"):
                self._db.execute(f"DELETE FROM {table}")
            for key in ("head", "tried", "note", "extent", "ties", "faults", "faults_version"):
                self._database.meta.set(key, None)
            self._database.meta.set("basis", fingerprint)
            self._database.meta.raise_generation()
        self.rewrite_lexical([])

    # Changed documents --------------------------------------------------------------------------------------------

    def _forget_traces(self, doc_keys: Sequence[int]) -> None:
        with self._transaction():
            for part in batches(doc_keys):
                sql = (
                    f"DELETE FROM traced WHERE path IN (SELECT now FROM changes WHERE number IN ({placeholders(part)}))"
                )
                self._db.execute(sql, part)

    def forget_traces_of(self, shas: Sequence[str]) -> None:
        """Have the changed lines of all files that these commits changed traced again."""
        self._forget_traces(list(self._doc_keys_by_sha(shas).values()))

    def traced_files(self, key_space: str) -> dict[str, int]:
        """Return, for every path with known changed lines, the file id of the index that they were traced for.

        0: none, as for a file that is not indexed. -1: none any more; documents are left from before. key_space: of the
        index; what was traced for another one, whose ids say nothing here, is forgotten.
        """
        if self._database.meta.get_text("traced_in") != key_space:
            with self._transaction():
                self._db.execute("DELETE FROM traced")
                self._database.meta.set("traced_in", key_space)
        rows = self._select(
            "SELECT p.path, coalesce(t.file, CASE WHEN s.path IS NULL THEN 0 ELSE -1 END) "
            "FROM (SELECT now FROM changes WHERE hunks IS NOT NULL UNION SELECT path FROM symbols) c "
            "JOIN paths p ON p.id = c.now LEFT JOIN traced t ON t.path = p.id "
            "LEFT JOIN (SELECT DISTINCT path FROM symbols) s ON s.path = p.id ORDER BY p.path"
        )
        return {decode_path(path): file for path, file in rows}

    def changed_lines(self, path: str) -> list[tuple[int, list[Hunk]]]:
        """Return the hunks of each commit with known lines that changed a file, the newest first."""
        rows = self._select(
            "SELECT number, c.hunks FROM paths p JOIN changes c ON c.now = p.id JOIN commits k USING (number) "
            f"WHERE p.path = ? AND c.hunks IS NOT NULL ORDER BY {NEWEST_FIRST}",
            (encode_path(path),),
        )
        return [(doc_key, unpack_hunks(hunks)) for doc_key, hunks in rows]

    def save_changed_symbols(self, files: Mapping[str, tuple[int, Mapping[str, Sequence[int]]]]) -> None:
        """Store for each path its file id in the index and, by doc_id, the commits that changed each document in it."""
        with self._transaction():
            for path, (file, touched) in files.items():
                row = self._select("SELECT id FROM paths WHERE path = ?", (encode_path(path),))[0]
                self._db.execute("DELETE FROM symbols WHERE path = ?", row)
                self._db.execute("INSERT OR REPLACE INTO traced VALUES (?, ?)", (row[0], file))
                for doc_id, doc_keys in touched.items():
                    self._save_symbol(row[0], doc_id, doc_keys)
            if files:
                self._database.meta.raise_generation()
        self._database.generation_seen = self._database.meta.generation

    def _save_symbol(self, path: int, doc_id: str, doc_keys: Sequence[int]) -> None:
        co_changes = self._select_in(
            f"SELECT number FROM commits WHERE number IN ({{}}) AND {IS_COCHANGE_SQL}", doc_keys
        )
        cursor = self._db.execute(
            "INSERT OR REPLACE INTO symbols (doc_id, path, ties) VALUES (?, ?, ?)", (doc_id, path, len(co_changes))
        )
        symbol = cursor.lastrowid
        self._db.executemany("INSERT INTO touched VALUES (?, ?)", [(symbol, doc_key) for doc_key in doc_keys])


def delete_history(folder: Path) -> None:
    """Delete the history in a folder."""
    CacheSeal(folder, "history").remove()
    for path in folder.glob(HISTORY_FILE + "*"):
        path.unlink(missing_ok=True)
    for path in folder.glob("commit-words-*"):
        shutil.rmtree(path, ignore_errors=True)


def _describe_opening_damage(folder: Path) -> str:
    """Return a description of the damage of a history before it is opened; without a seal, all of it is read."""
    seal = CacheSeal(folder, "history")
    return seal.describe_damage(thorough=True) if seal.exists else describe_history_damage(folder)


def describe_history_damage(folder: Path) -> str:
    """Return a description of the damage of the history in a folder; "" for an intact one, and for none.

    All of it is read. Raises IndexUnavailable where it can't be read.
    """
    path = folder / HISTORY_FILE
    if damage := CacheSeal(folder, "history").describe_damage(thorough=True):
        return damage
    if not path.exists() or not path.stat().st_size:
        return "its words are left without the database" if any(folder.glob("commit-words-*/*.idx")) else ""
    try:
        with closing(open_database(path, write=False)) as database:
            if schema_version(database) != HISTORY_SCHEMA.format:
                return ""  # of another version, which is replaced anyway
            problem = str(database.execute("PRAGMA quick_check(1)").fetchone()[0])
            row = database.execute("SELECT value FROM meta WHERE key = 'words'").fetchone()
            commits = int(database.execute("SELECT count(*) FROM commits").fetchone()[0])
        words = folder / str(row[0] if row else "commit-words-1")
        if problem != "ok" or (problem := describe_word_damage(words)):
            return problem
        return "words are missing" if LexicalIndex(words, write=False).document_count < commits else ""
    except (sqlite3.Error, IndexUnavailable) as error:
        if damage := describe_damage_error(error):
            return damage
        raise IndexUnavailable(f"the history in {folder} can't be read: {error}") from error
