"""Questions to vectors, by the embedder whose vectors answer: the bundled one here, any other in the indexer's process.

So no process that answers questions ever imports PyTorch.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from scry.core.errors import ModelUnavailable
from scry.core.settings import BUNDLED
from scry.embedding.choose import bundled
from scry.embedding.embedder import Vectors
from scry.store.vector_sets import Maker

if TYPE_CHECKING:
    from scry.index.indexer import Indexer

KEPT = 256
"""Vectors of questions that are kept: a question is often asked again, with another limit or filter."""

MOST_CHARACTERS = 8000
"""No model reads more of a question."""


class QuestionEncoder:
    """Encodes questions for one project. Safe to share between threads."""

    def __init__(self, indexer: Callable[[], Indexer]) -> None:
        """indexer: the one to ask; it is called only when another model than the bundled one answers."""
        self._indexer = indexer
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], Vectors] = OrderedDict()

    def encode(self, maker: Maker, query: str, patience: float) -> Vectors:
        """The question's vector by that embedder. patience: seconds to wait for another process.

        Raises ModelUnavailable.
        """
        if maker.model == BUNDLED:
            return _encode_here(maker, query)
        key = (maker.identity, query[:MOST_CHARACTERS])
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        vector = np.frombuffer(self._indexer().encode(*key, patience), "<f4").astype(np.float32)
        if len(vector) != maker.dimension:
            raise ModelUnavailable(f"The indexer's vector has {len(vector)} numbers instead of {maker.dimension}.")
        with self._lock:
            self._kept[key] = vector
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return vector


def _encode_here(maker: Maker, query: str) -> Vectors:
    model = bundled()
    if model.identity != maker.identity:
        raise ModelUnavailable("The vectors are of another version of the bundled model; the indexer makes them anew.")
    return model.encode_query(query)
