"""Moves the candidates by the rules, and puts them into their order (F5). Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import takewhile

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
    rules = Rules(question, stem, promising)
    if limit is None or len(candidates) <= 2 * limit or question.strengths:
        return _ranked(promising, rules, top, question)
    floor = _floor(_ranked(_from_several_files(promising, 3 * limit), rules, top, question), limit)
    # More candidates only raise the place `limit`, and one below the floor lowers none that is above it.
    return _ranked(that_can_reach(floor * top, promising, rules, question), rules, top, question)


def by_promise(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Best rank sums first, equal ones by doc_id: the order in which the hits of one file support each other."""
    return sorted(candidates, key=lambda candidate: (-candidate.rank_sum, candidate.document.doc_id))


def that_can_reach(least: float, promising: Sequence[Candidate], rules: Rules, question: Question) -> list[Candidate]:
    """Those whose rank sums times their factors may come to `least`. promising: all, best rank sums first."""
    if question.strengths:  # bounds hold for factors as they are
        return list(promising)
    possible = takewhile(lambda candidate: candidate.rank_sum * rules.highest >= least, promising)
    return [candidate for candidate in possible if rules.can_reach(least, candidate)]


def judged(candidate: Candidate, rules: Rules, top: float, question: Question) -> Candidate:
    """The candidate with what the rules move it by, whatever else is found in its file."""
    moved = rules.judge(candidate)
    return with_adjustments(candidate, _as_strong(moved, question) if question.strengths else moved, top)


def _ranked(candidates: Iterable[Candidate], rules: Rules, top: float, question: Question) -> list[Candidate]:
    each = [judged(candidate, rules, top, question) for candidate in candidates]
    return order(lower_repeats(order(each), top, question.strength("repeat")))


def _as_strong(adjustments: Iterable[Adjustment], question: Question) -> list[Adjustment]:
    """Each factor to the power that the question gives it; those of power 0 are gone."""
    powers = ((adjustment, question.strength(adjustment.name)) for adjustment in adjustments)
    return [structs.replace(adjustment, factor=adjustment.factor**power) for adjustment, power in powers if power]


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
