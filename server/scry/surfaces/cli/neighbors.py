"""`scry neighbors`."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from scry.core.doc_id import split_project
from scry.core.errors import BadRequest
from scry.surfaces.cli.answering import ask, ask_projects, readable, request
from scry.surfaces.cli.asking import AS_USUAL, Limit, Manner, Types
from scry.surfaces.cli.orient import in_project
from scry_protocol.messages import NeighborsParams

By = Literal["cochange", "dependency"]

DEFAULTS = NeighborsParams()


def neighbors(
    *,
    file: Annotated[str | None, Parameter(help="A file, or the doc_id of something in one.")] = None,
    by: Annotated[
        By, Parameter(show_default=True, help="Files that changed in the same commits, or imports and calls.")
    ] = DEFAULTS.by,
    belief: Annotated[str | None, Parameter(help="A belief instead: what it reaches.")] = None,
    types: Types = (),
    limit: Limit = DEFAULTS.limit,
    manner: Manner = AS_USUAL,
) -> int:
    """Shows what belongs to a file: what changed together with it, or what it imports, calls or is used by.

    Of a belief, the files, commits and notes that it reaches; --type leaves only some of them.
    """
    if belief is None and file is not None:
        return ask_for_neighbors(file, by, limit, manner)
    if belief is None or file is not None:
        raise BadRequest("file", "name a --file, or a --belief")
    params = request(NeighborsParams, {"belief": readable(belief), "types": list(types), "limit": limit})
    return ask(lambda engine: engine.neighbors(params), manner)


def ask_for_neighbors(file: str, by: By, limit: int, manner: Manner) -> int:
    """Asks and prints; returns the exit status. Raises ScryError."""
    is_elsewhere = bool(split_project(file)[0])
    values = {"file": readable(file if is_elsewhere else in_project(file, manner.root)), "by": by, "limit": limit}
    params = request(NeighborsParams, values)
    if is_elsewhere:
        return ask_projects(lambda projects: projects.neighbors(params), manner)
    return ask(lambda engine: engine.neighbors(params), manner)
