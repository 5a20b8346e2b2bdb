"""Retrieve the documents and commits that changed together with what a query names.

Which documents changed together with what the question names? Reads the history; silent where there is none.

It finds its own seeds by words: the documents and the commits that hold the question's words best. A document is tied
to them by every commit that changed it and another seed, or that is itself a seed; the number of these commits is the
raw score. What commits changed is known by document for the newest ones (see index.history). Its rank is by a score
that takes away what a document owes to being changed by everything (see core.ties).

A commit is tied to the seeds that it changed; it takes the rank of the place where it would stand among the documents.
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
from scry.core.knowledge import is_knowledge
from scry.core.text import expand_query_terms
from scry.core.types import DocumentHeader, OracleMatch, SearchQuery
from scry.oracles.oracle import RETRIEVAL_DEPTH, Oracle, OracleReader, RankLookup
from scry.store.history.commits import is_commit_key
from scry.store.history.reader import HistoryReader
from scry.store.lexical import LexicalIndex

WEIGHT = 0.7

SEED_DOCUMENTS = 10
SEED_COMMITS = 20
"""So many of either, the best by words, are seeds."""

COMMITS_PER_SEED = 20
"""Of each seed's commits the newest so many count: older ones say less of what belongs together today."""

SCORE_TYPE = "co_change_count"


def consult(question: SearchQuery, reader: OracleReader) -> tuple[OracleMatch, ...]:
    """Votes by ties; equal scores stand in the order of doc_id. Raises IndexUnavailable for a damaged history."""
    if reader.history_error:
        raise IndexUnavailable(reader.history_error)
    history, searched = reader.history, expand_query_terms(question)
    if history is None or not searched:
        return ()
    ties = _find_co_changes(searched, reader, history)
    documents = _with_doc_keys(ties.documents, reader)
    votes = [
        OracleMatch(number, rank, tied.commit_count, SCORE_TYPE) for rank, (number, tied) in enumerate(documents, 1)
    ]
    return (*votes, *_retrieve_commits(ties, [tied.negated_score for _, tied in documents], reader))


class _CoChanges(Struct, frozen=True):
    """What is tied to the seeds: documents best first, also those that are no more, and what the seeds' commits
    touched.
    """

    documents: list[CoChangeScore]
    changes: CommitChanges
    seeds: CoChangeSeeds


def _find_co_changes(searched: Sequence[str], reader: OracleReader, history: HistoryReader) -> _CoChanges:
    seeds = _find_seeds(searched, reader, history)
    touches, commits = (
        CommitChanges.from_changes(history.symbol_ids_by_commit(sorted(seeds.all_commits()))),
        history.cochange_commit_count(),
    )
    counted = count_co_changes(touches, seeds, commits)
    named = history.get_symbols(counted.documents.tolist())
    if len(named) < len(counted.documents):  # the history was written anew since their commits were read
        counted = counted.restrict_to(named)
    return _CoChanges(score_co_changed_documents(counted, named, seeds, commits), touches, seeds)


def _find_seeds(searched: Sequence[str], reader: OracleReader, history: HistoryReader) -> CoChangeSeeds:
    documents = _best_by_words(searched, reader.store.lexical, SEED_DOCUMENTS, reader)
    known = history.symbol_ids_by_doc_id([document.doc_id for document in documents])
    by_document = {
        symbol: set(commits)
        for symbol, commits in history.cochange_commits_by_symbol(list(known.values()), COMMITS_PER_SEED).items()
    }
    for place, document in enumerate(documents):
        if document.doc_id not in known:  # it is older than the known lines: then its file stands for it
            by_document[-1 - place] = set(history.cochange_commits_of_file(document.path, COMMITS_PER_SEED))
    found = _best_by_words(searched, history.lexical, SEED_COMMITS, reader)
    return CoChangeSeeds(by_document, frozenset(history.filter_cochange_commits([commit.doc_key for commit in found])))


def _best_by_words(
    searched: Sequence[str], index: LexicalIndex, count: int, reader: OracleReader
) -> list[DocumentHeader]:
    """The best by words, equal scores in the order of doc_id."""
    scores = dict(reader.search_words(searched, index, count))
    outlines = reader.headers(list(scores))
    there = [outlines[number] for number in scores if number in outlines]
    return sorted(there, key=lambda outline: (-scores[outline.doc_key], outline.doc_id))[:count]


def _with_doc_keys(documents: Sequence[CoChangeScore], reader: OracleReader) -> list[tuple[int, CoChangeScore]]:
    """The best, with their numbers, of those that are indexed and that the filters leave."""
    found: list[tuple[int, CoChangeScore]] = []
    for start in range(0, len(documents), RETRIEVAL_DEPTH):
        part = documents[start : start + RETRIEVAL_DEPTH]
        numbers = reader.doc_keys_by_id([tied.name for tied in part])
        found += [(numbers[tied.name], tied) for tied in part if tied.name in numbers]
        if len(found) >= RETRIEVAL_DEPTH:
            break
    return found[:RETRIEVAL_DEPTH]


def _retrieve_commits(ties: _CoChanges, documents: Sequence[float], reader: OracleReader) -> list[OracleMatch]:
    """Commits that changed seeds, each with the rank that it would have in one list with those documents."""
    if not reader.includes_commits:
        return []
    placed = _rank_commits(ties, documents, reader)
    return [
        OracleMatch(number, rank, tied.commit_count, SCORE_TYPE)
        for rank, number, tied in placed
        if rank <= RETRIEVAL_DEPTH
    ]


def _rank_commits(
    ties: _CoChanges, documents: Sequence[float], reader: OracleReader
) -> list[tuple[int, int, CoChangeScore]]:
    """Rank, number and tie of each commit that changed seeds. documents: the documents' negated scores, rising."""
    tied = score_seed_commits(ties.changes, ties.seeds)
    outlines = reader.headers(list(tied))
    ranked = sorted((tied[n].negated_score, outlines[n].doc_id, n) for n in tied if n in outlines)
    return [(bisect_left(documents, s) + before, n, tied[n]) for before, (s, _, n) in enumerate(ranked, 1)]


def lookup_rank(question: SearchQuery, reader: OracleReader, document: DocumentHeader) -> RankLookup:
    """Its place by ties; a commit's among the documents."""
    history, searched = reader.history, expand_query_terms(question)
    if is_knowledge(document.doc_key):
        return RankLookup(is_other_kind=True)
    if history is None:
        return RankLookup(note="there is no history")
    if not searched:
        return RankLookup(note="the question has no word to find seeds by")
    ties = _find_co_changes(searched, reader, history)
    there = reader.doc_keys_by_id([tied.name for tied in ties.documents])
    documents = [tied for tied in ties.documents if tied.name in there]
    if is_commit_key(document.doc_key):
        placed = _rank_commits(ties, [tied.negated_score for tied in documents], reader)
        found = [(rank, tied) for rank, number, tied in placed if number == document.doc_key]
    else:
        found = [(rank, tied) for rank, tied in enumerate(documents, 1) if tied.name == document.doc_id]
    for rank, tied in found:
        return RankLookup(rank, tied.commit_count)
    return RankLookup(note="no more commits than by chance tie it to what the words find")


def matched_terms(_question: SearchQuery, _reader: OracleReader, _numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """None: it is not words that tie."""
    return {}


ORACLE = Oracle("temporal", "temp", "Temporal", WEIGHT, SCORE_TYPE, consult, matched_terms, lookup_rank)
