"""Read the history of one repository of a team, with the methods of store.history.HistoryReader that answer questions.

Its rows are those of a local history (store.history.database), each with the id of its repository. Rows
that a question needs of many repositories are read by one statement (`read_seeds`, `read_changes`) and kept in their
caches; a row that is in no cache is read when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from msgspec import Struct, field

from scry.core.doc_id import commit_doc_id
from scry.core.types import Document, DocumentHeader
from scry.store.history.commits import MAX_COCHANGE_FILES, NEWEST_FIRST, Commit, read_commit
from scry.store.history.reader import ACTIVITY_LEVELS, commit_document
from scry.store.sqlite.database import AFTER_SLASH
from scry.store.team.database import TeamDatabase, decode_text, encode_text
from scry.store.team.lexical import RepositoryWords
from scry.store.team.postings import Integers

if TYPE_CHECKING:
    from typing_extensions import LiteralString

    from scry.store.history.store import HistoryRows

IS_COCHANGE = cast("LiteralString", f"NOT k.merge AND k.files <= {MAX_COCHANGE_FILES}")
"""The condition that a commit `k` is a co-change commit."""


CacheKey = TypeVar("CacheKey", int, str)
CachedValue = TypeVar("CachedValue")


class _Cache(Struct, frozen=True):
    """The rows read of one history in this snapshot. Absent keys were not asked for; None stands for nothing."""

    headers: dict[int, DocumentHeader | None] = field(default_factory=dict[int, DocumentHeader | None])
    is_cochange: dict[int, bool] = field(default_factory=dict[int, bool])
    commits: dict[int, Commit | None] = field(default_factory=dict[int, Commit | None])
    symbol_ids: dict[str, int | None] = field(default_factory=dict[str, int | None])
    symbols: dict[int, tuple[str, int] | None] = field(default_factory=dict[int, tuple[str, int] | None])
    commits_of_symbol: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    commits_of_file: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    changed_symbols: dict[int, Integers] = field(default_factory=dict[int, Integers])
    files: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    activity: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    newest: list[Commit] = field(default_factory=list[Commit])
    last_of_file: dict[str, Commit | None] = field(default_factory=dict[str, "Commit | None"])
    last_of_document: dict[str, Commit | None] = field(default_factory=dict[str, "Commit | None"])


class RepositoryHistory:
    """The history of one repository as of one moment. lexical: the words of its commits."""

    def __init__(
        self, database: TeamDatabase, repository: int, cochange_commits: int, lexical: RepositoryWords
    ) -> None:
        """Use `TeamReader`."""
        self._database = database
        self.repository = repository
        self._cochange_commits = cochange_commits
        self.cache = _Cache()
        self.lexical = lexical

    # Commits ------------------------------------------------------------------------------------------------------

    def get_commits(self, doc_keys: Sequence[int]) -> dict[int, Commit]:
        """Return the commits with these keys, by key; others are absent."""
        read_commits(self._database, [(self, doc_keys)])
        return _found(self.cache.commits, doc_keys)

    def headers(self, doc_keys: Sequence[int]) -> dict[int, DocumentHeader]:
        """Return the headers of commits: a commit has no path, and its subject as name."""
        missing = [doc_key for doc_key in doc_keys if doc_key not in self.cache.headers]
        self.cache.headers.update(dict.fromkeys(missing))
        sql = (
            f"SELECT k.number, k.sha, k.subject, {IS_COCHANGE} FROM commits k "
            "WHERE k.repository_id = %s AND k.number = ANY(%s)"
        )
        for row in self._database.select(sql, (self.repository, missing)) if missing else ():
            self.add_header(*row)
        return _found(self.cache.headers, doc_keys)

    def add_header(self, doc_key: int, sha: bytes, subject: bytes, is_cochange: object) -> None:
        """Keep the header of a commit that was read."""
        name = decode_text(subject)
        self.cache.headers[doc_key] = DocumentHeader(
            doc_key, commit_doc_id(sha.hex()), "commit", "", name, "commit", ""
        )
        self.cache.is_cochange[doc_key] = bool(is_cochange)

    def get_documents(self, doc_keys: Sequence[int]) -> dict[int, Document]:
        """Return commits as documents."""
        return {doc_key: commit_document(commit) for doc_key, commit in self.get_commits(doc_keys).items()}

    def files_by_commit(self, doc_keys: Sequence[int]) -> dict[int, list[str]]:
        """Return the paths that commits changed, under their current names; merges have none."""
        if any(doc_key not in self.cache.files for doc_key in doc_keys):
            read_changes(self._database, [(self, (), doc_keys)])
        return {doc_key: files for doc_key in doc_keys if (files := self.cache.files[doc_key])}

    def key_of_commit(self, sha: str) -> int | None:
        """Return the key of the commit whose hash begins with these hexadecimal digits; None for none or several."""
        low, high = bytes.fromhex(sha + "0" * (len(sha) % 2)), bytes.fromhex(sha + "f" * (len(sha) % 2)) + b"\xff" * 32
        sql = "SELECT number FROM commits WHERE repository_id = %s AND sha BETWEEN %s AND %s LIMIT 2"
        rows = self._database.select(sql, (self.repository, low, high))
        return int(rows[0][0]) if len(rows) == 1 else None

    def commit_by_sha(self, sha: str) -> Commit | None:
        """Return the commit with this full hash."""
        key = self.key_of_commit(sha)
        return self.get_commits([key]).get(key) if key is not None else None

    def count_changes_since(self, used: Sequence[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """Return how many commits later than a time changed each file. used: paths, with seconds since the epoch."""
        sql = (
            "SELECT wanted.path, wanted.time, (SELECT count(*) FROM changed_paths p JOIN changes c "
            "ON c.repository_id = p.repository_id AND c.now = p.id JOIN commits k "
            "ON k.repository_id = c.repository_id AND k.number = c.number WHERE p.repository_id = %s "
            "AND p.path = wanted.path AND k.time > wanted.time) "
            "FROM unnest(%s::bytea[], %s::bigint[]) AS wanted(path, time)"
        )
        values = self.repository, [encode_text(path) for path, _ in used], [time for _, time in used]
        return {(decode_text(path), time): count for path, time, count in self._database.select(sql, values)}

    def newest_commits(self, since: float, offset: int, limit: int) -> list[Commit]:
        """Return those of the commits that `changes.read_newest_commits` read which are since a time, newest first:
        `limit` after `offset`.
        """
        return [commit for commit in self.cache.newest if commit.time >= since][offset : offset + limit]

    def last_commits(self, paths: Iterable[str]) -> dict[str, Commit]:
        """Return the newest commit that changed each of these files, of those that `changes.read_last_commits` read."""
        return {path: commit for path in paths if (commit := self.cache.last_of_file.get(path)) is not None}

    def last_commits_by_doc_id(self, doc_ids: Iterable[str]) -> dict[str, Commit]:
        """Return the newest commit with known lines that changed each of these documents, as `last_commits`."""
        return {each: commit for each in doc_ids if (commit := self.cache.last_of_document.get(each)) is not None}

    # Files --------------------------------------------------------------------------------------------------------

    def activity_levels(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the activity level of each file with a known commit."""
        wanted = list(paths)
        read_activity(self._database, [(self, wanted)])
        return _found(self.cache.activity, wanted)

    def add_activity(self, path: str, recent: int | None) -> None:
        """Keep how many recent commits changed a file; None for no commit at all."""
        highest = len(ACTIVITY_LEVELS) - 1
        self.cache.activity[path] = None if recent is None else ACTIVITY_LEVELS[min(recent, highest)]

    def cochange_commits_of_file(self, path: str, limit: int) -> list[int]:
        """Return the newest `limit` co-change commits that changed this file."""
        if path not in self.cache.commits_of_file:
            sql = (
                "SELECT c.number FROM changed_paths p JOIN changes c ON c.repository_id = p.repository_id AND "
                "c.now = p.id JOIN commits k ON k.repository_id = c.repository_id AND k.number = c.number "
                f"WHERE p.repository_id = %s AND p.path = %s AND {IS_COCHANGE} "
                f"ORDER BY {NEWEST_FIRST} LIMIT %s"
            )
            rows = self._database.select(sql, (self.repository, encode_text(path), limit))
            return [doc_key for (doc_key,) in rows]
        return self.cache.commits_of_file[path][:limit]

    def co_changed_files(self, path: str, limit: int) -> list[tuple[str, int]]:
        """Return the files changed by most commits together with this one, with the number of commits; ties by path."""
        # With OFFSET 0 the planner looks each commit and path up; otherwise it may read all changes of the repository.
        sql = (
            "WITH own AS MATERIALIZED (SELECT c.number, c.now FROM changed_paths p CROSS JOIN LATERAL "
            "(SELECT number, now FROM changes WHERE repository_id = p.repository_id AND now = p.id OFFSET 0) c "
            "CROSS JOIN LATERAL "
            "(SELECT * FROM commits WHERE repository_id = p.repository_id AND number = c.number OFFSET 0) k "
            f"WHERE p.repository_id = %s AND p.path = %s AND {IS_COCHANGE}), "
            "together AS MATERIALIZED (SELECT c.now, count(*) AS count FROM own CROSS JOIN LATERAL "
            "(SELECT now FROM changes WHERE repository_id = %s AND number = own.number AND now <> own.now OFFSET 0) c "
            "GROUP BY c.now) "
            "SELECT q.path, together.count FROM together CROSS JOIN LATERAL "
            "(SELECT path FROM changed_paths WHERE repository_id = %s AND id = together.now OFFSET 0) q "
            "ORDER BY together.count DESC, q.path LIMIT %s"
        )
        repository = self.repository
        rows = self._database.select(sql, (repository, encode_text(path), repository, repository, limit))
        return [(decode_text(other), count) for other, count in rows]

    def commit_counts(self, folder: str) -> dict[str, tuple[int, int]]:
        """Return for each file below a folder its number of co-change commits, and of recent ones."""
        first, last = (encode_text(f"{folder}/"), encode_text(f"{folder}{AFTER_SLASH}")) if folder else (b"", b"\xff")
        sql = (
            "SELECT path, ties, recent FROM changed_paths "
            "WHERE repository_id = %s AND ties > 0 AND path >= %s AND path < %s"
        )
        rows = self._database.select(sql, (self.repository, first, last))
        return {decode_text(path): (commits, recent) for path, commits, recent in rows}

    # Co-changes ---------------------------------------------------------------------------------------------------

    def cochange_commit_count(self) -> int:
        """Return the number of co-change commits."""
        return self._cochange_commits

    def symbol_ids_by_doc_id(self, doc_ids: Sequence[str]) -> dict[str, int]:
        """Return the symbol id of each of these documents that a commit with known lines changed."""
        missing = [doc_id for doc_id in doc_ids if doc_id not in self.cache.symbol_ids]
        self.cache.symbol_ids.update(dict.fromkeys(missing))
        sql = "SELECT doc_id, id FROM changed_symbols WHERE repository_id = %s AND doc_id = ANY(%s)"
        values = self.repository, list(map(encode_text, missing))
        for doc_id, symbol in self._database.select(sql, values) if missing else ():
            self.cache.symbol_ids[decode_text(doc_id)] = symbol
        return _found(self.cache.symbol_ids, doc_ids)

    def get_symbols(self, symbol_ids: Sequence[int]) -> dict[int, tuple[str, int]]:
        """Return the doc_id of each of these symbols, and its number of co-change commits."""
        missing = [symbol for symbol in symbol_ids if symbol not in self.cache.symbols]
        self.cache.symbols.update(dict.fromkeys(missing))
        sql = "SELECT id, doc_id, ties FROM changed_symbols WHERE repository_id = %s AND id = ANY(%s)"
        for symbol, doc_id, ties in self._database.select(sql, (self.repository, missing)) if missing else ():
            self.cache.symbols[symbol] = decode_text(doc_id), ties
        return _found(self.cache.symbols, symbol_ids)

    def cochange_commits_by_symbol(self, symbol_ids: Sequence[int], limit: int) -> dict[int, list[int]]:
        """Return the newest `limit` co-change commits that changed each of these symbols."""
        cached = self.cache.commits_of_symbol
        commits_by_symbol = {symbol: cached.get(symbol, list[int]())[:limit] for symbol in symbol_ids}
        missing = [symbol for symbol in symbol_ids if symbol not in cached]
        sql = (
            "SELECT t.symbol, t.number FROM touched t JOIN commits k ON k.repository_id = t.repository_id AND "
            f"k.number = t.number WHERE t.repository_id = %s AND t.symbol = ANY(%s) AND {IS_COCHANGE} "
            f"ORDER BY {NEWEST_FIRST}"
        )
        for symbol, doc_key in self._database.select(sql, (self.repository, missing)) if missing else ():
            if len(commits_by_symbol[symbol]) < limit:
                commits_by_symbol[symbol].append(doc_key)
        return commits_by_symbol

    def filter_cochange_commits(self, doc_keys: Sequence[int]) -> list[int]:
        """Return those of these commits that are co-change commits."""
        self.headers(doc_keys)
        return sorted(doc_key for doc_key in doc_keys if self.cache.is_cochange.get(doc_key))

    def symbol_ids_by_commit(self, doc_keys: Sequence[int]) -> dict[int, Integers]:
        """Return the ids of the symbols that each of these commits changed, each once."""
        if any(doc_key not in self.cache.changed_symbols for doc_key in doc_keys):
            read_changes(self._database, [(self, doc_keys, ())])
        return {doc_key: self.cache.changed_symbols[doc_key] for doc_key in doc_keys}


def _found(cached: Mapping[CacheKey, CachedValue | None], keys: Sequence[CacheKey]) -> dict[CacheKey, CachedValue]:
    return {key: value for key in keys if (value := cached[key]) is not None}


# Reading many repositories by one statement ---------------------------------------------------------------------------


def read_commits(
    database: TeamDatabase,
    wanted: Sequence[tuple[RepositoryHistory, Sequence[int]]],
    more: tuple[LiteralString, Sequence[object], Callable[[int, int, bytes], None]] | None = None,
) -> None:
    """Read commits of several histories, by key.

    more: rows that are read by the same statement: a query of repository, number and bytes, its values, and what takes
    a row.
    """
    places = [
        (history, doc_key)
        for history, doc_keys in wanted
        for doc_key in doc_keys
        if doc_key not in history.cache.commits
    ]
    if not places and more is None:
        return
    histories = {history.repository: history for history, _ in places}
    for history, doc_key in places:
        history.cache.commits[doc_key] = None
    sql: LiteralString = (
        "SELECT k.repository_id, k.number, k.sha, k.time, k.author, k.subject, k.body, k.merge, k.files, k.place "
        "FROM unnest(%s::integer[], %s::bigint[]) AS wanted(repository, number) "
        "JOIN commits k ON k.repository_id = wanted.repository AND k.number = wanted.number"
    )
    values: list[object] = [[history.repository for history, _ in places], [doc_key for _, doc_key in places]]
    if more is not None:
        sql += f" UNION ALL SELECT m.*, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM ({more[0]}) m"
        values += more[1]
    for repository, *row in database.select(sql, values):
        if more is not None and row[2] is None:
            more[2](repository, row[0], row[1])
            continue
        commit = read_commit((*row[:3], *map(decode_text, row[3:6]), *row[6:]))
        histories[repository].cache.commits[commit.doc_key] = commit


def read_activity(database: TeamDatabase, wanted: Sequence[tuple[RepositoryHistory, Sequence[str]]]) -> None:
    """Read how active files of several histories were lately."""
    places = [(history, path) for history, paths in wanted for path in paths if path not in history.cache.activity]
    for history, path in places:
        history.cache.activity[path] = None
    sql = (
        "SELECT wanted.repository, wanted.path, p.recent FROM unnest(%s::integer[], %s::bytea[]) "
        "AS wanted(repository, path) CROSS JOIN LATERAL (SELECT p.recent FROM changed_paths p WHERE p.repository_id = "
        "wanted.repository AND p.path = wanted.path AND EXISTS (SELECT FROM changes c WHERE c.repository_id = "
        "p.repository_id AND c.now = p.id OFFSET 0) OFFSET 0) p"
    )
    histories = {history.repository: history for history, _ in places}
    values = [history.repository for history, _ in places], [encode_text(path) for _, path in places]
    for repository, path, recent in database.select(sql, values) if places else ():
        histories[repository].add_activity(decode_text(path), recent)


def read_seeds(
    database: TeamDatabase, wanted: Sequence[tuple[RepositoryHistory, Sequence[DocumentHeader]]], limit: int
) -> None:
    """Read the newest `limit` co-change commits of documents of several histories.

    Those that changed the document itself are read where any are known, otherwise those that changed its file.
    """
    places = [(history, document) for history, documents in wanted for document in documents]
    if not places:
        return
    histories = {history.repository: history for history, _ in places}
    # With OFFSET 0 the planner looks each commit up; otherwise it reads all commits of the repository for each seed.
    sql = (
        "WITH known AS MATERIALIZED (SELECT wanted.*, s.id FROM unnest(%s::integer[], %s::bytea[], %s::bytea[]) "
        "AS wanted(repository, doc_id, path) LEFT JOIN changed_symbols s ON s.repository_id = wanted.repository "
        "AND s.doc_id = wanted.doc_id) "
        "SELECT known.repository, known.doc_id, known.path, known.id, ARRAY(SELECT k.number FROM ("
        "SELECT t.number FROM touched t WHERE t.repository_id = known.repository AND t.symbol = known.id "
        "UNION ALL SELECT c.number FROM changed_paths p JOIN changes c ON c.repository_id = p.repository_id AND "
        "c.now = p.id WHERE known.id IS NULL AND p.repository_id = known.repository AND p.path = known.path"
        ") AS changing CROSS JOIN LATERAL (SELECT k.number, k.time, k.place, k.sha FROM commits k "
        f"WHERE k.repository_id = known.repository AND k.number = changing.number AND {IS_COCHANGE} OFFSET 0) k "
        f"ORDER BY {NEWEST_FIRST} LIMIT %s) FROM known"
    )
    values = (
        [history.repository for history, _ in places],
        [encode_text(document.doc_id) for _, document in places],
        [encode_text(document.path) for _, document in places],
        limit,
    )
    for repository, doc_id, path, symbol, commits in database.select(sql, values):
        cache = histories[repository].cache
        cache.symbol_ids[decode_text(doc_id)] = symbol
        if symbol is None:
            cache.commits_of_file[decode_text(path)] = commits
        else:
            cache.commits_of_symbol[symbol] = commits


def read_changes(
    database: TeamDatabase, wanted: Sequence[tuple[RepositoryHistory, Sequence[int], Sequence[int]]]
) -> None:
    """Read the headers of some commits and which symbols they changed, and which files others did, of several
    histories.
    """
    places = [(history, key, False) for history, keys, _ in wanted for key in keys]
    places += [(history, key, True) for history, _, keys in wanted for key in keys]
    if not places:
        return
    histories = {history.repository: history for history, _, _ in places}
    for history, doc_key, is_of_files in places:
        if is_of_files:
            history.cache.files[doc_key] = []
        else:
            history.cache.changed_symbols[doc_key] = np.zeros(0, np.int64)
    # With OFFSET 0 the planner looks each commit up; otherwise it reads the histories of all visible repositories.
    sql = (
        "WITH wanted AS MATERIALIZED (SELECT * FROM unnest(%s::integer[], %s::bigint[], %s::boolean[]) "
        "AS w(repository, number, of_files)) "
        "SELECT 0, wanted.repository, wanted.number, ''::bytea, ARRAY(SELECT t.symbol FROM touched t "
        "WHERE t.repository_id = wanted.repository AND t.number = wanted.number ORDER BY t.symbol) "
        "FROM wanted WHERE NOT wanted.of_files "
        "UNION ALL SELECT 1, wanted.repository, wanted.number, p.path, NULL FROM wanted CROSS JOIN LATERAL "
        "(SELECT c.now FROM changes c WHERE c.repository_id = wanted.repository AND c.number = wanted.number "
        "OFFSET 0) c CROSS JOIN LATERAL (SELECT p.path FROM changed_paths p "
        "WHERE p.repository_id = wanted.repository AND p.id = c.now OFFSET 0) p WHERE wanted.of_files "
        "UNION ALL SELECT 2, wanted.repository, wanted.number, k.sha || k.subject, ARRAY[octet_length(k.sha), "
        f"CASE WHEN {IS_COCHANGE} THEN 1 ELSE 0 END] FROM wanted CROSS JOIN LATERAL (SELECT * FROM commits k "
        "WHERE k.repository_id = wanted.repository AND k.number = wanted.number OFFSET 0) k WHERE NOT wanted.of_files"
    )
    values = (
        [history.repository for history, _, _ in places],
        [doc_key for _, doc_key, _ in places],
        [is_of_files for _, _, is_of_files in places],
    )
    for part, repository, number, text, symbols in database.select(sql, values):
        cache = histories[repository].cache
        if part == 0:
            cache.changed_symbols[number] = np.array(symbols, np.int64)
        elif part == 1:
            cache.files[number].append(decode_text(text))
        else:
            histories[repository].add_header(number, text[: symbols[0]], text[symbols[0] :], symbols[1])
    for history, _, keys in wanted:
        for doc_key in keys:
            history.cache.files[doc_key].sort()


def read_symbols(database: TeamDatabase, wanted: Sequence[tuple[RepositoryHistory, Sequence[int]]]) -> None:
    """Read symbols of several histories, by id."""
    for history, symbols in wanted:
        history.cache.symbols.update(dict.fromkeys(symbols))
    places = [(history, symbol) for history, symbols in wanted for symbol in symbols]
    if not places:
        return
    histories = {history.repository: history for history, _ in places}
    sql = (
        "SELECT wanted.repository, wanted.id, s.doc_id, s.ties FROM unnest(%s::integer[], %s::integer[]) "
        "AS wanted(repository, id) CROSS JOIN LATERAL (SELECT s.doc_id, s.ties FROM changed_symbols s "
        "WHERE s.repository_id = wanted.repository AND s.id = wanted.id OFFSET 0) s"
    )
    values = [history.repository for history, _ in places], [symbol for _, symbol in places]
    for repository, symbol, doc_id, ties in database.select(sql, values):
        histories[repository].cache.symbols[symbol] = decode_text(doc_id), ties


# Writing -----------------------------------------------------------------------------------------------------------

DELETE_HISTORY = (
    "DELETE FROM commits WHERE repository_id = %s",
    "DELETE FROM changed_paths WHERE repository_id = %s",
    "DELETE FROM changes WHERE repository_id = %s",
    "DELETE FROM changed_symbols WHERE repository_id = %s",
    "DELETE FROM touched WHERE repository_id = %s",
)
"""Statements that remove the history of a repository."""


def history_rows(
    repository_id: int, history: HistoryRows
) -> list[tuple[LiteralString, tuple[str, ...], list[tuple[object, ...]]]]:
    """Return for each table of the history its statement, the types of its columns and its rows."""
    commits: list[tuple[object, ...]] = [
        (
            repository_id,
            commit.doc_key,
            bytes.fromhex(commit.sha),
            commit.time,
            encode_text(commit.author),
            encode_text(commit.subject),
            encode_text(commit.body),
            commit.is_merge,
            commit.file_count,
            commit.doc_key in history.lines,
            commit.place,
        )
        for commit in history.commits
    ]
    own = repository_id
    return [
        (
            "COPY commits FROM STDIN (FORMAT BINARY)",
            ("int4", "int8", "bytea", "int8", "bytea", "bytea", "bytea", "bool", "int4", "bool", "int4"),
            commits,
        ),
        (
            "COPY changed_paths FROM STDIN (FORMAT BINARY)",
            ("int4", "int4", "bytea", "int4", "int4"),
            [(own, number, encode_text(path), ties, recent) for number, path, ties, recent in history.paths],
        ),
        (
            "COPY changes FROM STDIN (FORMAT BINARY)",
            ("int4", "int8", "int4", "int4"),
            [(own, *change) for change in history.changes],
        ),
        (
            "COPY changed_symbols FROM STDIN (FORMAT BINARY)",
            ("int4", "int4", "bytea", "int4"),
            [(own, number, encode_text(doc_id), ties) for number, doc_id, ties in history.symbols],
        ),
        (
            "COPY touched FROM STDIN (FORMAT BINARY)",
            ("int4", "int4", "int8"),
            [(own, *each) for each in history.touched],
        ),
    ]
