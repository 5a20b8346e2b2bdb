"""Retrieve the documents and commits that changed together with what a query names.

Reads the history; silent where there is none.

The oracle finds its own seeds by words: the documents and the commits that hold the query's words best. A document is
tied to the seeds by every commit that changed it and another seed, or that is itself a seed; the number of these
commits is the raw score. Which documents a commit changed is known for the newest commits (see index.git.history).
Documents rank by a score that discounts documents which every commit changes (see core.co_changes).

A commit is tied to the seeds that it changed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from msgspec import Struct

from scry.core.co_changes import (
    CoChangeScore,
    CoChangeSeeds,
    CommitChanges,
    count_co_changes,
    score_co_changed_documents,
    score_seed_commits,
)
from scry.core.errors import IndexUnavailable
from scry.core.text import expand_query_terms
from scry.core.types import DocumentHeader, OracleMatch, SearchQuery
from scry.oracles.oracle import Oracle, RankLookup
from scry.oracles.reader import RETRIEVAL_DEPTH, OracleReader
from scry.store.history.reader import HistoryReader
from scry.store.lexical import LexicalIndex

WEIGHT = 0.7

SEED_DOCUMENTS = 10
SEED_COMMITS = 20
"""Seeds of either kind: the best by words."""

COMMITS_PER_SEED = 20
"""Newest commits of each seed that count: older ones say less about what belongs together today."""

SCORE_TYPE = "co_change_count"


def consult(question: SearchQuery, reader: OracleReader) -> tuple[OracleMatch, ...]:
    """Return matches by co-changes, equal scores in the order of doc_id. Raises IndexUnavailable."""
    if reader.commits.error:
        raise IndexUnavailable(reader.commits.error)
    history, terms = reader.commits.history, expand_query_terms(question)
    if history is None or not terms:
        return ()
    co_changes = _find_co_changes(terms, reader, history)
    documents = _with_doc_keys(co_changes.documents, reader)
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


class _CoChanges(Struct, frozen=True):
    """The documents tied to the seeds, best first, deleted ones too; and the changes of the seeds' commits."""

    documents: list[CoChangeScore]
    changes: CommitChanges
    seeds: CoChangeSeeds


def _find_co_changes(terms: Sequence[str], reader: OracleReader, history: HistoryReader) -> _CoChanges:
    seeds = _find_seeds(terms, reader, history)
    changes = CommitChanges.from_changes(history.symbol_ids_by_commit(sorted(seeds.all_commits())))
    commit_total = history.cochange_commit_count()
    counted = count_co_changes(changes, seeds, commit_total)
    symbols = history.get_symbols(counted.documents.tolist())
    if len(symbols) < len(counted.documents):  # the history was rewritten since the changes were read
        counted = counted.restrict_to(symbols)
    return _CoChanges(score_co_changed_documents(counted, symbols, seeds, commit_total), changes, seeds)


def _find_seeds(terms: Sequence[str], reader: OracleReader, history: HistoryReader) -> CoChangeSeeds:
    documents = _best_by_words(terms, reader.code.store.lexical, SEED_DOCUMENTS, reader)
    symbol_ids = history.symbol_ids_by_doc_id([document.doc_id for document in documents])
    by_document = {
        symbol: set(commits)
        for symbol, commits in history.cochange_commits_by_symbol(list(symbol_ids.values()), COMMITS_PER_SEED).items()
    }
    for position, document in enumerate(documents):
        if document.doc_id not in symbol_ids:  # older than the known changes of symbols: its file stands for it
            by_document[-1 - position] = set(history.cochange_commits_of_file(document.path, COMMITS_PER_SEED))
    commits = _best_by_words(terms, history.lexical, SEED_COMMITS, reader)
    matched = history.filter_cochange_commits([commit.doc_key for commit in commits])
    return CoChangeSeeds(by_document, frozenset(matched))


def _best_by_words(terms: Sequence[str], index: LexicalIndex, limit: int, reader: OracleReader) -> list[DocumentHeader]:
    """Return the best documents of a word index by BM25, equal scores in the order of doc_id."""
    scores = dict(reader.search_words(terms, index, limit))
    headers = reader.headers(list(scores))
    existing = [headers[doc_key] for doc_key in scores if doc_key in headers]
    return sorted(existing, key=lambda header: (-scores[header.doc_key], header.doc_id))[:limit]


def _with_doc_keys(documents: Sequence[CoChangeScore], reader: OracleReader) -> list[tuple[int, CoChangeScore]]:
    """Return the first RETRIEVAL_DEPTH documents that are indexed and that the filters leave, with their doc_keys."""
    keyed: list[tuple[int, CoChangeScore]] = []
    for start in range(0, len(documents), RETRIEVAL_DEPTH):
        part = documents[start : start + RETRIEVAL_DEPTH]
        doc_keys = reader.code.doc_keys_by_id([scored.name for scored in part])
        keyed += [(doc_keys[scored.name], scored) for scored in part if scored.name in doc_keys]
        if len(keyed) >= RETRIEVAL_DEPTH:
            break
    return keyed[:RETRIEVAL_DEPTH]


def _rank_commits(
    co_changes: _CoChanges, document_scores: Sequence[float], reader: OracleReader
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
    co_changes = _find_co_changes(terms, reader, history)
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


ORACLE = Oracle("temporal", "temp", "Temporal", WEIGHT, SCORE_TYPE, consult, lookup_rank)
