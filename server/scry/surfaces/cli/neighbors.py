"""`scry neighbors`."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest
from scry.surfaces.cli.answering import ask, ask_projects, replace_undecodable, build_params
from scry.surfaces.cli.asking import DEFAULT_QUESTION_OPTIONS, LimitOption, QuestionOptions, TypeOption
from scry.surfaces.cli.orient import to_project_path
from scry_protocol.messages import NeighborsParams

NeighborRelationOption = Literal["cochange", "dependency"]

NEIGHBORS_DEFAULTS = NeighborsParams()


def neighbors(
    *,
    file: Annotated[str | None, Parameter(help="A file, or the doc_id of something in one.")] = None,
    by: Annotated[
        NeighborRelationOption, Parameter(show_default=True, help="Files that changed in the same commits, or imports and calls.")
    ] = NEIGHBORS_DEFAULTS.by,
    belief: Annotated[str | None, Parameter(help="A belief instead: what it reaches.")] = None,
    types: TypeOption = (),
    limit: LimitOption = NEIGHBORS_DEFAULTS.limit,
    manner: QuestionOptions = DEFAULT_QUESTION_OPTIONS,
) -> int:
    """Shows what belongs to a file: what changed together with it, or what it imports, calls or is used by.

    Of a belief, the files, commits and notes that it reaches; --type leaves only some of them.
    """
    if belief is None and file is not None:
        return ask_for_neighbors(file, by, limit, manner)
    if belief is None or file is not None:
        raise BadRequest("file", "name a --file, or a --belief")
    params = build_params(NeighborsParams, {"belief": replace_undecodable(belief), "types": list(types), "limit": limit})
    return ask(lambda engine: engine.neighbors(params), manner)


def ask_for_neighbors(file: str, by: NeighborRelationOption, limit: int, manner: QuestionOptions) -> int:
    """Asks and prints; returns the exit status. Raises ScryError."""
    is_elsewhere = bool(split_off_project(file)[0])
    values = {"file": replace_undecodable(file if is_elsewhere else to_project_path(file, manner.root)), "by": by, "limit": limit}
    params = build_params(NeighborsParams, values)
    if is_elsewhere:
        return ask_projects(lambda projects: projects.neighbors(params), manner)
    return ask(lambda engine: engine.neighbors(params), manner)
