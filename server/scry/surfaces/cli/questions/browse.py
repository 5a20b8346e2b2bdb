"""`scry orient`, `scry recent` and `scry neighbors`: browse a project without a search."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest
from scry.surfaces.cli.engines import ask, ask_projects, replace_undecodable, resolve_project_folder
from scry.surfaces.cli.questions.question_options import (
    CURRENT_PROJECT,
    DEFAULT_QUESTION_OPTIONS,
    NO_FILTERS,
    FullOption,
    LimitOption,
    NeighborsBy,
    ProjectOptions,
    QuestionOptions,
    ResultFilters,
    TypeOption,
)
from scry.surfaces.serving.params import parse_params
from scry_protocol.messages import NeighborsParams, OrientParams, RecentParams

ORIENT_DEFAULTS = OrientParams()

TeamPathOption = Annotated[
    bool,
    Parameter(help="Ask the index of the joined team; its repository is named before the path, as in cart:./src."),
]


def orient(
    path: Annotated[str, Parameter(help="A folder or a file; without one the current folder.")] = ORIENT_DEFAULTS.path,
    /,
    *,
    limit: LimitOption = ORIENT_DEFAULTS.limit,
    team: TeamPathOption = False,
    project_options: ProjectOptions = CURRENT_PROJECT,
    question_options: QuestionOptions = DEFAULT_QUESTION_OPTIONS,
) -> int:
    """Shows what matters in a folder: its files, those first that a newcomer should see first, each with a summary.

    They are ranked by who imports them, where programs start, and how much they change; --explain shows the figures.
    Of a file its own place is shown. With --projects the path is looked for in each of them.
    """
    if team or project_options != CURRENT_PROJECT or split_off_project(path)[0]:
        values = {"path": replace_undecodable(path), "limit": limit, "team": team}
        params = parse_params(OrientParams, {**values, **project_options.to_params()})
        return ask_projects(lambda projects: projects.orient(params), question_options, with_graph=True)
    params = parse_params(
        OrientParams, {"path": replace_undecodable(to_project_path(path, question_options.root)), "limit": limit}
    )
    return ask(lambda engine: engine.orient(params), question_options, with_graph=True)


def to_project_path(path: str, root: Path | None) -> str:
    """Return a path relative to the project, as the engine takes it.

    A path that exists from the current folder is read from there, as in every command; any other is one of the project.
    """
    absolute = Path.cwd() / path
    project = resolve_project_folder(root).resolve()
    try:
        within = absolute.resolve().relative_to(project)
    except (OSError, RuntimeError, ValueError):
        return path
    return within.as_posix() if absolute.exists() else path


RECENT_DEFAULTS = RecentParams()


def recent(
    *query: Annotated[str, Parameter(help="What to search for first, as in scry find; without it, whatever changed.")],
    days: Annotated[
        int | None, Parameter(help="Only what changed in so many days; 7 where nothing is searched for.")
    ] = RECENT_DEFAULTS.days,
    limit: LimitOption = RECENT_DEFAULTS.limit,
    only: ResultFilters = NO_FILTERS,
    full: FullOption = False,
    excerpt: Annotated[
        int, Parameter(help="With a query: show so many lines of each result's text, those that match best.")
    ] = RECENT_DEFAULTS.excerpt,
    team: Annotated[bool, Parameter(help="Look into the index of the joined team, too; see scry team.")] = False,
    project_options: ProjectOptions = CURRENT_PROJECT,
    question_options: QuestionOptions = DEFAULT_QUESTION_OPTIONS,
) -> int:
    """Shows what changed lately: files and commits, the newest first; edits that are not committed count as now.

    With a query, what scry find finds for it is ranked by when it changed: scry recent "retry" --days 30.
    """
    options = {"days": days, "limit": limit, "full": full, "excerpt": excerpt, "team": team, **only.to_params()}
    params = parse_params(
        RecentParams, {"query": replace_undecodable(" ".join(query)), **options, **project_options.to_params()}
    )
    if project_options != CURRENT_PROJECT or team:
        return ask_projects(
            lambda projects: projects.recent(params, question_options.request_context), question_options
        )
    return ask(lambda engine: engine.recent(params, question_options.request_context), question_options)


NEIGHBORS_DEFAULTS = NeighborsParams()


def neighbors(
    path: Annotated[str | None, Parameter(help="A file, or the doc_id of something in one.")] = None,
    /,
    *,
    file: Annotated[str | None, Parameter(help="The same as PATH.")] = None,
    by: Annotated[
        NeighborsBy,
        Parameter(
            show_default=True,
            help="Files that changed in the same commits; imports and calls; or what is near in meaning: files to the "
            "file, and places to a place in it.",
        ),
    ] = NEIGHBORS_DEFAULTS.by,
    line: Annotated[int | None, Parameter(help="With --by similar: the line of the place, from 1.")] = None,
    belief: Annotated[str | None, Parameter(help="A belief instead: what it reaches.")] = None,
    types: TypeOption = (),
    limit: LimitOption = NEIGHBORS_DEFAULTS.limit,
    team: TeamPathOption = False,
    question_options: QuestionOptions = DEFAULT_QUESTION_OPTIONS,
) -> int:
    """Shows what belongs to a file: what changed together with it, or what it imports, calls or is used by.

    Of a belief, the files, commits and notes that it reaches; --type leaves only some of them.
    """
    if path is not None and file is not None:
        raise BadRequest("file", f"{path} and --file {file} are two files; give one of them")
    file = path if path is not None else file
    if belief is None and file is not None:
        return ask_for_neighbors(file, by, limit, question_options, line, team=team)
    if line is not None:
        raise BadRequest("line", "is in a file; name it with --file")
    if belief is None or file is not None:
        raise BadRequest("file", "name a file, or a --belief")
    if team:
        raise BadRequest("belief", "of a team's repository: its detail shows what it reaches")
    params = parse_params(
        NeighborsParams, {"belief": replace_undecodable(belief), "types": list(types), "limit": limit}
    )
    return ask(lambda engine: engine.neighbors(params), question_options)


def ask_for_neighbors(
    file: str,
    by: NeighborsBy,
    limit: int,
    question_options: QuestionOptions,
    line: int | None = None,
    *,
    team: bool = False,
) -> int:
    """Ask for the neighbors of a file, print them, and return the exit status. Raises ScryError."""
    is_elsewhere = team or bool(split_off_project(file)[0])
    values = {
        "file": replace_undecodable(file if is_elsewhere else to_project_path(file, question_options.root)),
        "by": by,
        "line": line,
        "limit": limit,
        "team": team,
    }
    params = parse_params(NeighborsParams, values)
    if is_elsewhere:
        return ask_projects(
            lambda projects: projects.neighbors(params), question_options, with_graph=by == "dependency"
        )
    return ask(lambda engine: engine.neighbors(params), question_options, with_graph=by == "dependency")
