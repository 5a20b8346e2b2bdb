"""Which embedder the setting `model` means."""

from __future__ import annotations

from functools import lru_cache

from scry.embedding.embedder import Embedder
from scry.embedding.static import StaticModel

BUNDLED = "bundled"


@lru_cache(maxsize=1)
def bundled() -> StaticModel:
    """The model inside the package; read once a process. Raises OSError where the package is damaged."""
    return StaticModel.load()


def choose_embedder(model: str) -> Embedder:
    """The embedder of that name. Raises OSError when it can't be read."""
    if model != BUNDLED:
        raise OSError(f"there is no model {model!r}")
    return bundled()
