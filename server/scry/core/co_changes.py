"""Score documents and commits by how often commits changed them together.

How commits tie documents to one another, and how much a tie says. Pure.

From a document's ties those are subtracted that it would have if commits changed documents at random, and the rest is
divided by the square root of the number of all commits that changed it: so nothing profits from being changed by
everything, and a document that every commit changed is left with nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import chain

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

MATCHED_COMMIT_WEIGHT = 3.0
"""A commit whose message holds the question's words says more than one that merely changed a seed."""

MIN_CO_CHANGES = 2
YOUNG_HISTORY_COMMITS = 100
"""One commit may tie by accident. Among fewer commits than YOUNG, one may be all that there is."""

COMMIT_COUNT_DAMPING = 2.0
"""Added to the number of a document's commits, so that a single one is no certainty."""

_SCORE_DIGITS = 6


class CoChangeScore(Struct, frozen=True, gc=False, order=True):
    """Something tied to seeds: its score, negated so that the best comes first, its name, the number of its ties."""

    negated_score: float
    name: str
    commit_count: int


class CommitChanges(Struct, frozen=True):
    """What commits changed. commits: by number. sizes: how many documents each of them changed. documents: these, by
    the history's number for them, one commit's after the other's.
    """

    commits: Sequence[int]
    sizes: IntArray
    documents: IntArray

    @classmethod
    def from_changes(cls, changed: Mapping[int, IntArray]) -> CommitChanges:
        """changed: by commit, the documents that it changed, each once."""
        parts = list(changed.values())
        sizes = np.array([len(part) for part in parts], np.int64)
        return cls(list(changed), sizes, np.concatenate(parts) if parts else np.zeros(0, np.int64))

    def commit_indexes(self) -> IntArray:
        """For each of `documents` the place of its commit in `commits`."""
        return np.repeat(np.arange(len(self.commits)), self.sizes)


class CoChangeCounts(Struct, frozen=True):
    """Documents that enough commits tie: by how many each, and how many of these commits are themselves seeds."""

    documents: IntArray
    commit_counts: IntArray
    matched_counts: IntArray

    def restrict_to(self, known: Container[int]) -> CoChangeCounts:
        """The same of those documents that are known."""
        kept = np.array([number in known for number in self.documents.tolist()], np.bool_)
        return CoChangeCounts(self.documents[kept], self.commit_counts[kept], self.matched_counts[kept])


class CoChangeSeeds(Struct, frozen=True, dict=True):
    """by_document: for each seed that is a document the commits that changed it. found: the seeds that are commits."""

    by_document: Mapping[int, AbstractSet[int]]
    matched_commits: AbstractSet[int]

    def all_commits(self) -> frozenset[int]:
        """All commits that can tie."""
        return frozenset(self.matched_commits).union(*self.by_document.values())

    @cached_property
    def exclusive_commits(self) -> dict[int, set[int]]:
        """Of each seed the commits that are no seeds and changed no other one: these do not tie it to itself."""
        holders = Counter(chain.from_iterable(self.by_document.values()))
        alone = {commit for commit, count in holders.items() if count == 1} - self.matched_commits
        return {document: alone & commits for document, commits in self.by_document.items()}


def count_co_changes(changes: CommitChanges, seeds: CoChangeSeeds, commit_total: int) -> CoChangeCounts:
    """How many commits tie each document.

    touches: of the seeds' commits. commits: how many there are that could tie documents.
    """
    documents, row_of = np.unique(changes.documents, return_inverse=True)
    commit_of = changes.commit_indexes()
    is_found = np.array([commit in seeds.matched_commits for commit in changes.commits], np.int64)
    ties = np.bincount(row_of, minlength=len(documents)).astype(np.int64)
    found = np.bincount(row_of, is_found[commit_of], minlength=len(documents)).astype(np.int64)
    for seed, own in seeds.exclusive_commits.items():
        at = int(np.searchsorted(documents, seed))
        if own and at < len(documents) and documents[at] == seed:
            rows: list[int] = commit_of[row_of == at].tolist()
            ties[at] -= sum(changes.commits[row] in own for row in rows)
    enough = ties >= (MIN_CO_CHANGES if commit_total >= YOUNG_HISTORY_COMMITS else 1)
    return CoChangeCounts(documents[enough], ties[enough], found[enough])


def score_co_changed_documents(
    counted: CoChangeCounts, names_and_totals: Mapping[int, tuple[str, int]], seeds: CoChangeSeeds, commit_total: int
) -> list[CoChangeScore]:
    """The documents with more ties than chance would give them, best first.

    named: each document's name, and how many commits changed it in all. commits: as for `count_ties`.
    """
    numbers = counted.documents.tolist()
    totals = np.array([names_and_totals[number][1] for number in numbers], np.float64)
    tying = seeds.all_commits()
    shares = np.full(len(numbers), _expected_by_chance(len(tying), seeds, commit_total))
    for seed, own in seeds.exclusive_commits.items():
        if own:
            shares[counted.documents == seed] = _expected_by_chance(len(tying) - len(own), seeds, commit_total)
    scores = (_weigh_commits(counted.commit_counts, counted.matched_counts) - totals * shares) / np.sqrt(
        totals + COMMIT_COUNT_DAMPING
    )
    best = np.flatnonzero(scores > 0)
    names = (names_and_totals[numbers[place]][0] for place in best.tolist())
    negated = -np.round(scores[best], _SCORE_DIGITS)
    return sorted(map(CoChangeScore, negated.tolist(), names, counted.commit_counts[best].tolist()))


def _weigh_commits(count: IntArray, found: IntArray) -> NDArray[np.float64]:
    """What so many commits say, of which so many are themselves seeds."""
    return count + (MATCHED_COMMIT_WEIGHT - 1) * found


def _expected_by_chance(tying: int, seeds: CoChangeSeeds, commit_total: int) -> float:
    """What ties say of a document that one commit in `commits` changed at random. tying: how many commits tie it."""
    return (tying + (MATCHED_COMMIT_WEIGHT - 1) * len(seeds.matched_commits)) / max(1, commit_total)


def score_seed_commits(changes: CommitChanges, seeds: CoChangeSeeds) -> dict[int, CoChangeScore]:
    """The commits that changed seeds, by number: more for each seed, less the more documents they changed besides."""
    is_seed = np.zeros(len(changes.documents), np.bool_)
    for seed in seeds.by_document:  # a handful: `np.isin` takes longer, and imports numpy.ma, at every start
        is_seed |= changes.documents == seed
    changed = np.bincount(changes.commit_indexes(), is_seed, minlength=len(changes.commits)).astype(np.int64)
    negated = -np.round(changed / np.sqrt(changes.sizes + COMMIT_COUNT_DAMPING), _SCORE_DIGITS)
    return {
        changes.commits[place]: CoChangeScore(float(negated[place]), "", int(changed[place]))
        for place in np.flatnonzero(changed).tolist()
    }
