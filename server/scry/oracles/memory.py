"""Retrieve the recorded work, failures and decisions that bear on a query.

Reads the project's memory; silent where no memory holds at least half of the query's terms, weighted by rarity.

A query for memory itself ("resume work", "what was decided", "why did tests fail") matches whatever serves that
purpose, also without a common word. "What was decided about caching" matches memories that may say so (DECISION_KINDS).
For any other query, memories captured in passing (a jump, an edit, a commit) are left out: they only point at documents
that the other oracles find. Memories are ranked by four signals (core.memory.ranking) as of the full hour, so that the
same query has the same answer a minute later and in another process.
"""

from __future__ import annotations

import time

from scry.core.knowledge import MEMORY, MEMORY_NOTES
from scry.core.memory.purpose import MemoryQuery, parse_memory_query
from scry.core.memory.ranking import RecallContext, RecalledMemory, explain_recall
from scry.core.memory.types import PROSE_KINDS
from scry.core.text import query_terms, search_text
from scry.core.types import DocumentHeader, OracleMatch, SearchQuery
from scry.oracles.oracle import Oracle, RankLookup
from scry.oracles.reader import RETRIEVAL_DEPTH, NoteCorpus, OracleReader
from scry.store.memory.search import MemoryNoteReader

WEIGHT = 0.5
"""As a belief's: see oracles.belief."""

SCORE_TYPE = "relevance"

MIN_MATCHED_SHARE = 0.5
"""Least share of a query's terms that a memory must hold: among many memories, one holds one word of any query."""

DECISION_KINDS = PROSE_KINDS - {"error"}
"""Kinds of memories in which somebody may say what was decided about a topic. A command that was run on it says
nothing."""

_HOUR_MS = 3_600_000


def consult(question: SearchQuery, reader: OracleReader) -> tuple[OracleMatch, ...]:
    """Return matches by score; equal ones by time, then id. Raises IndexUnavailable."""
    memories = _memory_reader(reader.notes)
    if memories is None:
        return ()
    context, recalled = _recall_memories(
        question, memories, is_for_memory=reader.notes.filters.types == frozenset({MEMORY})
    )
    doc_keys = memories.doc_keys_of([each.memory for each in recalled])
    return tuple(
        OracleMatch(doc_key, rank, each.score, SCORE_TYPE, each.matches, explain_recall(each, context))
        for rank, (doc_key, each) in enumerate(zip(doc_keys, recalled, strict=True), 1)
    )


def _memory_reader(notes: NoteCorpus) -> MemoryNoteReader | None:
    """Return the memories, if there are any and the filters leave them. Memories are about no domain."""
    reader = notes.stores.get_reader(MEMORY_NOTES) if notes.stores is not None else None
    is_allowed = notes.filters.allows_type(MEMORY) and notes.filters.allows_domains(())
    return reader if isinstance(reader, MemoryNoteReader) and is_allowed else None


def _recall_memories(
    question: SearchQuery, memories: MemoryNoteReader, *, is_for_memory: bool
) -> tuple[RecallContext, list[RecalledMemory]]:
    """Return the memories that bear on a query, best first. is_for_memory: whether its filters leave only memories."""
    query = parse_memory_query(search_text(question))
    if query.purpose is None:
        query = MemoryQuery(None, tuple(query_terms(question)))
    full_hour = time.time_ns() // 1_000_000 // _HOUR_MS * _HOUR_MS
    context = memories.viewpoint(full_hour, query.purpose)
    return context, memories.recall(
        query.terms,
        context,
        RETRIEVAL_DEPTH,
        include_purpose_matches=query.is_generic,
        min_share=MIN_MATCHED_SHARE,
        kinds=DECISION_KINDS if query.decision_topic and not is_for_memory else frozenset(),
        include_captured=is_for_memory or query.purpose is not None,
    )


def lookup_rank(question: SearchQuery, reader: OracleReader, document: DocumentHeader) -> RankLookup:
    """Return the rank of a memory among memories."""
    if document.content_type != MEMORY:
        return RankLookup(is_other_kind=True)
    for match in consult(question, reader):
        if match.doc_key == document.doc_key:
            return RankLookup(match.rank, match.raw_score)
    return RankLookup(note="it holds less than half of what is asked, or others that hold more are too many")


ORACLE = Oracle("memory", "mem", "Memory", WEIGHT, SCORE_TYPE, consult, lookup_rank, notes_only=True)
