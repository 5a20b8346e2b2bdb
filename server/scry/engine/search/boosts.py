"""Boost or demote documents by names, paths and how well their files match: named factors with reasons (F5).

Boosts read the query, the documents' own names and paths, the matches of each file, and evidence for files
(`FileEvidence`, which may look words up). None reads structure or activity (F6); docs/quality.md has the value of each.
No boost applies to notes, and only `commit` to commits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy

from msgspec import Struct

from scry.core.path_kinds import TEST, classify_path
from scry.core.text import is_single_term, normalize_name
from scry.core.types import Adjustment, Candidate, DocumentHeader, FileEvidence, SearchQuery
from scry.engine.search.document_boosts import (
    COMMIT_QUESTION_FACTOR,
    NAME_IN_QUESTION_FACTOR,
    SUBJECT_FACTOR,
    CommitBoost,
    NameBoost,
    StemFunction,
    max_name_factor,
)
from scry.engine.search.path_boosts import AREA_SHARE, PAST_CHANGES_SHARE, PATH_WORDS_SHARE, Boost, PathBoosts


def max_boost(question: SearchQuery) -> float:
    """Return the product of all factors above 1 that a document could collect for this query."""
    powers, other = question.strengths, question.strengths.get("*", 1.0)
    name_factor = max_name_factor(question) ** powers.get("definition", other)
    file_factors = [factor ** powers.get(name, other) for name, factor in _MAX_FILE_FACTORS.items()]
    file_factors.append((1 + AREA_SHARE if question.area else 1) ** powers.get("area", other))
    file_factors.append((1 + IDENTIFIERS_SHARE if question.identifiers else 1) ** powers.get("identifiers", other))
    if "use" in question.weights:
        file_factors.append((1 + USED_SHARE) ** powers.get("used", other))
    commit_factor = COMMIT_QUESTION_FACTOR if question.asks_for_commits else SUBJECT_FACTOR
    return max(name_factor * math.prod(file_factors), commit_factor ** powers.get("commit", other))


# The ranks of a document ----------------------------------------------------------------------------------------------

RRF_K = 60
"""The constant of reciprocal rank fusion."""

RANKS_EXPONENT = 0.75
"""Ranks say in which order documents match, and not by how much: the third may match nearly as well as the first, or
hardly at all. The rank sum of a file's best document counts to the power of 1 - 0.75; the words, BM25 and the meaning
of the file say how much (docs/decisions/0152)."""

FILE_ORACLES = ("semantic", "lexical", "temporal")
"""The oracles that find documents in files for every query. Another one may weigh 400 times as much for some."""


def highest_rank_sum(weights: Mapping[str, float]) -> float:
    """Return the sum of reciprocal ranks of a document that is first with every oracle."""
    return sum([weight / (RRF_K + 1) for weight in weights.values()])


def used_factor(evidence: float) -> float:
    """Return the factor of a file whose documents were used for like questions. evidence: that of the best of them."""
    return 1 + USED_SHARE * evidence / (evidence + USED_HALF)


def highest_sum_of_files(weights: Mapping[str, float]) -> float:
    """Return the highest sum of a document in a file by the oracles that find files for every query."""
    return highest_rank_sum({name: weights[name] for name in FILE_ORACLES if name in weights})


# The file of a document -----------------------------------------------------------------------------------------------

WORDS_SHARE = 0.55
"""Part of the score of a file that is in proportion to the share of the query's words that its candidates hold, by
inverse document frequency: a function rarely holds all words of a question; the file that answers it mostly does."""

BM25_SHARE = 0.5
"""Boost of a file, times the best BM25 in it as a share of what a document could score at most, which holds all words
of the query countless times."""

FILE_MEANING_SHARE, FILE_MEANING_EXPONENT = 5.0, 1.5
"""Boost of a file, times a power of the cosine of its vector (store.vector_sets.mean_vector): a line much like the
query may stand in a file about something else (docs/decisions/0137). The vector of a file with one candidate may only
repeat what this says, and counts no more than that of the file whose document is first by words and by vectors (0142).
"""

IDENTIFIERS_SHARE = 0.3
"""Boost of a file that holds identifiers of several words of the query (`UV_THREADPOOL_SIZE`), times their share by
inverse document frequency: the parts of a name stand in many files, the whole in few."""

TESTED_SHARE = 0.3
"""Boost of a file whose test matches the query, times the best rank sum in the test as a share of the best of all. A
test is named after what it tests, and its own factor puts it below what it points at."""

USED_SHARE, USED_HALF = 2.0, 1.0
"""Boost of a file whose documents were used for like questions, times e / (e + USED_HALF), where e is the evidence of
the best of them: half of it for a jump of today to the first result of the same question. Among the ranks, whose sum
counts to a power, use would hardly count (docs/decisions/0156). For a query of a single word only the document itself
gets it: what else is in the file is no definition of that name (F8)."""

_TEST_AFFIXES = ("tests", "test", "specs", "spec")

_MAX_FILE_FACTORS = {
    "file_bm25": 1 + BM25_SHARE,
    "path_words": 1 + PATH_WORDS_SHARE,
    "past_changes": 1 + PAST_CHANGES_SHARE,
    "file_meaning": 1 + FILE_MEANING_SHARE,
    "tested": 1 + TESTED_SHARE,
}
"""The highest factors above 1 that a document can get by its file for any query; that of `ranks` is bounded by what it
is multiplied with."""

_RANKS_REASON = "the best rank sum in the file is {:.0%} of the highest possible one, and counts less"
_BM25_REASON = "the best BM25 in the file is {:.0%} of the highest possible one"
_MEANING_REASON = "the vector of the whole file has a cosine of {:.2f}"
_LOWERED_MEANING_REASON = _MEANING_REASON + " and counts as the {:.2f} of {}, first by words and vectors"
_WORDS_REASON = "the file's matches hold {:.0%} of the question's words, by their rarity"
_USED_REASON = "a place of the file was opened for a question like this one, with an evidence of {:.2f}"
_IDENTIFIERS_REASON = "the file holds {:.0%} of the identifiers in the question, by their rarity"

_ROUNDING_MARGIN = 1 + 1e-9  # a bound is a product in another order than the score, and may differ in its last digits


class _FileBoosts(Struct, frozen=True, gc=False):
    """What the candidates of one file have in common.

    boosts: of all documents of the file, but for those by words that are still to be looked up. max_factor: a product
    of factors that none exceeds, its own name aside.
    """

    boosts: list[Boost]
    max_factor: float


class _FileMatches(Struct, gc=False):
    """How the candidates of a file match. rank_sum, bm25: the best ones. count: of candidates. used: the highest
    evidence of use, 0 for none.
    """

    rank_sum: float
    bm25: float = 0.0
    count: int = 0
    used: float = 0.0


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
        self._commit_boost = CommitBoost(question, stem)
        self._highest_sum = highest_sum_of_files(question.weights)
        self._is_name = is_single_term(question)
        most = Boost("identifiers", 1 + IDENTIFIERS_SHARE if question.identifiers else 1.0, "")
        self._max_identifiers = self._product([most])
        self._paths = PathBoosts(question, stem, evidence.past_changes)
        self.set_order(by_rank_sum)
        self._by_words: dict[str, list[Boost]] = {}

    def for_order(self, by_rank_sum: Sequence[Candidate]) -> BoostRules:
        """Return the boosts for the same documents in another order of rank sums, sharing what depends on paths."""
        other = copy(self)
        other.set_order(by_rank_sum)
        return other

    def ranks_others_as(self, other: BoostRules) -> bool:
        """Return whether both raise alike the files whose candidates are the same for both; the query is the same."""
        return self._first_by_both == other._first_by_both and self._tested == other._tested

    def set_order(self, by_rank_sum: Sequence[Candidate]) -> None:
        """Find how each file matches, with candidates in this order, and the file of what is first by words and by
        vectors.
        """
        matches = self._matches = dict[str, _FileMatches]()
        self._first_by_both = ""
        for each in by_rank_sum:
            path, lexical = each.document.path, each.oracle_matches.get("lexical")
            if not path:
                continue
            file = matches.get(path)
            if file is None:
                file = matches[path] = _FileMatches(each.rank_sum)
            file.count += 1
            if used := each.oracle_matches.get("use"):
                file.used = max(file.used, used.raw_score)
            if lexical is not None:
                file.bm25 = max(file.bm25, lexical.raw_score)
                semantic = each.oracle_matches.get("semantic")
                if semantic is not None and lexical.rank == semantic.rank == 1:
                    self._first_by_both = path
        if new := matches.keys() - self._paths.facts.keys():
            self._paths.read(new)
        self._files: dict[str, _FileBoosts] = {}
        self._by_file: dict[str, list[Boost]] = {}
        self._adjustments: dict[str, list[Adjustment]] = {}
        self._products: dict[str, float] = {}
        self._tested = self._find_tested()

    def _find_tested(self) -> dict[str, Boost]:
        """Return the boosts of files whose tests match, by path: names are the same but for case and the word test."""
        matches, facts, tests = self._matches, self._paths.facts, dict[str, Boost]()
        test_paths = [path for path in matches if TEST in facts[path].kinds]  # best rank sums first
        if not test_paths:
            return {}
        names = {path: facts[path].file_name for path in matches}
        best_sum = next(iter(matches.values())).rank_sum
        for path in test_paths:
            name = names.pop(path)
            for affix in _TEST_AFFIXES:
                name = name.removeprefix(affix).removesuffix(affix) or name
            if name not in tests:
                factor = 1 + TESTED_SHARE * matches[path].rank_sum / best_sum
                tests[name] = Boost("tested", factor, "its test {} matches", (path,))
        return {path: tests[name] for path, name in names.items() if name in tests}

    def adjustments_for(self, candidate: Candidate) -> list[Adjustment]:
        """Return the boosts of one candidate."""
        document = candidate.document
        if not document.path:
            boost = self._commit_boost.adjustment_for(candidate) if document.content_type == "commit" else None
            return [boost] if boost else []
        of_file = self._adjustments.get(document.path)
        if of_file is None:
            boosts = self._by_file.get(document.path) or self._complete_file(document.path)
            of_file = self._adjustments[document.path] = [each.adjustment() for each in boosts]
        adjustments = of_file.copy()
        if by_name := self._adjust_by_name(document):
            adjustments.append(by_name)
        if self._is_name and (used := candidate.oracle_matches.get("use")):
            adjustments.append(_boost_by_use(used.raw_score).adjustment())
        if document.marks:
            kinds = frozenset(document.marks) - classify_path(document.path)
            adjustments += [each.adjustment() for each in self._paths.boosts_of_kinds(kinds, "document")]
        return adjustments

    def factor_for(self, candidate: Candidate) -> float:
        """Return the product of the boosts of one candidate, to the last digit as `fusion.apply_adjustments` does."""
        document = candidate.document
        if not document.path or document.marks or (self._is_name and "use" in candidate.oracle_matches):
            return math.prod([each.factor for each in self.adjustments_for(candidate)])
        product = self._products.get(document.path)
        if product is None:
            boosts = self._by_file.get(document.path) or self._complete_file(document.path)
            product = self._products[document.path] = math.prod([each.factor for each in boosts])
        by_name = self._adjust_by_name(document)
        return product * by_name.factor if by_name else product

    def _adjust_by_name(self, document: DocumentHeader) -> Adjustment | None:
        if normalize_name(document.name) in self._name_boost.joined_names or document.kind == "implementation":
            return self._name_boost.adjustment_for(document)
        return None

    def bounds(self, candidates: Sequence[Candidate]) -> list[float]:
        """Return for each candidate a product of its rank sum and factors that it can't exceed."""
        files = self._files
        factors = {path: (files.get(path) or self._describe_file(path)).max_factor for path in self._matches}
        factors[""] = self._product([Boost("commit", self._commit_boost.max_factor, "")])
        bounds = [each.rank_sum * _ROUNDING_MARGIN * factors[each.document.path] for each in candidates]
        joined, max_factor = self._name_boost.joined_names, self._name_boost.max_factor
        max_name = max_factor ** self._powers.get("definition", self._other_power)
        if max_factor == NAME_IN_QUESTION_FACTOR:  # so little that to look for names would cost more than it saves
            return [bound * max_name for bound in bounds]
        documents = [each.document for each in candidates]
        return [
            bound * max_name if normalize_name(each.name) in joined or each.kind == "implementation" else bound
            for each, bound in zip(documents, bounds, strict=True)
        ]

    def _describe_file(self, path: str) -> _FileBoosts:
        """Compute what the candidates of a file have in common."""
        matches, evidence, boosts = self._matches[path], self._evidence, list[Boost]()
        if self._highest_sum:
            share = matches.rank_sum / self._highest_sum
            boosts.append(Boost("ranks", share**-RANKS_EXPONENT, _RANKS_REASON, (share,)))
        if matches.used and not self._is_name:
            boosts.append(_boost_by_use(matches.used))
        if matches.bm25 and evidence.highest_bm25:
            share = min(1.0, matches.bm25 / evidence.highest_bm25)
            boosts.append(Boost("file_bm25", 1 + BM25_SHARE * share, _BM25_REASON, (share,)))
        cosine = evidence.cosines.get(path, 0.0)
        reason, values = _MEANING_REASON, (cosine,)
        if matches.count == 1 and (first := evidence.cosines.get(self._first_by_both, cosine)) < cosine:
            reason, values = _LOWERED_MEANING_REASON, (cosine, first, self._first_by_both)
            cosine = first
        if cosine > 0:
            boosts.append(Boost("file_meaning", 1 + FILE_MEANING_SHARE * cosine**FILE_MEANING_EXPONENT, reason, values))
        if path in self._tested:
            boosts.append(self._tested[path])
        boosts += self._paths.boosts_of(path)
        of_one = [_boost_by_use(matches.used)] if matches.used and self._is_name else ()
        max_factor = self._product([*boosts, *of_one]) * self._max_identifiers
        file = self._files[path] = _FileBoosts(boosts, max_factor)
        return file

    def _product(self, boosts: Sequence[Boost]) -> float:
        """Return the product of the factors as they are weighed."""
        if self._powers:
            return math.prod([each.factor ** self._powers.get(each.name, self._other_power) for each in boosts])
        return math.prod([each.factor for each in boosts])

    def look_up(self, paths: Iterable[str]) -> None:
        """Look up together which words of the query these files hold: one by one would take longer."""
        if self._evidence.look_up is not None:
            self._evidence.look_up([path for path in paths if path not in self._by_words])

    def tighten(self, path: str, bound: float) -> float:
        """Return the bound of a document's score with what was looked up of its file. path: empty for no file."""
        if not path:
            return bound
        return bound * self._product(self._read_words(path)) / self._max_identifiers

    def _complete_file(self, path: str) -> list[Boost]:
        """Return the boosts of all documents of a file."""
        known = (self._files.get(path) or self._describe_file(path)).boosts
        boosts = self._by_file[path] = [*known, *self._read_words(path)]
        return boosts

    def _read_words(self, path: str) -> list[Boost]:
        """Return the boosts of a file by the words of the query that it holds."""
        if path in self._by_words:
            return self._by_words[path]
        self.look_up([path])
        boosts = self._by_words[path] = list[Boost]()
        share = min(1.0, self._evidence.words.get(path, 0.0))
        if self._evidence.highest_bm25 and share < 1:
            boosts.append(Boost("file_words", 1 - WORDS_SHARE + WORDS_SHARE * share, _WORDS_REASON, (share,)))
        if share := self._evidence.identifiers.get(path, 0.0):
            boosts.append(Boost("identifiers", 1 + IDENTIFIERS_SHARE * share, _IDENTIFIERS_REASON, (share,)))
        return boosts


def _boost_by_use(evidence: float) -> Boost:
    return Boost("used", used_factor(evidence), _USED_REASON, (evidence,))
