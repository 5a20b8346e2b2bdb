"""The training loop: a random table, a few thousand batches, a linearly falling rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scry.embedding.static_model import FieldWeights, field_weights
from training.contrast import Matrix, loss_and_gradient
from training.dataset import Dataset
from training.optimiser import RowAdam
from training.sampling import Sampler


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how fast to train; about two minutes a thousand batches on one core."""

    steps: int = 2600
    batch: int = 2048
    rate: float = 0.02
    warm_up: int = 100
    dimension: int = 384
    kept: int = 256
    """Of these numbers the product gets so many principal axes: more find no better, and cost time and space."""


def train(data: Dataset, size: int, weights: FieldWeights, schedule: Schedule, seed: int) -> Matrix:
    """Return the trained table of `size` rows; prints the running loss."""
    rng = np.random.default_rng(seed)
    table: Matrix = rng.standard_normal((size, schedule.dimension), np.float32) / np.sqrt(
        np.float32(schedule.dimension)
    )
    optimiser = RowAdam(table)
    running = 0.0
    for step, batch in enumerate(Sampler(data, rng).batches(schedule.steps, schedule.batch)):
        loss, gradient = loss_and_gradient(batch, table[batch.rows], field_weights(weights))
        optimiser.step(batch.rows, gradient, _rate(step, schedule))
        running = loss if step == 0 else 0.98 * running + 0.02 * loss
        if step % 200 == 0:
            print(f"step {step} of {schedule.steps}: loss {running:.3f}", flush=True)
    return table


def _rate(step: int, schedule: Schedule) -> float:
    return schedule.rate * min(1.0, (step + 1) / schedule.warm_up) * max(0.02, 1 - step / schedule.steps)
