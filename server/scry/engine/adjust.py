"""Moves the candidates by the rules, and puts them into their order (F5). Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec import structs

from scry.core.types import Adjustment, Candidate, Question
from scry.engine.fuse import order, with_adjustments
from scry.engine.rules import Rules, Stem

REPEAT_FACTOR = 0.3
"""Each further result of one file counts that much less than the one before: ten results should show several places."""


def adjust(
    candidates: Sequence[Candidate], question: Question, top: float, stem: Stem, limit: int | None = None
) -> list[Candidate]:
    """The candidates with their adjustments and scores, best first.

    top: the ceiling of the fused score. stem: a word to the form in which the word index compares it. limit: only the
    first so many are asked for; those that can't be among them may be left out, and the first `limit` are exactly what
    they are without it.
    """
    promising = by_promise(candidates)
    judge = Judge(Rules(question, stem, promising), top, question)
    if limit is None or len(candidates) <= 2 * limit or question.strengths:
        return judge.ranked(promising)
    floor = _floor(judge.ranked(_from_several_files(promising, 3 * limit)), limit)
    # More candidates only raise the place `limit`, and one below the floor lowers none that is above it.
    return judge.ranked(judge.that_can_reach(floor, promising))


class Judge:
    """Moves candidates by the rules of one question, each once, whatever else is found in its file."""

    def __init__(self, rules: Rules, top: float, question: Question) -> None:
        """top: the ceiling of the fused score."""
        self._rules = rules
        self._top = top
        self._question = question
        self._judged: dict[int, Candidate] = {}

    def ranked(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """They as judged, best first, with the further ones of each file lowered."""
        return order(self.lowered(order(map(self.judged, candidates))))

    def judged(self, candidate: Candidate) -> Candidate:
        """It with what the rules move it by."""
        number = candidate.document.number
        found = self._judged.get(number)
        if found is None:
            moved = self._rules.judge(candidate)
            found = self.with_adjustments(candidate, self._as_strong(moved) if self._question.strengths else moved)
            self._judged[number] = found
        return found

    def lowered(self, ordered: Sequence[Candidate]) -> list[Candidate]:
        """They with the second and further ones of each file lowered. ordered: best first."""
        return lower_repeats(ordered, self._top, self._question.strength("repeat"))

    def with_adjustments(self, candidate: Candidate, adjustments: Sequence[Adjustment]) -> Candidate:
        """The candidate with more adjustments, and its score with them."""
        return with_adjustments(candidate, adjustments, self._top)

    def that_can_reach(self, score: float, promising: Sequence[Candidate]) -> list[Candidate]:
        """Those whose rank sums times their factors may come to a score. promising: all, best rank sums first."""
        if self._question.strengths:  # bounds hold for factors as they are
            return list(promising)
        return self._rules.that_can_reach(score * self._top, promising)

    def reordered(self, promising: Sequence[Candidate]) -> Judge:
        """For the same documents in another order of rank sums."""
        return Judge(self._rules.reordered(promising), self._top, self._question)

    def _as_strong(self, adjustments: Iterable[Adjustment]) -> list[Adjustment]:
        """Each factor to the power that the question gives it; those of power 0 are gone."""
        powers = ((adjustment, self._question.strength(adjustment.name)) for adjustment in adjustments)
        return [structs.replace(adjustment, factor=adjustment.factor**power) for adjustment, power in powers if power]


def by_promise(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Best rank sums first, equal ones by doc_id: the order in which the hits of one file support each other."""
    return sorted(candidates, key=lambda candidate: (-candidate.rank_sum, candidate.document.doc_id))


def _from_several_files(candidates: Iterable[Candidate], count: int) -> list[Candidate]:
    """The first `count` of them with at most two of a file: further ones come so low that they say nothing."""
    seen: dict[str, int] = defaultdict(int)
    chosen: list[Candidate] = []
    for candidate in candidates:
        seen[candidate.document.path] += 1
        if seen[candidate.document.path] <= 2 and len(chosen) < count:
            chosen.append(candidate)
    return chosen


def _floor(ranked: Sequence[Candidate], limit: int) -> float:
    """The score at the place `limit`."""
    return ranked[limit - 1].fused_score if len(ranked) >= limit else 0.0


def lower_repeats(ordered: Sequence[Candidate], top: float, strength: float) -> list[Candidate]:
    """Lowers the second and further results of each file. ordered: best first. strength: as of Question."""
    factor = REPEAT_FACTOR**strength
    seen: dict[str, int] = defaultdict(int)
    result: list[Candidate] = []
    for candidate in ordered:
        if not candidate.document.path:
            result.append(candidate)
            continue
        better = seen[candidate.document.path]
        seen[candidate.document.path] += 1
        if better and strength:
            repeat = Adjustment("repeat", factor**better, f"{better} better in the same file")
            result.append(with_adjustments(candidate, [repeat], top))
        else:
            result.append(candidate)
    return result
