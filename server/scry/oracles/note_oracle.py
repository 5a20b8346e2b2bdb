"""What the belief and persona oracles share: rank the notes of one store by words and vectors.

What the oracles of knowledge share: notes of one shelf ranked by meaning and words (K2).

The raw score is half the cosine, if that is above 0, and half the share of the question's words that the note holds,
by BM25: from 0 to 1. Notes rank among their own kind alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scry.core.errors import ModelUnavailable
from scry.core.knowledge import KnowledgeFilter
from scry.core.text import query_terms
from scry.core.types import DocumentHeader, OracleMatch, SearchQuery
from scry.oracles.oracle import OracleReader, RankLookup, rank_in_scores, rank_notes_among_others
from scry.store.notes.postings import NO_DOCUMENTS, ScoredDocuments
from scry.store.notes.reader import NoteReader

SCORE_TYPE = "relevance"

MIN_RELEVANCE = 0.15
"""Below this there is no vote: notes are few, and the first of few is not for that near the question."""

_RELEVANCE_DIGITS = 6
_VECTOR_WEIGHT = 0.5


class NoteOracle(Struct, frozen=True):
    """The notes that an oracle votes for: those of some types on one shelf."""

    note_store: str
    types: frozenset[str]

    def consult(self, question: SearchQuery, reader: OracleReader) -> tuple[OracleMatch, ...]:
        """Votes by relevance; equal ones stand in the order of doc_id. Raises IndexUnavailable."""
        if reader.knowledge is None:
            return ()
        found = self._score_notes(question, reader).with_min_score(MIN_RELEVANCE)
        return tuple(rank_notes_among_others(found, (), SCORE_TYPE, reader.knowledge))

    def matched_terms(
        self, question: SearchQuery, reader: OracleReader, doc_keys: Sequence[int]
    ) -> dict[int, tuple[str, ...]]:
        """None: the lexical oracle says which words matched."""
        del question, reader, doc_keys
        return {}

    def lookup_rank(self, question: SearchQuery, reader: OracleReader, document: DocumentHeader) -> RankLookup:
        """Its place among its own kind."""
        if document.content_type not in self.types:
            return RankLookup(is_other_kind=True)
        found = self._score_notes(question, reader)
        score = found.score_of(document.doc_key) or 0.0
        if score < MIN_RELEVANCE:
            return RankLookup(note=f"its relevance of {score:.2f} lies below the floor of {MIN_RELEVANCE}")
        return RankLookup(rank_in_scores(document, score, found.with_min_score(score).as_pairs(), reader), score)

    def _score_notes(self, question: SearchQuery, reader: OracleReader) -> ScoredDocuments:
        shelf = reader.knowledge.get_reader(self.note_store) if reader.knowledge is not None else None
        types = frozenset(filter(reader.knowledge_filter.allows_type, self.types))
        if shelf is None or not types:
            return NO_DOCUMENTS
        chosen = replace(reader.knowledge_filter, types=types)
        return _combine_scores(
            _score_by_words(question, reader, shelf, chosen), _score_by_vectors(question, reader, shelf, chosen)
        )


def _combine_scores(words: ScoredDocuments, near: ScoredDocuments) -> ScoredDocuments:
    """The relevance of what is found by either."""
    by_words = (1 - _VECTOR_WEIGHT) * words.scores / words.score_ceiling
    by_meaning = _VECTOR_WEIGHT * np.maximum(near.scores, 0.0)
    places = np.searchsorted(near.doc_keys, words.doc_keys)
    if len(near.doc_keys) and (near.doc_keys[np.minimum(places, len(near.doc_keys) - 1)] == words.doc_keys).all():
        by_meaning[places] += by_words  # as notes have vectors, this is what mostly happens
        return ScoredDocuments(near.doc_keys, np.round(by_meaning, _RELEVANCE_DIGITS))
    numbers = np.union1d(words.doc_keys, near.doc_keys)
    scores = np.zeros(len(numbers))
    scores[np.searchsorted(numbers, words.doc_keys)] += by_words
    scores[np.searchsorted(numbers, near.doc_keys)] += by_meaning
    return ScoredDocuments(numbers, np.round(scores, _RELEVANCE_DIGITS))


def _score_by_words(
    question: SearchQuery, reader: OracleReader, shelf: NoteReader, chosen: KnowledgeFilter
) -> ScoredDocuments:
    words = query_terms(question)
    return shelf.search_words(reader.bm25_query(words), chosen) if words else NO_DOCUMENTS


def _score_by_vectors(
    question: SearchQuery, reader: OracleReader, shelf: NoteReader, chosen: KnowledgeFilter
) -> ScoredDocuments:
    try:
        encoded = reader.query_vector(question)
    except ModelUnavailable:  # the semantic oracle says so; words are left
        return NO_DOCUMENTS
    return shelf.search_vectors(encoded[0].identity, encoded[1], chosen) if encoded else NO_DOCUMENTS
