"""What of a find is about its question, and so may be ranked by time; in one project, or in several as one. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from scry.core.knowledge import is_knowledge
from scry.core.types import Candidate, Vote
from scry.engine.definition import MENTION_FACTOR

POOL = 50
"""So many of find's best may be re-ranked: further down little is about the question."""

SHARE = {"lexical": 0.7, "semantic": 0.75}
"""What share of an oracle's best raw score makes a document about the question. Raw scores of one oracle for one
question do compare. With less, a document that holds one word of two came first because it was new: of "timeout of
connections" a list of exported names. That something changed together with others does not make it so."""

NAMED = ("definition", MENTION_FACTOR)
"""An adjustment that shows by itself that the document is what was asked for, and its least factor: that a word of a
sentence, such as `again`, is some new function's name, does not."""


class Bar(Struct, frozen=True):
    """What makes a document about the question: to be of find's best, which is a fused score, and a raw score of any
    of these oracles, by name.
    """

    fused: float
    raw: Mapping[str, float]


class Ranked(Struct, frozen=True):
    """What find ranked in one project. units: what raw scores of its oracles are measured by, so that they compare
    with those of other projects; an oracle that is absent has scores that don't.
    """

    ranked: Sequence[Candidate]
    units: Mapping[str, float]


def bar_of(ranked: Sequence[Candidate]) -> Bar:
    """The bar of a project that is asked alone."""
    return shared_bars([Ranked(ranked, {})])[0]


def shared_bars(found: Sequence[Ranked]) -> list[Bar]:
    """The bar of each project where several are asked as one: it is set by the best of all of them, for the best of a
    project that knows nothing of the question is not about it.

    Knowledge is judged by what is best of the others, and takes no place of theirs (K5).
    """
    others = _best_of_all(found, lambda candidate: not is_knowledge(candidate.document.number))
    pool = others or _best_of_all(found, lambda _: True)
    last = others[-1].candidate.fused_score if len(others) == POOL else 0.0
    return [Bar(last, {name: _least(name, own, found, pool) for name in SHARE}) for own in found]


def enough(votes: Mapping[str, Sequence[Vote]]) -> int:
    """So many places settle what is about a question. votes: of each oracle; knowledge takes no place of the others."""
    return POOL + len({vote.number for cast in votes.values() for vote in cast if is_knowledge(vote.number)})


def relevant(ranked: Sequence[Candidate], bar: Bar) -> list[Candidate]:
    """Those of find's best that are about the question, in their order."""
    return [candidate for candidate in ranked if candidate.fused_score >= bar.fused and _is_relevant(candidate, bar)]


class _Placed(NamedTuple):
    """A candidate of the project at a place among those that are asked."""

    at: int
    candidate: Candidate


def _best_of_all(found: Sequence[Ranked], counts: Callable[[Candidate], bool]) -> list[_Placed]:
    """Of the candidates that count the best in all projects, best first."""
    best = [_Placed(at, each) for at, own in enumerate(found) for each in islice(filter(counts, own.ranked), POOL)]
    return sorted(best, key=lambda each: (-each.candidate.fused_score, each.at))[:POOL]


def _least(oracle: str, own: Ranked, found: Sequence[Ranked], pool: Sequence[_Placed]) -> float:
    """The raw score that a document of a project needs: a share of the best one of all projects, in its own unit."""
    scores = [
        each.candidate.votes[oracle].raw_score * scale
        for each in pool
        if oracle in each.candidate.votes and (scale := _scale(oracle, own, found[each.at])) is not None
    ]
    return SHARE[oracle] * max(scores, default=0.0)


def _scale(oracle: str, own: Ranked, other: Ranked) -> float | None:
    """What makes a raw score of another project one of this; None where they don't compare."""
    if own is other:
        return 1.0
    return own.units[oracle] / other.units[oracle] if oracle in own.units and oracle in other.units else None


def _is_relevant(candidate: Candidate, bar: Bar) -> bool:
    name, least = NAMED
    if any(adjustment.name == name and adjustment.factor >= least for adjustment in candidate.adjustments):
        return True
    votes = candidate.votes
    return any(oracle in votes and votes[oracle].raw_score >= enough for oracle, enough in bar.raw.items())
