"""How a question is asked, whatever it asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

MODEL_TIMEOUT_S = 1.5
"""How long an answer waits for a model that is in another process; then it goes without (F3)."""


def never_cancelled() -> bool:
    """Nobody gives up."""
    return False


class RequestContext(Struct, frozen=True):
    """encoding: what characters of positions count. cancelled: whether nobody waits for the answer any more.

    patience: how many seconds the answer may wait for a model in another process; the bundled one is in this.
    unsaved: files whose editor text is newer. is_part: it is a part of something else, that nobody asked for by itself:
    neither kept nor logged, and a question that names projects is no mistake.
    """

    encoding: str = "utf-16"
    cancelled: Callable[[], bool] = never_cancelled
    model_timeout_s: float = MODEL_TIMEOUT_S
    unsaved_paths: Sequence[str] = ()
    is_subrequest: bool = False


DEFAULT_CONTEXT = RequestContext()
