"""`scry log`: what was asked and used, and what the person does with that."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from scry.core.errors import BadRequest
from scry.surfaces.cli.log_compact import compact
from scry.surfaces.cli.log_export import export
from scry.surfaces.cli.log_forget import forget
from scry.surfaces.cli.log_switch import switch_off, switch_on
from scry.surfaces.cli.options import JsonOption, RootOption

log = App(
    name="log",
    help="Shows what was asked, used and rated in this project. It is kept on this machine alone.",
    default_parameter=Parameter(negative=(), show_default=False),
)
log.command(export)
log.command(forget)
log.command(compact)
log.command(switch_on, name="on")
log.command(switch_off, name="off")

DEFAULT_EVENT_COUNT = 20
"""Events that are shown unless told otherwise."""


@log.default
def show_log(
    *,
    limit: Annotated[int | None, Parameter(help=f"How many of the last events; {DEFAULT_EVENT_COUNT} by default.")] = None,
    sql: Annotated[
        str | None, Parameter(help="Answer this SELECT instead; docs/events.md lists the views and has examples.")
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Shows what was asked, used and rated in this project, the newest first. It is kept on this machine alone."""
    from scry.surfaces.cli.log_report import print_events, print_table
    from scry.surfaces.cli.opening import resolve_project

    if limit is not None and (sql is not None or limit < 1):
        raise BadRequest("limit", "is a number from 1 on, and has no meaning with --sql: write LIMIT into it")
    project = resolve_project(root)
    if sql is None:
        print_events(project, limit or DEFAULT_EVENT_COUNT, as_json=as_json)
    else:
        print_table(project, sql, as_json=as_json)
    return 0
