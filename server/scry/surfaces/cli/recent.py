"""`scry recent`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from scry.surfaces.cli.answering import ask, ask_projects, replace_undecodable, build_params
from scry.surfaces.cli.asking import DEFAULT_QUESTION_OPTIONS, FullOption, LimitOption, QuestionOptions
from scry.surfaces.cli.only import NO_FILTERS, ResultFilters
from scry.surfaces.cli.where import CURRENT_PROJECT, ProjectOptions
from scry_protocol.messages import RecentParams

RECENT_DEFAULTS = RecentParams()


def recent(
    *query: Annotated[str, Parameter(help="What to search for first, as in scry find; without it, whatever changed.")],
    days: Annotated[
        int | None, Parameter(help="Only what changed in so many days; 7 where nothing is searched for.")
    ] = RECENT_DEFAULTS.days,
    limit: LimitOption = RECENT_DEFAULTS.limit,
    only: ResultFilters = NO_FILTERS,
    full: FullOption = False,
    where: ProjectOptions = CURRENT_PROJECT,
    manner: QuestionOptions = DEFAULT_QUESTION_OPTIONS,
) -> int:
    """Shows what changed lately: files and commits, the newest first; edits that are not committed count as now.

    With a query, what scry find finds for it is ranked by when it changed: scry recent "retry" --days 30.
    """
    options = {"days": days, "limit": limit, "full": full, **only.to_params()}
    params = build_params(RecentParams, {"query": replace_undecodable(" ".join(query)), **options, **where.to_params()})
    if where != CURRENT_PROJECT:
        return ask_projects(lambda projects: projects.recent(params, manner.request_context), manner)
    return ask(lambda engine: engine.recent(params, manner.request_context), manner)
