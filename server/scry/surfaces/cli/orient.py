"""`scry orient`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from scry.core.doc_id import split_project
from scry.surfaces.cli.answering import ask, ask_projects, readable, request
from scry.surfaces.cli.asking import AS_USUAL, Limit, Manner
from scry.surfaces.cli.opening import project_folder
from scry.surfaces.cli.where import HERE, Where
from scry_protocol.messages import OrientParams

DEFAULTS = OrientParams()


def orient(
    path: Annotated[str, Parameter(help="A folder or a file; without one the current folder.")] = DEFAULTS.path,
    /,
    *,
    limit: Limit = DEFAULTS.limit,
    where: Where = HERE,
    manner: Manner = AS_USUAL,
) -> int:
    """Shows what matters in a folder: its files, those first that a newcomer should see first, each with a summary.

    They are ranked by who imports them, where programs start, and how much they change; --explain shows the figures.
    Of a file its own place is shown. With --projects the path is looked for in each of them.
    """
    if where != HERE or split_project(path)[0]:
        params = request(OrientParams, {"path": readable(path), "limit": limit, **where.options()})
        return ask_projects(lambda projects: projects.orient(params), manner)
    params = request(OrientParams, {"path": readable(in_project(path, manner.root)), "limit": limit})
    return ask(lambda engine: engine.orient(params), manner)


def in_project(path: str, root: Path | None) -> str:
    """A path as the engine takes it: one that is there from the current folder is meant so, as in every command; else
    one of the project.
    """
    here = Path.cwd() / path
    project = project_folder(root).resolve()
    try:
        within = here.resolve().relative_to(project)
    except (OSError, RuntimeError, ValueError):
        return path
    return within.as_posix() if here.exists() else path
