"""The rules that move a document besides the oracles' ranks: each a named factor with a reason (F5). Pure.

They read the question, the documents' own names and paths, and the places of the other hits. None reads structure,
history or activity (F6). How much each is worth, by ablation, is in docs/decisions.md.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache

from msgspec import Struct

from scry.core.path_kinds import SUPERSEDED, path_kind
from scry.core.platforms import FAMILIES, families_here, platform_words, written_for
from scry.core.text import content_terms, runs, terms
from scry.core.types import Adjustment, Candidate, Intent, Question
from scry.core.versions import superseded
from scry.engine.definition import Definition, file_stem, named_factor
from scry.engine.words import count

FILE_SHARE = 0.1
FILE_HITS = 9
FILE_HALF = 20
"""Up to nine further hits in the same file support a document, each by this share, less the lower it stands: half as
much at the twentieth place."""

FILE_NAME_SHARE = 0.4
"""What a file is called says what it is about: words of the question that make up a share of its name."""

KIND_FACTORS: Mapping[str, float] = {
    "test": 0.35,
    "vendored": 0.4,
    "generated": 0.5,
    "example": 0.6,
    "declaration": 0.7,
    "documentation": 0.4,
    "superseded": 0.6,
}
"""Paths that hold code about the code, somebody else's, or an older version's come lower unless the question asks for
them."""

KIND_WORDS: Mapping[str, frozenset[str]] = {
    "test": frozenset({"tests", "tested", "spec", "specs", "fixture", "fixtures", "mock", "mocks"}),
    "vendored": frozenset({"vendor", "vendored"}),
    "generated": frozenset({"generated", "protobuf"}),
    "example": frozenset({"example", "examples", "demo", "demos", "sample", "samples", "tutorial"}),
    "declaration": frozenset({"declaration", "declarations", "typings"}),
    "superseded": frozenset({"deprecated", "legacy", "old", "older", "obsolete", "superseded", "v1", "v2", "v3"}),
    "documentation": frozenset(
        {"doc", "docs", "documentation", "documented", "readme", "guide", "manual", "changelog", "changes", "release"}
    ),
}

TEST_WORDS = frozenset({"test", "testing"})
TEST_FACTOR = 0.6
"""Who asks for "tests of x" wants tests. "How a test is run" may as well ask for what runs them, which in a tool
for testing is the whole project."""

PLATFORM_FACTOR = 0.6
"""Where the same is written once for each system, the part for another system than this one comes lower."""

COMMIT_FACTOR = 0.3
"""A question about code is to get code: commits come lower unless it asks what happened, or why, or for commits."""

COMMIT_INTENTS = frozenset({Intent.TEMPORAL, Intent.RATIONALE})

Stem = Callable[[str], str]


_FILE_FACTOR = (1 + FILE_SHARE * FILE_HITS) * (1 + FILE_NAME_SHARE)
"""The most that a document can owe to its file."""


_ROUNDING = 1 + 1e-9
"""A bound is a product in another order than the score: it may be lower in its last digits."""


def highest_factor(question: Question) -> float:
    """The product of all factors above 1 that a document could collect for this question."""
    return named_factor(question) * _FILE_FACTOR


class _Support(Struct, frozen=True, gc=False):
    """What the hits of one file lend each other, by their places, best first: one more than can count."""

    weights: Mapping[int, float]
    count: int
    total: float
    last: float

    @classmethod
    def of(cls, places: Sequence[int]) -> _Support:
        """places: of all hits in the file, ascending."""
        weights = {place: 1 / (1 + place / FILE_HALF) for place in places[: FILE_HITS + 1]}
        last = 1 / (1 + places[FILE_HITS] / FILE_HALF) if len(places) > FILE_HITS else 0.0
        return cls(weights, len(places), sum(weights.values()), last)

    @property
    def most(self) -> float:
        """The most that any hit of the file gets of the others: what its last one gets that counts."""
        return self.total - min(self.weights.values())

    def beside(self, place: int) -> tuple[int, float]:
        """How many other hits count for the one at `place`, and their weights' sum."""
        if place in self.weights:
            return min(FILE_HITS, self.count - 1), self.total - self.weights[place]
        return FILE_HITS, self.total - self.last


def _support(candidates: Iterable[Candidate]) -> tuple[dict[int, int], dict[str, _Support]]:
    """Each document's place by rank, and what the hits of each file lend each other. candidates: best first."""
    hits: dict[str, list[int]] = defaultdict(list)
    places: dict[int, int] = {}
    for place, document in enumerate(candidate.document for candidate in candidates if candidate.document.path):
        hits[document.path].append(place)
        places[document.number] = place
    return places, {path: _Support.of(found) for path, found in hits.items()}


class Rules:
    """The rules for one question, with all that does not depend on the single document."""

    def __init__(self, question: Question, stem: Stem, candidates: Sequence[Candidate]) -> None:
        """candidates: all of them, best rank sums first, for what the hits of one file lend each other."""
        self._stem = stem
        self._definition = Definition(question)
        self._words = frozenset(stem(term) for term in content_terms(" ".join((question.words, *question.phrases))))
        self._all_words = frozenset(run.lower() for run in runs(question.text))
        self.order_by(candidates)
        self._here = families_here()
        self._systems = self._several_systems(self._hits)
        self._superseded = superseded(self._hits)
        self._commits_asked = _asks_for_commits(question)
        self._by_path: dict[str, tuple[list[Adjustment], float]] = {}
        self._shares: dict[str, float] = {}

    def reordered(self, candidates: Sequence[Candidate]) -> Rules:
        """The rules for the same documents in another order of rank sums: what follows from their paths stays."""
        other = copy(self)
        other.order_by(candidates)
        return other

    def order_by(self, candidates: Sequence[Candidate]) -> None:
        """From now on the hits of one file lend each other what they do in this order."""
        self._places, self._hits = _support(candidates)
        self._bounds: dict[str, float] = {}

    def that_can_reach(self, least: float, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Those whose rank sums times their factors may come to `least`. candidates: best rank sums first."""
        named, bounds, found = self._definition.named, self._bounds, list[Candidate]()
        lowest = least / (named * _FILE_FACTOR * _ROUNDING)
        for candidate in candidates:
            if candidate.rank_sum < lowest:
                break
            document = candidate.document
            bound = bounds.get(document.path)
            if bound is None:
                bound = bounds[document.path] = self._bound(document.path)
            reached = candidate.rank_sum * bound
            if reached >= least or (reached * named >= least and self._definition.concerns(document)):
                found.append(candidate)
        return found

    def _bound(self, path: str) -> float:
        """The most that a document of a file can be multiplied by, its own name apart."""
        if not path:
            return _ROUNDING
        return (1 + FILE_SHARE * self._hits[path].most) * self._of_path(path)[1] * _ROUNDING

    def judge(self, candidate: Candidate) -> list[Adjustment]:
        """What moves this document."""
        path = candidate.document.path
        if not path:
            return list(self._commit(candidate))
        defined = self._definition.judge(candidate.document)
        return [*([defined] if defined else ()), *self._file_hits(candidate), *self._of_path(path)[0]]

    def _of_path(self, path: str) -> tuple[list[Adjustment], float]:
        """What moves all documents of a file alike, and the product of the factors."""
        if path not in self._by_path:
            found = [*self._file_name(path), *self._kinds(path), *self._platform(path)]
            self._by_path[path] = (found, math.prod([adjustment.factor for adjustment in found]))
        return self._by_path[path]

    def _commit(self, candidate: Candidate) -> Iterable[Adjustment]:
        if candidate.document.content_type == "commit" and not self._commits_asked:
            yield Adjustment("commit", COMMIT_FACTOR, "a commit, and the question does not ask what happened")

    def _share(self, name: str) -> float:
        """What share of a name's words the question holds."""
        share = self._shares.get(name)
        if share is None:
            words = set(map(self._stem, name_words(name)))
            share = self._shares[name] = len(words & self._words) / len(words) if words else 0.0
        return share

    def _file_hits(self, candidate: Candidate) -> Iterable[Adjustment]:
        others, support = self._beside(candidate)
        if others:
            yield Adjustment("file_hits", 1 + FILE_SHARE * support, f"{count(others, 'more hit')} in the same file")

    def _beside(self, candidate: Candidate) -> tuple[int, float]:
        return self._hits[candidate.document.path].beside(self._places[candidate.document.number])

    def _file_name(self, path: str) -> Iterable[Adjustment]:
        name = file_stem(path).partition(".")[0]
        share = self._share(name)
        if share:
            yield Adjustment("file_name", 1 + FILE_NAME_SHARE * share, f"words of the question are in {name}")

    def _kinds(self, path: str) -> Iterable[Adjustment]:
        kinds = path_kind(path) | ({SUPERSEDED} if path in self._superseded else set[str]())
        for kind in sorted(kinds):
            if kind in KIND_FACTORS and not self._all_words & KIND_WORDS[kind]:
                yield self._of_kind(kind)

    def _of_kind(self, kind: str) -> Adjustment:
        if kind == "test" and self._all_words & TEST_WORDS:
            return Adjustment("test_path", TEST_FACTOR, "the path is test, which the question may not ask for")
        return Adjustment(
            f"{kind}_path", KIND_FACTORS[kind], f"the path is {kind}, which the question does not ask for"
        )

    def _platform(self, path: str) -> Iterable[Adjustment]:
        written = written_for(path)
        if written and written[1] in self._systems and written[0] not in self._here:
            yield Adjustment("platform_path", PLATFORM_FACTOR, f"the path is for {written[0]}, and so is one for this")

    def _several_systems(self, paths: Iterable[str]) -> frozenset[str]:
        """The gaps in paths that are filled with this system's name and another's; none where one is asked for."""
        if any(self._all_words & frozenset(platform_words(family)) for family in FAMILIES - self._here):
            return frozenset()
        found: dict[str, set[str]] = defaultdict(set)
        for path in paths:
            written = written_for(path)
            if written:
                found[written[1]].add(written[0])
        return frozenset(gap for gap, families in found.items() if families & self._here and families - self._here)


def _asks_for_commits(question: Question) -> bool:
    typed = any(f.field == "type" and f.value == "commit" and not f.exclude for f in question.filters)
    return typed or "commit" in question.content_types or question.intent in COMMIT_INTENTS


@lru_cache(maxsize=100_000)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a name, in their order."""
    return tuple(terms(name))
