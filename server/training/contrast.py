"""The contrastive loss (InfoNCE over blocks of the batch) and its gradient to the table's rows, written out for numpy.

A query's vector is q = Xq E; a passage's is the sum over its fields of weight * unit(Xf E); the loss is the cross
entropy of the scaled cosines, in both directions, each example's own passage being the right answer. Oord et al. 2018,
"Representation Learning with Contrastive Predictive Coding", equation 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Sparse: TypeAlias = Any
"""A scipy.sparse.csr_matrix of float32; scipy ships no types."""

SCALE = 14.0
"""Factor on cosines before the softmax, the inverse of the temperature."""

BLOCK = 1024
"""Examples that are each other's negatives, by default: those of a few packages, since a batch is in the order of its
records.
"""

_BACKWARD = 0.3
"""Share of the passage-to-query direction in the loss."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Queries and the fields of their passages over the same table rows; equal keys are not each other's negatives."""

    queries: Sparse
    fields: tuple[Sparse, ...]
    rows: NDArray[np.int64]
    keys: NDArray[np.int64]


def csr(ids: NDArray[np.int64], segments: NDArray[np.int64], examples: int, rows: NDArray[np.int64]) -> Sparse:
    """Return the (examples, rows) matrix of 1 + log10(tf) weights. rows: sorted; all ids are among them."""
    columns = np.zeros(int(rows[-1]) + 1 if len(rows) else 0, np.int32)
    columns[rows] = np.arange(len(rows))
    ones = np.ones(len(ids), np.float32)
    counts: Sparse = sparse.coo_matrix((ones, (segments, columns[ids])), shape=(examples, len(rows))).tocsr()
    counts.data = (1.0 + np.log10(counts.data)).astype(np.float32)  # equal places were summed
    return counts


def loss_and_gradient(
    batch: Batch, table: Matrix, field_weights: Sequence[float], block: int = BLOCK
) -> tuple[float, Matrix]:
    """Return the forward loss per example, and the gradient for the rows of `table` (those in batch.rows)."""
    pooled_query: Matrix = batch.queries @ table
    units = [_unit(field @ table) for field in batch.fields]
    mixed: Matrix = np.zeros(pooled_query.shape, pooled_query.dtype)
    for weight, (unit, _) in zip(field_weights, units, strict=True):
        mixed = np.add(mixed, np.multiply(unit, weight, dtype=unit.dtype))
    query, query_length = _unit(pooled_query)
    passage, passage_length = _unit(mixed)
    loss, query_slope, passage_slope = _in_blocks(query, passage, batch.keys, block)
    query_slope = _through_unit(query_slope, query, query_length)
    passage_slope = _through_unit(passage_slope, passage, passage_length)
    gradient: Matrix = batch.queries.T @ query_slope
    for field, weight, (unit, length) in zip(batch.fields, field_weights, units, strict=True):
        gradient += field.T @ _through_unit(np.multiply(passage_slope, weight, dtype=passage_slope.dtype), unit, length)
    return loss, gradient


def _in_blocks(query: Matrix, passage: Matrix, keys: NDArray[np.int64], block: int) -> tuple[float, Matrix, Matrix]:
    """Return the forward loss per example, and the slopes with regard to the unit vectors."""
    losses: list[float] = []
    slopes: tuple[list[Matrix], list[Matrix]] = ([], [])
    for start in range(0, len(query), block):
        queries, passages = query[start : start + block], passage[start : start + block]
        scores: Matrix = np.multiply(np.matmul(queries, np.transpose(passages)), SCALE, dtype=queries.dtype)
        loss, slope = _cross_entropy(scores, keys[start : start + block])
        slope *= SCALE / len(query)
        losses.append(loss * len(queries) / len(query))
        slopes[0].append(np.matmul(slope, passages))
        slopes[1].append(np.matmul(np.transpose(slope), queries))
    return sum(losses), np.concatenate(slopes[0]), np.concatenate(slopes[1])


def _cross_entropy(scores: Matrix, keys: NDArray[np.int64]) -> tuple[float, Matrix]:
    """Return the mean forward loss, and the slope of the two-way loss (a sum) with regard to each score."""
    own = np.arange(len(scores))
    own_scores = np.copy(scores[own, own])
    scores[keys[:, None] == keys[None, :]] = -1e9
    scores[own, own] = own_scores
    highest: Matrix = np.max(scores, axis=1, keepdims=True)
    forward = np.exp(scores - highest)
    total: Matrix = np.sum(forward, axis=1, keepdims=True)
    loss = float(np.mean(np.log(total) + highest - own_scores[:, None]))
    forward /= total
    backward = np.exp(scores - scores.max(0, keepdims=True))
    backward /= backward.sum(0, keepdims=True)
    slope = (1 - _BACKWARD) * forward + _BACKWARD * backward
    slope[own, own] -= 1
    return loss, slope


def _unit(vectors: Matrix) -> tuple[Matrix, Matrix]:
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-8)
    return vectors / lengths, lengths


def _through_unit(slope: Matrix, unit: Matrix, length: Matrix) -> Matrix:
    """Carry a slope back through the division by the length; rows of zeros get none."""
    return np.where(length > 1e-7, (slope - unit * (slope * unit).sum(1, keepdims=True)) / length, 0)
