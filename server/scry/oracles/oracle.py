"""The shape of an oracle, what it may read for a query, and how it ranks what it finds.

The shape of an oracle: one source of ranked evidence, that knows no other.

Where a document stands in a list of scores, be it of its kind or among others.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import TypeVar

import numpy as np
from msgspec import Struct, field

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import ALL_KNOWLEDGE, KnowledgeFilter, is_knowledge
from scry.core.text import EXACT_NAME_PREFIX
from scry.core.types import Document, DocumentHeader, OracleMatch, SearchQuery
from scry.embedding.embedder import Vectors
from scry.store.history.commits import FIRST_COMMIT_KEY, is_commit_key
from scry.store.history.reader import HistoryReader
from scry.store.index.store import IndexStore
from scry.store.lexical import LexicalIndex
from scry.store.notes.postings import ScoredDocuments
from scry.store.notes.reader import NoteStores, WordQuery
from scry.store.vector_sets import EmbedderInfo

RETRIEVAL_DEPTH = 200
"""How many votes an oracle casts at most (F4)."""


MIN_TERM_SHARE = 0.25
"""A document is found by words if it holds a quarter of them, rounded up: two of five. One of many is in most documents
by accident, and points anywhere where a question is in other words than the code (docs/decisions.md, 74)."""

BM25_DIGITS = 4
"""BM25 is rounded before it ranks: it adds single precision numbers in an order that segments decide."""

_TIE_MARGIN = 56

T = TypeVar("T")

_SearchKey = tuple[int, tuple[str, ...], "tuple[int, ...] | None"]
"""An index by its identity, the terms, and the files that the filters leave."""


class OracleReader(Struct, frozen=True):
    """What an oracle may read for one question.

    files: ids of the files that the filters leave; None for all. encode: a question's vector by the embedder of that
    identity; raises ModelUnavailable. history: None where there is none, or where it can't be read, and then `trouble`
    says why. commits: whether the filters leave commits. knowledge: None where there is none; chosen: which of it the
    filters leave.
    """

    store: IndexStore
    file_ids: tuple[int, ...] | None
    encode_query: Callable[[EmbedderInfo, str], Vectors]
    history: HistoryReader | None = None
    includes_commits: bool = True
    history_error: str = ""
    knowledge: NoteStores | None = None
    knowledge_filter: KnowledgeFilter = ALL_KNOWLEDGE
    _headers: dict[int, DocumentHeader] = field(default_factory=dict[int, DocumentHeader])
    _vectors: dict[str, Vectors] = field(default_factory=dict[str, Vectors])
    _word_searches: dict[_SearchKey, list[tuple[int, float]]] = field(
        default_factory=dict["_SearchKey", list[tuple[int, float]]]
    )

    def headers(self, doc_keys: Sequence[int]) -> Mapping[int, DocumentHeader]:
        """What ranking reads of these documents, of those that are there; each is read once a question."""
        known = self._headers
        missing = [number for number in doc_keys if number not in known]
        if missing:
            code = [number for number in missing if number < FIRST_COMMIT_KEY]
            known.update(self.store.documents.headers(code))
            if len(code) < len(missing):
                known.update(self._read_commits(lambda history, commits: history.headers(commits), missing))
                known.update(self._read_knowledge(lambda shelves, noted: shelves.headers(noted), missing))
        return known

    def get_documents(self, doc_keys: Sequence[int], *, with_descriptions: bool = True) -> Mapping[int, Document]:
        """These documents, of those that are there. described: what is of files with signature and doc comment."""
        found = self.store.documents.get_documents(
            [number for number in doc_keys if number < FIRST_COMMIT_KEY], with_descriptions=with_descriptions
        )
        found |= self._read_commits(lambda history, commits: history.get_documents(commits), doc_keys)
        return found | self._read_knowledge(lambda shelves, known: shelves.get_documents(known), doc_keys)

    def count_existing(self, doc_keys: Sequence[int]) -> int:
        """How many of these documents are there."""
        commits = [number for number in doc_keys if is_commit_key(number)]
        held = self._read_commits(lambda history, asked: history.headers(asked), commits)
        known = self._read_knowledge(lambda shelves, asked: shelves.headers(asked), doc_keys)
        return (
            self.store.documents.count_existing([number for number in doc_keys if number < FIRST_COMMIT_KEY])
            + len(held)
            + len(known)
        )

    def doc_keys_by_id(self, doc_ids: Sequence[str]) -> Mapping[str, int]:
        """The numbers of documents in files that the filters leave, by doc_id."""
        return self.store.documents.doc_keys_by_id(doc_ids, self.file_ids)

    def search_words(
        self, terms: Sequence[str], index: LexicalIndex, limit: int, file_ids: tuple[int, ...] | None = None
    ) -> list[tuple[int, float]]:
        """The best `count` documents of an index by BM25, with all that equal the last one: see `search_words`.

        count: at most DEPTH. Each index is searched once a question, whoever asks first.
        """
        key = (id(index), tuple(terms), file_ids)
        if key not in self._word_searches:
            self._word_searches[key] = search_bm25(terms, index, RETRIEVAL_DEPTH, file_ids)
        hits = self._word_searches[key]
        if len(hits) <= limit:
            return hits
        least = sorted((score for _, score in hits), reverse=True)[limit - 1]
        return [(number, score) for number, score in hits if score >= least]

    def bm25_query(self, terms: Sequence[str]) -> WordQuery:
        """What knowledge is searched with by words."""
        return WordQuery(terms, self.store.lexical, BM25_DIGITS)

    def query_vector(self, question: SearchQuery) -> tuple[EmbedderInfo, Vectors] | None:
        """The question by the embedder whose vectors answer, whatever the settings ask for; encoded once.

        None for a question without words, and where there are no vectors yet. Raises ModelUnavailable.
        """
        words = " ".join((question.words, *question.phrases))
        maker = self.store.vectors.embedder if words else None
        if maker is None:
            return None
        if maker.identity not in self._vectors:
            self._vectors[maker.identity] = self.encode_query(maker, words)
        return maker, self._vectors[maker.identity]

    def activity_levels(self, paths: Sequence[str]) -> Mapping[str, str]:
        """How much these files changed of late, of those that have a history."""
        try:
            return self.history.activity_levels(paths) if self.history is not None else {}
        except IndexUnavailable:
            return {}

    def _read_commits(
        self, read: Callable[[HistoryReader, Sequence[int]], dict[int, T]], doc_keys: Sequence[int]
    ) -> dict[int, T]:
        """What is read of those that are commits. That they can't be read is for the temporal oracle to say."""
        commits = [number for number in doc_keys if is_commit_key(number)]
        try:
            return read(self.history, commits) if self.history is not None and commits else {}
        except IndexUnavailable:
            return {}

    def _read_knowledge(
        self, read: Callable[[NoteStores, Sequence[int]], dict[int, T]], doc_keys: Sequence[int]
    ) -> dict[int, T]:
        if self.knowledge is None:
            return {}
        known = [number for number in doc_keys if is_knowledge(number)]
        return read(self.knowledge, known) if known else {}


def min_matching_terms(terms: Sequence[str], index: LexicalIndex, file_ids: Sequence[int] | None = None) -> int:
    """How many of a question's terms a document has to hold to be found by words.

    Those of its words that occur nowhere say nothing of any document. Where no document holds so many, what holds most
    is found. A question that names something as code spells it is about that, whatever else it says.
    """
    if any(term.startswith(EXACT_NAME_PREFIX) for term in terms):
        return 1
    least = max(1, math.ceil(MIN_TERM_SHARE * sum(index.document_frequency(term) > 0 for term in terms)))
    while least > 1 and not index.search(terms, 1, file_ids, least):
        least -= 1
    return least


def search_bm25(
    terms: Sequence[str], index: LexicalIndex, count: int, file_ids: Sequence[int] | None = None
) -> list[tuple[int, float]]:
    """The best `count` documents by BM25, with all that equal the last one, so that no tie is cut by chance.

    Returns number and rounded score, unordered. files: only documents of these files.
    """
    limit, least = count + _TIE_MARGIN, min_matching_terms(terms, index, file_ids)
    while True:
        hits = index.search(terms, limit, file_ids, least)
        scored = [(number, round(score, BM25_DIGITS)) for number, score in hits]
        if len(scored) < limit or scored[-1][1] < scored[count - 1][1]:
            return [(number, score) for number, score in scored if score > 0]
        limit *= 4


def search_bm25_above(
    terms: Sequence[str], index: LexicalIndex, min_score: float, file_ids: Sequence[int] | None = None
) -> list[tuple[int, float]]:
    """All documents of at least this rounded BM25, unordered; as `search_words` otherwise."""
    limit = 4 * (_TIE_MARGIN + RETRIEVAL_DEPTH)  # who asks has mostly had no vote: it stands below the depth
    least = min_matching_terms(terms, index, file_ids)
    while True:
        hits = index.search(terms, limit, file_ids, least)
        scored = [(number, round(found, BM25_DIGITS)) for number, found in hits]
        if len(scored) < limit or scored[-1][1] < min_score:
            return [(number, found) for number, found in scored if found >= min_score]
        limit *= 4


class RankLookup(Struct, frozen=True):
    """Where one document stands with one oracle, however low.

    rank: its 1-based place; None without a match. raw_score: as in a vote; None without a match. note: why nothing
    matches, in words for a person. is_other_kind: the oracle votes for documents of another kind alone.
    """

    rank: int | None = None
    raw_score: float | None = None
    note: str = ""
    is_other_kind: bool = False


class ScoreScale(Struct, frozen=True):
    """What raw scores are measured by, so that those of two projects compare: scores / unit, where `kind` is equal."""

    kind: str
    unit: float = 1.0


def _no_score_scale(_question: SearchQuery, _reader: OracleReader) -> ScoreScale | None:
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
    abbreviation: str
    title: str
    weight: float
    score_type: str
    consult: Callable[[SearchQuery, OracleReader], tuple[OracleMatch, ...]]
    matched_terms: Callable[[SearchQuery, OracleReader, Sequence[int]], Mapping[int, tuple[str, ...]]]
    lookup_rank: Callable[[SearchQuery, OracleReader, DocumentHeader], RankLookup]
    score_scale: Callable[[SearchQuery, OracleReader], ScoreScale | None] = _no_score_scale


DocScores = list[tuple[int, float]]
"""Documents by number with their scores, unordered."""


def min_score_in_depth(scores: Sequence[float]) -> float:
    """What a document has to score to be voted for among others of these scores, best first: what scores less stands
    behind more of them than an oracle votes for.
    """
    return scores[RETRIEVAL_DEPTH - 1] if len(scores) >= RETRIEVAL_DEPTH else 0.0


def rank_among_others(
    scored: DocScores, other_scores: Sequence[float], score_type: str, reader: OracleReader
) -> list[OracleMatch]:
    """Votes for documents that stand in a list of others, without moving them: best first, as deep as votes go.

    A document's rank is that of the place where it would stand: behind the others that score better, and behind those
    of its own kind that stand before it (by score, then doc_id). found: its kind; what is no more is passed over.
    among: the others' scores, best first, of all that can matter.
    """
    outlines = reader.headers([number for number, _ in scored])
    ranked = sorted((-score, outlines[number].doc_id, number) for number, score in scored if number in outlines)
    rising = [-score for score in other_scores]
    places = (
        (bisect_left(rising, score) + place, number, -score) for place, (score, _, number) in enumerate(ranked, 1)
    )
    return [OracleMatch(number, rank, score, score_type) for rank, number, score in places if rank <= RETRIEVAL_DEPTH]


def rank_notes_among_others(
    found: ScoredDocuments, other_scores: Sequence[float], score_type: str, knowledge: NoteStores
) -> list[OracleMatch]:
    """The same for knowledge, of which there may be ten thousand that hold a word of the question."""
    best = found.top(RETRIEVAL_DEPTH)
    names = knowledge.doc_id_order(best.doc_keys)
    order = np.lexsort((names, -best.scores))
    order = order[names[order] >= 0]
    numbers, scores = best.doc_keys[order], best.scores[order]
    ranks = np.searchsorted(-np.array(other_scores), -scores) + np.arange(1, len(scores) + 1)
    last = int(np.searchsorted(ranks, RETRIEVAL_DEPTH, "right"))
    columns = (numbers[:last].tolist(), ranks[:last].tolist(), scores[:last].tolist())
    return list(map(OracleMatch, *columns, repeat(score_type)))


def rank_in_scores(
    document: DocumentHeader, score: float, scored: Sequence[tuple[int, float]], reader: OracleReader
) -> int:
    """The place that a document takes in a list of (number, score): above lower ones, equal ones by doc_id."""
    equal = [number for number, found in scored if found == score]
    outlines = reader.headers(equal)
    before = sum(outlines[number].doc_id < document.doc_id for number in equal if number in outlines)
    return reader.count_existing([number for number, found in scored if found > score]) + before + 1
