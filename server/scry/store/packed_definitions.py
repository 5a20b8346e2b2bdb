"""What the graph remembers of a file's definitions, and how it is packed: column by column, for hashes can't be made
smaller, and numbers that follow on each other can.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scry.store.frames import compress_frame, damage_error, decompress_frame

DEFINITION_DTYPE = np.dtype([("number", "<u4"), ("name", "<u4"), ("identity", "<u8")])
"""What others may have linked to: a document's number (0 for a name that an import makes known), the hash of its name,
and the hash, of `IDENTITY_BYTES`, of all that linking reads of it."""

IDENTITY_HASH_BYTES = 6

_COLUMNS = ("<i4", "<u4", "<u4", "<u2")
"""On disk: the step from the number before, the name, the identity's lower and upper part."""

DefinitionArray = NDArray[np.void]


def pack_definitions(defined: DefinitionArray) -> bytes:
    """The definitions; nothing for none."""
    if not len(defined):
        return b""
    numbers, identities = defined["number"].astype(np.int64), defined["identity"].astype(np.uint64)
    columns = (np.diff(numbers, prepend=0), defined["name"], identities % 2**32, identities // 2**32)
    return compress_frame(b"".join(values.astype(kind).tobytes() for values, kind in zip(columns, _COLUMNS, strict=True)))


def unpack_definitions(data: bytes) -> DefinitionArray:
    """The definitions back. Raises IndexDamaged."""
    if not data:
        return np.zeros(0, DEFINITION_DTYPE)
    packed = decompress_frame(data)
    widths = [np.dtype(kind).itemsize for kind in _COLUMNS]
    count, rest = divmod(len(packed), sum(widths))
    if rest:
        raise damage_error("columns of different lengths")
    starts = [count * sum(widths[:column]) for column in range(len(widths))]
    steps, names, low, high = (
        np.frombuffer(packed, kind, count, at).astype(np.int64) for kind, at in zip(_COLUMNS, starts, strict=True)
    )
    found = np.zeros(count, DEFINITION_DTYPE)
    found["number"], found["name"], found["identity"] = np.cumsum(steps), names, low + high * 2**32
    return found
