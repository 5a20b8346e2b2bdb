"""The shape of an oracle: one source of ranked evidence, that knows no other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct, field

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import ALL, Chosen, is_knowledge
from scry.core.text import EXACT_NAME
from scry.core.types import Document, Outline, Question, Vote
from scry.embedding.embedder import Vectors
from scry.store.history_reader import HistoryReader, is_commit
from scry.store.history_rows import COMMIT_NUMBERS
from scry.store.index_store import IndexStore
from scry.store.lexical import LexicalIndex
from scry.store.shelf_reader import Words
from scry.store.shelves import Shelves
from scry.store.vector_sets import Maker

DEPTH = 200
"""How many votes an oracle casts at most (F4)."""


LEAST_SHARE = 0.25
"""A document is found by words if it holds a quarter of them, rounded up: two of five. One of many is in most documents
by accident, and points anywhere where a question is in other words than the code (docs/decisions.md, 74)."""

WORD_DIGITS = 4
"""BM25 is rounded before it ranks: it adds single precision numbers in an order that segments decide."""

_MARGIN = 56

T = TypeVar("T")

_Search = tuple[int, tuple[str, ...], "tuple[int, ...] | None"]
"""An index by its identity, the terms, and the files that the filters leave."""


class Reader(Struct, frozen=True):
    """What an oracle may read for one question.

    files: ids of the files that the filters leave; None for all. encode: a question's vector by the embedder of that
    identity; raises ModelUnavailable. history: None where there is none, or where it can't be read, and then `trouble`
    says why. commits: whether the filters leave commits. knowledge: None where there is none; chosen: which of it the
    filters leave.
    """

    store: IndexStore
    files: tuple[int, ...] | None
    encode: Callable[[Maker, str], Vectors]
    history: HistoryReader | None = None
    commits: bool = True
    trouble: str = ""
    knowledge: Shelves | None = None
    chosen: Chosen = ALL
    _outlines: dict[int, Outline] = field(default_factory=dict[int, Outline])
    _vectors: dict[str, Vectors] = field(default_factory=dict[str, Vectors])
    _words: dict[_Search, list[tuple[int, float]]] = field(default_factory=dict["_Search", list[tuple[int, float]]])

    def outlines(self, numbers: Sequence[int]) -> Mapping[int, Outline]:
        """What ranking reads of these documents, of those that are there; each is read once a question."""
        known = self._outlines
        missing = [number for number in numbers if number not in known]
        if missing:
            code = [number for number in missing if number < COMMIT_NUMBERS]
            known.update(self.store.outlines(code))
            if len(code) < len(missing):
                known.update(self._of_commits(lambda history, commits: history.outlines(commits), missing))
                known.update(self._of_knowledge(lambda shelves, noted: shelves.outlines(noted), missing))
        return known

    def documents(self, numbers: Sequence[int], *, described: bool = True) -> Mapping[int, Document]:
        """These documents, of those that are there. described: what is of files with signature and doc comment."""
        found = self.store.documents([number for number in numbers if number < COMMIT_NUMBERS], described=described)
        found |= self._of_commits(lambda history, commits: history.documents(commits), numbers)
        return found | self._of_knowledge(lambda shelves, known: shelves.documents(known), numbers)

    def count(self, numbers: Sequence[int]) -> int:
        """How many of these documents are there."""
        commits = [number for number in numbers if is_commit(number)]
        held = self._of_commits(lambda history, asked: history.outlines(asked), commits)
        known = self._of_knowledge(lambda shelves, asked: shelves.outlines(asked), numbers)
        return self.store.count([number for number in numbers if number < COMMIT_NUMBERS]) + len(held) + len(known)

    def numbers_of(self, doc_ids: Sequence[str]) -> Mapping[str, int]:
        """The numbers of documents in files that the filters leave, by doc_id."""
        return self.store.numbers_named(doc_ids, self.files)

    def best_by_words(
        self, terms: Sequence[str], index: LexicalIndex, count: int, files: tuple[int, ...] | None = None
    ) -> list[tuple[int, float]]:
        """The best `count` documents of an index by BM25, with all that equal the last one: see `search_words`.

        count: at most DEPTH. Each index is searched once a question, whoever asks first.
        """
        key = (id(index), tuple(terms), files)
        if key not in self._words:
            self._words[key] = search_words(terms, index, DEPTH, files)
        hits = self._words[key]
        if len(hits) <= count:
            return hits
        least = sorted((score for _, score in hits), reverse=True)[count - 1]
        return [(number, score) for number, score in hits if score >= least]

    def words(self, terms: Sequence[str]) -> Words:
        """What knowledge is searched with by words."""
        return Words(terms, self.store.lexical, WORD_DIGITS)

    def question_vector(self, question: Question) -> tuple[Maker, Vectors] | None:
        """The question by the embedder whose vectors answer, whatever the settings ask for; encoded once.

        None for a question without words, and where there are no vectors yet. Raises ModelUnavailable.
        """
        words = " ".join((question.words, *question.phrases))
        maker = self.store.embedder if words else None
        if maker is None:
            return None
        if maker.identity not in self._vectors:
            self._vectors[maker.identity] = self.encode(maker, words)
        return maker, self._vectors[maker.identity]

    def activity(self, paths: Sequence[str]) -> Mapping[str, str]:
        """How much these files changed of late, of those that have a history."""
        try:
            return self.history.activity(paths) if self.history is not None else {}
        except IndexUnavailable:
            return {}

    def _of_commits(
        self, read: Callable[[HistoryReader, Sequence[int]], dict[int, T]], numbers: Sequence[int]
    ) -> dict[int, T]:
        """What is read of those that are commits. That they can't be read is for the temporal oracle to say."""
        commits = [number for number in numbers if is_commit(number)]
        try:
            return read(self.history, commits) if self.history is not None and commits else {}
        except IndexUnavailable:
            return {}

    def _of_knowledge(
        self, read: Callable[[Shelves, Sequence[int]], dict[int, T]], numbers: Sequence[int]
    ) -> dict[int, T]:
        if self.knowledge is None:
            return {}
        known = [number for number in numbers if is_knowledge(number)]
        return read(self.knowledge, known) if known else {}


def least_held(terms: Sequence[str], index: LexicalIndex, files: Sequence[int] | None = None) -> int:
    """How many of a question's terms a document has to hold to be found by words.

    Those of its words that occur nowhere say nothing of any document. Where no document holds so many, what holds most
    is found. A question that names something as code spells it is about that, whatever else it says.
    """
    if any(term.startswith(EXACT_NAME) for term in terms):
        return 1
    least = max(1, math.ceil(LEAST_SHARE * sum(index.frequency(term) > 0 for term in terms)))
    while least > 1 and not index.search(terms, 1, files, least):
        least -= 1
    return least


def search_words(
    terms: Sequence[str], index: LexicalIndex, count: int, files: Sequence[int] | None = None
) -> list[tuple[int, float]]:
    """The best `count` documents by BM25, with all that equal the last one, so that no tie is cut by chance.

    Returns number and rounded score, unordered. files: only documents of these files.
    """
    limit, least = count + _MARGIN, least_held(terms, index, files)
    while True:
        hits = index.search(terms, limit, files, least)
        scored = [(number, round(score, WORD_DIGITS)) for number, score in hits]
        if len(scored) < limit or scored[-1][1] < scored[count - 1][1]:
            return [(number, score) for number, score in scored if score > 0]
        limit *= 4


def words_above(
    terms: Sequence[str], index: LexicalIndex, score: float, files: Sequence[int] | None = None
) -> list[tuple[int, float]]:
    """All documents of at least this rounded BM25, unordered; as `search_words` otherwise."""
    limit = 4 * (_MARGIN + DEPTH)  # who asks has mostly had no vote: it stands below the depth
    least = least_held(terms, index, files)
    while True:
        hits = index.search(terms, limit, files, least)
        scored = [(number, round(found, WORD_DIGITS)) for number, found in hits]
        if len(scored) < limit or scored[-1][1] < score:
            return [(number, found) for number, found in scored if found >= score]
        limit *= 4


class Standing(Struct, frozen=True):
    """Where one document stands with one oracle, however low.

    rank: its 1-based place; None without a match. raw_score: as in a vote; None without a match. note: why nothing
    matches, in words for a person. is_other_kind: the oracle votes for documents of another kind alone.
    """

    rank: int | None = None
    raw_score: float | None = None
    note: str = ""
    is_other_kind: bool = False


class Yardstick(Struct, frozen=True):
    """What raw scores are measured by, so that those of two projects compare: scores / unit, where `kind` is equal."""

    kind: str
    unit: float = 1.0


def _no_yardstick(_question: Question, _reader: Reader) -> Yardstick | None:
    """Scores of two projects say nothing of each other; their ranks do."""
    return None


class Oracle(Struct, frozen=True):
    """name: on the wire. short: in a line of text. title: in an explanation. weight: its base weight in fusion.

    score_type: the unit of its raw scores. consult answers a question with votes, best first; finding nothing is no
    error. matches says for a few documents, by number, which terms of the question truly matched there. stand says
    where a document stands that got no vote, by the same scores. yardstick says how its scores in one project compare
    with those in another; None where only ranks do.
    """

    name: str
    short: str
    title: str
    weight: float
    score_type: str
    consult: Callable[[Question, Reader], tuple[Vote, ...]]
    matches: Callable[[Question, Reader, Sequence[int]], Mapping[int, tuple[str, ...]]]
    stand: Callable[[Question, Reader, Outline], Standing]
    yardstick: Callable[[Question, Reader], Yardstick | None] = _no_yardstick
