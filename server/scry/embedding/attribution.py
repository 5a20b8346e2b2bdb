"""Attribute the cosine of a query and a passage to pairs of their words.

The cosine is split into shares of (word of the query, word of the passage, field). Both vectors are sums over words, so
their product is a sum over pairs of words. A word's part of a bag's vector is the sum of its pieces' rows, each piece's
weight 1 + log10(tf) divided among the words that contain it by how often each occurs.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.embedding.embedder import Passage
from scry.embedding.static_model import PASSAGE_FIELDS, StaticModel, field_texts, field_weights, split_words

MAX_CONTRIBUTIONS = 12
"""Maximum number of shares listed one by one; all others are in the remainder."""

_FloatArray = NDArray[np.float64]


class CosineContribution(Struct, frozen=True):
    """The share of one pair of words in the cosine. field: one of PASSAGE_FIELDS. value: may be negative."""

    query_word: str
    passage_word: str
    field: str
    value: float


class CosineAttribution(Struct, frozen=True):
    """The greatest shares by absolute value, and the sum of the others; together they are the cosine."""

    contributions: tuple[CosineContribution, ...]
    remainder: float
    cosine: float


def attribute_cosine(
    model: StaticModel, query: str, passage: Passage, limit: int = MAX_CONTRIBUTIONS
) -> CosineAttribution:
    """Split the cosine of a query and a passage, recomputed in float64; all is zero where either has no word."""
    query_words, query_vectors = _word_vectors(model, query)
    parts = zip(PASSAGE_FIELDS, field_texts(passage), field_weights(model.weights), strict=True)
    fields = [_FieldVectors.from_text(model, field, text, weight) for field, text, weight in parts]
    lengths = _sum_norm(query_vectors) * _sum_norm(np.concatenate([field.vectors for field in fields]))
    if lengths == 0:
        return CosineAttribution((), 0.0, 0.0)
    shares = [share for field in fields for share in field.contributions(query_words, query_vectors / lengths)]
    shares.sort(key=lambda share: (-abs(share.value), share.query_word, share.passage_word, share.field))
    whole = query_vectors.sum(0) @ sum((field.vectors.sum(0) for field in fields), np.zeros(model.dimension))
    cosine = float(whole / lengths)
    listed = tuple(shares[:limit])
    return CosineAttribution(listed, cosine - sum(share.value for share in listed), cosine)


class _FieldVectors(Struct, frozen=True):
    """The words of a field, and the part of each in the passage's vector before that is brought to length 1."""

    name: str
    words: list[str]
    vectors: _FloatArray

    @classmethod
    def from_text(cls, model: StaticModel, name: str, text: str, weight: float) -> _FieldVectors:
        words, vectors = _word_vectors(model, text)
        length = _sum_norm(vectors)
        return cls(name, words, vectors * (weight / length) if length else vectors)

    def contributions(self, query_words: list[str], query_vectors: _FloatArray) -> list[CosineContribution]:
        products: _FloatArray = np.inner(query_vectors, self.vectors)
        return [
            CosineContribution(query_word, word, self.name, float(products[row, column]))
            for row, query_word in enumerate(query_words)
            for column, word in enumerate(self.words)
        ]


def _word_vectors(model: StaticModel, text: str) -> tuple[list[str], _FloatArray]:
    """Return the distinct words of a text in order, and for each its part of the text's bag (not yet of length 1)."""
    counts = Counter(split_words(text))
    words = list(counts)
    pieces = model.tokenizer.encode_words(words)
    frequency: Counter[int] = Counter()
    for word, ids in zip(words, pieces, strict=True):
        for index in ids:
            frequency[index] += counts[word]
    if not words:
        return words, np.zeros((0, model.dimension))
    ids = np.fromiter(chain.from_iterable(pieces), np.intp)
    sizes = np.fromiter(map(len, pieces), np.intp, len(pieces))
    piece_counts = np.array([frequency[index] for index in ids.tolist()], np.float64)
    weights = np.repeat([counts[word] for word in words], sizes) * (1 + np.log10(piece_counts)) / piece_counts
    rows = model.row_vectors(ids).astype(np.float64) * weights[:, None]
    return words, np.add.reduceat(rows, np.cumsum(sizes) - sizes, axis=0)


def _sum_norm(vectors: _FloatArray) -> float:
    return float(np.linalg.norm(vectors.sum(0)))
