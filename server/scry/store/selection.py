"""The files that a query's filters leave, and whether a document is in one of them.

Choosing them looks at every file of a project, so a selection is kept as long as neither the filters nor the files
change: a person types on behind the same filter. Whether a document is in one of the files is then one look-up,
however many files are left.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from msgspec import Struct, field
from numpy.typing import ArrayLike, NDArray

WIDE_SHARE = 0.15
"""Share of all documents from which on the best of the selected ones are soon among the best of all."""

MIN_WIDE_FILES = 300
"""Files up to which their documents are sought directly: a query for so many takes well below a millisecond."""

DocumentMask = NDArray[np.bool_]
"""By the key of a document, whether it is left. The last entry is False and stands for all keys behind it."""


def _empty_mask() -> DocumentMask:
    return np.zeros(1, np.bool_)


class FileSelection(Struct, frozen=True, eq=False):
    """Files that a query's filters leave, the same object from query to query.

    ids: of the files. mask: of their documents; of a team's repository, whose documents are not all known, it says
    nothing. is_wide: whether so many are left that those of other files are dropped one by one.
    """

    ids: tuple[int, ...]
    mask: DocumentMask = field(default_factory=_empty_mask)
    is_wide: bool = False


def mask_of_ranges(ranges: Iterable[tuple[int, int]]) -> DocumentMask:
    """Return the mask of documents with consecutive keys. ranges: the first key and the count of each; none overlap."""
    filled = [(first, first + count) for first, count in ranges if count > 0]
    firsts, ends = np.array([first for first, _ in filled], np.int64), np.array([end for _, end in filled], np.int64)
    steps = np.zeros(int(ends.max(initial=0)) + 1, np.int8)
    steps[firsts] += 1
    steps[ends] -= 1
    return np.cumsum(steps, dtype=np.int8) > 0


def in_mask(mask: DocumentMask, doc_keys: ArrayLike) -> NDArray[np.bool_]:
    """Return for each of these documents whether the mask leaves it."""
    return mask.take(np.asarray(doc_keys, np.int64), mode="clip")
