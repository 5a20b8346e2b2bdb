"""`scry orient`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from scry.core.doc_id import split_off_project
from scry.surfaces.cli.answering import ask, ask_projects, replace_undecodable, build_params
from scry.surfaces.cli.asking import DEFAULT_QUESTION_OPTIONS, LimitOption, QuestionOptions
from scry.surfaces.cli.opening import resolve_project_folder
from scry.surfaces.cli.where import CURRENT_PROJECT, ProjectOptions
from scry_protocol.messages import OrientParams

ORIENT_DEFAULTS = OrientParams()


def orient(
    path: Annotated[str, Parameter(help="A folder or a file; without one the current folder.")] = ORIENT_DEFAULTS.path,
    /,
    *,
    limit: LimitOption = ORIENT_DEFAULTS.limit,
    where: ProjectOptions = CURRENT_PROJECT,
    manner: QuestionOptions = DEFAULT_QUESTION_OPTIONS,
) -> int:
    """Shows what matters in a folder: its files, those first that a newcomer should see first, each with a summary.

    They are ranked by who imports them, where programs start, and how much they change; --explain shows the figures.
    Of a file its own place is shown. With --projects the path is looked for in each of them.
    """
    if where != CURRENT_PROJECT or split_off_project(path)[0]:
        params = build_params(OrientParams, {"path": replace_undecodable(path), "limit": limit, **where.to_params()})
        return ask_projects(lambda projects: projects.orient(params), manner)
    params = build_params(OrientParams, {"path": replace_undecodable(to_project_path(path, manner.root)), "limit": limit})
    return ask(lambda engine: engine.orient(params), manner)


def to_project_path(path: str, root: Path | None) -> str:
    """A path as the engine takes it: one that is there from the current folder is meant so, as in every command; else
    one of the project.
    """
    here = Path.cwd() / path
    project = resolve_project_folder(root).resolve()
    try:
        within = here.resolve().relative_to(project)
    except (OSError, RuntimeError, ValueError):
        return path
    return within.as_posix() if here.exists() else path
