"""Shared part of the belief and persona oracles: rank the notes of one store by words and vectors (K2).

The raw score is from 0 to 1: half the cosine, if that is above 0, plus half the share of the query's BM25 that the note
reaches. Notes rank only among notes of the same types.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scry.core.errors import ModelUnavailable
from scry.core.knowledge import KnowledgeFilter
from scry.core.memory.purpose import parse_memory_query
from scry.core.text import format_down, query_terms, search_text
from scry.core.types import DocumentHeader, OracleMatch, SearchQuery
from scry.oracles.oracle import RankLookup, rank_in_scores, rank_notes_among_others
from scry.oracles.reader import OracleReader
from scry.store.notes.postings import NO_DOCUMENTS, ScoredDocuments
from scry.store.notes.reader import NoteSource

SCORE_TYPE = "relevance"

MIN_RELEVANCE = 0.15
"""Least raw score of a match: notes are few, and the first of a few need not be near the query."""

_RELEVANCE_DIGITS = 6
_VECTOR_WEIGHT = 0.5


class NoteOracle(Struct, frozen=True):
    """The notes of some types in one note store, as an oracle ranks them.

    answers_decisions: whether a query for what was decided about a topic is a query for these notes. Then only notes
    match that hold at least half of the topic's words, for the oracle's weight is high.
    """

    note_store: str
    types: frozenset[str]
    answers_decisions: bool = False

    def consult(self, question: SearchQuery, reader: OracleReader) -> tuple[OracleMatch, ...]:
        """Return matches by relevance, equal ones in the order of doc_id. Raises IndexUnavailable."""
        if reader.notes.stores is None:
            return ()
        scored, by_vectors = self._score_notes(question, reader)
        matches = rank_notes_among_others(scored.with_min_score(MIN_RELEVANCE), (), SCORE_TYPE, reader.notes.stores)
        cosines = by_vectors.scores_of([match.doc_key for match in matches])
        return tuple(
            [
                OracleMatch(match.doc_key, match.rank, match.raw_score, SCORE_TYPE, cosine=cosine)
                for match, cosine in zip(matches, cosines, strict=True)
            ]
        )

    def lookup_rank(self, question: SearchQuery, reader: OracleReader, document: DocumentHeader) -> RankLookup:
        """Return the rank of a note among those of its types."""
        if document.content_type not in self.types:
            return RankLookup(is_other_kind=True)
        scored, _ = self._score_notes(question, reader)
        score = scored.score_of(document.doc_key) or 0.0
        if score < MIN_RELEVANCE:
            if not score and self._decision_topic(question):
                return RankLookup(note="it holds less than half of the words of what the decision is about")
            return RankLookup(note=f"its relevance of {format_down(score)} lies below the floor of {MIN_RELEVANCE}")
        return RankLookup(rank_in_scores(document, score, scored.with_min_score(score).as_pairs(), reader), score)

    def _score_notes(self, question: SearchQuery, reader: OracleReader) -> tuple[ScoredDocuments, ScoredDocuments]:
        """Return the relevance of the notes, and their cosines."""
        notes = reader.notes.stores.get_reader(self.note_store) if reader.notes.stores is not None else None
        types = frozenset(filter(reader.notes.filters.allows_type, self.types))
        if notes is None or not types:
            return NO_DOCUMENTS, NO_DOCUMENTS
        filters = replace(reader.notes.filters, types=types)
        topic = self._decision_topic(question)
        words = topic or query_terms(question)
        by_words = notes.search_words(reader.note_query(words), filters) if words else NO_DOCUMENTS
        by_vectors = _score_by_vectors(question, reader, notes, filters)
        scored = _combine_scores(by_words, by_vectors)
        return (_restrict_to_topic(scored, topic, by_words, notes) if topic else scored), by_vectors

    def _decision_topic(self, question: SearchQuery) -> tuple[str, ...]:
        return parse_memory_query(search_text(question)).decision_topic if self.answers_decisions else ()


def _restrict_to_topic(
    scored: ScoredDocuments, topic: Sequence[str], by_words: ScoredDocuments, notes: NoteSource
) -> ScoredDocuments:
    """Return the notes that hold at least half of these words. by_words: the notes that hold any."""
    matched = notes.matched_terms(topic, by_words.doc_keys.tolist())
    about = [doc_key for doc_key, terms in matched.items() if 2 * len(terms) >= len(topic)]
    return scored.restrict_to(np.array(sorted(about), dtype=np.int64))


def _combine_scores(by_words: ScoredDocuments, by_vectors: ScoredDocuments) -> ScoredDocuments:
    """Return the relevance of every note that words or vectors found."""
    word_parts = (1 - _VECTOR_WEIGHT) * by_words.scores / by_words.score_ceiling
    vector_parts = _VECTOR_WEIGHT * np.maximum(by_vectors.scores, 0.0)
    positions = np.searchsorted(by_vectors.doc_keys, by_words.doc_keys)
    last = len(by_vectors.doc_keys) - 1
    if last >= 0 and (by_vectors.doc_keys[np.minimum(positions, last)] == by_words.doc_keys).all():
        vector_parts[positions] += word_parts  # the usual case: every note has a vector
        return ScoredDocuments(by_vectors.doc_keys, np.round(vector_parts, _RELEVANCE_DIGITS))
    doc_keys = np.union1d(by_words.doc_keys, by_vectors.doc_keys)
    scores = np.zeros(len(doc_keys))
    scores[np.searchsorted(doc_keys, by_words.doc_keys)] += word_parts
    scores[np.searchsorted(doc_keys, by_vectors.doc_keys)] += vector_parts
    return ScoredDocuments(doc_keys, np.round(scores, _RELEVANCE_DIGITS))


def _score_by_vectors(
    question: SearchQuery, reader: OracleReader, notes: NoteSource, filters: KnowledgeFilter
) -> ScoredDocuments:
    try:
        encoded = reader.query_vector(question)
    except ModelUnavailable:  # the semantic oracle reports it; words are left
        return NO_DOCUMENTS
    return notes.search_vectors(encoded[0].identity, encoded[1], filters) if encoded else NO_DOCUMENTS
