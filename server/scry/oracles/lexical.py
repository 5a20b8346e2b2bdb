"""Retrieve the documents that hold the words of a query, by BM25.

Reads the word indexes of code and documents, commits and notes; silent where no word of the query occurs.

The raw score is BM25 over weighted fields (see store.lexical). Stop words count only where a query has no others. A
word that may be an identifier also searches for a definition of exactly that name. A document that holds too few of the
query's words (`min_matching_terms`) does not match.

Commits have term statistics of their own; notes are scored with those of code and documents.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from scry.core.errors import IndexUnavailable
from scry.core.text import expand_query_terms, query_terms
from scry.core.types import Candidate, DocumentHeader, OracleMatch, SearchQuery
from scry.oracles.oracle import (
    Oracle,
    RankLookup,
    ScoreScale,
    count_better,
    min_score_in_depth,
    rank_in_scores,
    rank_notes_among_others,
)
from scry.oracles.reader import (
    RETRIEVAL_DEPTH,
    CodeCorpus,
    OracleReader,
    min_matching_terms,
    search_bm25_above,
)
from scry.store.lexical import STEM_MARK, LexicalIndex
from scry.store.notes.reader import NoteStores

WEIGHT = 1.0
SCORE_TYPE = "bm25"


def consult(question: SearchQuery, reader: OracleReader) -> tuple[OracleMatch, ...]:
    """Return matches by BM25, equal scores in the order of doc_id."""
    terms = expand_query_terms(question)
    if not terms:
        return ()
    ranked = reader.rank_by_words(terms, reader.code.store.lexical, reader.code.left)
    matches = [
        OracleMatch(doc_key, rank, -negated, SCORE_TYPE)
        for rank, (negated, _, doc_key) in enumerate(ranked[:RETRIEVAL_DEPTH], 1)
    ]
    scores = [-negated for negated, _, _ in ranked]
    if reader.commits.history is not None and reader.commits.is_included:
        try:
            commits = reader.rank_by_words(terms, reader.commits.history.lexical)
            matches += reader.rank_among_others(commits, scores, SCORE_TYPE)
        except IndexUnavailable:  # the temporal oracle reports it; code and documents are found all the same
            pass
    if reader.notes.stores is not None:
        matches += _match_notes(question, scores, reader, reader.notes.stores)
    return tuple(matches)


def _match_notes(
    question: SearchQuery, scores: Sequence[float], reader: OracleReader, stores: NoteStores
) -> list[OracleMatch]:
    """Return notes ranked among code and documents. scores: of code and documents, best first."""
    scored = stores.search_words(reader.note_query(query_terms(question)), reader.notes.filters)
    return rank_notes_among_others(scored.with_min_score(min_score_in_depth(scores)), scores, SCORE_TYPE, stores)


def matched_terms(question: SearchQuery, reader: OracleReader, doc_keys: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return the terms of the query that each of these documents holds, by doc_key."""
    terms = query_terms(question)
    found = {
        doc_key: tuple(matched)
        for corpus, own in reader.by_corpus(doc_keys)
        for doc_key, matched in corpus.matched_terms(terms, own).items()
    }
    if question.prefix:
        beginning = prefix_terms(question.prefix, reader.code.store.lexical)
        own = [doc_key for doc_key in doc_keys if CodeCorpus.owns(doc_key)]
        for doc_key, matched in reader.code.matched_terms(beginning, own).items():
            if matched and question.prefix not in found[doc_key]:
                found[doc_key] = (*found[doc_key], f"{question.prefix}…")
    return found


_MAX_LOOKED_UP = 5
"""Candidates of a file whose words are looked up, those of the best BM25: others add hardly any word to theirs."""


class WordsOfFiles:
    """The shares of the query's words and identifiers that the candidates of each file hold, looked up when needed.

    words, identifiers: by path, of the files that were looked up and hold any.
    """

    def __init__(
        self,
        question: SearchQuery,
        reader: OracleReader,
        candidates: Sequence[Candidate],
        weights: Mapping[str, float],
    ) -> None:
        """weights: inverse document frequencies of the query's words, by which they count. An identifier that occurs
        nowhere does not count.
        """
        index = reader.code.store.lexical
        self.words: dict[str, float] = {}
        self.identifiers: dict[str, float] = {}
        self._code = reader.code
        self._terms = query_terms(question)
        self._weights = weights
        self._names = {
            name: index.inverse_document_frequency(index.stem(name))
            for name in question.identifiers
            if index.document_frequency(name)
        }
        self._candidates: dict[str, list[Candidate]] = defaultdict(list)
        for each in candidates:
            self._candidates[each.document.path].append(each)
        self._candidates.pop("", None)

    def look_up(self, paths: Iterable[str]) -> None:
        """Look up those of these files that were not."""
        paths_by_key: dict[int, str] = {}
        for path in paths:
            candidates = self._candidates.pop(path, ())
            if len(candidates) > _MAX_LOOKED_UP:
                candidates = sorted(candidates, key=_order_by_bm25)[:_MAX_LOOKED_UP]
            for each in candidates:
                paths_by_key[each.document.doc_key] = path
        if paths_by_key and self._weights:
            self.words.update(self._shares_held(self._terms, self._weights, paths_by_key))
        if paths_by_key and self._names:
            self.identifiers.update(self._shares_held(list(self._names), self._names, paths_by_key))

    def _shares_held(
        self, terms: Sequence[str], weights: Mapping[str, float], paths_by_key: Mapping[int, str]
    ) -> Iterator[tuple[str, float]]:
        bits, held = self._code.term_bits(terms, list(paths_by_key)), dict[str, int]()
        for doc_key, path in paths_by_key.items():
            held[path] = held.get(path, 0) | bits[doc_key]
        numbered, total = [(1 << bit, weights.get(term, 0.0)) for bit, term in enumerate(terms)], sum(weights.values())
        for path, own in held.items():
            if share := sum([weight for value, weight in numbered if own & value]):
                yield path, share / total


def _order_by_bm25(candidate: Candidate) -> tuple[float, float, str]:
    lexical = candidate.oracle_matches.get(ORACLE.name)
    return -lexical.raw_score if lexical is not None else 0.0, -candidate.rank_sum, candidate.document.doc_id


MAX_PREFIX_TERMS = 64
"""Stems that a prefix stands for: those of most documents. More begin so only where few letters are typed."""


def prefix_terms(prefix: str, index: LexicalIndex) -> list[str]:
    """Return the terms that begin with a word and have another stem."""
    own = index.stem(prefix)
    return [STEM_MARK + stem for stem in index.stems_by_prefix(prefix) if stem != own][:MAX_PREFIX_TERMS]


def lookup_rank(question: SearchQuery, reader: OracleReader, document: DocumentHeader) -> RankLookup:
    """Return the rank of a document by BM25: a commit's or a note's among code and documents."""
    terms = expand_query_terms(question)
    if not terms:
        return RankLookup(note="the question has no word to look for")
    corpus = reader.corpus_of(document.doc_key)
    if corpus is reader.notes:
        return _lookup_note_rank(question, reader, document)
    code, history = reader.code.store.lexical, reader.commits.history
    is_commit = corpus is reader.commits
    index = history.lexical if is_commit and history else code
    minimum = min_matching_terms(terms, index, None if is_commit else reader.code.left)
    score = index.score_document(terms, document.doc_key, minimum)
    if score <= 0:
        return RankLookup(note=_explain_no_match(question, index, document.doc_key, minimum))
    above = search_bm25_above(terms, code, score, reader.code.left)
    if not is_commit:
        return RankLookup(rank_in_scores(document, score, above, reader), score)
    among_commits = rank_in_scores(document, score, search_bm25_above(terms, index, score), reader)
    return RankLookup(count_better(score, above, reader) + among_commits, score)


def _explain_no_match(question: SearchQuery, index: LexicalIndex, doc_key: int, minimum: int) -> str:
    """Return why a document does not match by words, for a person."""
    terms = query_terms(question)
    matched = index.matched_terms(terms, [doc_key])[doc_key]
    if not matched:
        return "none of the words occurs"
    return (
        f"{len(matched)} of {len(terms)} words: {', '.join(matched)}; "
        f"what holds fewer than {minimum} is not found by words"
    )


def _lookup_note_rank(question: SearchQuery, reader: OracleReader, document: DocumentHeader) -> RankLookup:
    stores, words = reader.notes.stores, reader.note_query(query_terms(question))
    scored = stores.search_words(words, reader.notes.filters) if stores else None
    score = scored.score_of(document.doc_key) if scored else None
    if scored is None or score is None:
        return RankLookup(note="none of the words occurs")
    above = search_bm25_above(expand_query_terms(question), reader.code.store.lexical, score, reader.code.left)
    among_notes = rank_in_scores(document, score, scored.with_min_score(score).as_pairs(), reader)
    return RankLookup(count_better(score, above, reader) + among_notes, score)


def score_scale(question: SearchQuery, reader: OracleReader) -> ScoreScale:
    """Return the scale of BM25 in this project: the sum of the terms' inverse document frequencies.

    The same word is rarer in a larger project and scores higher there. A score as a share of this sum says how much of
    the query a document holds, which compares across projects.
    """
    index = reader.code.store.lexical
    unit = sum(index.inverse_document_frequency(index.stem(term)) for term in expand_query_terms(question))
    return ScoreScale(SCORE_TYPE, unit or 1.0)


ORACLE = Oracle("lexical", "lex", "Lexical", WEIGHT, SCORE_TYPE, consult, lookup_rank, matched_terms, score_scale)
