"""Hold the values that travel with a request: its context and the parameters of its mode.

Parameters are domain values: engine/response/answer.py makes them from those of the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from msgspec import Struct

from scry.core.errors import Cancelled
from scry.core.notices import COMMAND_LINE, CommandNames

MODEL_TIMEOUT_S = 1.5
"""Seconds that an answer waits for a model in another process; after that, it does without the model (F3)."""


TEAM_TIMEOUT_S = 0.15
"""Seconds that local answers wait for a joined team; what comes later is there when the same is asked again."""

CancelledCheck = Callable[[], bool]
"""Return whether nobody waits for the answer any more."""


class RequestContext(Struct, frozen=True):
    """The conditions of a request that do not depend on its mode.

    encoding: of positions, utf-8 or utf-16. cancelled: returns whether the client has withdrawn the
    request; None where none can be.
    model_timeout_s: seconds that the answer may wait for a model in another process; the bundled one is in this
    process. team_timeout_s: seconds that local answers may wait for those of a joined team. unsaved_paths: files,
    relative to the root, whose text in the editor is newer. is_subrequest: the request is a part of another one; its
    answer is neither stored nor logged. commands: the client's names for commands in texts. answered_by: the project's
    files that another project asked with it answers for, each with that project's name: it lies inside this one.
    """

    encoding: str = "utf-16"
    cancelled: CancelledCheck | None = None
    model_timeout_s: float = MODEL_TIMEOUT_S
    team_timeout_s: float = TEAM_TIMEOUT_S
    unsaved_paths: Sequence[str] = ()
    is_subrequest: bool = False
    commands: CommandNames = COMMAND_LINE
    answered_by: Mapping[str, str] = MappingProxyType({})

    def raise_if_cancelled(self) -> None:
        """Raise Cancelled when the client has withdrawn the request."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled("the question was withdrawn")


DEFAULT_CONTEXT = RequestContext()


DEFAULT_LIMIT = 10
"""Largest number of results where the request sets none."""


class FindRequest(Struct, frozen=True):
    """Parameters of find. mode: its name on the wire; reason reads the query as a question over the code graph.

    types, domains: empty for all. source: project or persona; empty for both. with_full_results: give each result in
    full. excerpt_lines: lines of each result's text to give with it. is_typed: whether the query is still being typed.
    prefix: its last word, where words that begin with it match too.
    """

    query: str
    limit: int = DEFAULT_LIMIT
    min_score: float = 0.0
    intent: str | None = None
    types: Sequence[str] = ()
    source: str = ""
    domains: Sequence[str] = ()
    mode: Literal["find", "reason"] = "find"
    with_full_results: bool = False
    excerpt_lines: int = 0
    is_typed: bool = False
    prefix: str = ""


class RecentRequest(Struct, frozen=True):
    """Parameters of recent. query: empty for all changes. days: None for the default. Others: as of FindRequest."""

    query: str
    days: int | None
    limit: int
    types: Sequence[str] = ()
    source: str = ""
    domains: Sequence[str] = ()
    with_full_results: bool = False
    excerpt_lines: int = 0


class OrientRequest(Struct, frozen=True):
    """Parameters of orient. path: a folder or a file."""

    path: str
    limit: int


NeighborKind = Literal["cochange", "dependency", "similar"]


class NeighborsRequest(Struct, frozen=True):
    """Parameters of neighbors: a file, or the id of a belief. by: the relation, of a file. line: 1-based, for similar.

    types: only these content types of what the belief reaches; all when empty.
    """

    file: str
    limit: int
    by: NeighborKind = "cochange"
    belief: str | None = None
    types: Sequence[str] = ()
    line: int | None = None
