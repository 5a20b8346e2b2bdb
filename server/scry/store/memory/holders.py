"""Which memories hold what of a question's words: the candidates of `recall`.

Of a word that very many memories hold only the newest of them are candidates, and those that are pinned: what is older
would need a rarer word to come up, and a rarer word finds it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.memory.ranking import worth_of
from scry.store.database import marks, parts
from scry.store.memory.stems import ALL

A_WORD = 400
"""So many of the memories that hold a word are looked at: twice the votes that an oracle has."""

CANDIDATES = 800
"""Once the rarer words have brought so many, commoner ones bring no others."""

MOST_WORDS = 16
"""The rarest words of a longer question are looked up."""

_WHOLE = 4000
"""Of a word that no more memories hold than this, all are read: that takes less than asking for each candidate."""

_ROUNDING = 1e-9
_NONE = np.zeros(1, np.bool_)

_Numbers = NDArray[np.int64]


class Looked(Struct, frozen=True):
    """A word of a question. number: of its stem; 0 for one that no memory holds. worth: see ranking.worth_of."""

    word: str
    number: int
    held: int
    worth: float


def look_up(database: sqlite3.Connection, words: Sequence[tuple[str, str]]) -> tuple[list[Looked], int]:
    """The question's words, each given with its stem, the rarest first; and how many memories there are."""
    firsts = {stem: word for word, stem in reversed(words)}
    known: dict[str, tuple[int, int]] = {}
    for part in parts([ALL, *firsts]):
        sql = f"SELECT stem, number, held FROM stems WHERE stem IN ({marks(part)})"
        known |= {stem: (number, held) for stem, number, held in database.execute(sql, part)}
    total = known[ALL][1]
    found = ((word, *known.get(stem, (0, 0))) for stem, word in firsts.items())
    looked = [Looked(word, number, held, worth_of(held, total)) for word, number, held in found]
    return sorted(looked, key=lambda each: (each.held, each.word))[:MOST_WORDS], total


def hold_enough(
    database: sqlite3.Connection, looked: Sequence[Looked], least: float, *, captured: bool
) -> dict[int, tuple[str, ...]]:
    """The candidates that hold at least this share of the question, by number, each with the words that it holds.

    looked: the rarest first; so are the words of each. captured: whether what was captured in passing may be one.
    """
    lists = {each.number: _all(database, each, captured) for each in looked if 0 < each.held <= _WHOLE}
    candidates = _candidates(database, _drawn_from(looked, least), lists, captured)
    worths = np.array([each.worth for each in looked])
    needed = least * worths.sum() - _ROUNDING
    holds = np.zeros((len(looked), len(candidates)), np.bool_)
    for place, each in enumerate(looked):
        if each.number in lists:
            holds[place] = _among(candidates, lists[each.number])
    common = [place for place, each in enumerate(looked) if each.held > _WHOLE]
    left = np.flatnonzero(worths @ holds + worths[common].sum() >= needed)
    for place in common:
        holds[place, left] = _asked(database, looked[place], candidates[left])
    enough = left[worths @ holds[:, left] >= needed]
    words = [each.word for each in looked]
    return {
        int(candidates[at]): tuple(word for word, held in zip(words, holds[:, at].tolist(), strict=True) if held)
        for at in enough.tolist()
    }


def _drawn_from(looked: Sequence[Looked], least: float) -> list[Looked]:
    """The rarest words: what holds none of them holds less of the question than is asked for."""
    left = whole = sum(each.worth for each in looked)
    drawn: list[Looked] = []
    for each in looked:
        if left < least * whole:
            break
        drawn.append(each)
        left -= each.worth
    return drawn


def _candidates(
    database: sqlite3.Connection, drawn: Sequence[Looked], lists: Mapping[int, _Numbers], captured: bool
) -> _Numbers:
    """What holds one of the words, rising."""
    found: _Numbers = np.zeros(0, np.int64)
    for each in drawn:
        if len(found) >= CANDIDATES:
            break
        holders = lists[each.number] if each.number in lists else _newest(database, each, captured)
        found = np.union1d(found, holders[-A_WORD:])
        if len(holders) >= A_WORD:
            found = np.union1d(found, _pinned(database, each, captured))
    return found


def _all(database: sqlite3.Connection, word: Looked, captured: bool) -> _Numbers:
    """Rising. As one text: to make a row of each takes twice as long."""
    sql = "SELECT group_concat(memory) FROM holders WHERE stem = ? AND captured <= ?"
    (found,) = database.execute(sql, (word.number, captured)).fetchone()
    return np.sort(np.fromstring(found or "", np.int64, sep=","))


def _newest(database: sqlite3.Connection, word: Looked, captured: bool) -> _Numbers:
    """The newest that hold a very common word, rising."""
    sql = "SELECT memory FROM holders WHERE stem = ? AND captured = ? ORDER BY memory DESC LIMIT ?"
    kinds = (False, True) if captured else (False,)
    return _rising(row for kind in kinds for row in database.execute(sql, (word.number, kind, A_WORD)))


def _pinned(database: sqlite3.Connection, word: Looked, captured: bool) -> _Numbers:
    pinned = "SELECT number FROM memories WHERE pinned"
    sql = f"SELECT memory FROM holders WHERE stem = ? AND captured IN (0, ?) AND memory IN ({pinned})"
    return _rising(database.execute(sql, (word.number, captured)))


def _rising(rows: Iterable[tuple[int]]) -> _Numbers:
    return np.sort(np.array([number for (number,) in rows], np.int64))


def _among(numbers: _Numbers, rising: _Numbers) -> NDArray[np.bool_]:
    """Which of the numbers are among these."""
    places = np.searchsorted(rising, numbers)
    return (places < len(rising)) & (rising[np.minimum(places, len(rising) - 1)] == numbers) if len(rising) else _NONE


def _asked(database: sqlite3.Connection, word: Looked, numbers: _Numbers) -> NDArray[np.bool_]:
    """Which of the numbers hold a very common word."""
    found: set[int] = set()
    for part in parts(numbers.tolist()):
        sql = f"SELECT memory FROM holders WHERE stem = ? AND captured IN (0, 1) AND memory IN ({marks(part)})"
        found.update(number for (number,) in database.execute(sql, (word.number, *part)))
    return np.array([number in found for number in numbers.tolist()], np.bool_)
