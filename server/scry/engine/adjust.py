"""Moves the candidates by the rules, and puts them into their order (F5). Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

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
    promising = sorted(candidates, key=lambda candidate: (-candidate.rank_sum, candidate.document.doc_id))
    rules = Rules(question, stem, promising)
    if limit is None or len(candidates) <= 2 * limit or question.strengths:  # bounds hold for factors as they are
        return _ranked(promising, rules, top, question)
    floor = _floor(_ranked(_from_several_files(promising, 3 * limit), rules, top, question), limit)
    # More candidates only raise the place `limit`, and one below the floor lowers none that is above it.
    least = floor * top
    possible = takewhile(lambda candidate: candidate.rank_sum * rules.highest >= least, promising)
    return _ranked([candidate for candidate in possible if rules.can_reach(least, candidate)], rules, top, question)


def _ranked(candidates: Iterable[Candidate], rules: Rules, top: float, question: Question) -> list[Candidate]:
    if question.strengths:
        judged = [with_adjustments(each, _as_strong(rules.judge(each), question), top) for each in candidates]
    else:
        judged = [with_adjustments(candidate, rules.judge(candidate), top) for candidate in candidates]
    return order(_lower_repeats(order(judged), top, question.strength("repeat")))


def _as_strong(adjustments: Iterable[Adjustment], question: Question) -> list[Adjustment]:
    """Each factor to the power that the question gives it; those of power 0 are gone."""
    powers = ((adjustment, question.strength(adjustment.name)) for adjustment in adjustments)
    return [adjustment._replace(factor=adjustment.factor**power) for adjustment, power in powers if power]


def without(ranked: Sequence[Candidate], number: int, name: str, top: float, question: Question) -> list[Candidate]:
    """The ranking if the document with this number did not have its adjustment of this name."""
    judged = [
        _only(candidate, lambda adjustment: adjustment.name not in ("repeat", name), top)
        if candidate.document.number == number
        else _only(candidate, lambda adjustment: adjustment.name != "repeat", top)
        for candidate in ranked
    ]
    lowered = _lower_repeats(order(judged), top, question.strength("repeat"))
    return order(
        _only(candidate, lambda adjustment: adjustment.name != name, top)
        if candidate.document.number == number
        else candidate
        for candidate in lowered
    )


def _only(candidate: Candidate, holds: Callable[[Adjustment], bool], top: float) -> Candidate:
    kept = [adjustment for adjustment in candidate.adjustments if holds(adjustment)]
    if len(kept) == len(candidate.adjustments):
        return candidate
    return with_adjustments(candidate._replace(adjustments=()), kept, top)


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


def _lower_repeats(ordered: Sequence[Candidate], top: float, strength: float) -> list[Candidate]:
    """Lowers the second and further results of each file. strength: as of Question."""
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
