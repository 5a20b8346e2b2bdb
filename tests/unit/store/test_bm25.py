"""Frequencies that are read from scores are those of the documents, or said not to be certain."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scry.store import LexicalEntry, LexicalIndex, lexical_scores
from scry.store.bm25 import LENGTH_STEPS, Scores, length_norms, read_frequencies, round_lengths


@given(
    st.lists(st.tuples(st.integers(1, 5000), st.sampled_from(LENGTH_STEPS[1:200].tolist())), min_size=1, max_size=20),
    st.floats(1e-4, 40),
    st.floats(1, 2000),
    st.floats(-1e-6, 1e-6),
)
def test_certain_frequencies_are_right(
    documents: list[tuple[int, int]], weight: float, average: float, error: float
) -> None:
    frequencies, lengths = (np.array(column, np.int64) for column in zip(*documents, strict=True))
    norms = length_norms(lengths, average)
    shares: NDArray[np.float32] = (frequencies / (frequencies + norms)).astype(np.float32)
    scores: Scores = np.multiply(shares, np.float32(weight)).astype(np.float64) * (1 + error)
    found, is_certain = read_frequencies(scores, weight, norms)
    assert (found == frequencies)[is_certain].all()
    assert is_certain[(frequencies <= 100) & (norms >= 1)].all()


def test_score_of_a_wrong_weight_is_not_certain() -> None:
    norms = length_norms(np.array([10, 100, 1000]), 100.0)
    scores = 7.0 * 3 / (3 + norms)
    assert read_frequencies(scores, 7.0, norms)[1].all()
    assert not read_frequencies(scores, 7.001, norms)[1].any()
    assert not read_frequencies(scores, 0.5, norms)[1].any()


def test_lengths_are_rounded_as_tantivy_does() -> None:
    assert round_lengths(np.array([0, 1, 40, 41, 42, 43, 1000])).tolist() == [0, 1, 40, 40, 42, 42, 984]


@pytest.mark.acceptance("F10")
def test_computed_scores_are_the_explained_ones(tmp_path: Path) -> None:
    index = LexicalIndex(tmp_path / "words", write=True)
    parts = [("alpha ", 7), ("beta ", 4), ("gamma ", 90)]
    rows = [(key, "".join([word * (key * key % most) for word, most in parts])) for key in range(200)]
    index.write([], [LexicalEntry(key, key, text) for key, text in rows[1:]])
    index.write(range(150, 200), [])  # the average length that tantivy counts is another one
    terms = ["alpha", "beta", "alpha", "gamma", "absent"]

    def scores() -> dict[int, float]:
        return dict(index.search(terms, 5)) | {key: index.score_document(terms, key) for key, _ in rows}

    with patch.object(lexical_scores, "explain_score", side_effect=AssertionError("not certain")):
        computed = scores()
    with (
        patch.object(lexical_scores, "read_frequencies", _read_nothing),
        patch.object(lexical_scores, "explain_score", wraps=lexical_scores.explain_score) as explained,
    ):
        assert scores() == computed
    assert explained.call_count > 100
    assert sum(score > 0 for score in computed.values()) > 100
    index.close()


def _read_nothing(scores: Scores, *_: object) -> tuple[Scores, NDArray[np.bool_]]:
    return scores, np.zeros(len(scores), np.bool_)
