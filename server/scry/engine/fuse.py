"""Weighted reciprocal rank fusion, and the total order of results. Pure.

fused = (sum over oracles of weight / (K + rank)) * (product of the adjustments' factors) / ceiling

Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods (SIGIR
2009), with K = 60 from there. Raw scores are never added: they have no common unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest

from scry.core.knowledge import FIRST_KNOWLEDGE_KEY
from scry.core.types import Adjustment, Candidate, DocumentHeader, OracleMatch

RRF_K = 60


def fused_score_ceiling(weights: Mapping[str, float], highest_factor: float) -> float:
    """The most that any document could collect: first with every oracle, with every favourable adjustment."""
    return sum(weight / (RRF_K + 1) for weight in weights.values()) * highest_factor


def fuse_votes(
    votes: Mapping[str, Sequence[OracleMatch]], documents: Mapping[int, DocumentHeader], weights: Mapping[str, float]
) -> list[Candidate]:
    """One candidate a document, with at most one vote of each oracle: its best.

    Votes for unknown documents are dropped.
    """
    by_number: dict[int, dict[str, OracleMatch]] = {}
    sums: dict[int, float] = {}
    for oracle, weight in weights.items():
        for vote in votes.get(oracle, ()):
            number = vote.doc_key
            found = by_number.get(number)
            if found is None:
                if number in documents:
                    by_number[number] = {oracle: vote}
                    sums[number] = weight / (RRF_K + vote.rank)
            elif oracle not in found:
                found[oracle] = vote
                sums[number] += weight / (RRF_K + vote.rank)
    return [Candidate(documents[number], by_number[number], total) for number, total in sums.items()]


def drop_unreachable_notes(
    votes: Mapping[str, Sequence[OracleMatch]], weights: Mapping[str, float], limit: int
) -> Mapping[str, Sequence[OracleMatch]]:
    """The votes without those for knowledge that can't be among the first `most` results.

    Nothing but its votes moves knowledge, so it stands by their sum: the first `most` of it, and all that equal the
    last of them, are all that can be shown. A project may hold ten thousand beliefs that share a word with a question.
    """
    sums: dict[int, float] = {}
    for oracle, weight in weights.items():
        for vote in votes.get(oracle, ()):
            if vote.doc_key >= FIRST_KNOWLEDGE_KEY:
                sums[vote.doc_key] = sums.get(vote.doc_key, 0.0) + weight / (RRF_K + vote.rank)
    if len(sums) <= limit:
        return votes
    least = nlargest(limit, sums.values())[-1]
    lower = {number for number, total in sums.items() if total < least}
    return {oracle: [vote for vote in cast if vote.doc_key not in lower] for oracle, cast in votes.items()}


def apply_adjustments(candidate: Candidate, more: Sequence[Adjustment], ceiling: float) -> Candidate:
    """The candidate with more adjustments, and its score with them by the formula above; top: the ceiling."""
    adjustments = (*candidate.adjustments, *more)
    score = candidate.rank_sum * math.prod([adjustment.factor for adjustment in adjustments]) / ceiling
    return Candidate(candidate.document, candidate.votes, candidate.rank_sum, adjustments, score)


def order_by_score(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Best first; equal scores in the order of doc_id, so that the order is total."""
    return sorted(candidates, key=lambda candidate: (-candidate.fused_score, candidate.document.doc_id))
