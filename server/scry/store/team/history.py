"""Read the history of one repository of a team, with the methods of store.history.HistoryReader that answer questions.

Its rows are those of a local history (store.history.database), each with the id of its repository.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, cast

import numpy as np

from scry.core.doc_id import commit_doc_id
from scry.core.types import Document, DocumentHeader
from scry.store.history.commits import MAX_COCHANGE_FILES, Commit, read_commit
from scry.store.history.reader import ACTIVITY_LEVELS, commit_document
from scry.store.team.database import TeamDatabase, decode_text, encode_text
from scry.store.team.lexical import RepositoryWords
from scry.store.team.postings import Integers

if TYPE_CHECKING:
    from typing_extensions import LiteralString

_FIRST = itemgetter(0)

_IS_COCHANGE = cast("LiteralString", f"NOT k.merge AND k.files <= {MAX_COCHANGE_FILES}")
"""The condition that a commit `k` is a co-change commit."""


class RepositoryHistory:
    """The history of one repository as of one moment. lexical: the words of its commits."""

    def __init__(
        self, database: TeamDatabase, repository: int, cochange_commits: int, lexical: RepositoryWords
    ) -> None:
        """Use `TeamReader`."""
        self._database = database
        self._repository = repository
        self._cochange_commits = cochange_commits
        self._headers: dict[int, DocumentHeader] = {}
        self.lexical = lexical

    # Commits ------------------------------------------------------------------------------------------------------

    def get_commits(self, doc_keys: Sequence[int]) -> dict[int, Commit]:
        """Return the commits with these keys, by key; others are absent."""
        sql = (
            "SELECT number, sha, time, author, subject, body, merge, files FROM commits "
            "WHERE repository_id = %s AND number = ANY(%s)"
        )
        rows = self._database.select(sql, (self._repository, list(doc_keys)))
        return {row[0]: read_commit((*row[:3], *map(decode_text, row[3:6]), *row[6:])) for row in rows}

    def headers(self, doc_keys: Sequence[int]) -> dict[int, DocumentHeader]:
        """Return the headers of commits: a commit has no path, and its subject as name."""
        missing = [doc_key for doc_key in doc_keys if doc_key not in self._headers]
        sql = "SELECT number, sha, subject FROM commits WHERE repository_id = %s AND number = ANY(%s)"
        for doc_key, sha, subject in self._database.select(sql, (self._repository, missing)) if missing else ():
            name = decode_text(subject)
            self._headers[doc_key] = DocumentHeader(doc_key, commit_doc_id(sha.hex()), "commit", "", name, "commit", "")
        return {doc_key: self._headers[doc_key] for doc_key in doc_keys if doc_key in self._headers}

    def get_documents(self, doc_keys: Sequence[int]) -> dict[int, Document]:
        """Return commits as documents."""
        return {doc_key: commit_document(commit) for doc_key, commit in self.get_commits(doc_keys).items()}

    def files_by_commit(self, doc_keys: Sequence[int]) -> dict[int, list[str]]:
        """Return the paths that commits changed, under their current names; merges have none."""
        sql = (
            "SELECT c.number, p.path FROM changes c JOIN changed_paths p ON p.repository_id = c.repository_id "
            "AND p.id = c.now WHERE c.repository_id = %s AND c.number = ANY(%s) ORDER BY 2"
        )
        paths_by_commit: dict[int, list[str]] = {}
        for doc_key, path in self._database.select(sql, (self._repository, list(doc_keys))):
            paths_by_commit.setdefault(doc_key, []).append(decode_text(path))
        return paths_by_commit

    # Files --------------------------------------------------------------------------------------------------------

    def activity_levels(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the activity level of each file with a known commit."""
        sql = (
            "SELECT p.path, p.recent FROM changed_paths p WHERE p.repository_id = %s AND p.path = ANY(%s) AND EXISTS "
            "(SELECT FROM changes c WHERE c.repository_id = p.repository_id AND c.now = p.id)"
        )
        rows = self._database.select(sql, (self._repository, list(map(encode_text, paths))))
        highest = len(ACTIVITY_LEVELS) - 1
        return {decode_text(path): ACTIVITY_LEVELS[min(recent, highest)] for path, recent in rows}

    def cochange_commits_of_file(self, path: str, limit: int) -> list[int]:
        """Return the newest `limit` co-change commits that changed this file."""
        sql = (
            "SELECT c.number FROM changed_paths p JOIN changes c ON c.repository_id = p.repository_id AND c.now = p.id "
            "JOIN commits k ON k.repository_id = c.repository_id AND k.number = c.number WHERE p.repository_id = %s "
            f"AND p.path = %s AND {_IS_COCHANGE} ORDER BY k.time DESC, k.number DESC LIMIT %s"
        )
        rows = self._database.select(sql, (self._repository, encode_text(path), limit))
        return [doc_key for (doc_key,) in rows]

    # Co-changes ---------------------------------------------------------------------------------------------------

    def cochange_commit_count(self) -> int:
        """Return the number of co-change commits."""
        return self._cochange_commits

    def symbol_ids_by_doc_id(self, doc_ids: Sequence[str]) -> dict[str, int]:
        """Return the symbol id of each of these documents that a commit with known lines changed."""
        sql = "SELECT doc_id, id FROM changed_symbols WHERE repository_id = %s AND doc_id = ANY(%s)"
        rows = self._database.select(sql, (self._repository, list(map(encode_text, doc_ids))))
        return {decode_text(doc_id): symbol for doc_id, symbol in rows}

    def get_symbols(self, symbol_ids: Sequence[int]) -> dict[int, tuple[str, int]]:
        """Return the doc_id of each of these symbols, and its number of co-change commits."""
        sql = "SELECT id, doc_id, ties FROM changed_symbols WHERE repository_id = %s AND id = ANY(%s)"
        rows = self._database.select(sql, (self._repository, list(symbol_ids)))
        found = {symbol: (decode_text(doc_id), ties) for symbol, doc_id, ties in rows}
        return {symbol: found[symbol] for symbol in symbol_ids if symbol in found}

    def cochange_commits_by_symbol(self, symbol_ids: Sequence[int], limit: int) -> dict[int, list[int]]:
        """Return the newest `limit` co-change commits that changed each of these symbols."""
        sql = (
            "SELECT t.symbol, t.number FROM touched t JOIN commits k ON k.repository_id = t.repository_id AND "
            f"k.number = t.number WHERE t.repository_id = %s AND t.symbol = ANY(%s) AND {_IS_COCHANGE} "
            "ORDER BY k.time DESC, k.number DESC"
        )
        commits_by_symbol: dict[int, list[int]] = {symbol: [] for symbol in symbol_ids}
        for symbol, doc_key in self._database.select(sql, (self._repository, list(symbol_ids))):
            if len(commits_by_symbol[symbol]) < limit:
                commits_by_symbol[symbol].append(doc_key)
        return commits_by_symbol

    def filter_cochange_commits(self, doc_keys: Sequence[int]) -> list[int]:
        """Return those of these commits that are co-change commits."""
        sql = (
            "SELECT k.number FROM commits k WHERE k.repository_id = %s AND k.number = ANY(%s) "
            f"AND {_IS_COCHANGE} ORDER BY 1"
        )
        return [doc_key for (doc_key,) in self._database.select(sql, (self._repository, list(doc_keys)))]

    def symbol_ids_by_commit(self, doc_keys: Sequence[int]) -> dict[int, Integers]:
        """Return the ids of the symbols that each of these commits changed, each once."""
        sql = "SELECT number, symbol FROM touched WHERE repository_id = %s AND number = ANY(%s) ORDER BY number, symbol"
        rows = self._database.select(sql, (self._repository, list(doc_keys)))
        found = {doc_key: np.array([symbol for _, symbol in part], np.int64) for doc_key, part in groupby(rows, _FIRST)}
        return {doc_key: found.get(doc_key, np.zeros(0, np.int64)) for doc_key in doc_keys}
