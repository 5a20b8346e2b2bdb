"""Whether two lists of scores over the same questions differ by more than chance: the paired bootstrap.

Questions are drawn with replacement, as often as there are, again and again; how the mean difference varies over these
draws is how it would vary over other questions of the kind (Efron, Tibshirani: An Introduction to the Bootstrap, 1993;
for search Sakai: Evaluating evaluation metrics based on the bootstrap, SIGIR 2006).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

BOOTSTRAP_SEED = 20061
"""Any fixed one: the same two runs must give the same figures."""

RESAMPLES = 10_000
"""The ends of a 95 % interval move by some hundredth of its width between seeds."""

_SAMPLES_PER_BATCH = 2_000_000
"""Questions drawn at a time: 16 MB."""


class PairedDifference(msgspec.Struct, frozen=True):
    """mean: of after minus before. low, high: its 95 % interval. p: how likely chance alone makes it as large.

    seed, draws: of the bootstrap; the same ones give the same figures.
    """

    mean: float
    low: float
    high: float
    p: float
    seed: int = BOOTSTRAP_SEED
    draws: int = RESAMPLES

    @property
    def is_significant(self) -> bool:
        """Whether the interval lies on one side of zero."""
        return self.low > 0 or self.high < 0


def paired_bootstrap(before: Sequence[float], after: Sequence[float], seed: int = BOOTSTRAP_SEED) -> PairedDifference:
    """The difference of two lists of scores, each pair of the same question; at least one."""
    differences = np.asarray(after, dtype=float) - np.asarray(before, dtype=float)
    if not differences.any():
        return PairedDifference(0.0, 0.0, 0.0, 1.0, seed)
    means = _resampled_means(differences, np.random.default_rng(seed))
    low, high = np.percentile(means, (2.5, 97.5))
    beyond = min(np.count_nonzero(means <= 0), np.count_nonzero(means >= 0))
    p = min(1.0, 2 * max(int(beyond), 1) / RESAMPLES)
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
