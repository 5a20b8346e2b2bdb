"""Share what training teaches one piece with the pieces that have letters in common.

A rare word occurs too seldom for its own row to be learnt; its stem and its n-grams of letters occur in other words.
Each of those is a direction that all of its pieces have a part of, so that a step for one piece moves the others a
little (after Bojanowski et al. 2017, "Enriching Word Vectors with Subword Information"). The table holds the sums: the
product reads whole rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sparse

from scry.embedding.static_model import CONTINUATION_PREFIX
from training.contrast import Matrix, Sparse
from training.dataset import Ids
from training.lexical import stem

PART = 0.7
"""Length of the shared part of a piece beside its own, which is 1; as much again for its stem."""

EVERY = 8
"""Steps whose gradients are summed before the shared directions move: they cost more than a step."""

_RATE = 3.0
"""Factor on the learning rate, since the shared directions move EVERY times less often."""

_DECAY = 0.95
_LENGTHS = (4, 5, 6)
_MOST_PIECES = 300
"""Most pieces of an n-gram that is shared: more, such as those with `tion`, have nothing else in common."""


def sharing_matrix(pieces: Sequence[str], size: int) -> Sparse:
    """Return the (size, directions) matrix of each piece's part of each stem and n-gram; zero for further rows."""
    stems: dict[str, list[int]] = {}
    grams: dict[str, dict[int, None]] = {}
    for index, piece in enumerate(pieces):
        if len(piece) >= 3 and piece.isalpha():
            stems.setdefault(stem(piece), []).append(index)
        for gram in _grams(piece):
            grams.setdefault(gram, {})[index] = None
    shared = [list(members) for members in grams.values() if 2 <= len(members) <= _MOST_PIECES]
    counts = np.bincount([index for members in shared for index in members], minlength=size)
    entries: list[tuple[int, int, float]] = []
    families = [members for members in stems.values() if len(members) > 1]
    for column, members in enumerate(families):
        entries += ((index, column, PART) for index in members)
    for column, members in enumerate(shared, len(families)):
        entries += ((index, column, PART / float(np.sqrt(counts[index]))) for index in members)
    rows, columns, parts = zip(*entries, strict=True) if entries else ((), (), ())
    shape = (size, len(families) + len(shared))
    return sparse.csr_matrix((np.array(parts, np.float32), (rows, columns)), shape=shape)


def _grams(piece: str) -> list[str]:
    """Return a piece's n-grams with marks for the ends of a word; none where it is too short to have several."""
    text = f"{piece[len(CONTINUATION_PREFIX) :]}$" if piece.startswith(CONTINUATION_PREFIX) else f"^{piece}$"
    if len(text) < 5:
        return []
    return [text[start : start + length] for length in _LENGTHS for start in range(len(text) - length + 1)]


class SharedDirections:
    """Collects gradients of rows, and moves all rows along the shared directions every few steps."""

    def __init__(self, matrix: Sparse, table: Matrix) -> None:
        self._matrix = matrix
        self._transposed = matrix.T.tocsr()
        self._table = table
        self._gradient = np.zeros_like(table)
        self._second = np.zeros(matrix.shape[1], np.float32)
        self._collected = 0
        self._moves = 0

    def step(self, rows: Ids, gradient: Matrix, rate: float) -> None:
        """Add the gradient of some rows; move the table where EVERY gradients are collected."""
        self._gradient[rows] += gradient
        self._collected += 1
        if self._collected % EVERY == 0:
            self._moves += 1
            self._move(rate)
            self._gradient[:] = 0

    def _move(self, rate: float) -> None:
        slope: Matrix = self._transposed @ self._gradient
        squares = np.einsum("ij,ij->i", slope, slope) / slope.shape[1]
        self._second = _DECAY * self._second + (1 - _DECAY) * squares
        unbiased = np.sqrt(self._second / (1 - _DECAY**self._moves) + 1e-16)
        slope *= (-_RATE * rate / unbiased).astype(np.float32)[:, None]
        self._table += self._matrix @ slope
