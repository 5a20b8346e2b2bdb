"""Retrieve what was done, what failed and what was decided that bears on a query.

What was done, failed or was decided that bears on the question? Reads the project's memory; silent where no memory
holds at least half of what is asked, by how rare its words are.

A question that asks for memory itself ("resume work", "what was decided", "why did tests fail") is answered by what
serves it, also without a common word. Any other is about the project: what was captured in passing (a jump, an edit, a
commit) only points at what the other oracles find there, and is left out. Memories are ranked by four signals
(core.memory.ranking), as of the full hour: so that the same question has the same answer a minute later and in another
process.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from scry.core.knowledge import MEMORY, MEMORY_NOTES
from scry.core.memory.purpose import MemoryQuery, parse_memory_query
from scry.core.memory.ranking import RecallContext, RecalledMemory, explain_recall
from scry.core.text import query_terms
from scry.core.types import DocumentHeader, OracleMatch, SearchQuery
from scry.oracles.oracle import RETRIEVAL_DEPTH, Oracle, OracleReader, RankLookup
from scry.store.memory.search import MemoryNoteReader

WEIGHT = 0.5
"""As a belief's (see oracles.belief)."""

SCORE_TYPE = "relevance"

MIN_MATCHED_SHARE = 0.5
"""Of much that was noted, something holds one word of any question."""

_HOUR_MS = 3_600_000


def consult(question: SearchQuery, reader: OracleReader) -> tuple[OracleMatch, ...]:
    """Votes by score; equal ones stand by time, then id. Raises IndexUnavailable."""
    shelf = _memory_notes(reader)
    if shelf is None:
        return ()
    viewpoint, recalled = _recall_memories(
        question, shelf, is_for_memory=reader.knowledge_filter.types == frozenset({MEMORY})
    )
    numbers = shelf.doc_keys_of([each.memory for each in recalled])
    return tuple(
        OracleMatch(number, rank, each.score, SCORE_TYPE, each.matches, explain_recall(each, viewpoint))
        for rank, (number, each) in enumerate(zip(numbers, recalled, strict=True), 1)
    )


def _memory_notes(reader: OracleReader) -> MemoryNoteReader | None:
    """Memory, if there is any and the filters leave it."""
    shelf = reader.knowledge.get_reader(MEMORY_NOTES) if reader.knowledge is not None else None
    is_wanted = reader.knowledge_filter.allows_type(MEMORY) and reader.knowledge_filter.allows_domains(
        ()
    )  # memories are about none
    return shelf if isinstance(shelf, MemoryNoteReader) and is_wanted else None


def _recall_memories(
    question: SearchQuery, shelf: MemoryNoteReader, *, is_for_memory: bool
) -> tuple[RecallContext, list[RecalledMemory]]:
    wanted = _memory_query(question)
    now = time.time_ns() // 1_000_000 // _HOUR_MS * _HOUR_MS
    viewpoint = shelf.viewpoint(now, wanted.purpose)
    captured = is_for_memory or wanted.purpose is not None
    terms, is_open = wanted.terms, wanted.is_generic
    return viewpoint, shelf.recall(
        terms,
        viewpoint,
        RETRIEVAL_DEPTH,
        include_purpose_matches=is_open,
        min_share=MIN_MATCHED_SHARE,
        include_captured=captured,
    )


def _memory_query(question: SearchQuery) -> MemoryQuery:
    wanted = parse_memory_query(" ".join((question.words, *question.phrases)))
    return wanted if wanted.purpose is not None else MemoryQuery(None, tuple(query_terms(question)))


def matched_terms(_question: SearchQuery, _reader: OracleReader, _numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """None: the votes hold them."""
    return {}


def lookup_rank(question: SearchQuery, reader: OracleReader, document: DocumentHeader) -> RankLookup:
    """Its place among memories."""
    if document.content_type != MEMORY:
        return RankLookup(is_other_kind=True)
    for vote in consult(question, reader):
        if vote.doc_key == document.doc_key:
            return RankLookup(vote.rank, vote.raw_score)
    return RankLookup(note="it holds less than half of what is asked, or others that hold more are too many")


ORACLE = Oracle("memory", "mem", "Memory", WEIGHT, SCORE_TYPE, consult, matched_terms, lookup_rank)
"""What a memory says of a question."""
