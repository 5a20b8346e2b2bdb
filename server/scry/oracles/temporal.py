"""Which documents changed together with what the question names? Reads the history; silent where there is none.

It finds its own seeds by words: the documents and the commits that hold the question's words best. A document is tied to
them by every commit that changed it and another seed, or that is itself a seed; the number of these commits is the raw
score. What the commits changed is known by document for the newest ones (see index.history).

By rank a document does not profit from being changed by everything: from its ties those are subtracted that it would
have if commits changed documents at random, and the rest is divided by the square root of all the commits that changed
it. A document that every commit changed is left with nothing, and gets no vote.

A commit is tied to the seeds that it changed; it takes the rank of the place where it would stand among the documents.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import sqrt

from scry.core.asked import searched_terms
from scry.core.errors import IndexUnavailable
from scry.core.types import Question, Vote
from scry.oracles.oracle import DEPTH, Oracle, Reader
from scry.store.history_reader import HistoryReader
from scry.store.history_rows import Tie
from scry.store.lexical import LexicalIndex

WEIGHT = 0.6

SEEDS = 10
"""So many documents and so many commits, the best by words."""

COMMITS_A_SEED = 20
"""Of each seed's commits the newest so many count: older ones say less of what belongs together today."""

FOUND_WEIGHT = 3.0
"""A commit whose message holds the question's words says more than one that merely changed a seed."""

_DAMPING = 2.0
"""Added to the number of a document's commits, so that a single one is no certainty."""

_DIGITS = 6
_WORD_DIGITS = 4


@dataclass(frozen=True, slots=True)
class _Seeds:
    """by_document: for each seed that is a document the commits that changed it. found: the seeds that are commits."""

    by_document: Mapping[str, AbstractSet[int]]
    found: AbstractSet[int]

    def commits(self) -> set[int]:
        return set(self.found).union(*self.by_document.values())

    def commits_beside(self, doc_id: str) -> set[int]:
        """The commits that tie a document: its own do not tie it to itself."""
        return set(self.found).union(*(commits for seed, commits in self.by_document.items() if seed != doc_id))

    def weight(self, commits: Iterable[int]) -> float:
        return sum(FOUND_WEIGHT if commit in self.found else 1.0 for commit in commits)


_Scored = list[tuple[float, str, int]]
"""Score, doc_id and raw score, best first."""


def consult(question: Question, reader: Reader) -> tuple[Vote, ...]:
    """Votes by ties; equal scores stand in the order of doc_id. Raises IndexUnavailable for a damaged history."""
    if reader.trouble:
        raise IndexUnavailable(reader.trouble)
    history, searched = reader.history, searched_terms(question)
    if history is None or not searched:
        return ()
    seeds = _find_seeds(searched, reader, history)
    ties = history.tied_documents(sorted(seeds.commits()))
    documents = _score_documents(ties, seeds, history.ties_in_all())
    votes, scores = _document_votes(documents, reader)
    return (*votes, *(_commit_votes(ties, seeds, scores, reader) if reader.commits else ()))


def _find_seeds(searched: Sequence[str], reader: Reader, history: HistoryReader) -> _Seeds:
    outlines = reader.outlines(_best(searched, reader.store.lexical))
    documents = {outlines[n].doc_id: outlines[n].path for n in _best(searched, reader.store.lexical) if n in outlines}
    tied: dict[str, list[int]] = {}
    for tie in history.ties_of_documents(list(documents), COMMITS_A_SEED):
        tied.setdefault(tie.name, []).append(tie.commit)
    paths = {path for doc_id, path in documents.items() if doc_id not in tied}
    for tie in history.ties_of_files(sorted(paths), COMMITS_A_SEED):
        tied.setdefault(f"./{tie.name}", []).append(tie.commit)
    found = reader.outlines(_best(searched, history.words))
    return _Seeds({name: frozenset(commits) for name, commits in tied.items()}, frozenset())
