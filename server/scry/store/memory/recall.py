"""What a question finds in memory: candidates by words and by what they are, ranked by core.memory.ranking."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from msgspec import Struct

from scry.core.memory.purpose import Purpose, serves
from scry.core.memory.ranking import Recalled, Viewpoint, rank, text_signal
from scry.core.memory.types import KINDS, Memory
from scry.core.text import content_terms
from scry.store.database import marks, parts
from scry.store.memory import rows
from scry.store.memory.holders import hold_enough, look_up

READ = 220
"""So many of all candidates, those that hold most of the question, are read and ranked: a few more than vote."""

OF_A_KIND = 50
"""So many of each kind that a purpose asks for."""


class Asked(Struct, frozen=True):
    """A question to memory.

    words: what is asked, each word with its stem. limit: how many at most. serving: whether what serves the viewpoint's
    purpose is an answer without any of the words. least: what share of the question a memory has to hold, by how rare
    its words are. kinds: only these; all when empty. captured: whether what was captured in passing is found by its
    words.
    """

    viewpoint: Viewpoint
    words: Sequence[tuple[str, str]]
    limit: int
    serving: bool = True
    least: float = 0.0
    kinds: frozenset[str] = frozenset()
    captured: bool = True


def find(database: sqlite3.Connection, asked: Asked) -> list[Recalled]:
    """The best memories for a question, best first. Silent where no word occurs and no purpose is served."""
    looked, total = look_up(database, asked.words)
    frequencies = {each.word: each.held for each in looked}
    held = hold_enough(database, looked, asked.least, captured=asked.captured)
    texts = {words: text_signal(words, frequencies, total) for words in set(held.values())}
    best = sorted(held, key=lambda number: (-texts[held[number]], -number))[:READ]
    served = _served(database, asked.viewpoint.purpose) if asked.serving else []
    memories = [m for m in _read(database, dict.fromkeys((*best, *served))) if not asked.kinds or m.kind in asked.kinds]
    intents = {intent: _intent_terms(intent, asked) for intent in {memory.capsule_intent for memory in memories}}
    judged = [(memory, held.get(memory.number, ()), intents[memory.capsule_intent]) for memory in memories]
    return rank(judged, frequencies, total, asked.viewpoint)[: asked.limit]


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
