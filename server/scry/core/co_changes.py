"""Score documents and commits by how often commits changed them together.

A document's score is the number of commits that tie it to the seeds, less the number expected if commits changed
documents at random, divided by the square root of the number of all commits that changed it. So no document profits
from being changed by everything, and one that every commit changed scores nothing. Pure.
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
    documents: the history's symbol ids of these, one commit's after the other's.
    """

    commits: Sequence[int]
    sizes: IntArray
    documents: IntArray

    @classmethod
    def from_changes(cls, changed: Mapping[int, IntArray]) -> CommitChanges:
        """Return the changes of commits. changed: by commit, the symbol ids that it changed, each once."""
        parts = list(changed.values())
        sizes = np.array([len(part) for part in parts], np.int64)
        return cls(list(changed), sizes, np.concatenate(parts) if parts else np.zeros(0, np.int64))

    def commit_indexes(self) -> IntArray:
        """Return for each of `documents` the index of its commit in `commits`."""
        return np.repeat(np.arange(len(self.commits)), self.sizes)


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
    def exclusive_commits(self) -> dict[int, set[int]]:
        """The commits of each seed that are no seeds and changed no other seed: they do not tie the seed to itself."""
        holders = Counter(chain.from_iterable(self.by_document.values()))
        alone = {commit for commit, count in holders.items() if count == 1} - self.matched_commits
        return {document: alone & commits for document, commits in self.by_document.items()}


def count_co_changes(changes: CommitChanges, seeds: CoChangeSeeds, commit_total: int) -> CoChangeCounts:
    """Count the commits that tie each document to the seeds.

    changes: of the seeds' commits. commit_total: how many commits there are that could tie documents.
    """
    documents, row_of = np.unique(changes.documents, return_inverse=True)
    commit_of = changes.commit_indexes()
    is_found = np.array([commit in seeds.matched_commits for commit in changes.commits], np.int64)
    commit_counts = np.bincount(row_of, minlength=len(documents)).astype(np.int64)
    matched_counts = np.bincount(row_of, is_found[commit_of], minlength=len(documents)).astype(np.int64)
    for seed, own in seeds.exclusive_commits.items():
        at = int(np.searchsorted(documents, seed))
        if own and at < len(documents) and documents[at] == seed:
            rows: list[int] = commit_of[row_of == at].tolist()
            commit_counts[at] -= sum(changes.commits[row] in own for row in rows)
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
    tying = seeds.all_commits()
    shares = np.full(len(documents), _expected_by_chance(len(tying), seeds, commit_total))
    for seed, own in seeds.exclusive_commits.items():
        if own:
            shares[counted.documents == seed] = _expected_by_chance(len(tying) - len(own), seeds, commit_total)
    weights = counted.commit_counts + (MATCHED_COMMIT_WEIGHT - 1) * counted.matched_counts
    scores = (weights - totals * shares) / np.sqrt(totals + COMMIT_COUNT_DAMPING)
    best = np.flatnonzero(scores > 0)
    names = (names_and_totals[documents[index]][0] for index in best.tolist())
    negated = -np.round(scores[best], _SCORE_DIGITS)
    return sorted(map(CoChangeScore, negated.tolist(), names, counted.commit_counts[best].tolist()))


def _expected_by_chance(tying: int, seeds: CoChangeSeeds, commit_total: int) -> float:
    """Return the expected weight of a document's ties per commit that changed it. tying: the number of ties."""
    return (tying + (MATCHED_COMMIT_WEIGHT - 1) * len(seeds.matched_commits)) / max(1, commit_total)


def score_seed_commits(changes: CommitChanges, seeds: CoChangeSeeds) -> dict[int, CoChangeScore]:
    """Return the scores of the commits that changed seeds: higher per seed, lower per other document changed."""
    is_seed = np.zeros(len(changes.documents), np.bool_)
    for seed in seeds.by_document:  # a handful: `np.isin` takes longer, and imports numpy.ma, at every start
        is_seed |= changes.documents == seed
    changed = np.bincount(changes.commit_indexes(), is_seed, minlength=len(changes.commits)).astype(np.int64)
    negated = -np.round(changed / np.sqrt(changes.sizes + COMMIT_COUNT_DAMPING), _SCORE_DIGITS)
    return {
        changes.commits[index]: CoChangeScore(float(negated[index]), "", int(changed[index]))
        for index in np.flatnonzero(changed).tolist()
    }
