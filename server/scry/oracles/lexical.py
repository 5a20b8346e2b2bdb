"""Which documents hold the question's words? Reads the word indexes; silent when no word of the question occurs.

The raw score is BM25 over weighted fields (see store.lexical). Words that only phrase a question count for nothing unless
there are no others. A word that may be an identifier also asks for a definition of exactly that name.

Commits have word statistics of their own, and take the rank of the place where they would stand: the ranks of code and
documents are what they would be without any history.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from scry.core.asked import asked_names
from scry.core.errors import IndexUnavailable
from scry.core.text import EXACT_NAME, content_terms
from scry.core.types import Question, Vote
from scry.oracles.oracle import DEPTH, Oracle, Reader
from scry.store.history_reader import is_commit
from scry.store.lexical import LexicalIndex

WEIGHT = 1.0

SCORE_DIGITS = 4
"""Scores are rounded before they are ranked: BM25 adds single precision numbers in an order that segments decide."""

_MARGIN = 56
_MOST_TERMS = 64
"""A longer question is searched by its first terms: beyond that BM25 sums noise, and time grows."""

_Scored = list[tuple[int, float]]


def consult(question: Question, reader: Reader) -> tuple[Vote, ...]:
    """Votes by BM25; equal scores stand in the order of doc_id."""
    searched = searched_terms(question)
    if not searched:
        return ()
    ranked = _ranked(_search(searched, reader.store.lexical, reader.files), reader)
    votes = [Vote(number, rank, score, "bm25") for rank, (number, score) in enumerate(ranked[:DEPTH], 1)]
    return (*votes, *_commit_votes(searched, [score for _, score in ranked], reader))


def searched_terms(question: Question) -> list[str]:
    """The question's terms, and for each name that it surely asks for the term of a definition so named."""
    words = content_terms(" ".join((question.words, *question.phrases)))[:_MOST_TERMS]
    names = [EXACT_NAME + key for key, sure in asked_names(question).items() if sure]
    return list(dict.fromkeys([*words, *names[:_MOST_TERMS]]))


def _ranked(scored: _Scored, reader: Reader) -> _Scored:
    """Documents that are there, best first."""
    documents = reader.outlines([number for number, _ in scored])
    ranked = sorted((-score, documents[number].doc_id, number) for number, score in scored if number in documents)
    return [(number, -score) for score, _, number in ranked]


def _commit_votes(searched: Sequence[str], scores: Sequence[float], reader: Reader) -> list[Vote]:
    """Commits, each with the rank that it would have in one list with those scores (best first); above equals."""
    if reader.history is None or not reader.commits:
        return []
    try:
        ranked = _ranked(_search(searched, reader.history.words, None), reader)
    except IndexUnavailable:  # the temporal oracle reports it; code and documents are found all the same
        return []
    rising = [-score for score in scores]
    places = ((bisect_left(rising, -score) + before, number, score) for before, (number, score) in enumerate(ranked, 1))
    return [Vote(number, rank, score, "bm25") for rank, number, score in places if rank <= DEPTH]


def _search(searched: Sequence[str], index: LexicalIndex, files: Sequence[int] | None) -> _Scored:
    """Scores down to the depth, with all that equal the last one, so that no tie is cut by chance."""
    limit = DEPTH + _MARGIN
    while True:
        hits = index.search([(term, 1.0) for term in searched], limit, files)
        scored = [(number, round(score, SCORE_DIGITS)) for number, score in hits]
        positive = [(number, score) for number, score in scored if score > 0]
        if len(scored) < limit or scored[-1][1] < scored[DEPTH - 1][1]:
            return positive
        limit *= 4


def matches(question: Question, reader: Reader, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """For each document, the terms of the question that it holds."""
    found: dict[int, list[str]] = {number: [] for number in numbers}
    commits = [number for number in numbers if is_commit(number)]
    others = [number for number in numbers if not is_commit(number)]
    for term in content_terms(" ".join((question.words, *question.phrases)))[:_MOST_TERMS]:
        for number in reader.store.lexical.holding(term, others):
            found[number].append(term)
        if commits and reader.history is not None:
            for number in reader.history.words.holding(term, commits):
                found[number].append(term)
    return {number: tuple(terms) for number, terms in found.items()}


ORACLE = Oracle("lexical", "lex", "Lexical", WEIGHT, consult, matches)
