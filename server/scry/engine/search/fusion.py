"""Fuse ranked lists by weighted reciprocal rank fusion, apply boosts and order candidates. Pure.

fused_score = (sum over oracles of weight / (RRF_K + rank)) * (product of the adjustments' factors) / ceiling

Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods (SIGIR
2009), with K = 60 from there. Raw scores are never added: they have no common unit.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from heapq import nlargest

from msgspec import structs

from scry.core.types import Adjustment, Candidate, DocumentHeader, OracleMatch, SearchQuery
from scry.engine.search.boosts import BoostRules, StemFunction
from scry.engine.search.places import PlaceRules

RRF_K = 60


# Fusion ---------------------------------------------------------------------------------------------------------------


def fused_score_ceiling(weights: Mapping[str, float], highest_factor: float) -> float:
    """Return the highest possible sum: first with every oracle, with every favourable adjustment."""
    return sum([weight / (RRF_K + 1) for weight in weights.values()]) * highest_factor


def fuse_matches(
    matches_by_oracle: Mapping[str, Sequence[OracleMatch]],
    documents: Mapping[int, DocumentHeader],
    weights: Mapping[str, float],
) -> list[Candidate]:
    """Return one candidate per document, with each oracle's best match for it.

    Matches for documents that are not in `documents` are dropped.
    """
    matches_by_key: dict[int, dict[str, OracleMatch]] = {}
    sums: dict[int, float] = {}
    for oracle, weight in weights.items():
        for match in matches_by_oracle.get(oracle, ()):
            doc_key = match.doc_key
            matches = matches_by_key.get(doc_key)
            if matches is None:
                if doc_key in documents:
                    matches_by_key[doc_key] = {oracle: match}
                    sums[doc_key] = weight / (RRF_K + match.rank)
            elif oracle not in matches:
                matches[oracle] = match
                sums[doc_key] += weight / (RRF_K + match.rank)
    return [Candidate(documents[doc_key], matches_by_key[doc_key], total) for doc_key, total in sums.items()]


def drop_unreachable(
    matches_by_oracle: Mapping[str, Sequence[OracleMatch]],
    weights: Mapping[str, float],
    limit: int,
    notes: Container[int],
) -> Mapping[str, Sequence[OracleMatch]]:
    """Return the matches without those of notes that can't be among the first `limit` results.

    No boost applies to notes, so they rank by the sum of their matches: the first `limit` of them, and all that equal
    the last one, are all that can be shown. A project may hold ten thousand beliefs that share a word with a query.
    notes: the doc_keys of notes.
    """
    sums: dict[int, float] = {}
    for oracle, weight in weights.items():
        for match in matches_by_oracle.get(oracle, ()):
            if match.doc_key in notes:
                sums[match.doc_key] = sums.get(match.doc_key, 0.0) + weight / (RRF_K + match.rank)
    if len(sums) <= limit:
        return matches_by_oracle
    min_sum = nlargest(limit, sums.values())[-1]
    dropped = {doc_key for doc_key, total in sums.items() if total < min_sum}
    return {
        oracle: [match for match in matches if match.doc_key not in dropped]
        for oracle, matches in matches_by_oracle.items()
    }


# Boosts and order -----------------------------------------------------------------------------------------------------


def rank_with_boosts(
    candidates: Sequence[Candidate], question: SearchQuery, ceiling: float, stem: StemFunction, limit: int | None = None
) -> list[Candidate]:
    """Return the candidates with their adjustments and scores, best first (F5).

    ceiling: of the fused score. stem: maps a word to the form in which the word index compares it. limit: only the
    first so many are needed; candidates that can't be among them may be left out, and the first `limit` are exactly
    those of the whole ranking.
    """
    by_rank_sum = order_by_rank_sum(candidates)
    adjuster = ScoreAdjuster(BoostRules(question, stem, by_rank_sum), by_rank_sum, ceiling, question)
    if limit is None or len(candidates) <= 2 * limit or question.strengths:
        return adjuster.rank(by_rank_sum)
    # The first place of a file scores as its best document does, so that `limit` files are enough for a lower bound.
    scores = adjuster.best_scores(_limit_per_file(by_rank_sum, 3 * limit))
    min_score = scores[limit - 1] if len(scores) >= limit else 0.0
    return adjuster.rank(adjuster.filter_reachable(min_score, by_rank_sum))


class ScoreAdjuster:
    """Applies the boosts of one query to candidates, to each one once, whatever else is found in its file."""

    def __init__(
        self, rules: BoostRules, by_rank_sum: Sequence[Candidate], ceiling: float, question: SearchQuery
    ) -> None:
        """by_rank_sum: all candidates, best rank sums first. ceiling: of the fused score."""
        self._rules = rules
        self._places = PlaceRules(question, by_rank_sum)
        self._ceiling = ceiling
        self._question = question
        self._adjusted: dict[int, Candidate] = {}

    def rank(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates with all their adjustments, best first. candidates: of each file all that may rank."""
        self._rules.classify_paths([candidate.document.path for candidate in candidates])
        return order_by_score(self.adjust_places([self.adjust(candidate) for candidate in candidates]))

    def best_scores(self, candidates: Sequence[Candidate]) -> list[float]:
        """Return the best score of each file, and of each candidate without one, before places count; best first."""
        self._rules.classify_paths([candidate.document.path for candidate in candidates])
        best: dict[str | int, float] = {}
        for candidate in candidates:
            key = candidate.document.path or candidate.document.doc_key
            best[key] = max(best.get(key, 0.0), self.adjust(candidate).fused_score)
        return sorted(best.values(), reverse=True)

    def adjust(self, candidate: Candidate) -> Candidate:
        """Return the candidate with its boosts applied."""
        doc_key = candidate.document.doc_key
        adjusted = self._adjusted.get(doc_key)
        if adjusted is None:
            adjustments = self._rules.adjustments_for(candidate)
            if self._question.strengths:
                adjustments = self._scale_factors(adjustments)
            adjusted = self._adjusted[doc_key] = self.apply(candidate, adjustments)
        return adjusted

    def apply(self, candidate: Candidate, adjustments: Sequence[Adjustment]) -> Candidate:
        """Return the candidate with more adjustments, and its score with them."""
        return apply_adjustments(candidate, adjustments, self._ceiling)

    def adjust_places(self, adjusted: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates with the adjustments that depend on the others of their file, in the same order.

        adjusted: with their other adjustments.
        """
        more = self._places.adjustments_for(adjusted)
        return [
            self.apply(each, more[each.document.doc_key]) if each.document.doc_key in more else each
            for each in adjusted
        ]

    def filter_reachable(self, min_score: float, by_rank_sum: Sequence[Candidate]) -> list[Candidate]:
        """Return all candidates of the files that may have a place with this score, and the others that may reach it.

        by_rank_sum: all, best rank sums first.
        """
        if self._question.strengths:  # the bounds hold only for unscaled factors
            return list(by_rank_sum)
        reachable = self._rules.filter_reachable(min_score * self._ceiling, by_rank_sum)
        paths = {each.document.path for each in reachable} - {""}
        others = {each.document.doc_key for each in reachable if not each.document.path}
        return [each for each in by_rank_sum if each.document.path in paths or each.document.doc_key in others]

    def for_order(self, by_rank_sum: Sequence[Candidate]) -> ScoreAdjuster:
        """Return an adjuster for the same documents in another order of rank sums."""
        return ScoreAdjuster(self._rules.for_order(by_rank_sum), by_rank_sum, self._ceiling, self._question)

    def _scale_factors(self, adjustments: Iterable[Adjustment]) -> list[Adjustment]:
        """Return the adjustments with their factors raised to the query's exponents, without those of exponent 0."""
        powers = ((adjustment, self._question.strength(adjustment.name)) for adjustment in adjustments)
        return [structs.replace(adjustment, factor=adjustment.factor**power) for adjustment, power in powers if power]


def apply_adjustments(candidate: Candidate, more: Sequence[Adjustment], ceiling: float) -> Candidate:
    """Return the candidate with more adjustments, and its score by the formula above."""
    adjustments = (*candidate.adjustments, *more)
    score = candidate.rank_sum * math.prod([adjustment.factor for adjustment in adjustments]) / ceiling
    return Candidate(candidate.document, candidate.oracle_matches, candidate.rank_sum, adjustments, score)


def order_by_score(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates best first; equal scores in the order of doc_id, so that the order is total."""
    return sorted(candidates, key=lambda candidate: (-candidate.fused_score, candidate.document.doc_id))


def order_by_rank_sum(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates by rank sum, best first, equal ones by doc_id: the order in which hits of a file count."""
    return sorted(candidates, key=lambda candidate: (-candidate.rank_sum, candidate.document.doc_id))


def _limit_per_file(candidates: Iterable[Candidate], limit: int) -> list[Candidate]:
    """Return the first `limit` candidates with at most two of a file: the repeat penalty lowers further ones far."""
    seen: dict[str, int] = defaultdict(int)
    chosen: list[Candidate] = []
    for candidate in candidates:
        seen[candidate.document.path] += 1
        if seen[candidate.document.path] <= 2 and len(chosen) < limit:
            chosen.append(candidate)
    return chosen
