"""What each factor of a document's score is worth: where the document would stand if that one factor were left out.

A factor is an oracle's vote for the document, or an adjustment of it. Each is truly left out, and everything that
follows from it is computed again: the other hits' support, the repeats of the file, the order. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from scry.core.types import Candidate
from scry.engine import fuse
from scry.engine.rivals import Competitors


class Ablation(Struct, frozen=True):
    """name: the oracle's or the adjustment's. rank: the place without it, None where nothing is left.

    score: the score without it.
    """

    name: str
    rank: int | None
    score: float


def ablate_each_factor(own: Candidate, competitors: Competitors, weights: Mapping[str, float]) -> tuple[Ablation, ...]:
    """For each factor of a document: oracles first, in order.

    own: the document with its adjustments. rivals: all candidates, of which it is one. weights: of the oracles.
    """
    number = own.document.doc_key
    found: list[Ablation] = []
    for oracle in own.votes:
        fewer = _without_vote(own, oracle, weights)
        found += [_make_ablation(oracle, *competitors.with_replacement(each).rank_of(number)) for each in fewer] or [
            Ablation(oracle, None, 0.0)
        ]
    for adjustment in own.adjustments:
        found.append(_make_ablation(adjustment.name, *competitors.rank_of(number, adjustment.name)))
    return tuple(found)


def decisive_factor(ablations: Sequence[Ablation]) -> Ablation | None:
    """The factor without which the document would fall furthest: to no place at all, else to the lowest score.

    A lower score is a lower place, or the same one where nothing else is near.
    """
    return min(
        ablations, key=lambda without: (without.rank is not None, -(without.rank or 0), without.score), default=None
    )


def _without_vote(own: Candidate, oracle: str, weights: Mapping[str, float]) -> list[Candidate]:
    """The candidate as it would be gathered without this oracle; none where no other voted for it."""
    votes = {name: (vote,) for name, vote in own.votes.items() if name != oracle}
    return fuse.fuse_votes(votes, {own.document.doc_key: own.document}, weights)


def _make_ablation(name: str, rank: int, candidate: Candidate) -> Ablation:
    return Ablation(name, rank, candidate.fused_score)
