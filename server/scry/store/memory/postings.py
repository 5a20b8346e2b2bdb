"""Inverted index of memories: maintain it, and find the candidates of a query.

Used inside a transaction of the store. Of a word that very many memories hold only the newest of them, and the pinned
ones, are candidates: an older one is found by a rarer word.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.memory.ranking import term_rarity
from scry.store.sqlite.database import batches, placeholders

ANY_STEM = ""
"""The stem that every memory holds."""


def add_postings(database: sqlite3.Connection, memory: int, stems: Sequence[str], *, captured: bool) -> None:
    """Add the stems of a memory. captured: whether the memory was captured automatically."""
    document_frequency = [(stem,) for stem in (ANY_STEM, *stems)]
    database.executemany(
        "INSERT INTO stems (stem, held) VALUES (?, 1) ON CONFLICT (stem) DO UPDATE SET held = held + 1",
        document_frequency,
    )
    database.executemany(
        "INSERT INTO holders (stem, captured, memory) SELECT number, ?, ? FROM stems WHERE stem = ?",
        [(captured, memory, stem) for (stem,) in document_frequency[1:]],
    )


def remove_postings(database: sqlite3.Connection, memory: int, stems: Iterable[str]) -> None:
    """Remove the stems of a memory. A stem without memories is deleted."""
    released = [(stem,) for stem in (ANY_STEM, *stems)]
    database.executemany(
        "DELETE FROM holders WHERE memory = ? AND captured IN (0, 1)"
        " AND stem = (SELECT number FROM stems WHERE stem = ?)",
        [(memory, stem) for (stem,) in released[1:]],
    )
    database.executemany("UPDATE stems SET held = held - 1 WHERE stem = ?", released)
    database.execute("DELETE FROM stems WHERE held <= 0 AND stem <> ''")


A_WORD = 400
"""Number of memories of a word that are looked at: twice the retrieval depth of an oracle."""

MAX_CANDIDATES = 800
"""Number of candidates from which on commoner words add no others."""

MAX_QUERY_WORDS = 16
"""Number of words of a longer query that are looked up, the rarest first."""

_WHOLE = 4000
"""Number of memories of a word up to which all are read: faster than a look-up of each candidate."""

_ROUNDING = 1e-9
_NO_MEMBER = np.zeros(1, np.bool_)

_MemoryIds = NDArray[np.int64]


class QueryTerm(Struct, frozen=True):
    """A word of a query.

    stem_id: id of its stem; 0 for one that no memory holds. weight: see core.memory.ranking.
    """

    word: str
    stem_id: int
    document_frequency: int
    weight: float


def look_up_terms(database: sqlite3.Connection, words: Sequence[tuple[str, str]]) -> tuple[list[QueryTerm], int]:
    """Return the words of a query, given with their stems, the rarest first, and the number of memories."""
    words_by_stem = {stem: word for word, stem in reversed(words)}
    known: dict[str, tuple[int, int]] = {}
    for part in batches([ANY_STEM, *words_by_stem]):
        sql = f"SELECT stem, number, held FROM stems WHERE stem IN ({placeholders(part)})"
        known |= {
            stem: (memory_id, document_frequency) for stem, memory_id, document_frequency in database.execute(sql, part)
        }
    total = known[ANY_STEM][1]
    counts = ((word, *known.get(stem, (0, 0))) for stem, word in words_by_stem.items())
    query_terms = [
        QueryTerm(word, memory_id, document_frequency, term_rarity(document_frequency, total))
        for word, memory_id, document_frequency in counts
    ]
    return sorted(query_terms, key=lambda each: (each.document_frequency, each.word))[:MAX_QUERY_WORDS], total


def find_candidates(
    database: sqlite3.Connection, terms: Sequence[QueryTerm], min_share: float, *, captured: bool
) -> dict[int, tuple[str, ...]]:
    """Return the matched words of the memories that hold at least this share of the query, by memory id.

    terms: the rarest first; so are the matched words. captured: whether automatically captured memories are included.
    """
    lists = {
        each.stem_id: _all_holders(database, each, captured) for each in terms if 0 < each.document_frequency <= _WHOLE
    }
    candidates = _collect_candidates(database, _select_candidate_terms(terms, min_share), lists, captured)
    weights = np.array([each.weight for each in terms])
    needed = min_share * weights.sum() - _ROUNDING
    holds = np.zeros((len(terms), len(candidates)), np.bool_)
    for row, each in enumerate(terms):
        if each.stem_id in lists:
            holds[row] = _membership(candidates, lists[each.stem_id])
    common = [row for row, each in enumerate(terms) if each.document_frequency > _WHOLE]
    remaining = np.flatnonzero(weights @ holds + weights[common].sum() >= needed)
    for row in common:
        holds[row, remaining] = _holders_among(database, terms[row], candidates[remaining])
    enough = remaining[weights @ holds[:, remaining] >= needed]
    words = [each.word for each in terms]
    return {
        int(candidates[index]): tuple(
            word for word, document_frequency in zip(words, holds[:, index].tolist(), strict=True) if document_frequency
        )
        for index in enough.tolist()
    }


def _select_candidate_terms(terms: Sequence[QueryTerm], min_share: float) -> list[QueryTerm]:
    """Return the rarest words such that a memory without any of them holds too small a share of the query."""
    remaining = whole = sum(each.weight for each in terms)
    selected: list[QueryTerm] = []
    for each in terms:
        if remaining < min_share * whole:
            break
        selected.append(each)
        remaining -= each.weight
    return selected


def _collect_candidates(
    database: sqlite3.Connection, terms: Sequence[QueryTerm], lists: Mapping[int, _MemoryIds], captured: bool
) -> _MemoryIds:
    """Return the ids of the memories that hold one of the words, ascending."""
    candidates: _MemoryIds = np.zeros(0, np.int64)
    for each in terms:
        if len(candidates) >= MAX_CANDIDATES:
            break
        holders = lists[each.stem_id] if each.stem_id in lists else _newest_holders(database, each, captured)
        candidates = np.union1d(candidates, holders[-A_WORD:])
        if len(holders) >= A_WORD:
            candidates = np.union1d(candidates, _pinned_holders(database, each, captured))
    return candidates


def _all_holders(database: sqlite3.Connection, word: QueryTerm, captured: bool) -> _MemoryIds:
    """Return the ids of all memories that hold a word, ascending.

    Read as one text: a row for each takes twice as long.
    """
    sql = "SELECT group_concat(memory) FROM holders WHERE stem = ? AND captured <= ?"
    (packed,) = database.execute(sql, (word.stem_id, captured)).fetchone()
    return np.sort(np.fromstring(packed or "", np.int64, sep=","))


def _newest_holders(database: sqlite3.Connection, word: QueryTerm, captured: bool) -> _MemoryIds:
    """Return the ids of the newest memories that hold a very common word, ascending."""
    sql = "SELECT memory FROM holders WHERE stem = ? AND captured = ? ORDER BY memory DESC LIMIT ?"
    kinds = (False, True) if captured else (False,)
    return _sorted_ids(row for kind in kinds for row in database.execute(sql, (word.stem_id, kind, A_WORD)))


def _pinned_holders(database: sqlite3.Connection, word: QueryTerm, captured: bool) -> _MemoryIds:
    pinned = "SELECT number FROM memories WHERE pinned"
    sql = f"SELECT memory FROM holders WHERE stem = ? AND captured IN (0, ?) AND memory IN ({pinned})"
    return _sorted_ids(database.execute(sql, (word.stem_id, captured)))


def _sorted_ids(rows: Iterable[tuple[int]]) -> _MemoryIds:
    return np.sort(np.array([memory_id for (memory_id,) in rows], np.int64))


def _membership(memory_ids: _MemoryIds, rising: _MemoryIds) -> NDArray[np.bool_]:
    """Return which of the ids are among the ascending ones."""
    positions = np.searchsorted(rising, memory_ids)
    return (
        (positions < len(rising)) & (rising[np.minimum(positions, len(rising) - 1)] == memory_ids)
        if len(rising)
        else _NO_MEMBER
    )


def _holders_among(database: sqlite3.Connection, word: QueryTerm, memory_ids: _MemoryIds) -> NDArray[np.bool_]:
    """Return which of the ids hold a very common word."""
    holders: set[int] = set()
    for part in batches(memory_ids.tolist()):
        sql = f"SELECT memory FROM holders WHERE stem = ? AND captured IN (0, 1) AND memory IN ({placeholders(part)})"
        holders.update(memory_id for (memory_id,) in database.execute(sql, (word.stem_id, *part)))
    return np.array([memory_id in holders for memory_id in memory_ids.tolist()], np.bool_)
