"""Hold the values that travel with a request: its context, the mode's parameters, and the projects that it names.

Parameters are domain values: engine/response/answer.py makes them from those of the wire.
"""

from __future__ import annotations

import base64
import re
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from scry.core.errors import Cancelled
from scry.core.notices import COMMAND_LINE, CommandNames

MODEL_TIMEOUT_S = 1.5
"""Seconds that an answer waits for a model in another process; after that, it does without the model (F3)."""


CancelledCheck = Callable[[], bool]
"""Return whether nobody waits for the answer any more."""


def never_cancelled() -> bool:
    """Return False, for requests that cannot be withdrawn."""
    return False


class RequestContext(Struct, frozen=True):
    """The conditions of a request that do not depend on its mode.

    encoding: of positions, utf-8 or utf-16. cancelled: returns whether the client has withdrawn the request.
    model_timeout_s: seconds that the answer may wait for a model in another process; the bundled one is in this
    process. unsaved_paths: files, relative to the root, whose text in the editor is newer. is_subrequest: the request
    is a part of another one; its answer is neither stored nor logged. commands: the client's names for commands in
    texts.
    """

    encoding: str = "utf-16"
    cancelled: CancelledCheck = never_cancelled
    model_timeout_s: float = MODEL_TIMEOUT_S
    unsaved_paths: Sequence[str] = ()
    is_subrequest: bool = False
    commands: CommandNames = COMMAND_LINE

    def raise_if_cancelled(self) -> None:
        """Raise Cancelled when the client has withdrawn the request."""
        if self.cancelled():
            raise Cancelled("the question was withdrawn")


DEFAULT_CONTEXT = RequestContext()


DEFAULT_LIMIT = 10
"""Largest number of results where the request sets none."""


class FindRequest(Struct, frozen=True):
    """Parameters of find. is_relation_query: read the query as a question over the code graph.

    types, domains: empty for all. source: project or persona; empty for both. with_full_results: give each result in
    full.
    """

    query: str
    limit: int = DEFAULT_LIMIT
    min_score: float = 0.0
    intent: str | None = None
    types: Sequence[str] = ()
    source: str = ""
    domains: Sequence[str] = ()
    is_relation_query: bool = False
    with_full_results: bool = False

    @property
    def mode(self) -> str:
        """The mode's name on the wire."""
        return "reason" if self.is_relation_query else "find"


class RecentRequest(Struct, frozen=True):
    """Parameters of recent. query: empty for all changes. days: None for the default. Others: as of FindRequest."""

    query: str
    days: int | None
    limit: int
    types: Sequence[str] = ()
    source: str = ""
    domains: Sequence[str] = ()
    with_full_results: bool = False


class OrientRequest(Struct, frozen=True):
    """Parameters of orient. path: a folder or a file."""

    path: str
    limit: int


NeighborKind = Literal["cochange", "dependency"]


class NeighborsRequest(Struct, frozen=True):
    """Parameters of neighbors: a file, or the id of a belief. by: the relation, of a file.

    types: only these content types of what the belief reaches; all when empty.
    """

    file: str
    limit: int
    by: NeighborKind = "cochange"
    belief: str | None = None
    types: Sequence[str] = ()


_QUERY_ID_PATTERN = re.compile(r"q_\d{8}_\d{6}_[a-z2-7]{8,64}")


def is_query_id(text: str) -> bool:
    """Return whether a text has the form of an answer's query id (J5)."""
    return bool(_QUERY_ID_PATTERN.fullmatch(text))


def new_query_id(now: float | None = None) -> str:
    """Return `q_YYYYMMDD_HHMMSS_` in UTC, followed by 8 random base32 characters (40 bits)."""
    stamp = time.strftime("%Y%m%d_%H%M%S", time.gmtime(now))
    return f"q_{stamp}_{base64.b32encode(secrets.token_bytes(5)).decode().lower()}"


class RequestedProjects(msgspec.Struct, frozen=True):
    """The projects that a request selects: some by name, all registered ones, and those linked to the selected ones."""

    names: Sequence[str] = ()
    all_registered: bool = False
    include_linked: bool = False


def requested_projects(params: msgspec.Struct) -> RequestedProjects:
    """Return the projects that a request's parameters select."""
    names = getattr(params, "projects", None) or ()
    everything, linked = getattr(params, "all_projects", None), getattr(params, "linked_projects", None)
    return RequestedProjects(names, bool(everything), bool(linked))


def names_projects(params: msgspec.Struct) -> bool:
    """Return whether a request's parameters name projects, or select all or linked ones."""
    return requested_projects(params) != RequestedProjects()


def now_ms() -> int:
    """Return milliseconds since the epoch, by this machine's clock."""
    return time.time_ns() // 1_000_000
