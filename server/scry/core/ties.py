"""How commits tie documents to one another, and how much a tie says. Pure.

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

Integers = NDArray[np.int64]

FOUND_WEIGHT = 3.0
"""A commit whose message holds the question's words says more than one that merely changed a seed."""

LEAST_TIES = 2
YOUNG = 100
"""One commit may tie by accident. Among fewer commits than YOUNG, one may be all that there is."""

DAMPING = 2.0
"""Added to the number of a document's commits, so that a single one is no certainty."""

_DIGITS = 6


class Tied(Struct, frozen=True, gc=False, order=True):
    """Something tied to seeds: its score, negated so that the best comes first, its name, the number of its ties."""

    negated: float
    name: str
    ties: int


class Touches(Struct, frozen=True):
    """What commits changed. commits: by number. sizes: how many documents each of them changed. documents: these, by
    the history's number for them, one commit's after the other's.
    """

    commits: Sequence[int]
    sizes: Integers
    documents: Integers

    @classmethod
    def of(cls, changed: Mapping[int, Integers]) -> Touches:
        """changed: by commit, the documents that it changed, each once."""
        parts = list(changed.values())
        sizes = np.array([len(part) for part in parts], np.int64)
        return cls(list(changed), sizes, np.concatenate(parts) if parts else np.zeros(0, np.int64))

    def places(self) -> Integers:
        """For each of `documents` the place of its commit in `commits`."""
        return np.repeat(np.arange(len(self.commits)), self.sizes)


class Counted(Struct, frozen=True):
    """Documents that enough commits tie: by how many each, and how many of these commits are themselves seeds."""

    documents: Integers
    ties: Integers
    found: Integers

    def among(self, known: Container[int]) -> Counted:
        """The same of those documents that are known."""
        kept = np.array([number in known for number in self.documents.tolist()], np.bool_)
        return Counted(self.documents[kept], self.ties[kept], self.found[kept])


class Seeds(Struct, frozen=True, dict=True):
    """by_document: for each seed that is a document the commits that changed it. found: the seeds that are commits."""

    by_document: Mapping[int, AbstractSet[int]]
    found: AbstractSet[int]

    def commits(self) -> frozenset[int]:
        """All commits that can tie."""
        return frozenset(self.found).union(*self.by_document.values())

    @cached_property
    def own(self) -> dict[int, set[int]]:
        """Of each seed the commits that are no seeds and changed no other one: these do not tie it to itself."""
        holders = Counter(chain.from_iterable(self.by_document.values()))
        alone = {commit for commit, count in holders.items() if count == 1} - self.found
        return {document: alone & commits for document, commits in self.by_document.items()}


def count_ties(touches: Touches, seeds: Seeds, commits: int) -> Counted:
    """How many commits tie each document.

    touches: of the seeds' commits. commits: how many there are that could tie documents.
    """
    documents, row_of = np.unique(touches.documents, return_inverse=True)
    commit_of = touches.places()
    is_found = np.array([commit in seeds.found for commit in touches.commits], np.int64)
    ties = np.bincount(row_of, minlength=len(documents)).astype(np.int64)
    found = np.bincount(row_of, is_found[commit_of], minlength=len(documents)).astype(np.int64)
    for seed, own in seeds.own.items():
        at = int(np.searchsorted(documents, seed))
        if own and at < len(documents) and documents[at] == seed:
            rows: list[int] = commit_of[row_of == at].tolist()
            ties[at] -= sum(touches.commits[row] in own for row in rows)
    enough = ties >= (LEAST_TIES if commits >= YOUNG else 1)
    return Counted(documents[enough], ties[enough], found[enough])


def score_documents(counted: Counted, named: Mapping[int, tuple[str, int]], seeds: Seeds, commits: int) -> list[Tied]:
    """The documents with more ties than chance would give them, best first.

    named: each document's name, and how many commits changed it in all. commits: as for `count_ties`.
    """
    numbers = counted.documents.tolist()
    totals = np.array([named[number][1] for number in numbers], np.float64)
    tying = seeds.commits()
    shares = np.full(len(numbers), _by_chance(len(tying), seeds, commits))
    for seed, own in seeds.own.items():
        if own:
            shares[counted.documents == seed] = _by_chance(len(tying) - len(own), seeds, commits)
    scores = (_weight(counted.ties, counted.found) - totals * shares) / np.sqrt(totals + DAMPING)
    best = np.flatnonzero(scores > 0)
    names = (named[numbers[place]][0] for place in best.tolist())
    negated = -np.round(scores[best], _DIGITS)
    return sorted(map(Tied, negated.tolist(), names, counted.ties[best].tolist()))


def _weight(count: Integers, found: Integers) -> NDArray[np.float64]:
    """What so many commits say, of which so many are themselves seeds."""
    return count + (FOUND_WEIGHT - 1) * found


def _by_chance(tying: int, seeds: Seeds, commits: int) -> float:
    """What ties say of a document that one commit in `commits` changed at random. tying: how many commits tie it."""
    return (tying + (FOUND_WEIGHT - 1) * len(seeds.found)) / max(1, commits)


def score_commits(touches: Touches, seeds: Seeds) -> dict[int, Tied]:
    """The commits that changed seeds, by number: more for each seed, less the more documents they changed besides."""
    is_seed = np.zeros(len(touches.documents), np.bool_)
    for seed in seeds.by_document:  # a handful: `np.isin` takes longer, and imports numpy.ma, at every start
        is_seed |= touches.documents == seed
    changed = np.bincount(touches.places(), is_seed, minlength=len(touches.commits)).astype(np.int64)
    negated = -np.round(changed / np.sqrt(touches.sizes + DAMPING), _DIGITS)
    return {
        touches.commits[place]: Tied(float(negated[place]), "", int(changed[place]))
        for place in np.flatnonzero(changed).tolist()
    }
