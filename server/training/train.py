"""The training loop: a random table, a few thousand batches, a linearly falling rate; and the recipes of models.

The optimiser is Adam with one second moment per table row, on the rows of a batch only (after Kingma & Ba 2015,
algorithm 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scry.embedding.static_model import FieldWeights, field_weights
from training.contrast import BLOCK, Matrix, Sparse, loss_and_gradient
from training.dataset import Dataset
from training.sampling import Sampler
from training.sharing import PART, SharedDirections


@dataclass(frozen=True, slots=True)
class Schedule:
    """The length and rates of the training of one member; about three minutes on one core."""

    steps: int = 2000
    batch: int = 2048
    rate: float = 0.02
    warm_up: int = 100
    dimension: int = 256
    kept: int = 256
    """Principal axes of all members together that the product keeps: more cost time and space in every index."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parts of a model.

    members: tables trained, each from a seed of its own, that are merged into one: the share of examples with a name
        only in each. Few of them teach comments better, many teach words that no documentation uses (decision 103).
    block: see `contrast.BLOCK`. shared: whether pieces with common letters share directions. repositories: whether the
    records of repositories and of their commits are trained on too. count_power: of the count of a piece, by which its
    row weighs in the choice of principal axes. earlier: length of the table of the model before (pipeline.EARLIER)
    beside all members together, with which it is merged; 0 leaves it out.
    """

    schedule: Schedule
    members: tuple[float, ...]
    block: int
    shared: bool
    repositories: bool
    count_power: float
    earlier: float = 0.0


RECIPES = {
    "shipped": Recipe(Schedule(), (0.25,), BLOCK, True, True, 1.0, earlier=0.7),
    "earlier": Recipe(Schedule(steps=2600, dimension=384), (0.25,), 512, False, False, 0.5),
    "merged": Recipe(Schedule(), (0.25, 0.1, 0.25, 0.1), BLOCK, True, True, 1.0),
}
"""The recipe of the bundled model (decision 112), that of the model before it (31), whose table it uses, and the one
that knows most other words, but loses in some languages (103 and 104).
"""


def train(
    data: Dataset,
    sharing: Sparse,
    weights: FieldWeights,
    schedule: Schedule,
    seed: int,
    named_share: float = 0.25,
    block: int = BLOCK,
) -> Matrix:
    """Return a trained table of as many rows as `sharing` has; prints the running loss."""
    rng = np.random.default_rng(seed)
    size, shared = sharing.shape
    table = _random_rows(size, schedule.dimension, rng)
    table += np.float32(PART) * (sharing @ _random_rows(shared, schedule.dimension, rng))
    optimiser, directions = RowAdam(table), SharedDirections(sharing, table)
    running = 0.0
    for step, batch in enumerate(Sampler(data, rng).batches(schedule.steps, schedule.batch, named_share)):
        loss, gradient = loss_and_gradient(batch, table[batch.rows], field_weights(weights), block)
        optimiser.step(batch.rows, gradient, _rate(step, schedule))
        directions.step(batch.rows, gradient, _rate(step, schedule))
        running = loss if step == 0 else 0.98 * running + 0.02 * loss
        if step % 200 == 0:
            print(f"seed {seed}, step {step} of {schedule.steps}: loss {running:.3f}", flush=True)
    return table


def _random_rows(count: int, dimension: int, rng: np.random.Generator) -> Matrix:
    return rng.standard_normal((count, dimension), np.float32) / np.sqrt(np.float32(dimension))


def _rate(step: int, schedule: Schedule) -> float:
    return schedule.rate * min(1.0, (step + 1) / schedule.warm_up) * max(0.02, 1 - step / schedule.steps)


_MOMENTUM = 0.9
_DECAY = 0.98


class RowAdam:
    """The trained table and its moments; rows that no batch names stay unchanged."""

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
