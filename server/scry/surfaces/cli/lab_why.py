"""`scry lab why`: a question of a run, explained."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from scry.surfaces.cli.lab_options import open_subject
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines
from scry_protocol.messages import Explanation, WhyParams


class QuestionExplanations(msgspec.Struct, frozen=True):
    """A question of a run asked anew. explanations: of each target, then of what came first in the run instead."""

    number: int
    query: str
    explanations: list[Explanation]


def why(
    run: Annotated[Path, Parameter(help="A run that scry lab eval --out wrote.")],
    number: Annotated[int, Parameter(help="The question's number in it.")],
    *,
    root: RootOption = None,
    force: ForceOption = False,
    wait: Annotated[
        bool, Parameter(negative="--no-wait", help="Bring the index up to date first, or explain from what is there.")
    ] = True,
    as_json: JsonOption = False,
) -> int:
    """Explains where each target of a question stands now, and what came before it, by the index as it is now.

    The ranking is explained as it is by default, also where the run weighed otherwise. Nothing is logged.
    """
    from scry.engine.manner import RequestContext
    from scry.lab.misses import find_outcome, why_targets
    from scry.lab.record import read_run
    from scry.surfaces.text.explanation import add_explanation_text

    kept = read_run(run)
    asked = find_outcome(kept, number)
    unlogged = RequestContext(is_subrequest=True)
    with open_subject(root or Path(kept.ground.root), force=force, wait=wait) as (engine, subject):
        params = [WhyParams(doc_id=name, query=asked.query) for name in why_targets(subject, asked)]
        found = QuestionExplanations(number, asked.query, [add_explanation_text(engine.why(each, unlogged)) for each in params])
    if as_json:
        print_json(found)
    else:
        _print_explanations(found)
    return 0


def _print_explanations(found: QuestionExplanations) -> None:
    from scry.surfaces.cli.colours import terminal_width
    from scry.surfaces.text.explanation import render_explanation
    from scry.surfaces.text.line import styled_line

    for at, explanation in enumerate(found.explanations):
        print_lines([*([styled_line("")] if at else []), *render_explanation(explanation, terminal_width(sys.stdout))])
