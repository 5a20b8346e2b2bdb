"""The protocol of an embedder: passages and queries to vectors that are compared by cosine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Passage(Struct, frozen=True):
    """A piece of a file as an embedder sees it; every field may be empty.

    name: of the symbol or section.
    path: of the file, from the root.
    container: the enclosing class, module or heading.
    text: the source lines.
    """

    name: str
    path: str
    container: str
    text: str


class Embedder(Protocol):
    """Encodes passages and queries; vectors of embedders with different identities are never compared."""

    @property
    def identity(self) -> str:
        """Name, content hash, dimension and prefixes in one stable string."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    def encode_passages(self, passages: Sequence[Passage]) -> Vectors:
        """Return an (n, dimension) array of rows of length 1, or of zeros where a passage holds no word."""
        ...

    def encode_query(self, query: str) -> Vectors:
        """Return one vector of length 1, or zeros where the query holds no word."""
        ...
