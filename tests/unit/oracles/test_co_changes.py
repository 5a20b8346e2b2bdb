"""Ties of documents that the history does not know any more."""

from __future__ import annotations

import numpy as np

from scry.oracles import CoChangeCounts


def test_unknown_documents_are_dropped_from_counts() -> None:
    counted = CoChangeCounts(np.array([3, 5, 8]), np.array([1, 2, 3]), np.array([0, 1, 0]))
    left = counted.restrict_to({3: "a", 8: "b"})
    assert (left.documents.tolist(), left.commit_counts.tolist(), left.matched_counts.tolist()) == (
        [3, 8],
        [1, 3],
        [0, 0],
    )
