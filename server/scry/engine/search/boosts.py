"""Boost or demote documents by name, path and sibling hits: named factors with reasons (F5). Pure.

Boosts read the query, the documents' own names and paths, the positions of the other hits, and evidence for files
(`FileEvidence`). None reads structure or activity (F6); docs/quality.md has the value of each. No boost applies to
notes, and only `commit` to commits.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from copy import copy
from functools import lru_cache

from msgspec import Struct

from scry.core.path_kinds import (
    PLATFORM_FAMILY_WORDS,
    SUPERSEDED,
    TEST,
    classify_path,
    families_here,
    platform_of_path,
    superseded_paths,
)
from scry.core.text import (
    STOP_WORDS,
    asks_for_definition,
    content_terms,
    find_identifiers,
    format_count,
    is_single_term,
    name_words,
    normalize_name,
    queried_names,
    queried_spellings,
    search_text,
)
from scry.core.types import Adjustment, Candidate, DocumentHeader, FileEvidence, QueryFilter, QueryIntent, SearchQuery
from scry.engine.search.query import COMMIT_QUESTION_WORDS

StemFunction = Callable[[str], str]


def max_boost(question: SearchQuery) -> float:
    """Return the product of all factors above 1 that a document could collect for this query."""
    powers, other = question.strengths, question.strengths.get("*", 1.0)
    name_factor = max_name_factor(question) ** powers.get("definition", other)
    file_factors = [factor ** powers.get(name, other) for name, factor in _MAX_FILE_FACTORS.items()]
    file_factors.append((1 + AREA_SHARE if question.area else 1) ** powers.get("area", other))
    file_factors.append((1 + IDENTIFIERS_SHARE if question.identifiers else 1) ** powers.get("identifiers", other))
    commit_factor = COMMIT_QUESTION_FACTOR if question.asks_for_commits else SUBJECT_FACTOR
    return max(name_factor * math.prod(file_factors), commit_factor ** powers.get("commit", other))


# The name of a document -----------------------------------------------------------------------------------------------

DEFINITION_FACTOR = 6.0
"""For a name that is surely asked for, alone or as in "where is x": so high that the last match can come first (F8)."""

MENTIONED_NAME_FACTOR = 1.5
"""For a name that a sentence mentions without asking where it is: the sentence may be about what uses it."""

SPELLING_FACTOR, TYPE_FACTOR, OWN_FILE_FACTOR = 1.3, 1.3, 1.2
"""Of several definitions of one name, the one that is spelled as in the query comes before `config_dict` for
`ConfigDict`; a type before functions and methods of that name; and one whose file bears its name (`Channel.kt`,
`conn.ex`) before namesakes in other files."""

TYPE_OWN_FILE_FACTOR = 1.5
"""Of a type that is written in parts (`Serializer.cs`, `Serializer.Json.cs`), the part in the file that bears just its
name comes first, however much the others hold of it."""

MEMBER_FACTOR = 1 / 1.3
"""A query for `status` alone wants what can be used or called before a field or variable of that name."""

NAME_IN_QUESTION_FACTOR = 1.1
"""For a symbol whose whole name is one word of a longer query: likely, not certainly, meant."""

TYPE_KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "type", "module"})
MEMBER_KINDS = frozenset({"field", "variable", "property", "parameter"})
PART_OF_TYPE_KINDS = MEMBER_KINDS | {"constant"}
"""Kinds that bear everyday names (`file`, `open`): that such a name is a word of a sentence is no evidence."""

_EXTENSION_PATTERN = re.compile(r"(?:impl|extension) ([\w.:]+)(?:<.*)?")
"""The name of a block that adds to a type. One for a trait (`impl Display for Channel`) is about both: no match."""


class NameBoost:
    """The boost `definition` for one query: for documents whose name the query asks for or holds.

    max_factor: the highest factor that any document can get by its name. joined_names: the keys of all queried names as
    one text; a document the key of whose name is no part of it gets no factor.
    """

    def __init__(self, question: SearchQuery) -> None:
        self._names = queried_names(question.words, question.phrases)
        self.joined_names = "\n".join(self._names)
        self._spellings = queried_spellings(question)
        self._asks_for_definition = asks_for_definition(question)
        # In a sentence a word with capitals counts only as it is written: "write LaTeX" does not ask for `latex'`. Who
        # types a name alone, or all in small letters, may not know how it is written.
        self._case_sensitive = frozenset[str]()
        if not is_single_term(question):
            self._case_sensitive = frozenset([normalize_name(name) for name in self._spellings if name != name.lower()])
        self.max_factor = max_name_factor(question)

    def adjustment_for(self, document: DocumentHeader) -> Adjustment | None:
        """Return the boost of a document by its name; None where the query does not hold the name."""
        found = self.match_name(document)
        if found is None:
            return None
        own_name, matched = found
        is_spelled_so = normalize_name(own_name) not in self._case_sensitive or own_name in self._spellings
        if self._names[matched] and is_spelled_so:
            return Adjustment("definition", self._definition_factor(document), f"defines {document.name}")
        if document.kind in PART_OF_TYPE_KINDS:
            return None
        return Adjustment("definition", NAME_IN_QUESTION_FACTOR, f"defines {document.name}, a word of the question")

    def match_name(self, document: DocumentHeader) -> tuple[str, str] | None:
        """Return a document's own name and the key of the queried name that it has; None where the query holds none.

        The key has the container's name before it, or not. The own name of a block that adds to a type is the type's.
        """
        if not document.name:
            return None
        block = _EXTENSION_PATTERN.fullmatch(document.name) if document.kind == "implementation" else None
        own_name = block[1] if block else document.name
        key = normalize_name(own_name)
        if document.container and (qualified := normalize_name(document.container) + key) in self._names:
            return own_name, qualified
        return (own_name, key) if key in self._names else None

    def _definition_factor(self, document: DocumentHeader) -> float:
        is_type = document.kind in TYPE_KINDS
        factor = DEFINITION_FACTOR if self._asks_for_definition else MENTIONED_NAME_FACTOR
        factor *= TYPE_FACTOR if is_type else 1
        factor *= SPELLING_FACTOR if document.name in self._spellings else 1
        if normalize_name(file_stem(document.path)) == normalize_name(document.name):
            factor *= TYPE_OWN_FILE_FACTOR if is_type else OWN_FILE_FACTOR
        return factor * MEMBER_FACTOR if self._asks_for_definition and document.kind in MEMBER_KINDS else factor


def max_name_factor(question: SearchQuery) -> float:
    """Return the highest factor that a document can get by its name."""
    if any(queried_names(question.words, question.phrases).values()):
        factor = DEFINITION_FACTOR if asks_for_definition(question) else MENTIONED_NAME_FACTOR
        return factor * SPELLING_FACTOR * TYPE_FACTOR * TYPE_OWN_FILE_FACTOR
    return NAME_IN_QUESTION_FACTOR


_GENERIC_FILES = frozenset({"index", "mod", "__init__", "lib", "main"})
"""File names that a language prescribes: the name of the folder describes the content."""


@lru_cache(maxsize=50_000)
def file_stem(path: str) -> str:
    """Return a file's name without its extension; its folder's name where the language names the file."""
    folders, _, file = path.rpartition("/")
    stem = file.rpartition(".")[0] or file
    return folders.rpartition("/")[2] if stem in _GENERIC_FILES else stem


# The subject of a commit ---------------------------------------------------------------------------------------------

COMMIT_FACTOR = 0.3
"""A query about code wants code: commits come lower unless it asks what happened, or why, or for commits."""

COMMIT_INTENTS = frozenset({QueryIntent.TEMPORAL, QueryIntent.RATIONALE})

COMMIT_QUESTION_FACTOR = 48.0
"""For a commit whose subject holds all words of a question for a commit; with a share of them, by its square. Commits
have no vectors and rank by their words behind longer documents: a commit at rank 20 of one oracle then comes before
code that three oracles rank first (1 / 80 * 48 > 3.2 / 61 * 11)."""

SUBJECT_FACTOR = 6.0
"""For a commit whose subject is the query, word for word: it can't have the vote of the semantic oracle."""

MIN_SUBJECT_WORDS = 3
MIN_SUBJECT_SHARE = 0.8
"""A commit is as good as code where its subject holds nearly all words of a query of at least three."""


class CommitBoost:
    """The boost `commit` for one query: for commits, by the share of the query's words that their subjects hold.

    max_factor: the highest factor that any commit can get.
    """

    def __init__(self, question: SearchQuery, stem: StemFunction) -> None:
        self._stem = stem
        self._asks_for_commits = question.asks_for_commits
        self._is_lowered = not (
            question.asks_for_commits
            or question.intent in COMMIT_INTENTS
            or "commit" in question.content_types
            or QueryFilter("type", "commit") in question.filters
        )
        words = content_terms(search_text(question))
        if question.asks_for_commits:
            words = [word for word in words if word not in COMMIT_QUESTION_WORDS] or words
        self._stems = frozenset(map(stem, words)) - {""}
        written = frozenset(map(str.lower, find_identifiers(search_text(question))))
        self._is_long = len(written - STOP_WORDS) >= MIN_SUBJECT_WORDS  # an identifier is one word, not its parts
        self.max_factor = COMMIT_QUESTION_FACTOR if question.asks_for_commits else SUBJECT_FACTOR

    def adjustment_for(self, candidate: Candidate) -> Adjustment | None:
        """Return the boost of a commit."""
        share, is_whole = 0.0, False
        if "lexical" in candidate.oracle_matches and self._stems:
            subject = frozenset(map(self._stem, content_terms(candidate.document.name))) - {""}
            share, is_whole = len(subject & self._stems) / len(self._stems), subject == self._stems
        if self._asks_for_commits and share:
            factor = 1 + (COMMIT_QUESTION_FACTOR - 1) * share**2
            reason = f"a commit is asked for, and its subject holds {share:.0%} of the words"
            return Adjustment("commit", factor, reason)
        if is_whole and self._is_long:
            return Adjustment("commit", SUBJECT_FACTOR, "the question is the subject of this commit")
        if not self._is_lowered or (share >= MIN_SUBJECT_SHARE and self._is_long):
            return None
        return Adjustment("commit", COMMIT_FACTOR, "a commit, and the question does not ask what happened")


# The file of a document -----------------------------------------------------------------------------------------------

FILE_HIT_SHARE, MAX_FILE_HITS, FILE_HIT_HALF_PLACE = 0.06, 9, 20
"""Up to nine further hits in the same file support a document, each by this share, by half at the twentieth place."""

PATH_WORDS_SHARE = 1.7
"""Boost of a file whose path, folders included, is made of words of the query, times the share of its words that are
(distinct stems). A path says in a few words what a file is about, which its longer neighbours only mention."""

PAST_CHANGES_SHARE = 0.8
PAST_CHANGES_HALF = 0.5
"""Boost of a file that commits with the query's words changed, times v / (v + PAST_CHANGES_HALF), where v is the file's
votes (oracles.temporal.count_past_changes): half of it for as much as a single commit says that changed four files."""

FILE_MEANING_SHARE = 0.6
"""Boost of a file, times the cosine of its vector (store.vector_sets.mean_vector): a line much like the query may stand
in a file about something else (docs/decisions/0137). The vector of a file with one candidate may only repeat what this
says, and counts no more than that of the file whose document is first by words and by vectors (0142)."""

IDENTIFIERS_SHARE = 0.3
"""Boost of a file that holds identifiers of several words of the query (`UV_THREADPOOL_SIZE`), times their share by
inverse document frequency: the parts of a name stand in many files, the whole in few."""

AREA_SHARE = 1.0
"""Boost of a file whose path holds the area that the query begins with (`net: accept …`), times its words' share."""

TESTED_SHARE = 0.3
"""Boost of a file whose test matches the query, times the best rank sum in the test as a share of the best of all. A
test is named after what it tests, and its own factor puts it below what it points at."""

_TEST_AFFIXES = ("tests", "test", "specs", "spec")

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

_FILE_HITS_REASONS = [f"{format_count(hits, 'more hit')} in the same file" for hits in range(MAX_FILE_HITS + 1)]

_MAX_FILE_FACTORS = {
    "file_hits": 1 + FILE_HIT_SHARE * MAX_FILE_HITS,
    "path_words": 1 + PATH_WORDS_SHARE,
    "past_changes": 1 + PAST_CHANGES_SHARE,
    "file_meaning": 1 + FILE_MEANING_SHARE,
    "tested": 1 + TESTED_SHARE,
}
"""The highest factors that a document can get by its file for any query."""

_ROUNDING_MARGIN = 1 + 1e-9  # a bound is a product in another order than the score, and may differ in its last digits


class _FileBoosts(Struct, frozen=True, gc=False):
    """What the candidates of one file have in common.

    hits: how many more lend each other support, MAX_FILE_HITS at most. last: the position of the last of these. total:
    of their weights. highest: the support of the last one, and of those behind it, more than of any other. adjustments:
    those of all documents of the file. max_factor: a product of factors that none exceeds, its own name aside.
    """

    hits: int
    last: int
    total: float
    highest: float
    adjustments: list[Adjustment]
    max_factor: float


class BoostRules:
    """The boosts for one query, with everything that does not depend on a single document."""

    def __init__(
        self,
        question: SearchQuery,
        stem: StemFunction,
        by_rank_sum: Sequence[Candidate],
        evidence: FileEvidence,
    ) -> None:
        """by_rank_sum: all candidates, best rank sums first."""
        self.stem = stem
        self._powers, self._other_power = question.strengths, question.strengths.get("*", 1.0)
        self._evidence = evidence
        self._name_boost = NameBoost(question)
        self._stems = frozenset(map(stem, content_terms(search_text(question))))
        self._words = frozenset(map(str.lower, find_identifiers(question.text)))
        self._area = frozenset(map(stem, question.area))
        self._commit_boost = CommitBoost(question, stem)
        self.set_order(by_rank_sum)
        self._own_platforms = families_here()
        self._platform_gaps = self._find_platform_gaps(self._file_positions)
        self._superseded = superseded_paths(self._file_positions)
        self._by_path: dict[str, list[Adjustment]] = {}

    def for_order(self, by_rank_sum: Sequence[Candidate]) -> BoostRules:
        """Return the boosts for the same documents in another order of rank sums, sharing what depends on paths."""
        other = copy(self)
        other.set_order(by_rank_sum)
        return other

    def set_order(self, by_rank_sum: Sequence[Candidate]) -> None:
        """Compute the support that hits of a file lend each other in this order, and a test its subject, whose name is
        the same but for case and the word test; and find the file of what is first by words and by vectors.
        """
        in_files = [each for each in by_rank_sum if each.document.path]
        documents = [each.document for each in in_files]
        self._positions = {each.doc_key: position for position, each in enumerate(documents)}
        positions: dict[str, list[int]] = defaultdict(list)
        for position, each in enumerate(documents):
            positions[each.path].append(position)
        self._file_positions: Mapping[str, Sequence[int]] = positions
        self._first_by_both = ""
        for each in in_files:
            lexical, semantic = each.oracle_matches.get("lexical"), each.oracle_matches.get("semantic")
            if lexical and semantic and lexical.rank == semantic.rank == 1:
                self._first_by_both = each.document.path
                break
        self._files: dict[str, _FileBoosts] = {}
        self._tested: dict[str, Adjustment] = {}
        test_paths = [path for path in positions if TEST in classify_path(path)]  # best rank sums first
        if test_paths:
            file_stems = [each.partition(".")[0] for each in map(file_stem, positions)]
            names = dict(zip(positions, map(normalize_name, file_stems), strict=True))
            best_sum, tests = in_files[0].rank_sum, dict[str, Adjustment]()
            for path in test_paths:
                name = names.pop(path)
                for affix in _TEST_AFFIXES:
                    name = name.removeprefix(affix).removesuffix(affix) or name
                if name not in tests:
                    factor = 1 + TESTED_SHARE * in_files[positions[path][0]].rank_sum / best_sum
                    tests[name] = Adjustment("tested", factor, f"its test {path} matches")
            self._tested = {path: tests[name] for path, name in names.items() if name in tests}

    def adjustments_for(self, candidate: Candidate) -> list[Adjustment]:
        """Return the boosts of one candidate."""
        document = candidate.document
        if not document.path:
            boost = self._commit_boost.adjustment_for(candidate) if document.content_type == "commit" else None
            return [boost] if boost else []
        adjustments = list[Adjustment]()
        if normalize_name(document.name) in self._name_boost.joined_names or document.kind == "implementation":
            by_name = self._name_boost.adjustment_for(document)
            adjustments += [by_name] if by_name else []
        file = self._files.get(document.path) or self._describe_file(document.path)
        if file.hits:
            position = self._positions[document.doc_key]
            support = file.highest if position > file.last else file.total - 1 / (1 + position / FILE_HIT_HALF_PLACE)
            adjustments.append(Adjustment("file_hits", 1 + FILE_HIT_SHARE * support, _FILE_HITS_REASONS[file.hits]))
        adjustments += file.adjustments
        if document.marks:
            adjustments += self._path_kind_adjustments(set(document.marks) - classify_path(document.path), "document")
        return adjustments

    def bounds(self, candidates: Sequence[Candidate]) -> list[float]:
        """Return for each candidate a product of its rank sum and factors that it can't exceed."""
        powers, other = self._powers, self._other_power
        factors = {"": self._commit_boost.max_factor ** powers.get("commit", other) * _ROUNDING_MARGIN}
        self._read_paths([path for path in self._file_positions if path not in self._by_path])
        for path in self._file_positions:
            factors[path] = (self._files.get(path) or self._describe_file(path)).max_factor
        bounds = [each.rank_sum * factors[each.document.path] for each in candidates]
        joined, max_factor = self._name_boost.joined_names, self._name_boost.max_factor
        max_name = max_factor ** powers.get("definition", other)
        if max_factor == NAME_IN_QUESTION_FACTOR:  # so little that to look for names would cost more than it saves
            return [bound * max_name for bound in bounds]
        documents = [each.document for each in candidates]
        return [
            bound * max_name if normalize_name(each.name) in joined or each.kind == "implementation" else bound
            for each, bound in zip(documents, bounds, strict=True)
        ]

    def _describe_file(self, path: str) -> _FileBoosts:
        """Compute what the candidates of a file have in common."""
        positions = self._file_positions[path]
        weights = [1 / (1 + position / FILE_HIT_HALF_PLACE) for position in positions[: MAX_FILE_HITS + 1]]
        total = sum(weights)
        hits, last, highest = len(weights) - 1, positions[len(weights) - 1], total - weights[-1]
        if path not in self._by_path:
            self._read_paths([path])
        adjustments = self._by_path[path]
        if path in self._tested:
            adjustments = [self._tested[path], *adjustments]
        cosine = self._evidence.cosines.get(path, 0.0)
        reason = f"the vector of the whole file has a cosine of {cosine:.2f}"
        if len(positions) == 1 and (first := self._evidence.cosines.get(self._first_by_both, cosine)) < cosine:
            cosine = first
            reason += f" and counts as the {first:.2f} of {self._first_by_both}, first by words and vectors"
        if cosine > 0:
            adjustments = [*adjustments, Adjustment("file_meaning", 1 + FILE_MEANING_SHARE * cosine, reason)]
        powers, other = self._powers, self._other_power
        max_factor = (1 + FILE_HIT_SHARE * highest) ** powers.get("file_hits", other) * _ROUNDING_MARGIN
        for each in adjustments:
            max_factor *= each.factor ** powers.get(each.name, other)
        file = self._files[path] = _FileBoosts(hits, last, total, highest, adjustments, max_factor)
        return file

    def _read_paths(self, paths: Sequence[str]) -> None:
        """Compute the boosts of these files by their paths, identifiers and past commits, at once."""
        words_of_paths = list(map(name_words, paths))
        stems_of_paths = [frozenset(map(self.stem, words)) for words in words_of_paths]
        self._by_path.update(zip(paths, map(self._path_adjustments, paths, stems_of_paths), strict=True))

    def _path_adjustments(self, path: str, stems: AbstractSet[str]) -> list[Adjustment]:
        """Return the boosts that all documents of a file have by its path, its identifiers and past commits."""
        adjustments: list[Adjustment] = []
        kinds, platform = classify_path(path), platform_of_path(path)
        shared = len(stems & self._stems)
        if shared:
            reason = f"{shared} of {format_count(len(stems), 'word')} of the path are in the question"
            adjustments.append(Adjustment("path_words", 1 + PATH_WORDS_SHARE * (shared / len(stems)), reason))
        if named := len(stems & self._area):
            factor = 1 + AREA_SHARE * (named / len(self._area))
            adjustments.append(Adjustment("area", factor, "the path holds the area that the question begins with"))
        if share := self._evidence.identifiers.get(path, 0.0):
            reason = f"the file holds {share:.0%} of the identifiers in the question, by their rarity"
            adjustments.append(Adjustment("identifiers", 1 + IDENTIFIERS_SHARE * share, reason))
        if votes := self._evidence.past_changes.get(path, 0.0):
            factor = 1 + PAST_CHANGES_SHARE * votes / (votes + PAST_CHANGES_HALF)
            adjustments.append(Adjustment("past_changes", factor, "past commits on the question changed it"))
        if path in self._superseded:
            kinds |= {SUPERSEDED}
        if kinds:
            adjustments += self._path_kind_adjustments(kinds)
        if platform and platform[1] in self._platform_gaps and platform[0] not in self._own_platforms:
            reason = f"the path is for {platform[0]}, and so is one for this"
            adjustments.append(Adjustment("platform_path", PLATFORM_FACTOR, reason))
        return adjustments

    def _path_kind_adjustments(self, kinds: Iterable[str], subject: str = "path") -> list[Adjustment]:
        """Return the adjustments of these kinds that the query does not ask for. subject: what is of these kinds."""
        adjustments: list[Adjustment] = []
        for kind in sorted(kinds):
            if kind not in PATH_KIND_FACTORS or self._words & PATH_KIND_WORDS[kind]:
                continue
            factor, asks = PATH_KIND_FACTORS[kind], "does not ask"
            if kind == "test" and self._words & TEST_WORDS:
                factor, asks = TEST_FACTOR, "may not ask"
            reason = f"the {subject} is {kind}, which the question {asks} for"
            adjustments.append(Adjustment(f"{kind}_path", factor, reason))
        return adjustments

    def _find_platform_gaps(self, paths: Iterable[str]) -> frozenset[str]:
        """Return the gaps in paths that both this system's name and another's fill; none if the query names another."""
        for family, words in PLATFORM_FAMILY_WORDS.items():
            if family not in self._own_platforms and not self._words.isdisjoint(words):
                return frozenset()
        families_by_gap: dict[str, set[str]] = defaultdict(set)
        for platform in filter(None, map(platform_of_path, paths)):
            families_by_gap[platform[1]].add(platform[0])
        gaps, own = families_by_gap.items(), self._own_platforms
        return frozenset([gap for gap, families in gaps if families & own and families - own])
