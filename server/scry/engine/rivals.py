"""Where one candidate stands among all, without ranking those that stand surely below it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scry.core.types import Candidate, Question
from scry.engine.adjust import Judge, by_promise
from scry.engine.fuse import order
from scry.engine.rules import Rules, Stem

REPEAT = "repeat"
"""The adjustment that follows from the order, and not from the document."""


class Rivals:
    """All candidates for one question. Places and scores are those that `adjust` gives them."""

    @classmethod
    def of(cls, candidates: Iterable[Candidate], question: Question, top: float, stem: Stem) -> Rivals:
        """candidates: unadjusted. top, stem: as of `adjust`."""
        promising = by_promise(candidates)
        return cls(promising, Judge(Rules(question, stem, promising), top, question))

    def __init__(self, promising: Sequence[Candidate], judge: Judge) -> None:
        """Use `of`."""
        self._promising = promising
        self._judge = judge

    def replaced(self, candidate: Candidate) -> Rivals:
        """The same with another candidate for its document: everything that follows from their order anew."""
        others = [each for each in self._promising if not _is(each, candidate.document.number)]
        promising = by_promise([*others, candidate])
        return Rivals(promising, self._judge.reordered(promising))

    def place(self, number: int, without: str = "") -> tuple[int, Candidate]:
        """The place of the document with this number, which is among the candidates, and all that makes its score.

        without: an adjustment's name; then as if this document alone did not have it.
        """
        path = next(each.document.path for each in self._promising if _is(each, number))
        beside = [each for each in self._promising if path == each.document.path and (path or _is(each, number))]
        own = next(each for each in self._lowered(beside, number, without) if _is(each, number))
        rivals = self._judge.that_can_reach(own.fused_score, self._promising)
        lowered = self._lowered(rivals, number, without)
        return 1 + sum(_key(each) < _key(own) for each in lowered), own

    def _lowered(self, candidates: Iterable[Candidate], number: int, without: str) -> list[Candidate]:
        each = [self._as_judged(candidate, number, without) for candidate in candidates]
        lowered = self._judge.lowered(order(each))
        if without != REPEAT:
            return lowered
        before = {candidate.document.number: candidate for candidate in each}
        return [before[number] if _is(candidate, number) else candidate for candidate in lowered]

    def _as_judged(self, candidate: Candidate, number: int, without: str) -> Candidate:
        found = self._judge.judged(candidate)
        if not without or not _is(candidate, number):
            return found
        kept = [adjustment for adjustment in found.adjustments if adjustment.name != without]
        return self._judge.with_adjustments(candidate, kept)


def _is(candidate: Candidate, number: int) -> bool:
    return candidate.document.number == number


def _key(candidate: Candidate) -> tuple[float, str]:
    return -candidate.fused_score, candidate.document.doc_id
