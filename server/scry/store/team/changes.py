"""Read what changed lately in the repositories of a team, of all of them by a few statements, for `recent`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scry.store.history.commits import NEWEST_FIRST, Commit, read_commit
from scry.store.team.database import TeamDatabase, decode_text, encode_text
from scry.store.team.history import RepositoryHistory, read_activity, read_changes
from scry.store.team.repository import RepositoryIndex, read_file_infos

if TYPE_CHECKING:
    from typing_extensions import LiteralString

    from scry.store.team.reader import TeamReader

_COLUMNS = "k.number, k.sha, k.time, k.author, k.subject, k.body, k.merge, k.files, k.place"


def read_newest_changes(
    database: TeamDatabase, reader: TeamReader, since: float, limit: int, left_out: Sequence[int]
) -> list[RepositoryIndex]:
    """Read the newest `limit` commits since a time, merges left out, with the files that they changed; return the
    repositories that have any, the one with the newest first.

    left_out: ids of repositories that are passed over. The histories of those that are returned have these commits
    alone as their newest ones.
    """
    sql = (
        f"SELECT k.repository_id, {_COLUMNS} FROM commits k WHERE NOT k.merge AND k.time >= %s "
        f"AND k.repository_id != ALL(%s) ORDER BY {NEWEST_FIRST}, k.repository_id LIMIT %s"
    )
    newest: dict[int, list[Commit]] = {}
    for repository, *columns in database.select(sql, (int(since), list(left_out), limit)):
        newest.setdefault(repository, []).append(_read_commit(columns))
    opened = [reader.open(repository) for repository in newest]
    for index in opened:
        commits = newest[index.info.repository_id]
        index.history.cache.newest[:] = commits
        index.history.cache.commits.update({commit.doc_key: commit for commit in commits})
    keys = {index.info.repository_id: [each.doc_key for each in newest[index.info.repository_id]] for index in opened}
    read_changes(database, [(index.history, (), keys[index.info.repository_id]) for index in opened])
    paths = {
        repository: sorted(
            {path for found in reader.open(repository).history.files_by_commit(own).values() for path in found}
        )
        for repository, own in keys.items()
    }
    read_file_infos(database, [(index.files, paths[index.info.repository_id]) for index in opened])
    read_activity(database, [(index.history, paths[index.info.repository_id]) for index in opened])
    return opened


def read_last_commits(
    database: TeamDatabase, wanted: Mapping[RepositoryHistory, tuple[Sequence[str], Sequence[str]]]
) -> None:
    """Read by history the newest commits that changed documents, by doc_id, and files, by path."""
    histories = {history.repository: history for history in wanted}
    for is_of_files, condition in enumerate((_OF_DOCUMENT, _OF_FILE)):
        places = [(history, name) for history, names in wanted.items() for name in names[is_of_files]]
        for history, name in places:
            _cache_of(history, is_of_files)[name] = None
        sql: LiteralString = (
            f"SELECT wanted.repository, wanted.name, {_COLUMNS} FROM unnest(%s::integer[], %s::bytea[]) "
            f"AS wanted(repository, name) CROSS JOIN LATERAL (SELECT k.* FROM {condition} CROSS JOIN LATERAL (SELECT * "
            "FROM commits WHERE repository_id = wanted.repository AND number = changing.number OFFSET 0) k "
            f"ORDER BY {NEWEST_FIRST} LIMIT 1) k"
        )
        values = [history.repository for history, _ in places], [encode_text(name) for _, name in places]
        for repository, name, *columns in database.select(sql, values) if places else ():
            _cache_of(histories[repository], is_of_files)[decode_text(name)] = _read_commit(columns)


_OF_DOCUMENT = (
    "(SELECT t.number FROM changed_symbols s JOIN touched t ON t.repository_id = s.repository_id AND t.symbol = s.id "
    "WHERE s.repository_id = wanted.repository AND s.doc_id = wanted.name OFFSET 0) changing"
)
_OF_FILE = (
    "(SELECT c.number FROM changed_paths p JOIN changes c ON c.repository_id = p.repository_id AND c.now = p.id "
    "WHERE p.repository_id = wanted.repository AND p.path = wanted.name OFFSET 0) changing"
)


def _cache_of(history: RepositoryHistory, is_of_files: int) -> dict[str, Commit | None]:
    return history.cache.last_of_file if is_of_files else history.cache.last_of_document


def _read_commit(columns: Sequence[Any]) -> Commit:
    """Return the commit of a row of _COLUMNS."""
    return read_commit((*columns[:3], *map(decode_text, columns[3:6]), *columns[6:]))
