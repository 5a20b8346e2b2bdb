"""What each factor of a document's score is worth: where the document would stand if that one factor were left out.

A factor is an oracle's vote for the document, or an adjustment of it. Each is truly left out, and everything that
follows from it is computed again: the other hits' support, the repeats of the file, the order. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from scry.core.types import Candidate
from scry.engine import fuse
from scry.engine.rivals import Rivals


class LeftOut(Struct, frozen=True):
    """name: the oracle's or the adjustment's. rank: the place without it, None where nothing is left.

    score: the score without it.
    """

    name: str
    rank: int | None
    score: float


def leave_each_out(own: Candidate, rivals: Rivals, weights: Mapping[str, float]) -> tuple[LeftOut, ...]:
    """For each factor of a document: oracles first, in order.

    own: the document with its adjustments. rivals: all candidates, of which it is one. weights: of the oracles.
    """
    number = own.document.number
    found: list[LeftOut] = []
    for oracle in own.votes:
        fewer = _without_vote(own, oracle, weights)
        found += [_placed(oracle, *rivals.replaced(each).place(number)) for each in fewer] or [
            LeftOut(oracle, None, 0.0)
        ]
    for adjustment in own.adjustments:
        found.append(_placed(adjustment.name, *rivals.place(number, adjustment.name)))
    return tuple(found)


def decisive(left_out: Sequence[LeftOut]) -> LeftOut | None:
    """The factor without which the document would fall furthest: to no place at all, else to the lowest score.

    A lower score is a lower place, or the same one where nothing else is near.
    """
    return min(
        left_out, key=lambda without: (without.rank is not None, -(without.rank or 0), without.score), default=None
    )


def _without_vote(own: Candidate, oracle: str, weights: Mapping[str, float]) -> list[Candidate]:
    """The candidate as it would be gathered without this oracle; none where no other voted for it."""
    votes = {name: (vote,) for name, vote in own.votes.items() if name != oracle}
    return fuse.gather(votes, {own.document.number: own.document}, weights)


def _placed(name: str, rank: int, candidate: Candidate) -> LeftOut:
    return LeftOut(name, rank, candidate.fused_score)
