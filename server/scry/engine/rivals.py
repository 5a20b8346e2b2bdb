"""Where one candidate stands among all, without ranking those that stand surely below it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scry.core.types import Candidate, SearchQuery
from scry.engine.adjust import ScoreAdjuster, order_by_rank_sum
from scry.engine.fuse import order_by_score
from scry.engine.rules import BoostRules, StemFunction

REPEAT_ADJUSTMENT = "repeat"
"""The adjustment that follows from the order, and not from the document."""


class Competitors:
    """All candidates for one question. Places and scores are those that `adjust` gives them."""

    @classmethod
    def from_candidates(cls, candidates: Iterable[Candidate], question: SearchQuery, ceiling: float, stem: StemFunction) -> Competitors:
        """candidates: unadjusted. top, stem: as of `adjust`."""
        promising = order_by_rank_sum(candidates)
        return cls(promising, ScoreAdjuster(BoostRules(question, stem, promising), ceiling, question))

    def __init__(self, promising: Sequence[Candidate], judge: ScoreAdjuster) -> None:
        """Use `of`."""
        self._by_rank_sum = promising
        self._adjuster = judge

    def with_replacement(self, candidate: Candidate) -> Competitors:
        """The same with another candidate for its document: everything that follows from their order anew."""
        others = [each for each in self._by_rank_sum if not _has_doc_key(each, candidate.document.doc_key)]
        promising = order_by_rank_sum([*others, candidate])
        return Competitors(promising, self._adjuster.for_order(promising))

    def rank_of(self, number: int, without: str = "") -> tuple[int, Candidate]:
        """The place of the document with this number, which is among the candidates, and all that makes its score.

        without: an adjustment's name; then as if this document alone did not have it.
        """
        path = next(each.document.path for each in self._by_rank_sum if _has_doc_key(each, number))
        beside = [each for each in self._by_rank_sum if path == each.document.path and (path or _has_doc_key(each, number))]
        own = next(each for each in self._penalize_repeats(beside, number, without) if _has_doc_key(each, number))
        rivals = self._adjuster.filter_reachable(own.fused_score, self._by_rank_sum)
        lowered = self._penalize_repeats(rivals, number, without)
        return 1 + sum(_sort_key(each) < _sort_key(own) for each in lowered), own

    def _penalize_repeats(self, candidates: Iterable[Candidate], number: int, without: str) -> list[Candidate]:
        each = [self._adjust(candidate, number, without) for candidate in candidates]
        lowered = self._adjuster.penalize_repeats(order_by_score(each))
        if without != REPEAT_ADJUSTMENT:
            return lowered
        before = {candidate.document.doc_key: candidate for candidate in each}
        return [before[number] if _has_doc_key(candidate, number) else candidate for candidate in lowered]

    def _adjust(self, candidate: Candidate, number: int, without: str) -> Candidate:
        found = self._adjuster.adjust(candidate)
        if not without or not _has_doc_key(candidate, number):
            return found
        kept = [adjustment for adjustment in found.adjustments if adjustment.name != without]
        return self._adjuster.apply(candidate, kept)


def _has_doc_key(candidate: Candidate, number: int) -> bool:
    return candidate.document.doc_key == number


def _sort_key(candidate: Candidate) -> tuple[float, str]:
    return -candidate.fused_score, candidate.document.doc_id
