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

from scry.core.path_kinds import SUPERSEDED, classify_path
from scry.core.platforms import PLATFORM_FAMILIES, families_here, platform_family_words, platform_of_path
from scry.core.text import content_terms, find_identifiers, tokenize
from scry.core.types import Adjustment, Candidate, QueryIntent, SearchQuery
from scry.core.versions import superseded_paths
from scry.engine.definition import NameBoost, file_stem, max_name_factor
from scry.engine.words import format_count

FILE_HIT_SHARE = 0.1
MAX_FILE_HITS = 9
FILE_HIT_HALF_PLACE = 20
"""Up to nine further hits in the same file support a document, each by this share, less the lower it stands: half as
much at the twentieth place."""

FILE_NAME_SHARE = 0.4
"""What a file is called says what it is about: words of the question that make up a share of its name."""

PATH_KIND_FACTORS: Mapping[str, float] = {
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

PATH_KIND_WORDS: Mapping[str, frozenset[str]] = {
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

COMMIT_INTENTS = frozenset({QueryIntent.TEMPORAL, QueryIntent.RATIONALE})

StemFunction = Callable[[str], str]


_MAX_FILE_FACTOR = (1 + FILE_HIT_SHARE * MAX_FILE_HITS) * (1 + FILE_NAME_SHARE)
"""The most that a document can owe to its file."""


_ROUNDING_MARGIN = 1 + 1e-9
"""A bound is a product in another order than the score: it may be lower in its last digits."""


def max_boost(question: SearchQuery) -> float:
    """The product of all factors above 1 that a document could collect for this question."""
    return max_name_factor(question) * _MAX_FILE_FACTOR


class _FileSupport(Struct, frozen=True, gc=False):
    """What the hits of one file lend each other, by their places, best first: one more than can count."""

    weights: Mapping[int, float]
    count: int
    total: float
    last: float

    @classmethod
    def from_places(cls, places: Sequence[int]) -> _FileSupport:
        """places: of all hits in the file, ascending."""
        weights = {place: 1 / (1 + place / FILE_HIT_HALF_PLACE) for place in places[: MAX_FILE_HITS + 1]}
        last = 1 / (1 + places[MAX_FILE_HITS] / FILE_HIT_HALF_PLACE) if len(places) > MAX_FILE_HITS else 0.0
        return cls(weights, len(places), sum(weights.values()), last)

    @property
    def max_support(self) -> float:
        """The most that any hit of the file gets of the others: what its last one gets that counts."""
        return self.total - min(self.weights.values())

    def support_for(self, place: int) -> tuple[int, float]:
        """How many other hits count for the one at `place`, and their weights' sum."""
        if place in self.weights:
            return min(MAX_FILE_HITS, self.count - 1), self.total - self.weights[place]
        return MAX_FILE_HITS, self.total - self.last


def _compute_file_support(candidates: Iterable[Candidate]) -> tuple[dict[int, int], dict[str, _FileSupport]]:
    """Each document's place by rank, and what the hits of each file lend each other. candidates: best first."""
    hits: dict[str, list[int]] = defaultdict(list)
    places: dict[int, int] = {}
    for place, document in enumerate(candidate.document for candidate in candidates if candidate.document.path):
        hits[document.path].append(place)
        places[document.doc_key] = place
    return places, {path: _FileSupport.from_places(found) for path, found in hits.items()}


class BoostRules:
    """The rules for one question, with all that does not depend on the single document."""

    def __init__(self, question: SearchQuery, stem: StemFunction, candidates: Sequence[Candidate]) -> None:
        """candidates: all of them, best rank sums first, for what the hits of one file lend each other."""
        self._stem = stem
        self._name_boost = NameBoost(question)
        self._words = frozenset(stem(term) for term in content_terms(" ".join((question.words, *question.phrases))))
        self._all_words = frozenset(run.lower() for run in find_identifiers(question.text))
        self.set_order(candidates)
        self._own_platforms = families_here()
        self._platform_gaps = self._platform_variants(self._hits)
        self._superseded = superseded_paths(self._hits)
        self._asks_for_commits = _asks_for_commits(question)
        self._by_path: dict[str, tuple[list[Adjustment], float]] = {}
        self._matched_shares: dict[str, float] = {}

    def for_order(self, candidates: Sequence[Candidate]) -> BoostRules:
        """The rules for the same documents in another order of rank sums: what follows from their paths stays."""
        other = copy(self)
        other.set_order(candidates)
        return other

    def set_order(self, candidates: Sequence[Candidate]) -> None:
        """From now on the hits of one file lend each other what they do in this order."""
        self._places, self._hits = _compute_file_support(candidates)
        self._max_path_factors: dict[str, float] = {}

    def filter_reachable(self, min_score: float, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Those whose rank sums times their factors may come to `least`. candidates: best rank sums first."""
        named, bounds, found = self._name_boost.max_factor, self._max_path_factors, list[Candidate]()
        lowest = min_score / (named * _MAX_FILE_FACTOR * _ROUNDING_MARGIN)
        for candidate in candidates:
            if candidate.rank_sum < lowest:
                break
            document = candidate.document
            bound = bounds.get(document.path)
            if bound is None:
                bound = bounds[document.path] = self._max_path_factor(document.path)
            reached = candidate.rank_sum * bound
            if reached >= min_score or (reached * named >= min_score and self._name_boost.matches_name(document)):
                found.append(candidate)
        return found

    def _max_path_factor(self, path: str) -> float:
        """The most that a document of a file can be multiplied by, its own name apart."""
        if not path:
            return _ROUNDING_MARGIN
        return (1 + FILE_HIT_SHARE * self._hits[path].max_support) * self._path_adjustments(path)[1] * _ROUNDING_MARGIN

    def adjustments_for(self, candidate: Candidate) -> list[Adjustment]:
        """What moves this document."""
        path = candidate.document.path
        if not path:
            return list(self._commit_adjustments(candidate))
        defined = self._name_boost.adjustment_for(candidate.document)
        return [*([defined] if defined else ()), *self._sibling_hits_adjustments(candidate), *self._path_adjustments(path)[0]]

    def _path_adjustments(self, path: str) -> tuple[list[Adjustment], float]:
        """What moves all documents of a file alike, and the product of the factors."""
        if path not in self._by_path:
            found = [*self._file_name_adjustments(path), *self._path_kind_adjustments(path), *self._platform_adjustments(path)]
            self._by_path[path] = (found, math.prod([adjustment.factor for adjustment in found]))
        return self._by_path[path]

    def _commit_adjustments(self, candidate: Candidate) -> Iterable[Adjustment]:
        if candidate.document.content_type == "commit" and not self._asks_for_commits:
            yield Adjustment("commit", COMMIT_FACTOR, "a commit, and the question does not ask what happened")

    def _matched_share(self, name: str) -> float:
        """What share of a name's words the question holds."""
        share = self._matched_shares.get(name)
        if share is None:
            words = set(map(self._stem, name_words(name)))
            share = self._matched_shares[name] = len(words & self._words) / len(words) if words else 0.0
        return share

    def _sibling_hits_adjustments(self, candidate: Candidate) -> Iterable[Adjustment]:
        others, support = self._sibling_support(candidate)
        if others:
            yield Adjustment("file_hits", 1 + FILE_HIT_SHARE * support, f"{format_count(others, 'more hit')} in the same file")

    def _sibling_support(self, candidate: Candidate) -> tuple[int, float]:
        return self._hits[candidate.document.path].support_for(self._places[candidate.document.doc_key])

    def _file_name_adjustments(self, path: str) -> Iterable[Adjustment]:
        name = file_stem(path).partition(".")[0]
        share = self._matched_share(name)
        if share:
            yield Adjustment("file_name", 1 + FILE_NAME_SHARE * share, f"words of the question are in {name}")

    def _path_kind_adjustments(self, path: str) -> Iterable[Adjustment]:
        kinds = classify_path(path) | ({SUPERSEDED} if path in self._superseded else set[str]())
        for kind in sorted(kinds):
            if kind in PATH_KIND_FACTORS and not self._all_words & PATH_KIND_WORDS[kind]:
                yield self._kind_adjustment(kind)

    def _kind_adjustment(self, kind: str) -> Adjustment:
        if kind == "test" and self._all_words & TEST_WORDS:
            return Adjustment("test_path", TEST_FACTOR, "the path is test, which the question may not ask for")
        return Adjustment(
            f"{kind}_path", PATH_KIND_FACTORS[kind], f"the path is {kind}, which the question does not ask for"
        )

    def _platform_adjustments(self, path: str) -> Iterable[Adjustment]:
        written = platform_of_path(path)
        if written and written[1] in self._platform_gaps and written[0] not in self._own_platforms:
            yield Adjustment("platform_path", PLATFORM_FACTOR, f"the path is for {written[0]}, and so is one for this")

    def _platform_variants(self, paths: Iterable[str]) -> frozenset[str]:
        """The gaps in paths that are filled with this system's name and another's; none where one is asked for."""
        if any(self._all_words & frozenset(platform_family_words(family)) for family in PLATFORM_FAMILIES - self._own_platforms):
            return frozenset()
        found: dict[str, set[str]] = defaultdict(set)
        for path in paths:
            written = platform_of_path(path)
            if written:
                found[written[1]].add(written[0])
        return frozenset(gap for gap, families in found.items() if families & self._own_platforms and families - self._own_platforms)


def _asks_for_commits(question: SearchQuery) -> bool:
    typed = any(f.field == "type" and f.value == "commit" and not f.exclude for f in question.filters)
    return typed or "commit" in question.content_types or question.intent in COMMIT_INTENTS


@lru_cache(maxsize=100_000)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a name, in their order."""
    return tuple(tokenize(name))
