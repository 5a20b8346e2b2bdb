"""Weighted reciprocal rank fusion, and the total order of results. Pure.

fused = (sum over oracles of weight / (K + rank)) * (product of the adjustments' factors) / ceiling

Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods (SIGIR
2009), with K = 60 from there. Raw scores are never added: they have no common unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest

from scry.core.knowledge import FIRST_NUMBER
from scry.core.types import Adjustment, Candidate, Outline, Vote

K = 60


def ceiling(weights: Mapping[str, float], highest_factor: float) -> float:
    """The most that any document could collect: first with every oracle, with every favourable adjustment."""
    return sum(weight / (K + 1) for weight in weights.values()) * highest_factor


def gather(
    votes: Mapping[str, Sequence[Vote]], documents: Mapping[int, Outline], weights: Mapping[str, float]
) -> list[Candidate]:
    """One candidate a document, with at most one vote of each oracle: its best.

    Votes for unknown documents are dropped.
    """
    by_number: dict[int, dict[str, Vote]] = {}
    sums: dict[int, float] = {}
    for oracle, weight in weights.items():
        for vote in votes.get(oracle, ()):
            number = vote.number
            found = by_number.get(number)
            if found is None:
                if number in documents:
                    by_number[number] = {oracle: vote}
                    sums[number] = weight / (K + vote.rank)
            elif oracle not in found:
                found[oracle] = vote
                sums[number] += weight / (K + vote.rank)
    return [Candidate(documents[number], by_number[number], total) for number, total in sums.items()]


def leading_notes(
    votes: Mapping[str, Sequence[Vote]], weights: Mapping[str, float], most: int
) -> Mapping[str, Sequence[Vote]]:
    """The votes without those for knowledge that can't be among the first `most` results.

    Nothing but its votes moves knowledge, so it stands by their sum: the first `most` of it, and all that equal the
    last of them, are all that can be shown. A project may hold ten thousand beliefs that share a word with a question.
    """
    sums: dict[int, float] = {}
    for oracle, weight in weights.items():
        for vote in votes.get(oracle, ()):
            if vote.number >= FIRST_NUMBER:
                sums[vote.number] = sums.get(vote.number, 0.0) + weight / (K + vote.rank)
    if len(sums) <= most:
        return votes
    least = nlargest(most, sums.values())[-1]
    lower = {number for number, total in sums.items() if total < least}
    return {oracle: [vote for vote in cast if vote.number not in lower] for oracle, cast in votes.items()}


def with_adjustments(candidate: Candidate, more: Sequence[Adjustment], top: float) -> Candidate:
    """The candidate with more adjustments, and its score with them by the formula above; top: the ceiling."""
    adjustments = (*candidate.adjustments, *more)
    score = candidate.rank_sum * math.prod([adjustment.factor for adjustment in adjustments]) / top
    return Candidate(candidate.document, candidate.votes, candidate.rank_sum, adjustments, score)


def order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Best first; equal scores in the order of doc_id, so that the order is total."""
    return sorted(candidates, key=lambda candidate: (-candidate.fused_score, candidate.document.doc_id))
