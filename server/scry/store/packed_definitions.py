"""What the graph remembers of a file's definitions, and how it is packed: column by column, for hashes can't be made
smaller, and numbers that follow on each other can.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scry.store.frames import compress, damaged, decompress

DEFINED = np.dtype([("number", "<u4"), ("name", "<u4"), ("identity", "<u8")])
"""What others may have linked to: a document's number (0 for a name that an import makes known), the hash of its name,
and the hash, of `IDENTITY_BYTES`, of all that linking reads of it."""

IDENTITY_BYTES = 6

_COLUMNS = ("<i4", "<u4", "<u4", "<u2")
"""On disk: the step from the number before, the name, the identity's lower and upper part."""

Defined = NDArray[np.void]


def pack_defined(defined: Defined) -> bytes:
    """The definitions; nothing for none."""
    if not len(defined):
        return b""
    numbers, identities = defined["number"].astype(np.int64), defined["identity"].astype(np.uint64)
    columns = (np.diff(numbers, prepend=0), defined["name"], identities % 2**32, identities // 2**32)
    return compress(b"".join(values.astype(kind).tobytes() for values, kind in zip(columns, _COLUMNS, strict=True)))


def unpack_defined(data: bytes) -> Defined:
    """The definitions back. Raises IndexDamaged."""
    if not data:
        return np.zeros(0, DEFINED)
    packed = decompress(data)
    widths = [np.dtype(kind).itemsize for kind in _COLUMNS]
    count, rest = divmod(len(packed), sum(widths))
    if rest:
        raise damaged("columns of different lengths")
    starts = [count * sum(widths[:column]) for column in range(len(widths))]
    steps, names, low, high = (
        np.frombuffer(packed, kind, count, at).astype(np.int64) for kind, at in zip(_COLUMNS, starts, strict=True)
    )
    found = np.zeros(count, DEFINED)
    found["number"], found["name"], found["identity"] = np.cumsum(steps), names, low + high * 2**32
    return found
