"""Adam with one second moment per table row, on the rows of a batch only (after Kingma & Ba 2015, algorithm 1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MOMENTUM = 0.9
_DECAY = 0.98


class RowAdam:
    """The table that is trained and its moments; rows that no batch names stay as they are."""

    def __init__(self, table: NDArray[np.float32]) -> None:
        self.table = table
        self._first = np.zeros_like(table)
        self._second = np.zeros(len(table), np.float32)
        self._steps = np.zeros(len(table), np.int64)

    def step(self, rows: NDArray[np.int64], gradient: NDArray[np.float32], rate: float) -> None:
        """Move the rows against their gradient; `rate` is in units of the table."""
        self._steps[rows] += 1
        first = _MOMENTUM * self._first[rows] + (1 - _MOMENTUM) * gradient
        second = _DECAY * self._second[rows] + (1 - _DECAY) * np.square(gradient).mean(1)
        self._first[rows], self._second[rows] = first, second
        steps = self._steps[rows]
        unbiased = np.sqrt(second / (1 - _DECAY**steps) + 1e-16) * (1 - _MOMENTUM**steps)
        self.table[rows] -= (rate / unbiased).astype(np.float32)[:, None] * first
