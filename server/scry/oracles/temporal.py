"""Retrieve the documents and commits that changed together with what a query names.

Reads the history; silent where there is none.

The oracle finds its own seeds by words: the documents and the commits that hold the query's words best. A document is
tied to the seeds by every commit that changed it and another seed, or that is itself a seed; the number of these
commits is the raw score. Which documents a commit changed is known for the newest commits (see index.git.history).

The score of a document is the number of commits that tie it to the seeds, less the number expected if commits changed
documents at random, divided by the square root of the number of all commits that changed it. So no document profits
from being changed by everything, and one that every commit changed scores nothing.

A commit is tied to the seeds that it changed.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import chain

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.errors import IndexUnavailable
from scry.core.text import expand_query_terms
from scry.core.types import DocumentHeader, OracleMatch, SearchQuery
from scry.oracles.oracle import Oracle, RankLookup
from scry.oracles.reader import RETRIEVAL_DEPTH, OracleReader
from scry.store.history.reader import HistoryReader, IntArray
from scry.store.lexical import LexicalIndex

WEIGHT = 0.6
"""By leave-one-language-out, together with the semantic oracle's (docs/decisions.md, 112)."""

SEED_DOCUMENTS = 10
SEED_COMMITS = 20
"""Seeds of either kind: the best by words."""

COMMITS_PER_SEED = 20
"""Newest commits of each seed that count: older ones say less about what belongs together today."""

SCORE_TYPE = "co_change_count"


def consult(
    question: SearchQuery, reader: OracleReader, co_changes: CoChanges | None = None
) -> tuple[OracleMatch, ...]:
    """Return matches by co-changes, equal scores in the order of doc_id. Raises IndexUnavailable.

    co_changes: where they are known.
    """
    if reader.commits.error:
        raise IndexUnavailable(reader.commits.error)
    history, terms = reader.commits.history, expand_query_terms(question)
    if history is None or not terms:
        return ()
    co_changes = co_changes or find_co_changes(terms, reader, history)
    documents: list[tuple[int, CoChangeScore]] = []  # that are indexed, and that the filters leave
    for start in range(0, len(co_changes.documents), RETRIEVAL_DEPTH):
        part = co_changes.documents[start : start + RETRIEVAL_DEPTH]
        doc_keys = reader.code.doc_keys_by_id([scored.name for scored in part])
        documents += [(doc_keys[scored.name], scored) for scored in part if scored.name in doc_keys]
        if len(documents) >= RETRIEVAL_DEPTH:
            break
    documents = documents[:RETRIEVAL_DEPTH]
    matches = [
        OracleMatch(doc_key, rank, scored.commit_count, SCORE_TYPE)
        for rank, (doc_key, scored) in enumerate(documents, 1)
    ]
    if reader.commits.is_included:
        matches += [
            OracleMatch(doc_key, rank, scored.commit_count, SCORE_TYPE)
            for rank, doc_key, scored in _rank_commits(
                co_changes, [scored.negated_score for _, scored in documents], reader
            )
            if rank <= RETRIEVAL_DEPTH
        ]
    return tuple(matches)


class CoChanges(Struct, frozen=True):
    """The documents tied to the seeds, best first, deleted ones too; and the changes of the seeds' commits."""

    documents: list[CoChangeScore]
    changes: CommitChanges
    seeds: CoChangeSeeds


class TiedDocuments(Struct, frozen=True):
    """The documents that enough commits tie to the seeds, before they are scored."""

    counted: CoChangeCounts
    changes: CommitChanges
    seeds: CoChangeSeeds


def find_co_changes(
    terms: Sequence[str], reader: OracleReader, history: HistoryReader, tied: TiedDocuments | None = None
) -> CoChanges:
    """Return what is tied to the seeds that hold these terms. tied: `find_tied_documents` of them, where known."""
    tied = tied or find_tied_documents(terms, reader, history)
    counted, seeds = tied.counted, tied.seeds
    symbols = history.get_symbols(counted.documents.tolist())
    if len(symbols) < len(counted.documents):  # the history was rewritten since the changes were read
        counted = counted.restrict_to(symbols)
    scored = score_co_changed_documents(counted, symbols, seeds, history.cochange_commit_count())
    return CoChanges(scored, tied.changes, seeds)


def find_tied_documents(terms: Sequence[str], reader: OracleReader, history: HistoryReader) -> TiedDocuments:
    """Return the documents that enough commits tie to the seeds that hold these terms."""
    documents = best_by_words(terms, reader.code.store.lexical, SEED_DOCUMENTS, reader)
    symbol_ids = history.symbol_ids_by_doc_id([document.doc_id for document in documents])
    by_document = {
        symbol: set(commits)
        for symbol, commits in history.cochange_commits_by_symbol(list(symbol_ids.values()), COMMITS_PER_SEED).items()
    }
    for position, document in enumerate(documents):
        if document.doc_id not in symbol_ids:  # older than the known changes of symbols: its file stands for it
            by_document[-1 - position] = set(history.cochange_commits_of_file(document.path, COMMITS_PER_SEED))
    commits = best_by_words(terms, history.lexical, SEED_COMMITS, reader)
    matched = history.filter_cochange_commits([commit.doc_key for commit in commits])
    seeds = CoChangeSeeds(by_document, frozenset(matched))
    changes = CommitChanges.from_changes(history.symbol_ids_by_commit(sorted(seeds.all_commits())))
    return TiedDocuments(count_co_changes(changes, seeds, history.cochange_commit_count()), changes, seeds)


def best_by_words(terms: Sequence[str], index: LexicalIndex, limit: int, reader: OracleReader) -> list[DocumentHeader]:
    """Return the best documents of a word index by BM25, equal scores in the order of doc_id."""
    doc_keys = [doc_key for _, _, doc_key in reader.rank_by_words(terms, index)[:limit]]
    headers = reader.headers(doc_keys)
    return [headers[doc_key] for doc_key in doc_keys]


def _rank_commits(
    co_changes: CoChanges, document_scores: Sequence[float], reader: OracleReader
) -> list[tuple[int, int, CoChangeScore]]:
    """Return rank, doc_key and score of each commit that changed seeds, ranked among the documents.

    document_scores: the documents' negated scores, ascending.
    """
    scored = score_seed_commits(co_changes.changes, co_changes.seeds)
    headers = reader.headers(list(scored))
    ranked = sorted([(scored[key].negated_score, headers[key].doc_id, key) for key in scored if key in headers])
    return [
        (bisect_left(document_scores, score) + position, key, scored[key])
        for position, (score, _, key) in enumerate(ranked, 1)
    ]


def lookup_rank(question: SearchQuery, reader: OracleReader, document: DocumentHeader) -> RankLookup:
    """Return the rank of a document by co-changes: a commit's among the documents."""
    history, terms = reader.commits.history, expand_query_terms(question)
    corpus = reader.corpus_of(document.doc_key)
    if corpus is reader.notes:
        return RankLookup(is_other_kind=True)
    if history is None:
        return RankLookup(note="there is no history")
    if not terms:
        return RankLookup(note="the question has no word to find seeds by")
    co_changes = find_co_changes(terms, reader, history)
    indexed = reader.code.doc_keys_by_id([scored.name for scored in co_changes.documents])
    documents = [scored for scored in co_changes.documents if scored.name in indexed]
    if corpus is reader.commits:
        commits = _rank_commits(co_changes, [scored.negated_score for scored in documents], reader)
        matching = [(rank, scored) for rank, doc_key, scored in commits if doc_key == document.doc_key]
    else:
        matching = [(rank, scored) for rank, scored in enumerate(documents, 1) if scored.name == document.doc_id]
    for rank, scored in matching:
        return RankLookup(rank, scored.commit_count)
    return RankLookup(note="no more commits than by chance tie it to what the words find")


# Past changes ---------------------------------------------------------------------------------------------------------

PAST_CHANGES_EXPONENT = 3
"""A commit whose BM25 is half of the best one's counts an eighth of that one: many commits hold one word of a query."""


def count_past_changes(question: SearchQuery, reader: OracleReader) -> dict[str, float]:
    """Return the votes for files by the commits whose messages hold the query's words best; none without a history.

    A commit votes with its BM25 as a share of the best one's, to the power of PAST_CHANGES_EXPONENT, divided by the
    square root of the number of files that it changed: one that changes many says little about each. Merges and commits
    of many files do not vote. The votes follow from the query: a file that often changes gets none for that. A query
    that gives this oracle no weight asks for no history, and there are no votes.
    """
    history, terms = reader.commits.history, expand_query_terms(question)
    votes: dict[str, float] = defaultdict(float)
    if history is None or not terms or not question.weights.get(ORACLE.name):
        return votes
    try:
        scored = dict(reader.search_words(terms, history.lexical, SEED_COMMITS))
        best = max(scored.values(), default=0.0)
        changed = history.files_by_commit(history.filter_cochange_commits(list(scored)))
    except IndexUnavailable:  # the temporal oracle reports it
        return votes
    for doc_key, paths in changed.items():
        vote = (scored[doc_key] / best) ** PAST_CHANGES_EXPONENT / math.sqrt(len(paths))
        for path in paths:
            votes[path] += vote
    return votes


# Co-changes -----------------------------------------------------------------------------------------------------------

MATCHED_COMMIT_WEIGHT = 3.0
"""Weight of a commit whose message holds the query's words, against one that merely changed a seed."""

MIN_CO_CHANGES = 2
YOUNG_HISTORY_COMMITS = 100
"""Least co-changes of a match: one commit may tie by accident. In a history of fewer than YOUNG_HISTORY_COMMITS, one is
enough."""

COMMIT_COUNT_DAMPING = 2.0
"""Added to the number of a document's commits, so that a single one does not count as certainty."""

_SCORE_DIGITS = 6


class CoChangeScore(Struct, frozen=True, gc=False, order=True):
    """A document or commit tied to seeds. negated_score: negated so that the best sorts first."""

    negated_score: float
    name: str
    commit_count: int


class CommitChanges(Struct, frozen=True):
    """The documents that commits changed. commits: their doc_keys. sizes: how many documents each of them changed.
    documents: the history's symbol ids of these, one commit's after the other's. commit_indexes: for each of
    `documents` the index of its commit in `commits`.
    """

    commits: Sequence[int]
    sizes: IntArray
    documents: IntArray
    commit_indexes: IntArray

    @classmethod
    def from_changes(cls, changed: Mapping[int, IntArray]) -> CommitChanges:
        """Return the changes of commits. changed: by commit, the symbol ids that it changed, each once."""
        parts = list(changed.values())
        sizes = np.array([len(part) for part in parts], np.int64)
        documents = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        return cls(list(changed), sizes, documents, np.repeat(np.arange(len(parts)), sizes))


class CoChangeCounts(Struct, frozen=True):
    """Documents that enough commits tie to the seeds, with the numbers of these commits and of seeds among them."""

    documents: IntArray
    commit_counts: IntArray
    matched_counts: IntArray

    def restrict_to(self, known: Container[int]) -> CoChangeCounts:
        """Return the counts of only the known documents."""
        mask = np.array([document in known for document in self.documents.tolist()], np.bool_)
        return CoChangeCounts(self.documents[mask], self.commit_counts[mask], self.matched_counts[mask])


class CoChangeSeeds(Struct, frozen=True, dict=True):
    """Seeds. by_document: for each seed document, its commits. matched_commits: the seeds that are commits."""

    by_document: Mapping[int, AbstractSet[int]]
    matched_commits: AbstractSet[int]

    def all_commits(self) -> frozenset[int]:
        """Return all commits that can tie a document to the seeds."""
        return frozenset(self.matched_commits).union(*self.by_document.values())

    @cached_property
    def exclusive_commits(self) -> dict[int, frozenset[int]]:
        """The commits of each seed that are no seeds and changed no other seed: they do not tie the seed to itself."""
        holders = Counter(chain.from_iterable(self.by_document.values()))
        alone = frozenset([commit for commit, count in holders.items() if count == 1]) - self.matched_commits
        return {document: alone & commits for document, commits in self.by_document.items()}


def count_co_changes(changes: CommitChanges, seeds: CoChangeSeeds, commit_total: int) -> CoChangeCounts:
    """Count the commits that tie each document to the seeds.

    changes: of the seeds' commits. commit_total: how many commits there are that could tie documents.
    """
    documents, row_of = np.unique(changes.documents, return_inverse=True)
    commit_of = changes.commit_indexes
    is_found = np.array([commit in seeds.matched_commits for commit in changes.commits], np.int64)
    commit_counts = np.bincount(row_of, minlength=len(documents)).astype(np.int64)
    matched_counts = np.bincount(row_of, is_found[commit_of], minlength=len(documents)).astype(np.int64)
    for seed, own in seeds.exclusive_commits.items():
        at = int(np.searchsorted(documents, seed))
        if own and at < len(documents) and documents[at] == seed:
            rows: list[int] = commit_of[row_of == at].tolist()
            commit_counts[at] -= sum([changes.commits[row] in own for row in rows])
    enough = commit_counts >= (MIN_CO_CHANGES if commit_total >= YOUNG_HISTORY_COMMITS else 1)
    return CoChangeCounts(documents[enough], commit_counts[enough], matched_counts[enough])


def score_co_changed_documents(
    counted: CoChangeCounts, names_and_totals: Mapping[int, tuple[str, int]], seeds: CoChangeSeeds, commit_total: int
) -> list[CoChangeScore]:
    """Return the documents with more co-changes than expected by chance, best first.

    names_and_totals: each document's name, and how many commits changed it in all. commit_total: as for
    `count_co_changes`.
    """
    documents = counted.documents.tolist()
    totals = np.array([names_and_totals[document][1] for document in documents], np.float64)
    scores = scores_above_chance(counted, totals, seeds, commit_total)
    best = np.flatnonzero(scores > 0)
    names = [names_and_totals[documents[index]][0] for index in best.tolist()]
    negated = -np.round(scores[best], _SCORE_DIGITS)
    return sorted(map(CoChangeScore, negated.tolist(), names, counted.commit_counts[best].tolist()))


def scores_above_chance(
    counted: CoChangeCounts, totals: NDArray[np.float64], seeds: CoChangeSeeds, commit_total: int
) -> NDArray[np.float64]:
    """Return the score of each document; it is positive where more commits tie it to the seeds than by chance.

    totals: how many commits changed each. commit_total: as for `count_co_changes`.
    """
    ties = np.full(len(totals), float(len(seeds.all_commits())))
    for seed, own in seeds.exclusive_commits.items():
        ties[counted.documents == seed] -= len(own)
    # The weight of a document's ties that is expected by chance per commit that changed it.
    shares = (ties + (MATCHED_COMMIT_WEIGHT - 1) * len(seeds.matched_commits)) / max(1, commit_total)
    weights = counted.commit_counts + (MATCHED_COMMIT_WEIGHT - 1) * counted.matched_counts
    return (weights - totals * shares) / np.sqrt(totals + COMMIT_COUNT_DAMPING)


def score_seed_commits(changes: CommitChanges, seeds: CoChangeSeeds) -> dict[int, CoChangeScore]:
    """Return the scores of the commits that changed seeds: higher per seed, lower per other document changed."""
    is_seed = np.zeros(len(changes.documents), np.bool_)
    for seed in seeds.by_document:  # a handful: `np.isin` takes longer, and imports numpy.ma, at every start
        is_seed |= changes.documents == seed
    changed = np.bincount(changes.commit_indexes, is_seed, minlength=len(changes.commits)).astype(np.int64)
    negated = -np.round(changed / np.sqrt(changes.sizes + COMMIT_COUNT_DAMPING), _SCORE_DIGITS)
    return {
        changes.commits[index]: CoChangeScore(float(negated[index]), "", int(changed[index]))
        for index in np.flatnonzero(changed).tolist()
    }


ORACLE = Oracle("temporal", "temp", "Temporal", WEIGHT, SCORE_TYPE, consult, lookup_rank)
