"""Retrieve the documents that hold the words of a query, by BM25.

Which documents hold the question's words? Reads the word indexes; silent when no word of the question occurs.

The raw score is BM25 over weighted fields (see store.lexical). Words that only phrase a question count for nothing
unless there are no others. A word that may be an identifier also asks for a definition of exactly that name. What holds
too few of a question's words (`least_held`) is not found.

Commits have word statistics of their own, and knowledge is scored by those of the code; both take the rank of the place
where they would stand: the ranks of code and documents are what they would be without any history or knowledge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import is_knowledge
from scry.core.text import expand_query_terms, query_terms
from scry.core.types import DocumentHeader, OracleMatch, SearchQuery
from scry.oracles.oracle import (
    BM25_DIGITS,
    RETRIEVAL_DEPTH,
    Oracle,
    OracleReader,
    RankLookup,
    ScoreScale,
    min_matching_terms,
    min_score_in_depth,
    rank_among_others,
    rank_in_scores,
    rank_notes_among_others,
    search_bm25_above,
)
from scry.store.history.commits import FIRST_COMMIT_KEY, is_commit_key
from scry.store.lexical import LexicalIndex

WEIGHT = 1.0
SCORE_TYPE = "bm25"

_DocScores = list[tuple[int, float]]


def consult(question: SearchQuery, reader: OracleReader) -> tuple[OracleMatch, ...]:
    """Votes by BM25; equal scores stand in the order of doc_id."""
    searched = expand_query_terms(question)
    if not searched:
        return ()
    ranked = _rank_documents(
        reader.search_words(searched, reader.store.lexical, RETRIEVAL_DEPTH, reader.file_ids), reader
    )
    votes = [
        OracleMatch(number, rank, score, SCORE_TYPE) for rank, (number, score) in enumerate(ranked[:RETRIEVAL_DEPTH], 1)
    ]
    scores = [score for _, score in ranked]
    votes += _retrieve_commits(searched, scores, reader)
    if reader.knowledge is not None:
        words = reader.bm25_query(query_terms(question))
        found = reader.knowledge.search_words(words, reader.knowledge_filter).with_min_score(min_score_in_depth(scores))
        votes += rank_notes_among_others(found, scores, SCORE_TYPE, reader.knowledge)
    return tuple(votes)


def _rank_documents(scored: _DocScores, reader: OracleReader) -> _DocScores:
    """Documents that are there, best first."""
    documents = reader.headers([number for number, _ in scored])
    ranked = sorted((-score, documents[number].doc_id, number) for number, score in scored if number in documents)
    return [(number, -score) for score, _, number in ranked]


def _retrieve_commits(searched: Sequence[str], scores: Sequence[float], reader: OracleReader) -> list[OracleMatch]:
    """Commits among code and documents with those scores, best first."""
    if reader.history is None or not reader.includes_commits:
        return []
    try:
        found = reader.search_words(searched, reader.history.lexical, RETRIEVAL_DEPTH)
    except IndexUnavailable:  # the temporal oracle reports it; code and documents are found all the same
        return []
    return rank_among_others(found, scores, SCORE_TYPE, reader)


def matched_terms(question: SearchQuery, reader: OracleReader, doc_keys: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """For each document, the terms of the question that it holds."""
    terms = query_terms(question)
    commits = [number for number in doc_keys if is_commit_key(number)]
    known = [number for number in doc_keys if is_knowledge(number)]
    found = reader.store.lexical.matched_terms(terms, [number for number in doc_keys if number < FIRST_COMMIT_KEY])
    if commits and reader.history is not None:
        found |= reader.history.lexical.matched_terms(terms, commits)
    if known and reader.knowledge is not None:
        found |= reader.knowledge.matched_terms(terms, known)
    return {number: tuple(held) for number, held in found.items()}


def lookup_rank(question: SearchQuery, reader: OracleReader, document: DocumentHeader) -> RankLookup:
    """Its place by BM25; a commit's, or that of knowledge, among code and documents."""
    searched = expand_query_terms(question)
    if not searched:
        return RankLookup(note="the question has no word to look for")
    if is_knowledge(document.doc_key):
        return _lookup_knowledge_rank(question, reader, document)
    commit = is_commit_key(document.doc_key)
    index = reader.history.lexical if commit and reader.history else reader.store.lexical
    least = min_matching_terms(searched, index, None if commit else reader.file_ids)
    score = round(index.score_document(searched, document.doc_key, least), BM25_DIGITS)
    if score <= 0:
        return RankLookup(note=_explain_no_match(question, index, document.doc_key, least))
    above = search_bm25_above(searched, reader.store.lexical, score, reader.file_ids)
    if not commit:
        return RankLookup(rank_in_scores(document, score, above, reader), score)
    better = reader.count_existing([number for number, found in above if found > score])
    return RankLookup(
        better + rank_in_scores(document, score, search_bm25_above(searched, index, score), reader), score
    )


def _explain_no_match(question: SearchQuery, index: LexicalIndex, number: int, least: int) -> str:
    """Why a document is not found by words, for a person."""
    words = query_terms(question)
    held = index.matched_terms(words, [number])[number]
    if not held:
        return "none of the words occurs"
    return f"{len(held)} of {len(words)} words: {', '.join(held)}; what holds fewer than {least} is not found by words"


def _lookup_knowledge_rank(question: SearchQuery, reader: OracleReader, document: DocumentHeader) -> RankLookup:
    words = reader.bm25_query(query_terms(question))
    found = reader.knowledge.search_words(words, reader.knowledge_filter) if reader.knowledge else None
    score = found.score_of(document.doc_key) if found else None
    if found is None or score is None:
        return RankLookup(note="none of the words occurs")
    above = search_bm25_above(expand_query_terms(question), reader.store.lexical, score, reader.file_ids)
    better = reader.count_existing([number for number, other in above if other > score])
    return RankLookup(better + rank_in_scores(document, score, found.with_min_score(score).as_pairs(), reader), score)


def score_scale(question: SearchQuery, reader: OracleReader) -> ScoreScale:
    """The question's own weight here: the sum of its terms' inverse document frequencies, as BM25 has them.

    A word is rarer in a larger project, and so scores higher there. What a document collects as a share of that weight
    says how much of the question it holds, and that compares.
    """
    index = reader.store.lexical
    counts = [index.document_frequency(term) for term in expand_query_terms(question)]
    weight = sum(math.log1p((max(index.document_count, count) - count + 0.5) / (count + 0.5)) for count in counts)
    return ScoreScale(SCORE_TYPE, weight or 1.0)


ORACLE = Oracle("lexical", "lex", "Lexical", WEIGHT, SCORE_TYPE, consult, matched_terms, lookup_rank, score_scale)
