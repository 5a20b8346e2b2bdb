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
from scry.core.settings import BUNDLED_MODEL
from scry.embedding.choose import load_bundled_model
from scry.embedding.embedder import Vectors
from scry.store.vector_sets import EmbedderInfo

if TYPE_CHECKING:
    from scry.index.indexer import IndexerClient

MAX_CACHED_VECTORS = 256
"""Vectors of questions that are kept: a question is often asked again, with another limit or filter."""

MAX_ENCODED_CHARACTERS = 8000
"""No model reads more of a question."""


class QuestionEncoder:
    """Encodes questions for one project. Safe to share between threads."""

    def __init__(self, indexer: Callable[[], IndexerClient]) -> None:
        """indexer: the one to ask; it is called only when another model than the bundled one answers."""
        self._indexer = indexer
        self._lock = threading.Lock()
        self._cache: OrderedDict[tuple[str, str], Vectors] = OrderedDict()

    def encode(self, maker: EmbedderInfo, query: str, timeout_s: float) -> Vectors:
        """The question's vector by that embedder. patience: seconds to wait for another process.

        Raises ModelUnavailable.
        """
        if maker.model == BUNDLED_MODEL:
            return _encode_here(maker, query)
        key = (maker.identity, query[:MAX_ENCODED_CHARACTERS])
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return self._cache[key]
        vector = np.frombuffer(self._indexer().encode_query(*key, timeout_s), "<f4").astype(np.float32)
        if len(vector) != maker.dimension:
            raise ModelUnavailable(f"The indexer's vector has {len(vector)} numbers instead of {maker.dimension}.")
        with self._lock:
            self._cache[key] = vector
            while len(self._cache) > MAX_CACHED_VECTORS:
                self._cache.popitem(last=False)
        return vector


def _encode_here(maker: EmbedderInfo, query: str) -> Vectors:
    model = load_bundled_model()
    if model.identity != maker.identity:
        raise ModelUnavailable("The vectors are of another version of the bundled model; the indexer makes them anew.")
    return model.encode_query(query)
