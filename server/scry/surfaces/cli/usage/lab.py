"""`scry lab`: evaluate the answers to sets of questions, compare and explain runs, replay logged questions.

A run is made of an index brought up to date. Reports are pages of blocks for the terminal, or JSON, or HTML.
"""

from __future__ import annotations

import os
import shlex
import sys
import threading
from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from cyclopts import App, Parameter

from scry.core.errors import BadRequest
from scry.surfaces.cli.engines import open_engine
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines, reporting_failed_writes, terminal_width
from scry.surfaces.cli.progress import LabProgress
from scry.surfaces.render.styled_text import make_printable
from scry_protocol.messages import Explanation, WhyParams

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.lab.ablation import WeightOverrides
    from scry.lab.evaluated_index import EvaluatedIndex
    from scry.surfaces.render.page import Block

_STATUS_POLL_INTERVAL_S = 1.0
"""Seconds between looks at the index while its history is read, should the indexer's news not arrive."""

WithoutOption = Annotated[
    tuple[str, ...],
    Parameter(name="--without", help="Leave this oracle or adjustment out; may be repeated; '*' is all adjustments."),
]
WeightOption = Annotated[
    tuple[str, ...],
    Parameter(
        name="--weight",
        help="NAME=X: an oracle's weight times X, or an adjustment's factor to the power of X. May be repeated.",
    ),
]
OutOption = Annotated[Path | None, Parameter(name="--out", help="Write the JSON to this file, for compare and why.")]
HtmlOption = Annotated[Path | None, Parameter(name="--html", help="Write a report with plots to this file.")]
SeedOption = Annotated[
    int | None, Parameter(help="Of the bootstrap; another one moves the last digits of its figures.")
]


@contextmanager
def open_subject(root: Path | None, *, force: bool, wait: bool) -> Generator[tuple[Engine, EvaluatedIndex]]:
    """Open the project's engine and its index as the lab evaluates it, for a `with`. Raises ScryError.

    wait: bring the index up to date first, with the history, without which an oracle would be silent, and with all
    vectors of the model that the settings name; figures of a partial index would change from moment to moment.
    """
    from scry.core.settings import load_settings
    from scry.lab.evaluated_index import EvaluatedIndex

    with open_engine(root, force=force, update=wait) as engine:
        if wait and not engine.index.is_complete():
            _wait_for_complete_index(engine)
        settings = load_settings(engine.project.root, os.environ)
        with closing(EvaluatedIndex(engine.project, settings)) as subject:
            yield engine, subject


def _wait_for_complete_index(engine: Engine) -> None:
    from scry.surfaces.cli.progress import ProgressBars

    with ProgressBars(quiet=True) as bars:
        state = engine.wait_until_current(None, bars, vectors=True)
    if state.state in ("failed", "paused") and state.message:
        print(f"scry: {make_printable(state.message)}", file=sys.stderr)
    changed = threading.Event()
    engine.subscribe(lambda _: changed.set())
    while (state := engine.status()).history == "pending" and state.state not in ("paused", "failed"):
        changed.wait(_STATUS_POLL_INTERVAL_S)
        changed.clear()


def parse_recipe(without: tuple[str, ...], weights: tuple[str, ...]) -> WeightOverrides:
    """Return the overrides of weights that the options ask for. Raises BadRequest."""
    from scry.lab.ablation import parse_weight_overrides

    return parse_weight_overrides(without, dict(_parse_weight(each) for each in weights))


def write_file(path: Path, content: bytes, parameter: str) -> None:
    """Write a file. Raises BadRequest with the name of the parameter where the path can't be written."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise BadRequest(parameter, f"{path} can't be written: {error.strerror}") from error


def print_report(value: msgspec.Struct, blocks: Iterable[Block], *, as_json: bool) -> None:
    """Print a report as JSON, or its blocks as a page."""
    if as_json:
        print_json(value)
        return
    from scry.surfaces.render.page import render_lines

    print_lines(render_lines(blocks, terminal_width(sys.stdout)))


def _parse_weight(option: str) -> tuple[str, float]:
    name, equals, value = option.partition("=")
    try:
        if not equals or not name:
            raise ValueError
        return name, float(value)
    except ValueError:
        raise BadRequest("weight", f"{option!r} is not NAME=X; for example: --weight semantic=0.5") from None


def evaluate(
    queries: Annotated[
        Path, Parameter(help='JSON lines such as {"query": "…", "targets": [{"path": "src/a.py"}], "category": "…"}.')
    ],
    *,
    ablate: Annotated[
        bool, Parameter(help="Also with each oracle off and alone, each adjustment off, and by the naive searches.")
    ] = False,
    verbose: Annotated[bool, Parameter(help="Show what was retrieved for every question, not only misses.")] = False,
    without: WithoutOption = (),
    weight: WeightOption = (),
    out: OutOption = None,
    html: HtmlOption = None,
    root: RootOption = None,
    force: ForceOption = False,
    wait: Annotated[
        bool, Parameter(negative="--no-wait", help="Bring the index up to date first, or judge what is there.")
    ] = True,
    as_json: JsonOption = False,
) -> int:
    """Asks every question of a file and scores the answers: NDCG@10, MRR and recall, by category.

    A target is a path, if need be with start_line and end_line, or with a doc_id. Nothing is logged. For example:
    scry lab eval questions.jsonl --ablate --out before.json
    """
    from scry.lab.evaluate import evaluate as run_cases
    from scry.lab.questions import read_cases
    from scry.surfaces.render.evaluation import run_blocks

    cases, recipe = read_cases(queries), parse_recipe(without, weight)
    with open_subject(root, force=force, wait=wait) as (_, subject), LabProgress() as progress:
        run = run_cases(subject, cases, str(queries), overrides=recipe, ablate=ablate, progress=progress)
    if out is not None:
        write_file(out, msgspec.json.format(msgspec.json.encode(run), indent=1), "out")
    if html is not None:
        from scry.surfaces.render.evaluation_html import render_run_html

        write_file(html, render_run_html(run), "html")
    print_report(run, run_blocks(run, verbose=verbose, kept=shlex.quote(str(out)) if out else None), as_json=as_json)
    return 0


def compare(
    before: Annotated[Path, Parameter(help="A run that scry lab eval --out wrote.")],
    after: Annotated[Path, Parameter(help="Another one, over the same questions.")],
    *,
    html: HtmlOption = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> int:
    """Says which questions moved between two runs, and whether the difference is more than chance."""
    from scry.lab.compare import compare as compare_runs
    from scry.lab.metrics import BOOTSTRAP_SEED
    from scry.lab.run import read_run
    from scry.surfaces.render.evaluation import comparison_blocks

    comparison = compare_runs(
        read_run(before, "before"), read_run(after, "after"), BOOTSTRAP_SEED if seed is None else seed
    )
    if html is not None:
        from scry.surfaces.render.evaluation_html import render_comparison_html

        write_file(html, render_comparison_html(comparison), "html")
    print_report(comparison, comparison_blocks(comparison), as_json=as_json)
    return 0


class QuestionExplanations(msgspec.Struct, frozen=True):
    """A question of a run, asked again. explanations: of each target, then of the result that came first instead."""

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
    from scry.engine.context import RequestContext
    from scry.lab.evaluated_index import why_targets
    from scry.lab.run import find_outcome, read_run
    from scry.surfaces.render.explanation import add_explanation_text

    recorded = read_run(run)
    outcome = find_outcome(recorded, number)
    unlogged = RequestContext(is_subrequest=True)
    with open_subject(root or Path(recorded.ground.root), force=force, wait=wait) as (engine, subject):
        params = [WhyParams(doc_id=name, query=outcome.query) for name in why_targets(subject, outcome)]
        explanations = QuestionExplanations(
            number, outcome.query, [add_explanation_text(engine.why(each, unlogged)) for each in params]
        )
    if as_json:
        print_json(explanations)
    else:
        _print_explanations(explanations)
    return 0


def _print_explanations(explanations: QuestionExplanations) -> None:
    from scry.surfaces.render.explanation import render_explanation
    from scry.surfaces.render.styled_text import styled_line

    for at, explanation in enumerate(explanations.explanations):
        print_lines([*([styled_line("")] if at else []), *render_explanation(explanation, terminal_width(sys.stdout))])


def gold(
    *,
    how: Annotated[
        tuple[Literal["jump", "open", "copy", "detail", "agent", "inferred"], ...],
        Parameter(help="Only what was used so; may be repeated. By default all but detail and inferred."),
    ] = (),
    out: OutOption = None,
    root: RootOption = None,
) -> int:
    """Makes a set of questions for scry lab eval out of the log: what you used of an answer is what was looked for.

    It prints JSON lines, or writes them to a file. It may hold what you would not show: look before you share it.
    """
    from scry.core.events import RELEVANT_USES
    from scry.lab.logged_queries import build_gold_cases as make_gold
    from scry.lab.logged_queries import read_logged_queries
    from scry.lab.questions import write_cases
    from scry.surfaces.cli.engines import resolve_project

    project = resolve_project(root)
    cases = make_gold(read_logged_queries(project.data, project.root), how or RELEVANT_USES)
    if not cases:
        raise BadRequest("log", "nothing that was found has been used yet: jump to, open or copy a result first")
    if out is None:
        with reporting_failed_writes():
            sys.stdout.buffer.write(write_cases(cases))
            sys.stdout.buffer.flush()
    else:
        write_file(out, write_cases(cases), "out")
        print(f"{len(cases)} question{'' if len(cases) == 1 else 's'}; now: scry lab eval {out}", file=sys.stderr)
    return 0


DEFAULT_QUESTION_COUNT = 200


def replay(
    *,
    last: Annotated[
        int, Parameter(show_default=True, help="How many different questions, the newest.")
    ] = DEFAULT_QUESTION_COUNT,
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
    The oracle of use takes no part: it has learnt from these questions. Those that several projects or a team answered
    are left out. Nothing is logged.
    """
    from scry.lab.logged_queries import read_logged_queries
    from scry.lab.metrics import BOOTSTRAP_SEED
    from scry.lab.replay import latest_distinct
    from scry.lab.replay import replay as replay_questions
    from scry.surfaces.render.evaluation import replay_blocks

    if last < 1:
        raise BadRequest("last", "is a number of questions from 1 on")
    recipe = parse_recipe(without, weight)
    with open_subject(root, force=force, wait=wait) as (engine, subject), LabProgress() as progress:
        logged = read_logged_queries(engine.project.data, engine.project.root)
        questions = latest_distinct((each for each in logged if not each.is_merged), last)
        if not questions:
            raise BadRequest(
                "log", "no logged question found anything in this project alone yet; ask one (scry find …)"
            )
        result = replay_questions(
            subject,
            questions,
            recipe,
            progress,
            BOOTSTRAP_SEED if seed is None else seed,
            subject.learnt_weights(),
            len(latest_distinct((each for each in logged if each.is_merged), len(logged))),
        )
    print_report(result, replay_blocks(result), as_json=as_json)
    return 0


lab = App(
    name="lab",
    help="Judges the answers: figures over a set of questions, what each part is worth, what a change moves.",
    default_parameter=Parameter(negative=(), show_default=False),
)
lab.command(evaluate, name="eval")
lab.command(compare)
lab.command(why)
lab.command(gold)
lab.command(replay)
