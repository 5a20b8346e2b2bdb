"""`scry lab gold`: what was used becomes a set of questions."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.surfaces.cli.lab_options import Out, write
from scry.surfaces.cli.options import Root


def gold(
    *,
    how: Annotated[
        tuple[Literal["jump", "open", "copy", "detail", "agent"], ...],
        Parameter(help="Only what was used so; may be repeated. By default all but detail."),
    ] = (),
    out: Out = None,
    root: Root = None,
) -> int:
    """Makes a set of questions for scry lab eval out of the log: what you used of an answer is what was looked for.

    It prints JSON lines, or writes them to a file. It may hold what you would not show: look before you share it.
    """
    from scry.lab.cases import write_cases
    from scry.lab.gold import WAYS
    from scry.lab.gold import gold as make_gold
    from scry.lab.logged import read_questions
    from scry.surfaces.cli.opening import project_of

    project = project_of(root)
    cases = make_gold(read_questions(project.data, project.root), how or WAYS)
    if not cases:
        raise BadRequest("log", "nothing that was found has been used yet: jump to, open or copy a result first")
    if out is None:
        sys.stdout.buffer.write(write_cases(cases))
        sys.stdout.buffer.flush()
    else:
        write(out, write_cases(cases), "out")
        print(f"{len(cases)} question{'' if len(cases) == 1 else 's'}; now: scry lab eval {out}", file=sys.stderr)
    return 0
