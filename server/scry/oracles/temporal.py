"""Which documents changed together with what the question names? Reads the history; silent where there is none.

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

from scry.core.asked import searched_terms
from scry.core.errors import IndexUnavailable
from scry.core.knowledge import is_knowledge
from scry.core.ties import Seeds, Tied, Touches, count_ties, score_commits, score_documents
from scry.core.types import Outline, Question, Vote
from scry.oracles.oracle import DEPTH, Oracle, Reader, Standing
from scry.store.history_reader import HistoryReader, is_commit
from scry.store.lexical import LexicalIndex

WEIGHT = 0.7

DOCUMENTS = 10
COMMITS = 20
"""So many of either, the best by words, are seeds."""

COMMITS_A_SEED = 20
"""Of each seed's commits the newest so many count: older ones say less of what belongs together today."""

SCORE_TYPE = "co_change_count"


def consult(question: Question, reader: Reader) -> tuple[Vote, ...]:
    """Votes by ties; equal scores stand in the order of doc_id. Raises IndexUnavailable for a damaged history."""
    if reader.trouble:
        raise IndexUnavailable(reader.trouble)
    history, searched = reader.history, searched_terms(question)
    if history is None or not searched:
        return ()
    ties = _tie(searched, reader, history)
    documents = _numbered(ties.documents, reader)
    votes = [Vote(number, rank, tied.ties, SCORE_TYPE) for rank, (number, tied) in enumerate(documents, 1)]
    return (*votes, *_commit_votes(ties, [tied.negated for _, tied in documents], reader))


class _Ties(Struct, frozen=True):
    """What is tied to the seeds: documents best first, also those that are no more, and what the seeds' commits
    touched.
    """

    documents: list[Tied]
    touches: Touches
    seeds: Seeds


def _tie(searched: Sequence[str], reader: Reader, history: HistoryReader) -> _Ties:
    seeds = _find_seeds(searched, reader, history)
    touches, commits = Touches.of(history.touches(sorted(seeds.commits()))), history.ties_in_all()
    counted = count_ties(touches, seeds, commits)
    named = history.symbols(counted.documents.tolist())
    if len(named) < len(counted.documents):  # the history was written anew since their commits were read
        counted = counted.among(named)
    return _Ties(score_documents(counted, named, seeds, commits), touches, seeds)


def _find_seeds(searched: Sequence[str], reader: Reader, history: HistoryReader) -> Seeds:
    documents = _best(searched, reader.store.lexical, DOCUMENTS, reader)
    known = history.symbols_named([document.doc_id for document in documents])
    by_document = {
        symbol: set(commits)
        for symbol, commits in history.commits_of_symbols(list(known.values()), COMMITS_A_SEED).items()
    }
    for place, document in enumerate(documents):
        if document.doc_id not in known:  # it is older than the known lines: then its file stands for it
            by_document[-1 - place] = set(history.commits_of_file(document.path, COMMITS_A_SEED))
    found = _best(searched, history.words, COMMITS, reader)
    return Seeds(by_document, frozenset(history.that_tie([commit.number for commit in found])))


def _best(searched: Sequence[str], index: LexicalIndex, count: int, reader: Reader) -> list[Outline]:
    """The best by words, equal scores in the order of doc_id."""
    scores = dict(reader.best_by_words(searched, index, count))
    outlines = reader.outlines(list(scores))
    there = [outlines[number] for number in scores if number in outlines]
    return sorted(there, key=lambda outline: (-scores[outline.number], outline.doc_id))[:count]


def _numbered(documents: Sequence[Tied], reader: Reader) -> list[tuple[int, Tied]]:
    """The best, with their numbers, of those that are indexed and that the filters leave."""
    found: list[tuple[int, Tied]] = []
    for start in range(0, len(documents), DEPTH):
        part = documents[start : start + DEPTH]
        numbers = reader.numbers_of([tied.name for tied in part])
        found += [(numbers[tied.name], tied) for tied in part if tied.name in numbers]
        if len(found) >= DEPTH:
            break
    return found[:DEPTH]


def _commit_votes(ties: _Ties, documents: Sequence[float], reader: Reader) -> list[Vote]:
    """Commits that changed seeds, each with the rank that it would have in one list with those documents."""
    if not reader.commits:
        return []
    placed = _placed_commits(ties, documents, reader)
    return [Vote(number, rank, tied.ties, SCORE_TYPE) for rank, number, tied in placed if rank <= DEPTH]


def _placed_commits(ties: _Ties, documents: Sequence[float], reader: Reader) -> list[tuple[int, int, Tied]]:
    """Rank, number and tie of each commit that changed seeds. documents: the documents' negated scores, rising."""
    tied = score_commits(ties.touches, ties.seeds)
    outlines = reader.outlines(list(tied))
    ranked = sorted((tied[n].negated, outlines[n].doc_id, n) for n in tied if n in outlines)
    return [(bisect_left(documents, s) + before, n, tied[n]) for before, (s, _, n) in enumerate(ranked, 1)]


def stand(question: Question, reader: Reader, document: Outline) -> Standing:
    """Its place by ties; a commit's among the documents."""
    history, searched = reader.history, searched_terms(question)
    if is_knowledge(document.number):
        return Standing(is_other_kind=True)
    if history is None:
        return Standing(note="there is no history")
    if not searched:
        return Standing(note="the question has no word to find seeds by")
    ties = _tie(searched, reader, history)
    there = reader.numbers_of([tied.name for tied in ties.documents])
    documents = [tied for tied in ties.documents if tied.name in there]
    if is_commit(document.number):
        placed = _placed_commits(ties, [tied.negated for tied in documents], reader)
        found = [(rank, tied) for rank, number, tied in placed if number == document.number]
    else:
        found = [(rank, tied) for rank, tied in enumerate(documents, 1) if tied.name == document.doc_id]
    for rank, tied in found:
        return Standing(rank, tied.ties)
    return Standing(note="no more commits than by chance tie it to what the words find")


def matches(_question: Question, _reader: Reader, _numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """None: it is not words that tie."""
    return {}


ORACLE = Oracle("temporal", "temp", "Temporal", WEIGHT, SCORE_TYPE, consult, matches, stand)
