"""BM25 as tantivy computes it, and what a score says about the frequency of a term. Pure.

    score  = sum over the terms of idf * (BM25_K1 + 1) * frequency / (frequency + norm)
    idf    = ln(1 + (documents - holding + 0.5) / (holding + 0.5))
    norm   = BM25_K1 * (1 - BM25_B + BM25_B * length / average length)

(Robertson, Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond, Foundations and Trends in Information
Retrieval, 2009; the idf is that of Lucene.) Scores are rounded to BM25_DIGITS: enough to rank by, and so few that the
error of single precision seldom reaches the next one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

BM25_K1, BM25_B = 1.2, 0.75  # as in tantivy

BM25_DIGITS = 3
"""Digits of a score."""

BM25_UNIT = 10.0**BM25_DIGITS
"""Scores are rounded to this part of one."""

_MAX_SCORE_ERROR = 2e-6
"""Relative error of a term's score in single precision at most: some ten roundings of 6e-8 each, with a margin."""

Integers = NDArray[np.int64]
Scores = NDArray[np.float64]


def _length_of_step(step: int) -> int:
    """Return the length that a step stands for: exact up to 40, then with four significant bits beyond 24."""
    high, low = divmod(step - 24, 8)
    return step if step < 24 else 24 + (low if high == 0 else (low | 8) << high - 1)


LENGTH_STEPS: Integers = np.array([_length_of_step(step) for step in range(256)], np.int64)
"""The lengths that BM25 tells apart: tantivy keeps a byte for the length of a document (the encoding of norms in
Lucene)."""


def round_lengths(lengths: Integers) -> Integers:
    """Return lengths rounded down to LENGTH_STEPS."""
    return LENGTH_STEPS[np.searchsorted(LENGTH_STEPS, lengths, "right") - 1]


def length_norms(lengths: Integers, average: float) -> Scores:
    """Return the norm of documents of these lengths, by the formula above."""
    norms: Scores = BM25_K1 * (1 - BM25_B + BM25_B * lengths.astype(np.float64) / average)
    return norms


def inverse_document_frequency(documents: int, holding: int) -> float:
    """Return how much a term says about the documents that hold it. holding: their number."""
    return math.log1p((documents - holding + 0.5) / (holding + 0.5))


def read_frequencies(scores: Scores, weight: float, norms: Scores) -> tuple[Scores, NDArray[np.bool_]]:
    """Return the frequencies of one term in documents by tantivy's scores for it, and which of these are certain.

    weight: of the term, idf * (BM25_K1 + 1). norms: of the documents. A frequency is certain where it explains the
    score within the error of single precision, and the next one does not.
    """
    shares = scores / weight
    frequencies = np.maximum(np.rint(norms * shares / np.maximum(1 - shares, _MAX_SCORE_ERROR)), 1.0)
    explained = frequencies / (frequencies + norms)
    step = norms / (frequencies * (frequencies + 1 + norms))  # by which part the next frequency scores more
    is_certain = (np.abs(shares / explained - 1) <= _MAX_SCORE_ERROR) & (step > 4 * _MAX_SCORE_ERROR)
    return frequencies, is_certain
