"""`scry lab gold`: what was used becomes a set of questions."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.surfaces.cli.lab_options import OutOption, write_file
from scry.surfaces.cli.options import RootOption


def gold(
    *,
    how: Annotated[
        tuple[Literal["jump", "open", "copy", "detail", "agent"], ...],
        Parameter(help="Only what was used so; may be repeated. By default all but detail."),
    ] = (),
    out: OutOption = None,
    root: RootOption = None,
) -> int:
    """Makes a set of questions for scry lab eval out of the log: what you used of an answer is what was looked for.

    It prints JSON lines, or writes them to a file. It may hold what you would not show: look before you share it.
    """
    from scry.lab.cases import write_cases
    from scry.lab.gold import RELEVANT_USES
    from scry.lab.gold import build_gold_cases as make_gold
    from scry.lab.logged import read_logged_queries
    from scry.surfaces.cli.opening import resolve_project

    project = resolve_project(root)
    cases = make_gold(read_logged_queries(project.data, project.root), how or RELEVANT_USES)
    if not cases:
        raise BadRequest("log", "nothing that was found has been used yet: jump to, open or copy a result first")
    if out is None:
        sys.stdout.buffer.write(write_cases(cases))
        sys.stdout.buffer.flush()
    else:
        write_file(out, write_cases(cases), "out")
        print(f"{len(cases)} question{'' if len(cases) == 1 else 's'}; now: scry lab eval {out}", file=sys.stderr)
    return 0
