"""The rows nearest to a question: among all, or among those that a snapshot names and those that came after it.

Which of the two depends on nothing but the index and the question, and the cosines are those of the rows either way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scry.store.vectors import VectorFile, Vectors

if TYPE_CHECKING:
    from scry.store.hnsw import Hnsw

MOST_NAMED = 2_000
"""Who needs more than so many named gets them exactly: a search that wide is no faster than a look at all rows."""

_MORE = 2
"""Twice the wanted are named, for a snapshot compares vectors less exactly and some of its rows are dead."""


def search_nearest(
    rows: VectorFile, snapshot: Hnsw | None, query: Vectors, limit: int, allowed: NDArray[np.int64] | None
) -> list[tuple[int, float]]:
    """The `limit` rows nearest to a unit vector as (number, cosine), nearest first, equal ones by number.

    allowed: sorted numbers to search among. Where few of all are allowed, all of these are looked at.
    """
    share = 1.0 if allowed is None else max(1, len(allowed)) / max(1, rows.size)
    named = int(_MORE * limit / min(share, 1.0))
    if snapshot is None or named > MOST_NAMED or not query.any():
        return rows.search(query, limit, allowed)
    places = np.concatenate([snapshot.nearest(query, named), np.arange(snapshot.rows, rows.size)])
    found = rows.search(query, limit, allowed, places)
    if allowed is not None and len(found) < min(limit, len(allowed)):
        return rows.search(query, limit, allowed)
    return found
