"""Which embedder the setting `model` means."""

from __future__ import annotations

from functools import lru_cache

from scry.core.settings import BUNDLED_MODEL
from scry.embedding.embedder import Embedder
from scry.embedding.static import StaticModel


@lru_cache(maxsize=1)
def load_bundled_model() -> StaticModel:
    """The model inside the package; read once a process. Raises OSError where the package is damaged."""
    return StaticModel.load()


def load_embedder(setting: str) -> Embedder:
    """The embedder of that name; any but the bundled one takes seconds and hundreds of megabytes, so only the indexing
    process may ask for it.

    Raises ModelUnavailable saying what a person can do, OSError where the package is damaged.
    """
    if setting == BUNDLED_MODEL:
        return load_bundled_model()
    from scry.embedding.transformers import TransformerModel

    return TransformerModel.load(setting)
