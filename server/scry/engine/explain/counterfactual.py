"""Compute the rank that a document would have without one factor of its score. Pure.

A factor is an oracle's match of the document, or an adjustment of it. Each is left out in turn, and everything that
depends on it is computed again: the best matches of the file, its repeats, the order. With the semantic oracle goes
`file_meaning`, which is its word on the file. Files that surely rank below the document are not ranked, and others are
ranked once for all factors, as far as these say nothing about other files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter

from msgspec import Struct

from scry.core.types import NO_FILE_EVIDENCE, Candidate, FileEvidence, SearchQuery
from scry.engine.search import fusion as fuse
from scry.engine.search.boosts import BoostRules
from scry.engine.search.document_boosts import StemFunction
from scry.engine.search.fusion import ScoreAdjuster, file_of, order_by_rank_sum

FILE_ADJUSTMENTS = ("place", "repeat")
"""The adjustments that depend on the other candidates of the file."""

_FIRST = itemgetter(0)

_ADJUSTMENTS_OF_ORACLES = {"semantic": ("file_meaning",)}
"""The adjustments that are left out with an oracle."""

_OF_WHOLE_FILES = frozenset({"ranks", "file_words", "file_bm25", "file_meaning", "used"})
"""The adjustments that are left out for all documents of the file: `place` would lift the document to the others."""


class Competitors:
    """All candidates of one question, ranked as `ScoreAdjuster` ranks them."""

    @classmethod
    def from_candidates(
        cls,
        candidates: Iterable[Candidate],
        question: SearchQuery,
        ceiling: float,
        stem: StemFunction,
        evidence: FileEvidence = NO_FILE_EVIDENCE,
        ranked: Iterable[Candidate] = (),
    ) -> Competitors:
        """Return the competitors for these candidates, unadjusted; the others as of `fusion.rank_with_boosts`.

        ranked: what that returned, as far as it is known: it is not computed again.
        """
        promising = order_by_rank_sum(candidates)
        rules = BoostRules(question, stem, promising, evidence)
        rules.look_up({each.document.path for each in promising})
        competitors = cls(promising, ScoreAdjuster(rules, promising, ceiling, question))
        known: dict[str | int, list[tuple[float, str]]] = defaultdict(list)
        for each in ranked:
            known[file_of(each)].append(_sort_key(each))
        files = competitors._files
        competitors._placed.update({file: keys for file, keys in known.items() if len(keys) == len(files[file])})
        return competitors

    def __init__(self, promising: Sequence[Candidate], adjuster: ScoreAdjuster) -> None:
        """Use `from_candidates`."""
        self._by_rank_sum = promising
        self._adjuster = adjuster
        self._replaced: str | int | None = None  # the file whose candidates are others than those of _placed
        self._files: dict[str | int, list[Candidate]] = defaultdict(list)
        for each in promising:
            self._files[file_of(each)].append(each)
        self._bounds: list[tuple[float, str | int]] | None = None
        self._placed: dict[str | int, list[tuple[float, str]]] = {}

    def with_replacement(self, candidate: Candidate) -> Competitors:
        """Return the competitors with another candidate for its document, in the order that follows from it."""
        others = [each for each in self._by_rank_sum if not _has_doc_key(each, candidate.document.doc_key)]
        promising = order_by_rank_sum([*others, candidate])
        replaced = Competitors(promising, self._adjuster.for_order(promising))
        if self._replaced is None and self._adjuster.ranks_others_as(replaced._adjuster):
            replaced._replaced = file_of(candidate)
            replaced._bounds, replaced._placed = self._bounds_of_files(), self._placed
        return replaced

    def rank_of(self, doc_key: int, without: Collection[str] = ()) -> tuple[int, Candidate]:
        """Return the rank of the document with this doc_key, which must be a candidate, and the candidate with its
        score.

        without: names of adjustments to leave out for this document alone, or for its file.
        """
        own_file = next(file_of(each) for each in self._by_rank_sum if _has_doc_key(each, doc_key))
        left_out = _OF_WHOLE_FILES.intersection(without)
        placed = self._adjust_places(self._files[own_file], doc_key, without, left_out)
        own = next(each for each in placed if _has_doc_key(each, doc_key))
        own_key = _sort_key(own)
        better = sum([_sort_key(each) < own_key for each in placed])
        for negated, file in self._bounds_of_files():
            if -negated < own.fused_score:
                break
            if file not in (own_file, self._replaced):
                better += sum([key < own_key for key in self._sort_keys_of(file)])
        if self._replaced is not None and self._replaced != own_file:
            better += sum([key < own_key for key in self._compute_sort_keys(self._replaced)])
        return 1 + better, own

    def _bounds_of_files(self) -> list[tuple[float, str | int]]:
        """Return each file with the negated bound of the scores in it, the highest bound first."""
        if self._bounds is None:
            bounds = self._adjuster.bounds_of_files(self._by_rank_sum)
            self._bounds = sorted([(-bounds[file], file) for file in bounds], key=_FIRST)
        return self._bounds

    def _sort_keys_of(self, file: str | int) -> list[tuple[float, str]]:
        """Return the sort keys of the candidates of a file with all adjustments, which are computed once."""
        keys = self._placed.get(file)
        if keys is None:
            keys = self._placed[file] = self._compute_sort_keys(file)
        return keys

    def _compute_sort_keys(self, file: str | int) -> list[tuple[float, str]]:
        placed = self._adjuster.adjust_places(list(map(self._adjuster.adjust, self._files[file])))
        return list(map(_sort_key, placed))

    def _adjust_places(
        self,
        candidates: Iterable[Candidate],
        doc_key: int,
        without: Collection[str],
        without_for_all: Collection[str] = (),
    ) -> list[Candidate]:
        """Return the candidates with all adjustments but those left out. without: for the document alone."""
        each = [
            self._adjust(candidate, without if _has_doc_key(candidate, doc_key) else without_for_all)
            for candidate in candidates
        ]
        placed = self._adjuster.adjust_places(each)
        if not any(name in without for name in FILE_ADJUSTMENTS):
            return placed
        return [
            self._drop(candidate, without) if _has_doc_key(candidate, doc_key) else candidate for candidate in placed
        ]

    def _adjust(self, candidate: Candidate, without: Collection[str]) -> Candidate:
        adjusted = self._adjuster.adjust(candidate)
        return self._drop(adjusted, without) if without else adjusted

    def _drop(self, candidate: Candidate, names: Collection[str]) -> Candidate:
        """Return the candidate without these of its adjustments."""
        others = [adjustment for adjustment in candidate.adjustments if adjustment.name not in names]
        return self._adjuster.reset_adjustments(candidate, others)


def _has_doc_key(candidate: Candidate, doc_key: int) -> bool:
    return candidate.document.doc_key == doc_key


def _sort_key(candidate: Candidate) -> tuple[float, str]:
    return -candidate.fused_score, candidate.document.doc_id


class Ablation(Struct, frozen=True):
    """The rank and score of a document without one factor.

    name: of the oracle or adjustment. rank: None where no factor is left.
    """

    name: str
    rank: int | None
    score: float


def ablate_each_factor(own: Candidate, competitors: Competitors, weights: Mapping[str, float]) -> tuple[Ablation, ...]:
    """Return the ablation of each factor of a document: oracles first, in order.

    own: the document with its adjustments. competitors: all candidates, of which it is one. weights: of the oracles.
    """
    doc_key = own.document.doc_key
    ablations: list[Ablation] = []
    for oracle in own.oracle_matches:
        fewer = _without_match(own, oracle, weights)
        ablations += [
            _make_ablation(
                oracle, *competitors.with_replacement(each).rank_of(doc_key, _ADJUSTMENTS_OF_ORACLES.get(oracle, ()))
            )
            for each in fewer
        ] or [Ablation(oracle, None, 0.0)]
    for adjustment in own.adjustments:
        ablations.append(_make_ablation(adjustment.name, *competitors.rank_of(doc_key, (adjustment.name,))))
    return tuple(ablations)


def decisive_factor(ablations: Sequence[Ablation]) -> Ablation | None:
    """Return the factor without which the document would fall furthest: to no rank at all, else to the lowest.

    Of equal ranks, the one with the lowest score decides.
    """
    return min(
        ablations, key=lambda without: (without.rank is not None, -(without.rank or 0), without.score), default=None
    )


def _without_match(own: Candidate, oracle: str, weights: Mapping[str, float]) -> list[Candidate]:
    """Return the candidate without this oracle's match; empty where no other oracle matched it."""
    matches = {name: (match,) for name, match in own.oracle_matches.items() if name != oracle}
    return fuse.fuse_matches(matches, {own.document.doc_key: own.document}, weights)


def _make_ablation(name: str, rank: int, candidate: Candidate) -> Ablation:
    return Ablation(name, rank, candidate.fused_score)
