"""What a question finds in memory: candidates by words and by what they are, ranked by core.memory.ranking."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from msgspec import Struct

from scry.core.memory.purpose import RecallPurpose, purpose_relevance
from scry.core.memory.ranking import RecalledMemory, RecallContext, rank_memories, text_signal
from scry.core.memory.types import MEMORY_KINDS, Memory
from scry.core.text import content_terms
from scry.store.database import placeholders, batches
from scry.store.memory import rows
from scry.store.memory.holders import find_candidates, look_up_terms

MAX_RANKED = 220
"""So many of all candidates, those that hold most of the question, are read and ranked: a few more than vote."""

MAX_PER_KIND = 50
"""So many of each kind that a purpose asks for."""


class RecallQuery(Struct, frozen=True):
    """A question to memory.

    words: what is asked, each word with its stem. limit: how many at most. serving: whether what serves the viewpoint's
    purpose is an answer without any of the words. least: what share of the question a memory has to hold, by how rare
    its words are. kinds: only these; all when empty. captured: whether what was captured in passing is found by its
    words.
    """

    viewpoint: RecallContext
    terms_with_stems: Sequence[tuple[str, str]]
    limit: int
    include_purpose_matches: bool = True
    min_share: float = 0.0
    kinds: frozenset[str] = frozenset()
    include_captured: bool = True


def recall_memories(database: sqlite3.Connection, query: RecallQuery) -> list[RecalledMemory]:
    """The best memories for a question, best first. Silent where no word occurs and no purpose is served."""
    looked, total = look_up_terms(database, query.terms_with_stems)
    frequencies = {each.word: each.document_frequency for each in looked}
    held = find_candidates(database, looked, query.min_share, captured=query.include_captured)
    texts = {words: text_signal(words, frequencies, total) for words in set(held.values())}
    best = sorted(held, key=lambda number: (-texts[held[number]], -number))[:MAX_RANKED]
    served = _purpose_matches(database, query.viewpoint.purpose) if query.include_purpose_matches else []
    memories = [m for m in _read_memories(database, dict.fromkeys((*best, *served))) if not query.kinds or m.kind in query.kinds]
    intents = {intent: _intent_terms(intent, query) for intent in {memory.capsule_intent for memory in memories}}
    judged = [(memory, held.get(memory.number, ()), intents[memory.capsule_intent]) for memory in memories]
    return rank_memories(judged, frequencies, total, query.viewpoint)[: query.limit]


def _purpose_matches(database: sqlite3.Connection, purpose: RecallPurpose | None) -> list[int]:
    """The newest of the kinds that a purpose asks for."""
    found: list[int] = []
    for kind in MEMORY_KINDS if purpose is not None else ():
        sql = f"{rows.SELECT_MEMORIES_BRIEF} WHERE m.kind = ? ORDER BY m.time DESC, m.number DESC LIMIT ?"
        memories = (rows.read_memory(row) for row in database.execute(sql, (kind, MAX_PER_KIND)))
        found += [memory.number for memory in memories if purpose is not None and purpose_relevance(purpose, memory) > 0]
    return found


def _read_memories(database: sqlite3.Connection, numbers: Iterable[int]) -> list[Memory]:
    found: list[Memory] = []
    for part in batches(list(numbers)):
        sql = f"{rows.SELECT_MEMORIES_BRIEF} WHERE m.number IN ({placeholders(part)})"
        found += (rows.read_memory(row) for row in database.execute(sql, part))
    return found


def _intent_terms(intent: str, query: RecallQuery) -> frozenset[str]:
    """The words of what something was made for, where the asker has an intent."""
    return frozenset(content_terms(intent)) if query.viewpoint.intent else frozenset()
