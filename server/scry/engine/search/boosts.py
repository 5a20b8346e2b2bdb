"""Boost or demote documents by name, path and sibling hits: named factors with reasons. Pure.

What a symbol owes to its name: the rule `definition`, for names that a question asks for or holds. Pure.

The rules that move a document besides the oracles' ranks: each a named factor with a reason (F5). Pure.

They read the question, the documents' own names and paths, and the places of the other hits. None reads structure,
history or activity (F6). How much each is worth, by ablation, is in docs/decisions.md.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache

from msgspec import Struct

from scry.core.path_kinds import (
    PLATFORM_FAMILIES,
    SUPERSEDED,
    classify_path,
    families_here,
    platform_family_words,
    platform_of_path,
    superseded_paths,
)
from scry.core.text import (
    content_terms,
    find_identifiers,
    format_count,
    is_single_term,
    normalize_name,
    queried_names,
    queried_spellings,
    tokenize,
)
from scry.core.types import Adjustment, Candidate, DocumentHeader, QueryIntent, SearchQuery

DEFINITION_FACTOR = 6.0
"""For a name that is surely asked for, by itself or as in "where is x":
above (K + 200) / (K + 1), so that the last vote can still come first (F8)."""

MENTIONED_NAME_FACTOR = 1.5
"""For a name that a sentence mentions without asking where it is: it may as well be what the sentence is about, or what
uses it."""

SPELLING_FACTOR = 1.3
TYPE_FACTOR = 1.3
OWN_FILE_FACTOR = 1.2
"""Of several definitions of that name, the one that is spelled as asked comes before `config_dict` for `ConfigDict`,
a type before functions and methods that are called the same, and one whose file bears its name (`Channel.kt`,
`conn.ex`) before namesakes in other files."""

TYPE_OWN_FILE_FACTOR = 1.5
"""Of a type that is written in parts (`Serializer.cs`, `Serializer.Json.cs`), the part in the file that bears its name
alone is where the type is at home, however much the others hold of it."""

MEMBER_FACTOR = 1 / 1.3
"""Who asks for `status` or `entrySet` by itself wants what can be used or called before somebody's field or variable of
that name, as a type before a function."""

NAME_IN_QUESTION_FACTOR = 1.1
"""A word of a longer question is also a whole name: likely, not certain, that this symbol is meant."""

TYPE_KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "type", "module"})
MEMBER_KINDS = frozenset({"field", "variable", "property", "parameter"})
PART_OF_TYPE_KINDS = MEMBER_KINDS | {"constant"}
"""What bears everyday names (`file`, `open`): that one is a word of a sentence says nothing."""

GENERIC_FILES = frozenset({"index", "mod", "__init__", "lib", "main"})
"""Files named so by their language: their folder's name says what they are about."""

_EXTENSION_PATTERN = re.compile(r"(?:impl|extension) ([\w.:]+)(?:<.*)?")
"""How a block that adds to a type is named. One for a trait (`impl Display for Channel`) is about both, and is not."""


class NameBoost:
    """The rule for one question. named: the most that a document can owe to its name."""

    def __init__(self, question: SearchQuery) -> None:
        self._asked_names = queried_names(question)
        self._spellings = queried_spellings(question)
        self._case_sensitive = _case_sensitive_names(question)
        self._asks_for_definition = _asks_for_definition(question)
        self.max_factor = max_name_factor(question)

    def matches_name(self, symbol: DocumentHeader) -> bool:
        """Whether a symbol has a name that the question holds."""
        return bool(symbol.name) and self._matched_name(symbol) is not None

    def adjustment_for(self, symbol: DocumentHeader) -> Adjustment | None:
        """What the symbol gets."""
        found = self._matched_name(symbol) if symbol.name else None
        if found is None:
            return None
        if self._asked_names[found] and self._spelling_matches(symbol):
            return Adjustment("definition", self._factor(symbol), f"defines {symbol.name}")
        if symbol.kind in PART_OF_TYPE_KINDS:
            return None
        return Adjustment("definition", NAME_IN_QUESTION_FACTOR, f"defines {symbol.name}, a word of the question")

    def _factor(self, symbol: DocumentHeader) -> float:
        is_type = symbol.kind in TYPE_KINDS
        factor = DEFINITION_FACTOR if self._asks_for_definition else MENTIONED_NAME_FACTOR
        factor *= TYPE_FACTOR if is_type else 1
        factor *= SPELLING_FACTOR if symbol.name in self._spellings else 1
        if normalize_name(file_stem(symbol.path)) == normalize_name(symbol.name):
            factor *= TYPE_OWN_FILE_FACTOR if is_type else OWN_FILE_FACTOR
        return factor * MEMBER_FACTOR if self._asks_for_definition and symbol.kind in MEMBER_KINDS else factor

    def _spelling_matches(self, symbol: DocumentHeader) -> bool:
        """Whether a name is written as it was asked for, where that is asked for."""
        name = _own_name(symbol)
        return normalize_name(name) not in self._case_sensitive or name in self._spellings

    def _matched_name(self, symbol: DocumentHeader) -> str | None:
        """The asked name that a symbol has, with its container's before it or by itself."""
        key = normalize_name(_own_name(symbol))
        qualified = normalize_name(symbol.container) + key
        if qualified in self._asked_names:
            return qualified
        return key if key in self._asked_names else None


def max_name_factor(question: SearchQuery) -> float:
    """The most that a document can owe to its name."""
    if any(queried_names(question).values()):
        factor = DEFINITION_FACTOR if _asks_for_definition(question) else MENTIONED_NAME_FACTOR
        return factor * SPELLING_FACTOR * TYPE_FACTOR * TYPE_OWN_FILE_FACTOR
    return NAME_IN_QUESTION_FACTOR


@lru_cache(maxsize=50_000)
def file_stem(path: str) -> str:
    """What a file is called, without its extension; its folder's name where the language names the file."""
    folders, _, file = path.rpartition("/")
    stem = file.rpartition(".")[0] or file
    return folders.rpartition("/")[2] if stem in GENERIC_FILES else stem


def _own_name(symbol: DocumentHeader) -> str:
    """Its name; of a block that adds to a type, the type's: where a macro hides the type, that is all there is."""
    if symbol.kind != "implementation":
        return symbol.name
    part = _EXTENSION_PATTERN.fullmatch(symbol.name)
    return part[1] if part else symbol.name


def _case_sensitive_names(question: SearchQuery) -> frozenset[str]:
    """Keys of the names that count only as they are written: those with capitals in a sentence, as in "write LaTeX",
    which asks for no `latex'`. Who types a name alone, or all in small letters, may not know how it is written.
    """
    if is_single_term(question):
        return frozenset()
    return frozenset(normalize_name(name) for name in queried_spellings(question) if name != name.lower())


def _asks_for_definition(question: SearchQuery) -> bool:
    return is_single_term(question) or question.intent is QueryIntent.DEFINITION


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
        return [
            *([defined] if defined else ()),
            *self._sibling_hits_adjustments(candidate),
            *self._path_adjustments(path)[0],
        ]

    def _path_adjustments(self, path: str) -> tuple[list[Adjustment], float]:
        """What moves all documents of a file alike, and the product of the factors."""
        if path not in self._by_path:
            found = [
                *self._file_name_adjustments(path),
                *self._path_kind_adjustments(path),
                *self._platform_adjustments(path),
            ]
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
            yield Adjustment(
                "file_hits", 1 + FILE_HIT_SHARE * support, f"{format_count(others, 'more hit')} in the same file"
            )

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
        if any(
            self._all_words & frozenset(platform_family_words(family))
            for family in PLATFORM_FAMILIES - self._own_platforms
        ):
            return frozenset()
        found: dict[str, set[str]] = defaultdict(set)
        for path in paths:
            written = platform_of_path(path)
            if written:
                found[written[1]].add(written[0])
        return frozenset(
            gap for gap, families in found.items() if families & self._own_platforms and families - self._own_platforms
        )


def _asks_for_commits(question: SearchQuery) -> bool:
    typed = any(f.field == "type" and f.value == "commit" and not f.exclude for f in question.filters)
    return typed or "commit" in question.content_types or question.intent in COMMIT_INTENTS


@lru_cache(maxsize=100_000)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a name, in their order."""
    return tuple(tokenize(name))
