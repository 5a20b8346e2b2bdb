"""`scry lab replay`: what was asked, asked anew."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.surfaces.cli.lab_options import Seed, Weights, Without, opened, recipe_of, show
from scry.surfaces.cli.lab_progress import LabProgress
from scry.surfaces.cli.options import Force, Json, Root

LAST = 200


def replay(
    *,
    last: Annotated[int, Parameter(show_default=True, help="How many different questions, the newest.")] = LAST,
    without: Without = (),
    weight: Weights = (),
    seed: Seed = None,
    root: Root = None,
    force: Force = False,
    wait: Annotated[
        bool, Parameter(negative="--no-wait", help="Bring the index up to date first, or ask what is there.")
    ] = True,
    as_json: Json = False,
) -> int:
    """Asks logged questions anew, of the index, model and weights of now, and shows what differs from then.

    Another model is tried by naming it: SCRY_MODEL=… scry lab replay. It answers until you name another again.
    Nothing is logged.
    """
    from scry.lab.bootstrap import SEED
    from scry.lab.logged import read_questions
    from scry.lab.replay import latest
    from scry.lab.replay import replay as replay_questions
    from scry.surfaces.text.lab_replay import replay_blocks

    if last < 1:
        raise BadRequest("last", "is a number of questions from 1 on")
    recipe = recipe_of(without, weight)
    with opened(root, force=force, wait=wait) as (engine, subject), LabProgress() as progress:
        questions = latest(read_questions(engine.project.data, engine.project.root), last)
        if not questions:
            raise BadRequest("log", "no logged question found anything yet; ask something first (scry find …)")
        found = replay_questions(subject, questions, recipe, progress, SEED if seed is None else seed)
    show(found, replay_blocks(found), as_json=as_json)
    return 0
