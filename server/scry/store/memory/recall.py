"""What a question finds in memory: candidates by words and by what they are, ranked by core.memory.ranking.

Of a word that very many memories hold only the newest of them are looked at, and those that are pinned: what is older
would need a rarer word to come up, and a rarer word finds it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scry.core.memory.purpose import Purpose, serves
from scry.core.memory.ranking import LEAST_TEXT, Recalled, Viewpoint, rank, text_signal, worth_of
from scry.core.memory.types import KINDS, Memory
from scry.core.text import content_terms
from scry.store.database import marks, parts
from scry.store.memory import rows
from scry.store.memory.stems import ALL

A_WORD = 400
"""So many of the memories that hold a word are looked at: twice the votes that an oracle has."""

CANDIDATES = 800
"""Once the rarer words have brought so many, commoner ones bring no others."""

READ = 220
"""So many of all candidates, those that hold most of the question, are read and ranked: a few more than vote."""

OF_A_KIND = 50
"""So many of each kind that a purpose asks for."""

MOST_WORDS = 16
"""The rarest words of a longer question are looked up."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to memory.

    words: what is asked, each word with its stem. serving: whether what serves the viewpoint's purpose is an answer
    without any of the words. least: what share of the question a memory has to hold, by how rare
    its words are. kinds: only these; all when empty. limit: how many at most.
    """

    viewpoint: Viewpoint
    words: Sequence[tuple[str, str]]
    limit: int
    serving: bool = True
    least: float = 0.0
    kinds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Looked:
    """number: of a stem; 0 for one that no memory holds."""

    word: str
    stem: str
    number: int
    held: int


def find(database: sqlite3.Connection, asked: Asked) -> list[Recalled]:
    """The best memories for a question, best first. Silent where no word occurs and no purpose is served."""
    total = database.execute("SELECT held FROM stems WHERE stem = ?", (ALL,)).fetchone()[0]
    looked = _look_up(database, asked.words)
    frequencies = {each.word: each.held for each in looked}
    held = _held(database, looked, _drawn_from(looked, total, asked.least))
    floor = LEAST_TEXT + (1 - LEAST_TEXT) * asked.least
    signals = {words: text_signal(words, frequencies, total) for words in set(held.values())}
    texts = {memory: signals[words] for memory, words in held.items()}
    best = sorted((n for n, text in texts.items() if text >= floor), key=lambda n: (-texts[n], -n))[:READ]
    served = _served(database, asked.viewpoint.purpose) if asked.serving else []
    memories = [m for m in _read(database, dict.fromkeys((*best, *served))) if not asked.kinds or m.kind in asked.kinds]
    intents = {intent: _intent_terms(intent, asked) for intent in {memory.capsule_intent for memory in memories}}
    judged = [(memory, held.get(memory.number, ()), intents[memory.capsule_intent]) for memory in memories]
    return rank(judged, frequencies, total, asked.viewpoint)[: asked.limit]


def _look_up(database: sqlite3.Connection, words: Sequence[tuple[str, str]]) -> list[_Looked]:
    """The question's words, the rarest first."""
    stems = list(dict.fromkeys(stem for _, stem in words))
    known: dict[str, tuple[int, int]] = {}
    for part in parts(stems):
        sql = f"SELECT stem, number, held FROM stems WHERE stem IN ({marks(part)})"
        known |= {stem: (number, held) for stem, number, held in database.execute(sql, part)}
    firsts = {stem: word for word, stem in reversed(words)}
    looked = [_Looked(firsts[stem], stem, *known.get(stem, (0, 0))) for stem in stems]
    return sorted(looked, key=lambda each: (each.held, each.word))[:MOST_WORDS]


def _drawn_from(looked: Sequence[_Looked], total: int, least: float) -> list[_Looked]:
    """The rarest words: what holds none of them holds less of the question than is asked for."""
    left = whole = sum(worth_of(each.held, total) for each in looked)
    drawn: list[_Looked] = []
    for each in looked:
        if left < least * whole:
            break
        drawn.append(each)
        left -= worth_of(each.held, total)
    return drawn


def _held(
    database: sqlite3.Connection, looked: Sequence[_Looked], drawn: Sequence[_Looked]
) -> dict[int, tuple[str, ...]]:
    """Candidates by number, each with the words of the question that it holds, the rarest first. drawn: the words that
    bring candidates.
    """
    candidates: set[int] = set()
    for each in drawn:
        if len(candidates) >= CANDIDATES:
            break
        newest = "SELECT memory FROM holders WHERE stem = ? ORDER BY memory DESC LIMIT ?"
        pinned = "SELECT memory FROM holders WHERE stem = ? AND memory IN (SELECT number FROM memories WHERE pinned)"
        candidates.update(row[0] for row in database.execute(newest, (each.number, A_WORD)))
        if each.held > A_WORD:
            candidates.update(row[0] for row in database.execute(pinned, (each.number,)))
    found: dict[int, list[str]] = {number: [] for number in candidates}
    for each in looked:
        for part in parts(sorted(candidates) if each.held else []):
            sql = f"SELECT memory FROM holders WHERE stem = ? AND memory IN ({marks(part)})"
            for row in database.execute(sql, (each.number, *part)):
                found[row[0]].append(each.word)
    return {number: tuple(words) for number, words in found.items()}


def _served(database: sqlite3.Connection, purpose: Purpose | None) -> list[int]:
    """The newest of the kinds that a purpose asks for."""
    found: list[int] = []
    for kind in KINDS if purpose is not None else ():
        sql = f"{rows.BRIEF} WHERE m.kind = ? ORDER BY m.time DESC, m.number DESC LIMIT ?"
        memories = (rows.memory_from(row) for row in database.execute(sql, (kind, OF_A_KIND)))
        found += [memory.number for memory in memories if purpose is not None and serves(purpose, memory) > 0]
    return found


def _read(database: sqlite3.Connection, numbers: Iterable[int]) -> list[Memory]:
    found: list[Memory] = []
    for part in parts(list(numbers)):
        sql = f"{rows.BRIEF} WHERE m.number IN ({marks(part)})"
        found += (rows.memory_from(row) for row in database.execute(sql, part))
    return found


def _intent_terms(intent: str, asked: Asked) -> frozenset[str]:
    """The words of what something was made for, where the asker has an intent."""
    return frozenset(content_terms(intent)) if asked.viewpoint.intent else frozenset()
