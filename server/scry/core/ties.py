"""How commits tie documents to one another, and how much a tie says. Pure.

From a document's ties those are subtracted that it would have if commits changed documents at random, and the rest is
divided by the square root of the number of all commits that changed it: so nothing profits from being changed by
everything, and a document that every commit changed is left with nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

FOUND_WEIGHT = 3.0
"""A commit whose message holds the question's words says more than one that merely changed a seed."""

LEAST_TIES = 2
YOUNG = 100
"""One commit may tie by accident. Among fewer commits than YOUNG, one may be all that there is."""

DAMPING = 2.0
"""Added to the number of a document's commits, so that a single one is no certainty."""

_DIGITS = 6

Touch = tuple[int, int]
"""A document, by the history's number for it, and a commit that changed it."""


class Tied(NamedTuple):
    """Something tied to seeds: its score, negated so that the best comes first, its name, the number of its ties."""

    negated: float
    name: str
    ties: int


@dataclass(frozen=True, slots=True)
class Seeds:
    """by_document: for each seed that is a document the commits that changed it. found: the seeds that are commits."""

    by_document: Mapping[int, AbstractSet[int]]
    found: AbstractSet[int]

    def commits(self) -> frozenset[int]:
        """All commits that can tie."""
        return frozenset(self.found).union(*self.by_document.values())

    def beside(self, seed: int) -> frozenset[int]:
        """The commits that tie a seed: its own do not tie it to itself."""
        others = (commits for document, commits in self.by_document.items() if document != seed)
        return frozenset(self.found).union(*others)

    def weight(self, count: int, found: int) -> float:
        """What so many commits say, of which so many are themselves seeds."""
        return count + (FOUND_WEIGHT - 1) * found


def count_ties(touches: Iterable[Touch], seeds: Seeds, commits: int) -> dict[int, tuple[int, int]]:
    """By document, how many commits tie it, and how many of these are themselves seeds; where they are enough.

    touches: of the seeds' commits, each once. commits: how many there are that could tie documents.
    """
    beside = {seed: seeds.beside(seed) for seed in seeds.by_document}
    counted: Counter[int] = Counter()
    found: Counter[int] = Counter()
    for document, commit in touches:
        if document not in beside or commit in beside[document]:
            counted[document] += 1
            if commit in seeds.found:
                found[document] += 1
    least = LEAST_TIES if commits >= YOUNG else 1
    return {document: (count, found[document]) for document, count in counted.items() if count >= least}


def score_documents(
    counts: Mapping[int, tuple[int, int]], named: Mapping[int, tuple[str, int]], seeds: Seeds, commits: int
) -> list[Tied]:
    """The documents with more ties than chance would give them, best first.

    named: each document's name, and how many commits changed it in all. commits: as for `count_ties`.
    """
    scored: list[Tied] = []
    share = _by_chance(seeds.commits(), seeds, commits)
    for document, (count, found) in counts.items():
        name, total = named[document]
        if document in seeds.by_document:
            chance = total * _by_chance(seeds.beside(document), seeds, commits)
        else:
            chance = total * share
        score = (seeds.weight(count, found) - chance) / sqrt(total + DAMPING)
        if score > 0:
            scored.append(Tied(-round(score, _DIGITS), name, count))
    return sorted(scored)


def _by_chance(tying: AbstractSet[int], seeds: Seeds, commits: int) -> float:
    """What ties say of a document that one commit in `commits` changed at random."""
    return seeds.weight(len(tying), len(tying & seeds.found)) / max(1, commits)


def score_commits(touches: Sequence[Touch], seeds: Seeds) -> dict[int, Tied]:
    """The commits that changed seeds, by number: more for each seed, less the more documents they changed besides."""
    sizes = Counter(commit for _, commit in touches)
    changed = Counter(commit for document, commit in touches if document in seeds.by_document)
    return {
        commit: Tied(-round(count / sqrt(sizes[commit] + DAMPING), _DIGITS), "", count)
        for commit, count in changed.items()
    }
