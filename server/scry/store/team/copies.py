"""Find in which other repositories of a team the content of a document stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from scry.store.team.database import TeamDatabase, decode_text

if TYPE_CHECKING:
    from scry.store.team.repository import RepositoryIndex

MAX_NAMED_COPIES = 5
"""Repositories that a result names: as many as fit into a line. Of a licence's text a thousand may have a copy."""


class Copies(Struct, frozen=True):
    """The other visible repositories that hold the content of a file.

    count: of these repositories. named: the first of them by name, with the path of the file in each.
    """

    count: int
    named: Sequence[tuple[int, str]]


def read_copies(
    database: TeamDatabase, wanted: Sequence[tuple[RepositoryIndex, Sequence[int]]]
) -> dict[tuple[int, int], Copies]:
    """Return by repository and key the copies of documents whose headers were read; documents without are left out."""
    places: dict[tuple[int, bytes], list[tuple[int, int]]] = {}
    for index, keys in wanted:
        known, repository = index.documents.content_ids, index.info.repository_id
        for key in keys:
            if key in known:
                places.setdefault((repository, known[key][0]), []).append((repository, key))
    if not places:
        return {}
    sql = (
        "WITH held AS (SELECT wanted.at, f.repository_id, (array_agg(f.path ORDER BY f.path))[1] AS path FROM "
        "unnest(%s::integer[], %s::integer[], %s::bytea[]) AS wanted(at, repository, digest) CROSS JOIN LATERAL "
        "(SELECT id FROM contents WHERE digest = wanted.digest OFFSET 0) c CROSS JOIN LATERAL "
        "(SELECT repository_id, path FROM files WHERE content_id = c.id OFFSET 0) f "
        "WHERE f.repository_id <> wanted.repository GROUP BY wanted.at, f.repository_id) "
        "SELECT held.at, count(*), (array_agg(r.id ORDER BY r.name))[:%s], (array_agg(held.path ORDER BY r.name))[:%s] "
        "FROM held JOIN repositories r ON r.id = held.repository_id WHERE r.commit_id IS NOT NULL GROUP BY held.at"
    )
    values = list(range(len(places))), *map(list, zip(*places, strict=True))
    by_place = list(places.values())
    found: dict[tuple[int, int], Copies] = {}
    for at, count, repositories, paths in database.select(sql, (*values, MAX_NAMED_COPIES, MAX_NAMED_COPIES)):
        copies = Copies(int(count), list(zip(repositories, map(decode_text, paths), strict=True)))
        found.update(dict.fromkeys(by_place[int(at)], copies))
    return found
