"""How good an answer is, by the places of what is right. Pure.

NDCG@10 with binary gain (Järvelin, Kekäläinen: Cumulated gain-based evaluation of IR techniques, 2002): a right answer
at rank r gains 1 / log2(r + 1), and the sum is divided by that of a perfect answer. A target counts at the first result
that matches it, and one result counts once, however many targets it matches. Strict: every further result of a file
takes up a rank. Once per file: only the first result of each file does, and it stands for the whole file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

import msgspec

from scry.lab.cases import ExpectedResult

CUTOFF = 10
"""What a person sees at a glance; published figures use it too."""

RECALL_CUTOFFS = (1, 5, 10, 50)

_LAST_LINE = 10**9


class JudgedLocation(msgspec.Struct, frozen=True):
    """A result: its document, its file from the repository's top ("" where it has none), its lines, 1-based."""

    doc_id: str
    path: str
    start_line: int
    end_line: int


class MetricSummary(msgspec.Struct, frozen=True):
    """Means over questions, 0 to 1. questions: how many. ndcg: strict; file_ndcg: once per file.

    mrr: of 1 / the rank of the first right result, 0 where there is none in RECALL_AT's last. recall: by k, what share
    of the targets is among the first k.
    """

    questions: int
    ndcg: float
    file_ndcg: float
    mrr: float
    recall: dict[str, float]


class QueryScore(msgspec.Struct, frozen=True):
    """Of one question: as in Figures. ranks: where each target was found; None where it was not."""

    ndcg: float
    file_ndcg: float
    ranks: list[int | None]


def score_results(results: Sequence[JudgedLocation], targets: Sequence[ExpectedResult]) -> QueryScore:
    """places: results, best first; more than K of them tell more of what was nearly found."""
    ranks = [rank_of_target(results, target) for target in targets]
    by_file = first_result_per_file(results[:CUTOFF])
    file_ranks = [rank_of_target(by_file, msgspec.structs.replace(target, doc_id=None)) for target in targets]
    return QueryScore(ndcg(ranks, len(targets)), ndcg(file_ranks, len(targets)), ranks)


def summarize_scores(scores: Sequence[QueryScore]) -> MetricSummary:
    """The means; at least one score."""
    return MetricSummary(
        len(scores),
        fmean(each.ndcg for each in scores),
        fmean(each.file_ndcg for each in scores),
        fmean(reciprocal_rank(each.ranks) for each in scores),
        {str(k): fmean(recall(each.ranks, k) for each in scores) for k in RECALL_CUTOFFS},
    )


def rank_of_target(results: Sequence[JudgedLocation], target: ExpectedResult) -> int | None:
    """The rank of the first result that is this target."""
    return next((rank for rank, place in enumerate(results, 1) if matches_target(place, target)), None)


def matches_target(result: JudgedLocation, target: ExpectedResult) -> bool:
    """Whether a result is what was to be found."""
    if target.doc_id is not None:
        return result.doc_id == target.doc_id
    if not may_be_same_file(result.path, target.path):
        return False
    if target.start_line is None or target.end_line is None:
        return True
    return result.start_line <= target.end_line and result.end_line >= target.start_line


def may_be_same_file(found: str, wanted: str) -> bool:
    """Whether two paths may name one file: of the two one may begin further down."""
    return bool(found) and (found == wanted or found.endswith(f"/{wanted}") or wanted.endswith(f"/{found}"))


def first_result_per_file(results: Sequence[JudgedLocation]) -> list[JudgedLocation]:
    """The first result of each file, standing for all its lines."""
    first = {place.path or place.doc_id: place for place in reversed(results)}
    kept = [place for place in results if first[place.path or place.doc_id] is place]
    return [JudgedLocation(place.doc_id, place.path, 1, _LAST_LINE) for place in kept]


def ndcg(ranks: Sequence[int | None], targets: int) -> float:
    """Of the ranks at which right results stand; those beyond K gain nothing."""
    gain = sum(1 / math.log2(rank + 1) for rank in {rank for rank in ranks if rank is not None and rank <= CUTOFF})
    return gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(CUTOFF, targets) + 1))


def reciprocal_rank(ranks: Sequence[int | None]) -> float:
    """1 / the best of the ranks."""
    return max((1 / rank for rank in ranks if rank is not None), default=0.0)


def recall(ranks: Sequence[int | None], k: int) -> float:
    """What share of the targets is among the first k."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)
