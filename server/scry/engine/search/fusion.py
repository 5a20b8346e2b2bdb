"""Fuse ranked lists by weighted reciprocal rank fusion, apply boosts and order candidates. Pure.

Weighted reciprocal rank fusion, and the total order of results. Pure.

fused = (sum over oracles of weight / (K + rank)) * (product of the adjustments' factors) / ceiling

Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods (SIGIR
2009), with K = 60 from there. Raw scores are never added: they have no common unit.

Moves the candidates by the rules, and puts them into their order (F5). Pure.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest

from msgspec import structs

from scry.core.knowledge import FIRST_KNOWLEDGE_KEY
from scry.core.types import Adjustment, Candidate, DocumentHeader, OracleMatch, SearchQuery
from scry.engine.search.boosts import BoostRules, StemFunction

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


REPEAT_PENALTY = 0.3
"""Each further result of one file counts that much less than the one before: ten results should show several places."""


def rank_with_boosts(
    candidates: Sequence[Candidate], question: SearchQuery, ceiling: float, stem: StemFunction, limit: int | None = None
) -> list[Candidate]:
    """The candidates with their adjustments and scores, best first.

    top: the ceiling of the fused score. stem: a word to the form in which the word index compares it. limit: only the
    first so many are asked for; those that can't be among them may be left out, and the first `limit` are exactly what
    they are without it.
    """
    promising = order_by_rank_sum(candidates)
    judge = ScoreAdjuster(BoostRules(question, stem, promising), ceiling, question)
    if limit is None or len(candidates) <= 2 * limit or question.strengths:
        return judge.rank(promising)
    floor = _score_at_rank(judge.rank(_limit_per_file(promising, 3 * limit)), limit)
    # More candidates only raise the place `limit`, and one below the floor lowers none that is above it.
    return judge.rank(judge.filter_reachable(floor, promising))


class ScoreAdjuster:
    """Moves candidates by the rules of one question, each once, whatever else is found in its file."""

    def __init__(self, rules: BoostRules, ceiling: float, question: SearchQuery) -> None:
        """top: the ceiling of the fused score."""
        self._rules = rules
        self._top = ceiling
        self._question = question
        self._adjusted: dict[int, Candidate] = {}

    def rank(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """They as judged, best first, with the further ones of each file lowered."""
        return order_by_score(self.penalize_repeats(order_by_score(map(self.adjust, candidates))))

    def adjust(self, candidate: Candidate) -> Candidate:
        """It with what the rules move it by."""
        number = candidate.document.doc_key
        found = self._adjusted.get(number)
        if found is None:
            moved = self._rules.adjustments_for(candidate)
            found = self.apply(candidate, self._scale_factors(moved) if self._question.strengths else moved)
            self._adjusted[number] = found
        return found

    def penalize_repeats(self, ordered: Sequence[Candidate]) -> list[Candidate]:
        """They with the second and further ones of each file lowered. ordered: best first."""
        return penalize_file_repeats(ordered, self._top, self._question.strength("repeat"))

    def apply(self, candidate: Candidate, adjustments: Sequence[Adjustment]) -> Candidate:
        """The candidate with more adjustments, and its score with them."""
        return apply_adjustments(candidate, adjustments, self._top)

    def filter_reachable(self, score: float, promising: Sequence[Candidate]) -> list[Candidate]:
        """Those whose rank sums times their factors may come to a score. promising: all, best rank sums first."""
        if self._question.strengths:  # bounds hold for factors as they are
            return list(promising)
        return self._rules.filter_reachable(score * self._top, promising)

    def for_order(self, promising: Sequence[Candidate]) -> ScoreAdjuster:
        """For the same documents in another order of rank sums."""
        return ScoreAdjuster(self._rules.for_order(promising), self._top, self._question)

    def _scale_factors(self, adjustments: Iterable[Adjustment]) -> list[Adjustment]:
        """Each factor to the power that the question gives it; those of power 0 are gone."""
        powers = ((adjustment, self._question.strength(adjustment.name)) for adjustment in adjustments)
        return [structs.replace(adjustment, factor=adjustment.factor**power) for adjustment, power in powers if power]


def order_by_rank_sum(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Best rank sums first, equal ones by doc_id: the order in which the hits of one file support each other."""
    return sorted(candidates, key=lambda candidate: (-candidate.rank_sum, candidate.document.doc_id))


def _limit_per_file(candidates: Iterable[Candidate], count: int) -> list[Candidate]:
    """The first `count` of them with at most two of a file: further ones come so low that they say nothing."""
    seen: dict[str, int] = defaultdict(int)
    chosen: list[Candidate] = []
    for candidate in candidates:
        seen[candidate.document.path] += 1
        if seen[candidate.document.path] <= 2 and len(chosen) < count:
            chosen.append(candidate)
    return chosen


def _score_at_rank(ranked: Sequence[Candidate], limit: int) -> float:
    """The score at the place `limit`."""
    return ranked[limit - 1].fused_score if len(ranked) >= limit else 0.0


def penalize_file_repeats(ordered: Sequence[Candidate], ceiling: float, strength: float) -> list[Candidate]:
    """Lowers the second and further results of each file. ordered: best first. strength: as of Question."""
    factor = REPEAT_PENALTY**strength
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
            result.append(apply_adjustments(candidate, [repeat], ceiling))
        else:
            result.append(candidate)
    return result
