"""Which documents hold the question's words? Reads the word indexes; silent when no word of the question occurs.

The raw score is BM25 over weighted fields (see store.lexical). Words that only phrase a question count for nothing
unless there are no others. A word that may be an identifier also asks for a definition of exactly that name. What holds
too few of a question's words (`least_held`) is not found.

Commits have word statistics of their own, and knowledge is scored by those of the code; both take the rank of the place
where they would stand: the ranks of code and documents are what they would be without any history or knowledge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from scry.core.asked import searched_terms, searched_words
from scry.core.errors import IndexUnavailable
from scry.core.knowledge import is_knowledge
from scry.core.types import Outline, Question, Vote
from scry.oracles.oracle import DEPTH, WORD_DIGITS, Oracle, Reader, Standing, Yardstick, least_held, words_above
from scry.oracles.placing import least_to_vote, place_among, placed_votes, votes_for_notes
from scry.store.history_reader import is_commit
from scry.store.history_rows import COMMIT_NUMBERS
from scry.store.lexical import LexicalIndex

WEIGHT = 1.0
SCORE_TYPE = "bm25"

_Scored = list[tuple[int, float]]


def consult(question: Question, reader: Reader) -> tuple[Vote, ...]:
    """Votes by BM25; equal scores stand in the order of doc_id."""
    searched = searched_terms(question)
    if not searched:
        return ()
    ranked = _ranked(reader.best_by_words(searched, reader.store.lexical, DEPTH, reader.files), reader)
    votes = [Vote(number, rank, score, SCORE_TYPE) for rank, (number, score) in enumerate(ranked[:DEPTH], 1)]
    scores = [score for _, score in ranked]
    votes += _commit_votes(searched, scores, reader)
    if reader.knowledge is not None:
        words = reader.words(searched_words(question))
        found = reader.knowledge.by_words(words, reader.chosen).at_least(least_to_vote(scores))
        votes += votes_for_notes(found, scores, SCORE_TYPE, reader.knowledge)
    return tuple(votes)


def _ranked(scored: _Scored, reader: Reader) -> _Scored:
    """Documents that are there, best first."""
    documents = reader.outlines([number for number, _ in scored])
    ranked = sorted((-score, documents[number].doc_id, number) for number, score in scored if number in documents)
    return [(number, -score) for score, _, number in ranked]


def _commit_votes(searched: Sequence[str], scores: Sequence[float], reader: Reader) -> list[Vote]:
    """Commits among code and documents with those scores, best first."""
    if reader.history is None or not reader.commits:
        return []
    try:
        found = reader.best_by_words(searched, reader.history.words, DEPTH)
    except IndexUnavailable:  # the temporal oracle reports it; code and documents are found all the same
        return []
    return placed_votes(found, scores, SCORE_TYPE, reader)


def matches(question: Question, reader: Reader, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """For each document, the terms of the question that it holds."""
    terms = searched_words(question)
    commits = [number for number in numbers if is_commit(number)]
    known = [number for number in numbers if is_knowledge(number)]
    found = reader.store.lexical.holding(terms, [number for number in numbers if number < COMMIT_NUMBERS])
    if commits and reader.history is not None:
        found |= reader.history.words.holding(terms, commits)
    if known and reader.knowledge is not None:
        found |= reader.knowledge.holding(terms, known)
    return {number: tuple(held) for number, held in found.items()}


def stand(question: Question, reader: Reader, document: Outline) -> Standing:
    """Its place by BM25; a commit's, or that of knowledge, among code and documents."""
    searched = searched_terms(question)
    if not searched:
        return Standing(note="the question has no word to look for")
    if is_knowledge(document.number):
        return _stand_of_knowledge(question, reader, document)
    commit = is_commit(document.number)
    index = reader.history.words if commit and reader.history else reader.store.lexical
    least = least_held(searched, index, None if commit else reader.files)
    score = round(index.score(searched, document.number, least), WORD_DIGITS)
    if score <= 0:
        return Standing(note=_what_it_holds(question, index, document.number, least))
    above = words_above(searched, reader.store.lexical, score, reader.files)
    if not commit:
        return Standing(place_among(document, score, above, reader), score)
    better = reader.count([number for number, found in above if found > score])
    return Standing(better + place_among(document, score, words_above(searched, index, score), reader), score)


def _what_it_holds(question: Question, index: LexicalIndex, number: int, least: int) -> str:
    """Why a document is not found by words, for a person."""
    words = searched_words(question)
    held = index.holding(words, [number])[number]
    if not held:
        return "none of the words occurs"
    return f"{len(held)} of {len(words)} words: {', '.join(held)}; what holds fewer than {least} is not found by words"


def _stand_of_knowledge(question: Question, reader: Reader, document: Outline) -> Standing:
    words = reader.words(searched_words(question))
    found = reader.knowledge.by_words(words, reader.chosen) if reader.knowledge else None
    score = found.of(document.number) if found else None
    if found is None or score is None:
        return Standing(note="none of the words occurs")
    above = words_above(searched_terms(question), reader.store.lexical, score, reader.files)
    better = reader.count([number for number, other in above if other > score])
    return Standing(better + place_among(document, score, found.at_least(score).pairs(), reader), score)


def yardstick(question: Question, reader: Reader) -> Yardstick:
    """The question's own weight here: the sum of its terms' inverse document frequencies, as BM25 has them.

    A word is rarer in a larger project, and so scores higher there. What a document collects as a share of that weight
    says how much of the question it holds, and that compares.
    """
    index = reader.store.lexical
    counts = [index.frequency(term) for term in searched_terms(question)]
    weight = sum(math.log1p((max(index.size, count) - count + 0.5) / (count + 0.5)) for count in counts)
    return Yardstick(SCORE_TYPE, weight or 1.0)


ORACLE = Oracle("lexical", "lex", "Lexical", WEIGHT, SCORE_TYPE, consult, matches, stand, yardstick)
