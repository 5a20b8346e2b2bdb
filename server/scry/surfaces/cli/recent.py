"""`scry recent`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from scry.surfaces.cli.answering import ask, ask_projects, readable, request
from scry.surfaces.cli.asking import AS_USUAL, Full, Limit, Manner
from scry.surfaces.cli.only import ALL, Only
from scry.surfaces.cli.where import HERE, Where
from scry_protocol.messages import RecentParams

DEFAULTS = RecentParams()


def recent(
    *query: Annotated[str, Parameter(help="What to search for first, as in scry find; without it, whatever changed.")],
    days: Annotated[
        int | None, Parameter(help="Only what changed in so many days; 7 where nothing is searched for.")
    ] = DEFAULTS.days,
    limit: Limit = DEFAULTS.limit,
    only: Only = ALL,
    full: Full = False,
    where: Where = HERE,
    manner: Manner = AS_USUAL,
) -> int:
    """Shows what changed lately: files and commits, the newest first; edits that are not committed count as now.

    With a query, what scry find finds for it is ranked by when it changed: scry recent "retry" --days 30.
    """
    options = {"days": days, "limit": limit, "full": full, **only.options()}
    params = request(RecentParams, {"query": readable(" ".join(query)), **options, **where.options()})
    if where != HERE:
        return ask_projects(lambda projects: projects.recent(params, manner.of_engine), manner)
    return ask(lambda engine: engine.recent(params, manner.of_engine), manner)
