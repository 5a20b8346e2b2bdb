"""What the oracles of knowledge share: notes of one shelf ranked by meaning and words (K2).

The raw score is half the cosine, if that is above 0, and half the share of the question's words that the note holds,
by BM25: from 0 to 1. Notes rank among their own kind alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scry.core.asked import searched_words
from scry.core.errors import ModelUnavailable
from scry.core.knowledge import Chosen
from scry.core.types import Outline, Question, Vote
from scry.oracles.oracle import Reader, Standing
from scry.oracles.placing import place_among, votes_for_notes
from scry.store.postings import NONE, Scored
from scry.store.shelf_reader import ShelfReader

SCORE_TYPE = "relevance"

FLOOR = 0.15
"""Below this there is no vote: notes are few, and the first of few is not for that near the question."""

_DIGITS = 6
_MEANING = 0.5


class Notes(Struct, frozen=True):
    """The notes that an oracle votes for: those of some types on one shelf."""

    shelf: str
    types: frozenset[str]

    def consult(self, question: Question, reader: Reader) -> tuple[Vote, ...]:
        """Votes by relevance; equal ones stand in the order of doc_id. Raises IndexUnavailable."""
        if reader.knowledge is None:
            return ()
        found = self._scored(question, reader).at_least(FLOOR)
        return tuple(votes_for_notes(found, (), SCORE_TYPE, reader.knowledge))

    def matches(self, question: Question, reader: Reader, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """None: the lexical oracle says which words matched."""
        del question, reader, numbers
        return {}

    def stand(self, question: Question, reader: Reader, document: Outline) -> Standing:
        """Its place among its own kind."""
        if document.content_type not in self.types:
            return Standing(is_other_kind=True)
        found = self._scored(question, reader)
        score = found.of(document.number) or 0.0
        if score < FLOOR:
            return Standing(note=f"its relevance of {score:.2f} lies below the floor of {FLOOR}")
        return Standing(place_among(document, score, found.at_least(score).pairs(), reader), score)

    def _scored(self, question: Question, reader: Reader) -> Scored:
        shelf = reader.knowledge.shelf(self.shelf) if reader.knowledge is not None else None
        types = frozenset(filter(reader.chosen.has_type, self.types))
        if shelf is None or not types:
            return NONE
        chosen = replace(reader.chosen, types=types)
        return _together(_by_words(question, reader, shelf, chosen), _by_meaning(question, reader, shelf, chosen))


def _together(words: Scored, near: Scored) -> Scored:
    """The relevance of what is found by either."""
    by_words = (1 - _MEANING) * words.scores / words.highest
    by_meaning = _MEANING * np.maximum(near.scores, 0.0)
    places = np.searchsorted(near.numbers, words.numbers)
    if len(near.numbers) and (near.numbers[np.minimum(places, len(near.numbers) - 1)] == words.numbers).all():
        by_meaning[places] += by_words  # as notes have vectors, this is what mostly happens
        return Scored(near.numbers, np.round(by_meaning, _DIGITS))
    numbers = np.union1d(words.numbers, near.numbers)
    scores = np.zeros(len(numbers))
    scores[np.searchsorted(numbers, words.numbers)] += by_words
    scores[np.searchsorted(numbers, near.numbers)] += by_meaning
    return Scored(numbers, np.round(scores, _DIGITS))


def _by_words(question: Question, reader: Reader, shelf: ShelfReader, chosen: Chosen) -> Scored:
    words = searched_words(question)
    return shelf.by_words(reader.words(words), chosen) if words else NONE


def _by_meaning(question: Question, reader: Reader, shelf: ShelfReader, chosen: Chosen) -> Scored:
    try:
        encoded = reader.question_vector(question)
    except ModelUnavailable:  # the semantic oracle says so; words are left
        return NONE
    return shelf.by_meaning(encoded[0].identity, encoded[1], chosen) if encoded else NONE
