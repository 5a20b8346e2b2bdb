"""The rows nearest to a question: among all, or among those whose sketches say that they can be.

Cosines are those of the rows themselves, either way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scry.store.sketches import SketchFile
from scry.store.vectors import VectorFile, Vectors

_PROBED = 4
"""So many times the wanted are looked at first, by estimate: the last wanted of them says how near is near enough."""

_FEW = 2_000
"""So many rows are looked at as soon as chosen from."""


def search_nearest(
    rows: VectorFile, sketches: SketchFile, query: Vectors, limit: int, allowed: NDArray[np.int64] | None
) -> list[tuple[int, float]]:
    """The `limit` rows nearest to a unit vector as (number, cosine), nearest first, equal ones by number.

    allowed: sorted numbers to search among. Rows that came after the sketches are looked at one by one.
    """
    if sketches.size == 0 or not query.any():
        return rows.search(query, limit, allowed)
    places = np.arange(sketches.size) if allowed is None else sketches.places(allowed)
    newer = np.arange(sketches.size, rows.size)
    probed = _PROBED * limit
    if len(places) > max(probed, _FEW):
        estimates = sketches.estimates(query)[places]
        first = places[np.argpartition(-estimates, probed)[:probed]]
        near = rows.search(query, limit, allowed, np.concatenate([first, newer]))
        if near:
            places = places[estimates >= near[-1][1] - sketches.margin]
    return rows.search(query, limit, allowed, None if len(places) == sketches.size else np.concatenate([places, newer]))
