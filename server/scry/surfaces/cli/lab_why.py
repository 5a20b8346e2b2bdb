"""`scry lab why`: a question of a run, explained."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from scry.surfaces.cli.lab_options import opened
from scry.surfaces.cli.options import Force, Json, Root
from scry.surfaces.cli.output import print_json, print_lines
from scry_protocol.messages import Explanation, WhyParams


class Replayed(msgspec.Struct, frozen=True):
    """A question of a run asked anew. explanations: of each target, then of what came first in the run instead."""

    number: int
    query: str
    explanations: list[Explanation]


def why(
    run: Annotated[Path, Parameter(help="A run that scry lab eval --out wrote.")],
    number: Annotated[int, Parameter(help="The question's number in it.")],
    *,
    root: Root = None,
    force: Force = False,
    wait: Annotated[
        bool, Parameter(negative="--no-wait", help="Bring the index up to date first, or explain from what is there.")
    ] = True,
    as_json: Json = False,
) -> int:
    """Explains where each target of a question stands now, and what came before it, by the index as it is now.

    The ranking is explained as it is by default, also where the run weighed otherwise. Nothing is logged.
    """
    from scry.engine.manner import Manner
    from scry.lab.misses import question_of, replayed
    from scry.lab.record import read_run
    from scry.surfaces.text.explanation import with_text

    kept = read_run(run)
    asked = question_of(kept, number)
    unlogged = Manner(is_part=True)
    with opened(root or Path(kept.ground.root), force=force, wait=wait) as (engine, subject):
        params = [WhyParams(doc_id=name, query=asked.query) for name in replayed(subject, asked)]
        found = Replayed(number, asked.query, [with_text(engine.why(each, unlogged)) for each in params])
    if as_json:
        print_json(found)
    else:
        _show(found)
    return 0


def _show(found: Replayed) -> None:
    from scry.surfaces.cli.colours import screen_width
    from scry.surfaces.text.explanation import show_explanation
    from scry.surfaces.text.line import line

    for at, explanation in enumerate(found.explanations):
        print_lines([*([line("")] if at else []), *show_explanation(explanation, screen_width(sys.stdout))])
