"""Retrieval metrics (NDCG, MRR, recall), and the significance of a difference between runs. Pure.

NDCG@10 with binary gain (Järvelin, Kekäläinen: Cumulated gain-based evaluation of IR techniques, 2002): a relevant
result at rank r gains 1 / log2(r + 1), and the sum is divided by that of a perfect answer. A target counts at the first
result that matches it, and one result counts once, however many targets it matches. In `ndcg`, every further result of
a file takes up a rank. In `file_ndcg`, only the first result of each file does, and it stands for the whole file;
several targets in one file are one.

The paired bootstrap decides whether two lists of scores over the same queries differ by more than chance. Queries are
drawn with replacement, as many as there are, again and again; the variation of the mean difference over these samples
estimates its variation over other queries of the kind (Efron, Tibshirani: An Introduction to the Bootstrap, 1993; for
search Sakai: Evaluating evaluation metrics based on the bootstrap, SIGIR 2006).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

import msgspec
import numpy as np

from scry.lab.questions import ExpectedResult

BOOTSTRAP_SEED = 20061
"""Any fixed seed: the same two runs must give the same interval."""


RESAMPLES = 10_000
"""Number of samples; the ends of a 95 % interval move by some hundredth of its width between seeds."""


_SAMPLES_PER_BATCH = 2_000_000
"""Queries drawn at a time: 16 MB."""


CUTOFF = 10
"""Number of results that a person sees at a glance; published figures use it too."""


RECALL_CUTOFFS = (1, 5, 10, 50)


_LAST_LINE = 10**9


class JudgedLocation(msgspec.Struct, frozen=True):
    """A result: its document, its file from the repository's top ("" where it has none), and its lines, 1-based."""

    doc_id: str
    path: str
    start_line: int
    end_line: int


class MetricSummary(msgspec.Struct, frozen=True):
    """Means over queries, 0 to 1.

    questions: number of queries.
    ndcg: every result takes up a rank.
    file_ndcg: only the first result of each file does.
    mrr: of 1 / the rank of the first relevant result, 0 where none is in the last of RECALL_CUTOFFS.
    recall: by k, the share of the targets among the first k.
    """

    questions: int
    ndcg: float
    file_ndcg: float
    mrr: float
    recall: dict[str, float]


class QueryScore(msgspec.Struct, frozen=True):
    """The metrics of one query, as in MetricSummary. ranks: of each target; None where it was not found."""

    ndcg: float
    file_ndcg: float
    ranks: list[int | None]


def score_results(results: Sequence[JudgedLocation], targets: Sequence[ExpectedResult]) -> QueryScore:
    """Score the results of one query, best first. Results beyond CUTOFF count for MRR and recall."""
    ranks = [rank_of_target(results, target) for target in targets]
    by_file = first_result_per_file(results[:CUTOFF])
    files = {target.path: msgspec.structs.replace(target, doc_id=None) for target in targets}.values()
    file_ranks = [rank_of_target(by_file, file) for file in files]
    return QueryScore(ndcg(ranks, len(targets)), ndcg(file_ranks, len(files)), ranks)


def summarize_scores(scores: Sequence[QueryScore]) -> MetricSummary:
    """Return the means of at least one score."""
    return MetricSummary(
        len(scores),
        fmean(each.ndcg for each in scores),
        fmean(each.file_ndcg for each in scores),
        fmean(reciprocal_rank(each.ranks) for each in scores),
        {str(k): fmean(recall(each.ranks, k) for each in scores) for k in RECALL_CUTOFFS},
    )


def rank_of_target(results: Sequence[JudgedLocation], target: ExpectedResult) -> int | None:
    """Return the rank of the first result that matches the target."""
    return next((rank for rank, result in enumerate(results, 1) if matches_target(result, target)), None)


def matches_target(result: JudgedLocation, target: ExpectedResult) -> bool:
    """Return whether a result matches the target."""
    if target.doc_id is not None:
        return result.doc_id == target.doc_id
    if not may_be_same_file(result.path, target.path):
        return False
    if target.start_line is None or target.end_line is None:
        return True
    return result.start_line <= target.end_line and result.end_line >= target.start_line


def may_be_same_file(path: str, wanted: str) -> bool:
    """Return whether two paths may name one file: either may begin in a subfolder of the other's start."""
    return bool(path) and (path == wanted or path.endswith(f"/{wanted}") or wanted.endswith(f"/{path}"))


def first_result_per_file(results: Sequence[JudgedLocation]) -> list[JudgedLocation]:
    """Return the first result of each file, standing for all its lines."""
    first = {result.path or result.doc_id: result for result in reversed(results)}
    firsts = [result for result in results if first[result.path or result.doc_id] is result]
    return [JudgedLocation(result.doc_id, result.path, 1, _LAST_LINE) for result in firsts]


def ndcg(ranks: Sequence[int | None], targets: int) -> float:
    """Return NDCG@10 from the ranks of the relevant results; ranks beyond CUTOFF gain nothing."""
    gain = sum(1 / math.log2(rank + 1) for rank in {rank for rank in ranks if rank is not None and rank <= CUTOFF})
    return gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(CUTOFF, targets) + 1))


def reciprocal_rank(ranks: Sequence[int | None]) -> float:
    """Return 1 / the best of the ranks, 0 where there is none."""
    return max((1 / rank for rank in ranks if rank is not None), default=0.0)


def recall(ranks: Sequence[int | None], k: int) -> float:
    """Return the share of the targets among the first k."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


class PairedDifference(msgspec.Struct, frozen=True):
    """The mean of after minus before over pairs, with its significance.

    mean: the mean difference.
    low, high: its 95 % interval.
    p: probability that chance alone makes it as large.
    seed, draws: of the bootstrap; equal ones give equal figures.
    """

    mean: float
    low: float
    high: float
    p: float
    seed: int = BOOTSTRAP_SEED
    draws: int = RESAMPLES

    @property
    def is_significant(self) -> bool:
        """Whether the interval lies on one side of zero, and so few pairs could show a difference at all."""
        return (self.low > 0 or self.high < 0) and self.p < 0.05


def paired_bootstrap(before: Sequence[float], after: Sequence[float], seed: int = BOOTSTRAP_SEED) -> PairedDifference:
    """Return the difference of two lists of scores of the same queries; at least one.

    p is no smaller than a sign test on the pairs that differ could make it, 2^(1-n) for n of them: resampling a few
    equal signs never meets the other. One pair bounds nothing, so its interval is all that scores from 0 to 1 allow.
    """
    differences = np.asarray(after, dtype=float) - np.asarray(before, dtype=float)
    if not differences.any():
        return PairedDifference(0.0, 0.0, 0.0, 1.0, seed)
    means = _resampled_means(differences, np.random.default_rng(seed))
    low, high = np.percentile(means, (2.5, 97.5))
    beyond = min(np.count_nonzero(means <= 0), np.count_nonzero(means >= 0))
    least = 2.0 ** (1 - int(np.count_nonzero(differences)))
    p = min(1.0, max(2 * max(int(beyond), 1) / RESAMPLES, least))
    if len(differences) == 1:
        low, high = -1.0, 1.0
    return PairedDifference(float(differences.mean()), float(low), float(high), p, seed)


def _resampled_means(
    values: np.ndarray[tuple[int], np.dtype[np.float64]], random: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    count = len(values)
    step = max(1, _SAMPLES_PER_BATCH // count)
    parts = [
        values[random.integers(0, count, (min(step, RESAMPLES - start), count))].mean(axis=1)
        for start in range(0, RESAMPLES, step)
    ]
    return np.concatenate(parts)
