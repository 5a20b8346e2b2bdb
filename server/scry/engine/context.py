"""Hold what travels with a question: request context, answer id, and the projects that it names.

How a question is asked, whatever it asks for.

Names of answers (J5).

Which projects a question is for. Pure.
"""

from __future__ import annotations

import base64
import re
import secrets
import time
from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct

MODEL_TIMEOUT_S = 1.5
"""How long an answer waits for a model that is in another process; then it goes without (F3)."""


CancelledCheck = Callable[[], bool]
"""Return whether nobody waits for the answer any more."""


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
    cancelled: CancelledCheck = never_cancelled
    model_timeout_s: float = MODEL_TIMEOUT_S
    unsaved_paths: Sequence[str] = ()
    is_subrequest: bool = False


DEFAULT_CONTEXT = RequestContext()

_QUERY_ID_PATTERN = re.compile(r"q_\d{8}_\d{6}_[a-z2-7]{8,64}")


def is_query_id(text: str) -> bool:
    """Whether this could be the name of an answer."""
    return bool(_QUERY_ID_PATTERN.fullmatch(text))


def new_query_id(now: float | None = None) -> str:
    """`q_YYYYMMDD_HHMMSS_` in UTC, and 8 random base32 characters (40 bits)."""
    stamp = time.strftime("%Y%m%d_%H%M%S", time.gmtime(now))
    return f"q_{stamp}_{base64.b32encode(secrets.token_bytes(5)).decode().lower()}"


"""More names than this in one question are a mistake."""


class RequestedProjects(msgspec.Struct, frozen=True):
    """What a question says of projects: some by name, all of them, and those that are linked to what it asks."""

    names: Sequence[str] = ()
    all_registered: bool = False
    include_linked: bool = False


def requested_projects(params: msgspec.Struct) -> RequestedProjects:
    """What these params say of projects."""
    given = (getattr(params, field, None) for field in ("projects", "all_projects", "linked_projects"))
    names, everything, linked = given
    return RequestedProjects(names or (), bool(everything), bool(linked))


def names_projects(params: msgspec.Struct) -> bool:
    """Whether a question says which projects it is for."""
    return requested_projects(params) != RequestedProjects()


def now_ms() -> int:
    """Milliseconds since the epoch, by this machine's clock."""
    return time.time_ns() // 1_000_000
