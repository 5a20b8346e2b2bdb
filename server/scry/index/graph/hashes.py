"""Hashes by which the graph remembers names and definitions. Two that fall together cost time, never an edge."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from scry.store.graph_store import NameHashes
from scry.store.packed_definitions import IDENTITY_HASH_BYTES


def name_hash(name: str) -> int:
    """32 bits of a name."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass"))


def name_hashes(names: Iterable[str]) -> NameHashes:
    """The hashes of names, sorted, each once."""
    return np.unique(np.fromiter((name_hash(name) for name in names), np.uint32))


def definition_hash(*words: object) -> int:
    """48 bits of all that makes a definition what it is."""
    text = "\0".join(map(str, words)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=IDENTITY_HASH_BYTES).digest(), "little")
