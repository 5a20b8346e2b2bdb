"""Boost or demote files by what their paths say and by the past commits that changed them (F5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from msgspec import Struct

from scry.core.path_kinds import (
    PLATFORM_FAMILY_WORDS,
    SUPERSEDED,
    classify_path,
    families_here,
    platform_of_path,
    superseded_paths,
    version_of_path,
)
from scry.core.text import content_terms, find_identifiers, format_count, name_words, normalize_name, search_text
from scry.core.types import Adjustment, SearchQuery
from scry.engine.search.document_boosts import StemFunction, file_stem

PATH_WORDS_SHARE = 1.7
"""Boost of a file whose path, folders included, is made of words of the query, times the share of its words that are
(distinct stems). A path says in a few words what a file is about, which its longer neighbours only mention."""

PAST_CHANGES_SHARE = 0.8
PAST_CHANGES_HALF = 0.5
"""Boost of a file that commits with the query's words changed, times v / (v + PAST_CHANGES_HALF), where v is the file's
votes (oracles.temporal.count_past_changes): half of it for as much as a single commit says that changed four files."""

AREA_SHARE = 1.0
"""Boost of a file whose path holds the area that the query begins with (`net: accept …`), times its words' share."""

PATH_KIND_FACTORS: Mapping[str, float] = {
    "test": 0.25,
    "vendored": 0.4,
    "generated": 0.5,
    "example": 0.6,
    "declaration": 0.7,
    "documentation": 0.25,
    "superseded": 0.6,
}
"""Factors of paths of code about the code, somebody else's code or an older version, unless the query asks for them."""

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
"""Words of a query that ask for such paths."""

TEST_WORDS, TEST_FACTOR = frozenset({"test", "testing"}), 0.6
"""A query for "tests of x" wants tests. "How a test is run" may as well want the code that runs them."""

PLATFORM_FACTOR = 0.6
"""Where the same is written once for each operating system, the files for another system than this one come lower."""


class Boost(Struct, frozen=True, gc=False):
    """An adjustment whose reason is not written yet: that of most files is never read.

    reason: a format string where there are values to fill it with.
    """

    name: str
    factor: float
    reason: str
    values: tuple[float | str, ...] = ()

    def adjustment(self) -> Adjustment:
        """Return the adjustment with its reason."""
        return Adjustment(self.name, self.factor, self.reason.format(*self.values) if self.values else self.reason)


class PathFacts(Struct, frozen=True, gc=False):
    """What a path says for any query. stems: of its words. kinds, platform, has_version: see core.path_kinds.

    file_name: of its file without extensions, in the form in which names are compared.
    """

    stems: frozenset[str]
    kinds: frozenset[str]
    platform: tuple[str, str] | None
    has_version: bool
    file_name: str


@lru_cache(maxsize=50_000)
def read_path(stem: StemFunction, path: str) -> PathFacts:
    """Return what a path says. stem: see `fusion.rank_with_boosts`."""
    return PathFacts(
        frozenset(map(stem, name_words(path))),
        classify_path(path),
        platform_of_path(path),
        version_of_path(path) is not None,
        normalize_name(file_stem(path).partition(".")[0]),
    )


class PathBoosts:
    """The boosts of files by their paths for one query."""

    def __init__(self, question: SearchQuery, stem: StemFunction, past_changes: Mapping[str, float]) -> None:
        """stem: see `fusion.rank_with_boosts`. past_changes: votes for files by path."""
        self._stem = stem
        self._past_changes = past_changes
        self._stems = frozenset(map(stem, content_terms(search_text(question))))
        self._words = frozenset(map(str.lower, find_identifiers(question.text)))
        self._area = frozenset(map(stem, question.area))
        self._own_platforms = families_here()
        self._platform_gaps = frozenset[str]()
        self._superseded = frozenset[str]()
        self._by_path: dict[str, list[Boost]] = {}
        self._by_kinds: dict[frozenset[str], list[Boost]] = {}
        self.facts: dict[str, PathFacts] = {}

    def read(self, paths: Iterable[str]) -> None:
        """Read what these paths say, and which of them are those of other platforms and of older versions."""
        for path in paths:
            self.facts[path] = read_path(self._stem, path)
        self._platform_gaps = self._find_platform_gaps()
        has_versions = True in [each.has_version for each in self.facts.values()]
        self._superseded = superseded_paths(self.facts) if has_versions else frozenset[str]()

    def boosts_of(self, path: str) -> list[Boost]:
        """Return the boosts that all documents of a file have by its path and past commits. path: one that was read."""
        if path in self._by_path:
            return self._by_path[path]
        facts, boosts = self.facts[path], list[Boost]()
        stems, kinds, platform = facts.stems, facts.kinds, facts.platform
        shared = len(stems & self._stems)
        if shared:
            reason = f"{shared} of {format_count(len(stems), 'word')} of the path are in the question"
            boosts.append(Boost("path_words", 1 + PATH_WORDS_SHARE * (shared / len(stems)), reason))
        if self._area and (named := len(stems & self._area)):
            factor = 1 + AREA_SHARE * (named / len(self._area))
            boosts.append(Boost("area", factor, "the path holds the area that the question begins with"))
        if votes := self._past_changes.get(path, 0.0):
            factor = 1 + PAST_CHANGES_SHARE * votes / (votes + PAST_CHANGES_HALF)
            boosts.append(Boost("past_changes", factor, "past commits on the question changed it"))
        if path in self._superseded:
            kinds |= {SUPERSEDED}
        if kinds:
            by_kinds = self._by_kinds.get(kinds)
            if by_kinds is None:
                by_kinds = self._by_kinds[kinds] = self.boosts_of_kinds(kinds)
            boosts += by_kinds
        if platform and platform[1] in self._platform_gaps and platform[0] not in self._own_platforms:
            reason = f"the path is for {platform[0]}, and so is one for this"
            boosts.append(Boost("platform_path", PLATFORM_FACTOR, reason))
        self._by_path[path] = boosts
        return boosts

    def boosts_of_kinds(self, kinds: Iterable[str], subject: str = "path") -> list[Boost]:
        """Return the boosts of these kinds that the query does not ask for. subject: what is of these kinds."""
        boosts = list[Boost]()
        for kind in sorted(kinds):
            if kind not in PATH_KIND_FACTORS or self._words & PATH_KIND_WORDS[kind]:
                continue
            factor, asks = PATH_KIND_FACTORS[kind], "does not ask"
            if kind == "test" and self._words & TEST_WORDS:
                factor, asks = TEST_FACTOR, "may not ask"
            reason = f"the {subject} is {kind}, which the question {asks} for"
            boosts.append(Boost(f"{kind}_path", factor, reason))
        return boosts

    def _find_platform_gaps(self) -> frozenset[str]:
        """Return the gaps in paths that both this system's name and another's fill; none if the query names another."""
        for family, words in PLATFORM_FAMILY_WORDS.items():
            if family not in self._own_platforms and not self._words.isdisjoint(words):
                return frozenset()
        families_by_gap: dict[str, set[str]] = defaultdict(set)
        for platform in [each.platform for each in self.facts.values() if each.platform]:
            families_by_gap[platform[1]].add(platform[0])
        gaps, own = families_by_gap.items(), self._own_platforms
        return frozenset([gap for gap, families in gaps if families & own and families - own])
