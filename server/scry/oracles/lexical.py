"""Which documents hold the question's words? Reads the word index; silent when no word of the question occurs.

The raw score is BM25 over weighted fields (see store.lexical). Words that only phrase a question count for nothing
unless there are no others. A word that may be an identifier also asks for a definition of exactly that name.
"""

from __future__ import annotations

from collections.abc import Sequence

from scry.core.asked import asked_names
from scry.core.text import EXACT_NAME, content_terms
from scry.core.types import Question, Vote
from scry.oracles.oracle import DEPTH, Oracle, Reader

WEIGHT = 1.0

SCORE_DIGITS = 4
"""Scores are rounded before they are ranked: BM25 adds single precision numbers in an order that segments decide."""

_MARGIN = 56
_MOST_TERMS = 64
"""A longer question is searched by its first terms: beyond that BM25 sums noise, and time grows."""


def consult(question: Question, reader: Reader) -> tuple[Vote, ...]:
    """Votes by BM25; equal scores stand in the order of doc_id."""
    searched = searched_terms(question)
    scored = _search(searched, reader) if searched else []
    documents = reader.outlines([number for number, _ in scored])
    ranked = sorted((-score, documents[number].doc_id, number) for number, score in scored if number in documents)
    return tuple(Vote(number, rank, -score, "bm25") for rank, (score, _, number) in enumerate(ranked[:DEPTH], 1))


def searched_terms(question: Question) -> list[str]:
    """The question's terms, and for each name that it surely asks for the term of a definition so named."""
    words = content_terms(" ".join((question.words, *question.phrases)))[:_MOST_TERMS]
    names = [EXACT_NAME + key for key, sure in asked_names(question).items() if sure]
    return list(dict.fromkeys([*words, *names[:_MOST_TERMS]]))


def _search(searched: Sequence[str], reader: Reader) -> list[tuple[int, float]]:
    """Scores down to the depth, with all that equal the last one, so that no tie is cut by chance."""
    limit = DEPTH + _MARGIN
    while True:
        hits = reader.store.lexical.search([(term, 1.0) for term in searched], limit, reader.files)
        scored = [(number, round(score, SCORE_DIGITS)) for number, score in hits]
        positive = [(number, score) for number, score in scored if score > 0]
        if len(scored) < limit or scored[-1][1] < scored[DEPTH - 1][1]:
            return positive
        limit *= 4


def matches(question: Question, reader: Reader, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """For each document, the terms of the question that it holds."""
    found: dict[int, list[str]] = {number: [] for number in numbers}
    for term in content_terms(" ".join((question.words, *question.phrases)))[:_MOST_TERMS]:
        for number in reader.store.lexical.holding(term, numbers):
            found[number].append(term)
    return {number: tuple(terms) for number, terms in found.items()}


ORACLE = Oracle("lexical", "lex", "Lexical", WEIGHT, consult, matches)
