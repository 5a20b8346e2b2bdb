"""`scry log compact`: makes the log smaller."""

from __future__ import annotations

from typing import Annotated

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.sizes import format_size
from scry.surfaces.cli.agreement import confirm_removal
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_text

DEFAULT_UNCOMPACTED_DAYS = 90
"""Questions of the last three months keep what they found."""

_DAY_MS = 86_400_000


class LogCompactReport(msgspec.Struct, frozen=True):
    """What was done. before, after: bytes of the log."""

    queries: int
    before: int
    after: int


def compact(
    *,
    days: Annotated[int, Parameter(show_default=True, help="Leave questions of the last so many days alone.")] = DEFAULT_UNCOMPACTED_DAYS,
    yes: Annotated[bool, Parameter(name="--yes", alias="-y", help="Do not ask.")] = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Removes from older questions what they found, unless it was used or rated. Questions, uses and ratings stay.

    That the log was made smaller is logged too.
    """
    from scry.engine.answers import now_ms
    from scry.store.event_upkeep import compact_log as compact_log
    from scry.store.events import EVENTS_FILE
    from scry.surfaces.cli.opening import resolve_project

    if days < 0:
        raise BadRequest("days", "is a number of days from 0 on")
    path = resolve_project(root).data / EVENTS_FILE
    before = path.stat().st_size if path.exists() else 0
    if not yes and not confirm_removal(f"Remove what unused questions older than {days} days found ({path})?"):
        return 1
    outcome = compact_log(path.parent, now_ms() - days * _DAY_MS, now_ms())
    after = path.stat().st_size if path.exists() else 0
    if as_json:
        print_json(LogCompactReport(outcome.events, before, after))
    else:
        print_text(
            f"{outcome.events} questions made smaller: {format_size(before)} before, {format_size(after)} now.\n"
        )
    return 0
