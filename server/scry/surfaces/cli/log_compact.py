"""`scry log compact`: makes the log smaller."""

from __future__ import annotations

from typing import Annotated

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.sizes import format_size
from scry.surfaces.cli.agreement import ask_person
from scry.surfaces.cli.options import Json, Root
from scry.surfaces.cli.output import print_json, print_text

DAYS = 90
"""Questions of the last three months keep what they found."""

_DAY_MS = 86_400_000


class CompactReport(msgspec.Struct, frozen=True):
    """What was done. before, after: bytes of the log."""

    queries: int
    before: int
    after: int


def compact(
    *,
    days: Annotated[int, Parameter(show_default=True, help="Leave questions of the last so many days alone.")] = DAYS,
    yes: Annotated[bool, Parameter(name="--yes", alias="-y", help="Do not ask.")] = False,
    root: Root = None,
    as_json: Json = False,
) -> int:
    """Removes from older questions what they found, unless it was used or rated. Questions, uses and ratings stay.

    That the log was made smaller is logged too.
    """
    from scry.engine.answers import now_ms
    from scry.store.event_upkeep import compact as compact_log
    from scry.store.events import FILE
    from scry.surfaces.cli.opening import project_of

    if days < 0:
        raise BadRequest("days", "is a number of days from 0 on")
    path = project_of(root).data / FILE
    before = path.stat().st_size if path.exists() else 0
    if not yes and not ask_person(f"Remove what unused questions older than {days} days found ({path})?"):
        return 1
    outcome = compact_log(path.parent, now_ms() - days * _DAY_MS, now_ms())
    after = path.stat().st_size if path.exists() else 0
    if as_json:
        print_json(CompactReport(outcome.events, before, after))
    else:
        print_text(
            f"{outcome.events} questions made smaller: {format_size(before)} before, {format_size(after)} now.\n"
        )
    return 0
