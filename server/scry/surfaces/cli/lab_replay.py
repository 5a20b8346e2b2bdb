"""`scry lab replay`: what was asked, asked anew."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.surfaces.cli.lab_options import SeedOption, WeightOption, WithoutOption, open_subject, parse_recipe, print_report
from scry.surfaces.cli.lab_progress import LabProgress
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption

DEFAULT_QUESTION_COUNT = 200


def replay(
    *,
    last: Annotated[int, Parameter(show_default=True, help="How many different questions, the newest.")] = DEFAULT_QUESTION_COUNT,
    without: WithoutOption = (),
    weight: WeightOption = (),
    seed: SeedOption = None,
    root: RootOption = None,
    force: ForceOption = False,
    wait: Annotated[
        bool, Parameter(negative="--no-wait", help="Bring the index up to date first, or ask what is there.")
    ] = True,
    as_json: JsonOption = False,
) -> int:
    """Asks logged questions anew, of the index, model and weights of now, and shows what differs from then.

    Another model is tried by naming it: SCRY_MODEL=… scry lab replay. It answers until you name another again.
    Nothing is logged.
    """
    from scry.lab.bootstrap import BOOTSTRAP_SEED
    from scry.lab.logged import read_logged_queries
    from scry.lab.replay import latest_distinct
    from scry.lab.replay import replay as replay_questions
    from scry.surfaces.text.lab_replay import replay_blocks

    if last < 1:
        raise BadRequest("last", "is a number of questions from 1 on")
    recipe = parse_recipe(without, weight)
    with open_subject(root, force=force, wait=wait) as (engine, subject), LabProgress() as progress:
        questions = latest_distinct(read_logged_queries(engine.project.data, engine.project.root), last)
        if not questions:
            raise BadRequest("log", "no logged question found anything yet; ask something first (scry find …)")
        found = replay_questions(subject, questions, recipe, progress, BOOTSTRAP_SEED if seed is None else seed)
    print_report(found, replay_blocks(found), as_json=as_json)
    return 0
