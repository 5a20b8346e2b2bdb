"""Everything that an oracle may read for one query: three corpora, their word searches, and the query's vector.

A corpus is a body of documents with an index of its own: code and documents, commits, notes. Each document belongs to
one corpus, which follows from its doc_key; one query ranks the documents of all three. The ranges of doc_keys are
assigned by the stores (store.index, store.history, store.notes) and are named here only.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol

from msgspec import Struct, field

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import ALL_KNOWLEDGE, FIRST_KNOWLEDGE_KEY, KnowledgeFilter
from scry.core.text import EXACT_NAME_PREFIX, search_text, split_source_lines
from scry.core.types import Document, DocumentHeader, OracleMatch, SearchQuery
from scry.embedding.embedder import Vectors
from scry.store.bm25 import BM25_DIGITS
from scry.store.history.commits import FIRST_COMMIT_KEY
from scry.store.history.reader import HistoryReader
from scry.store.index.store import IndexStore
from scry.store.lexical import LexicalIndex
from scry.store.lexical_statistics import name_terms
from scry.store.notes.reader import NoteStores, WordQuery
from scry.store.selection import FileSelection
from scry.store.vector_sets import EmbedderInfo

if TYPE_CHECKING:
    from scry.store.events.learnt import LikenessRules, UsedPlace

RETRIEVAL_DEPTH = 200
"""Most matches that an oracle returns (F4)."""

MIN_TERM_SHARE = 0.25
"""A document matches by words if it holds a quarter of the query's terms, rounded up: two of five. A single one of many
terms occurs in most documents by accident, and is no evidence where a query is worded unlike the code
(docs/decisions.md, 74)."""

ScoredKeys = list[tuple[int, float]]
"""Documents as pairs of doc_key and score, unordered."""

RankedKeys = list[tuple[float, str, int]]
"""Documents as (negated score, doc_id, doc_key), in this order."""


class Corpus(Protocol):
    """A body of documents with an index of its own. Documents that are gone are absent from what its methods return."""

    name: ClassVar[str]

    @classmethod
    def owns(cls, doc_key: int) -> bool:
        """Return whether a document with this doc_key belongs to the corpus."""
        ...

    def headers(self, doc_keys: Sequence[int]) -> Mapping[int, DocumentHeader]:
        """Return the headers of these documents of the corpus, by doc_key."""
        ...

    def get_documents(self, doc_keys: Sequence[int], *, with_descriptions: bool = True) -> Mapping[int, Document]:
        """Return these documents of the corpus, by doc_key.

        with_descriptions: also the signatures and doc comments of documents in files.
        """
        ...

    def count_existing(self, doc_keys: Sequence[int]) -> int:
        """Return how many of these documents of the corpus exist."""
        ...

    def matched_terms(self, terms: Sequence[str], doc_keys: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """Return the terms that each of these documents of the corpus holds, in the order of `terms`."""
        ...

    def passes_filters(self, document: DocumentHeader) -> bool:
        """Return whether the query's filters leave this document of the corpus."""
        ...

    def quotable_texts(self, document: Document) -> Sequence[str]:
        """Return the texts of a document of the corpus in any of which an exact phrase may stand."""
        ...


class CodeCorpus(Struct, frozen=True):
    """The code and the documents in the project's files.

    left: the files that the query's filters leave; None for all. answered_by: files that another project answers for,
    with its name; these are not left. sought_in_best: quoted texts that not all files with their words were read for.
    """

    name: ClassVar[str] = "code"
    keys: ClassVar[range] = range(FIRST_COMMIT_KEY)

    store: IndexStore
    left: FileSelection | None = None
    answered_by: Mapping[str, str] = field(default_factory=dict[str, str])
    sought_in_best: tuple[str, ...] = ()
    _lines: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    _held: dict[tuple[str, ...], dict[int, int]] = field(default_factory=dict[tuple[str, ...], dict[int, int]])

    @classmethod
    def owns(cls, doc_key: int) -> bool:
        """Return whether a document with this doc_key stands in a file."""
        return doc_key in cls.keys

    def headers(self, doc_keys: Sequence[int]) -> dict[int, DocumentHeader]:
        """Return the headers of these documents, by doc_key."""
        return self.store.documents.headers(doc_keys)

    def get_documents(self, doc_keys: Sequence[int], *, with_descriptions: bool = True) -> dict[int, Document]:
        """Return these documents, by doc_key. with_descriptions: with signatures and doc comments."""
        return self.store.documents.get_documents(doc_keys, with_descriptions=with_descriptions)

    def doc_keys_by_id(self, doc_ids: Sequence[str]) -> Mapping[str, int]:
        """Return the doc_keys of those of these doc_ids that the filters leave."""
        return self.store.documents.doc_keys_by_id(doc_ids, self.left)

    def count_existing(self, doc_keys: Sequence[int]) -> int:
        """Return how many of these documents exist."""
        return self.store.documents.count_existing(doc_keys)

    def matched_terms(self, terms: Sequence[str], doc_keys: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """Return the terms that each of these documents holds, in the order of `terms`."""
        held = self.term_bits(terms, doc_keys)
        return name_terms(terms, {doc_key: held[doc_key] for doc_key in doc_keys})

    def term_bits(self, terms: Sequence[str], doc_keys: Sequence[int]) -> Mapping[int, int]:
        """Return for each document looked up so far, these among them, a number whose bit i is set where it holds term
        i. Each is looked up once per query.
        """
        known = self._held.setdefault(tuple(terms), {})
        if missing := [doc_key for doc_key in doc_keys if doc_key not in known]:
            known.update(self.store.lexical.term_bits(terms, missing))
        return known

    def passes_filters(self, document: DocumentHeader) -> bool:
        """Return whether the filters leave the document's file."""
        return bool(self.doc_keys_by_id([document.doc_id]))

    def quotable_texts(self, document: Document) -> Sequence[str]:
        """Return the document's lines as one text, and its doc_id."""
        if document.path not in self._lines:
            self._lines[document.path] = split_source_lines(self.store.files.get_text(document.path) or "")
        span = document.symbol.span
        return "\n".join(self._lines[document.path][span.start.line : span.end.line + 1]), document.doc_id


class CommitCorpus(Struct, frozen=True):
    """The commits of the project's history.

    history: None where there is none, or where `error` says why it can't be read. The temporal oracle reports the
    error; every other reader goes without commits. is_included: whether the query's filters leave commits.
    """

    name: ClassVar[str] = "commits"
    keys: ClassVar[range] = range(FIRST_COMMIT_KEY, FIRST_KNOWLEDGE_KEY)

    history: HistoryReader | None = None
    is_included: bool = True
    error: str = ""

    @classmethod
    def owns(cls, doc_key: int) -> bool:
        """Return whether a document with this doc_key is a commit."""
        return doc_key in cls.keys

    def headers(self, doc_keys: Sequence[int]) -> Mapping[int, DocumentHeader]:
        """Return the headers of these commits, by doc_key; none if the history can't be read."""
        try:
            return self.history.headers(doc_keys) if self.history is not None else {}
        except IndexUnavailable:
            return {}

    def get_documents(self, doc_keys: Sequence[int], *, with_descriptions: bool = True) -> Mapping[int, Document]:
        """Return these commits, by doc_key; none if the history can't be read. A commit is always described."""
        del with_descriptions
        try:
            return self.history.get_documents(doc_keys) if self.history is not None else {}
        except IndexUnavailable:
            return {}

    def count_existing(self, doc_keys: Sequence[int]) -> int:
        """Return how many of these commits exist."""
        return len(self.headers(doc_keys))

    def matched_terms(self, terms: Sequence[str], doc_keys: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """Return the terms that each of these commits holds, in the order of `terms`. Raises IndexUnavailable."""
        return self.history.lexical.matched_terms(terms, doc_keys) if self.history is not None else {}

    def passes_filters(self, document: DocumentHeader) -> bool:
        """Return whether the filters leave commits; each commit is treated alike."""
        del document
        return self.is_included

    def quotable_texts(self, document: Document) -> Sequence[str]:
        """Return the commit's subject and message as one text."""
        return (f"{document.symbol.name}\n{document.symbol.doc}",)

    def activity_levels(self, paths: Sequence[str]) -> Mapping[str, str]:
        """Return how much these files changed lately, of those that have a history."""
        try:
            return self.history.activity_levels(paths) if self.history is not None else {}
        except IndexUnavailable:
            return {}


class NoteCorpus(Struct, frozen=True):
    """Beliefs, patterns, session notes, memories and the person's notes.

    stores: the note stores that hold anything; None for none. filters: which notes the query's filters leave.
    """

    name: ClassVar[str] = "notes"
    keys: ClassVar[range] = range(FIRST_KNOWLEDGE_KEY, 2**63)

    stores: NoteStores | None = None
    filters: KnowledgeFilter = ALL_KNOWLEDGE

    @classmethod
    def owns(cls, doc_key: int) -> bool:
        """Return whether a document with this doc_key is a note."""
        return doc_key in cls.keys

    def headers(self, doc_keys: Sequence[int]) -> Mapping[int, DocumentHeader]:
        """Return the headers of these notes, by doc_key."""
        return self.stores.headers(doc_keys) if self.stores is not None else {}

    def get_documents(self, doc_keys: Sequence[int], *, with_descriptions: bool = True) -> Mapping[int, Document]:
        """Return these notes, by doc_key. A note is always described."""
        del with_descriptions
        return self.stores.get_documents(doc_keys) if self.stores is not None else {}

    def count_existing(self, doc_keys: Sequence[int]) -> int:
        """Return how many of these notes exist."""
        return len(self.headers(doc_keys))

    def matched_terms(self, terms: Sequence[str], doc_keys: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """Return the terms that each of these notes holds, in the order of `terms`."""
        return self.stores.matched_terms(terms, doc_keys) if self.stores is not None else {}

    def passes_filters(self, document: DocumentHeader) -> bool:
        """Return whether the filters leave the note's type and its domains."""
        if not self.filters.allows_type(document.content_type):
            return False
        stored = self.get_documents([document.doc_key]).get(document.doc_key)
        return self.filters.allows_domains(stored.domains if stored is not None else ())

    def quotable_texts(self, document: Document) -> Sequence[str]:
        """Return the note's title and text as one text."""
        return (f"{document.symbol.name}\n{document.symbol.doc}",)


FindUsedPlaces = Callable[[Sequence[int], "tuple[str, Vectors] | None", "LikenessRules", int], "Sequence[UsedPlace]"]
"""See `store.events.learnt.LearntUses.find_places`."""


class OracleReader(Struct, frozen=True):
    """Sources that oracles read for one query. Headers, word searches and the query's vector are read once and shared.

    encode_query: returns a text's vector by the given embedder; raises ModelUnavailable. learnt: returns what was used
    for like questions; None where nothing was learnt. Raises IndexUnavailable. repository: the name of the team's
    repository that is read; empty for a project of this machine.
    """

    code: CodeCorpus
    commits: CommitCorpus
    notes: NoteCorpus
    encode_query: Callable[[EmbedderInfo, str], Vectors]
    learnt: FindUsedPlaces | None = None
    repository: str = ""
    _headers: dict[int, DocumentHeader] = field(default_factory=dict[int, DocumentHeader])
    _vectors: dict[str, Vectors] = field(default_factory=dict[str, Vectors])
    _word_searches: dict[tuple[object, ...], ScoredKeys] = field(default_factory=dict[tuple[object, ...], ScoredKeys])
    _ranked_words: dict[tuple[object, ...], RankedKeys] = field(default_factory=dict[tuple[object, ...], RankedKeys])

    def corpus_of(self, doc_key: int) -> Corpus:
        """Return the corpus that a document with this doc_key belongs to."""
        if doc_key in NoteCorpus.keys:
            return self.notes
        return self.commits if doc_key in CommitCorpus.keys else self.code

    def by_corpus(self, doc_keys: Sequence[int]) -> list[tuple[Corpus, list[int]]]:
        """Return the corpora that own any of these doc_keys, each with its own; code and documents first."""
        if doc_keys and (corpus := self.corpus_of(min(doc_keys))) is self.corpus_of(max(doc_keys)):
            return [(corpus, list(doc_keys))]  # mostly all are of one corpus
        parts = [
            (corpus, [key for key in doc_keys if key in keys])
            for corpus, keys in (
                (self.code, CodeCorpus.keys),
                (self.commits, CommitCorpus.keys),
                (self.notes, NoteCorpus.keys),
            )
        ]
        return [(corpus, own) for corpus, own in parts if own]

    def headers(self, doc_keys: Sequence[int]) -> Mapping[int, DocumentHeader]:
        """Return the headers of all documents read so far, these among them if they exist."""
        missing = [key for key in doc_keys if key not in self._headers]
        for corpus, own in self.by_corpus(missing):
            self._headers.update(corpus.headers(own))
        return self._headers

    def get_documents(self, doc_keys: Sequence[int], *, with_descriptions: bool = True) -> Mapping[int, Document]:
        """Return those of these documents that exist. with_descriptions: with signatures and doc comments."""
        documents: dict[int, Document] = {}
        for corpus, own in self.by_corpus(doc_keys):
            documents.update(corpus.get_documents(own, with_descriptions=with_descriptions))
        return documents

    def count_existing(self, doc_keys: Sequence[int]) -> int:
        """Return how many of these documents exist."""
        return sum(corpus.count_existing(own) for corpus, own in self.by_corpus(doc_keys))

    def search_words(
        self, terms: Sequence[str], index: LexicalIndex, limit: int, left: FileSelection | None = None
    ) -> ScoredKeys:
        """Return the best `limit` documents of a word index by BM25, and all that equal the last one.

        Searched once per query for the same terms and files. limit: at most RETRIEVAL_DEPTH.
        """
        key = (id(index), tuple(terms), left is None)
        if key not in self._word_searches:
            self._word_searches[key], _ = search_with_min_terms(terms, index, RETRIEVAL_DEPTH, left)
        hits = self._word_searches[key]
        if len(hits) <= limit:
            return hits
        min_score = sorted([score for _, score in hits], reverse=True)[limit - 1]
        return [(doc_key, score) for doc_key, score in hits if score >= min_score]

    def rank_by_words(self, terms: Sequence[str], index: LexicalIndex, left: FileSelection | None = None) -> RankedKeys:
        """Return the best RETRIEVAL_DEPTH documents of a word index and all that equal the last one, sorted by score.

        Searched and sorted once per query for the same terms and files.
        """
        key = (id(index), tuple(terms), left is None)
        if key not in self._ranked_words:
            self._ranked_words[key] = self.sort_by_score(self.search_words(terms, index, RETRIEVAL_DEPTH, left))
        return self._ranked_words[key]

    def note_query(self, terms: Sequence[str]) -> WordQuery:
        """Return the word query for notes, which are scored with the term statistics of code and documents."""
        return WordQuery(terms, self.code.store.lexical, BM25_DIGITS)

    def sort_by_score(self, scored: ScoredKeys) -> RankedKeys:
        """Return the documents that exist, best first, equal scores by doc_id."""
        headers = self.headers([doc_key for doc_key, _ in scored])
        return sorted([(-score, headers[doc_key].doc_id, doc_key) for doc_key, score in scored if doc_key in headers])

    def rank_among_others(
        self, ranked: RankedKeys, other_scores: Sequence[float], score_type: str
    ) -> list[OracleMatch]:
        """Return matches for documents of one kind at the ranks where they would stand among others, best first.

        A document stands behind the others that score better and behind those of its own kind before it (by score, then
        doc_id); it moves no other. Documents that are gone, or rank below RETRIEVAL_DEPTH, are left out.
        ranked: those of one kind. other_scores: best first, as far as they can matter.
        """
        ascending = [-score for score in other_scores]
        placed = [
            (bisect_left(ascending, negated) + position, doc_key, -negated)
            for position, (negated, _, doc_key) in enumerate(ranked, 1)
        ]
        return [OracleMatch(key, rank, score, score_type) for rank, key, score in placed if rank <= RETRIEVAL_DEPTH]

    def query_vector(self, question: SearchQuery) -> tuple[EmbedderInfo, Vectors] | None:
        """Return the embedder whose vectors are searched and the query's vector by it, encoded once.

        None for a query without words, and where there are no vectors yet. Raises ModelUnavailable.
        """
        words = search_text(question)
        embedder = self.code.store.vectors.embedder if words else None
        if embedder is None:
            return None
        if embedder.identity not in self._vectors:
            self._vectors[embedder.identity] = self.encode_query(embedder, words)
        return embedder, self._vectors[embedder.identity]


def min_matching_terms(terms: Sequence[str], index: LexicalIndex, left: FileSelection | None = None) -> int:
    """Return how many of a query's terms a document must hold to match by words; see `search_with_min_terms`."""
    return search_with_min_terms(terms, index, 1, left)[1]


def search_with_min_terms(
    terms: Sequence[str], index: LexicalIndex, limit: int, left: FileSelection | None = None
) -> tuple[ScoredKeys, int]:
    """Return the best `limit` documents by BM25, unordered, and how many of the terms each had to hold.

    That is MIN_TERM_SHARE of them; terms that occur nowhere do not count. Where no document holds as many, the number
    falls until one does. A query that spells an identifier as code does is about that identifier: a single term is
    enough.
    """
    minimum = 1
    if not [term for term in terms if term.startswith(EXACT_NAME_PREFIX)]:
        known = sum([index.document_frequency(term) > 0 for term in terms])
        minimum = max(1, math.ceil(MIN_TERM_SHARE * known))
    hits = index.search(terms, limit, left, minimum)
    while minimum > 1 and not hits:
        minimum -= 1
        hits = index.search(terms, limit, left, minimum)
    return hits, minimum


def search_bm25_above(
    terms: Sequence[str], index: LexicalIndex, min_score: float, left: FileSelection | None = None
) -> ScoredKeys:
    """Return all documents that match by words and have at least this BM25, unordered.

    left: only documents of these files.
    """
    minimum = min_matching_terms(terms, index, left)
    # A document whose rank is looked up mostly stands below the depth.
    hits = index.search(terms, 4 * RETRIEVAL_DEPTH, left, minimum, min_score=min_score)
    return [(doc_key, score) for doc_key, score in hits if score >= min_score]
