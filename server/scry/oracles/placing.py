"""Where a document stands in a list of scores, be it of its kind or among others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from scry.core.types import Outline, Vote
from scry.oracles.oracle import DEPTH, Reader

Scores = list[tuple[int, float]]
"""Documents by number with their scores, unordered."""


def placed(found: Scores, among: Sequence[float], reader: Reader) -> list[tuple[int, int, float]]:
    """Documents that stand in a list of others, without moving them: rank, number and score of each, best first.

    A document's rank is that of the place where it would stand: behind the others that score better, and behind those
    of its own kind that stand before it (by score, then doc_id). found: its kind, unordered; what is no more is passed
    over. among: the others' scores, best first, of all that can matter.
    """
    if not found:
        return []
    falling = sorted(found, key=lambda scored: -scored[1])
    if len(falling) > DEPTH:
        least = falling[DEPTH - 1][1]
        falling = [scored for scored in falling if scored[1] >= least]
    outlines = reader.outlines([number for number, _ in falling])
    ranked = sorted((-score, outlines[number].doc_id, number) for number, score in falling if number in outlines)
    rising = [-score for score in among]
    return [(bisect_left(rising, score) + place, number, -score) for place, (score, _, number) in enumerate(ranked, 1)]


def least_to_vote(among: Sequence[float]) -> float:
    """What a document has to score to be voted for among others of these scores, best first: what scores less stands
    behind more of them than an oracle votes for.
    """
    return among[DEPTH - 1] if len(among) >= DEPTH else 0.0


def placed_votes(found: Scores, among: Sequence[float], score_type: str, reader: Reader) -> list[Vote]:
    """The same as votes, as deep as votes go."""
    ranked = placed(found, among, reader)
    return [Vote(number, rank, score, score_type) for rank, number, score in ranked if rank <= DEPTH]


def place_among(document: Outline, score: float, scored: Sequence[tuple[int, float]], reader: Reader) -> int:
    """The place that a document takes in a list of (number, score): above lower ones, equal ones by doc_id."""
    equal = [number for number, found in scored if found == score]
    outlines = reader.outlines(equal)
    before = sum(outlines[number].doc_id < document.doc_id for number in equal if number in outlines)
    return reader.count([number for number, found in scored if found > score]) + before + 1
