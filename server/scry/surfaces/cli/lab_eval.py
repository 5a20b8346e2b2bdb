"""`scry lab eval`: how good the answers to a set of questions are."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from scry.surfaces.cli.lab_options import HtmlOption, OutOption, WeightOption, WithoutOption, open_subject, parse_recipe, print_report, write_file
from scry.surfaces.cli.lab_progress import LabProgress
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption


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
    from scry.lab.cases import read_cases
    from scry.lab.evaluate import evaluate as run_cases
    from scry.surfaces.text.lab_run import run_blocks

    cases, recipe = read_cases(queries), parse_recipe(without, weight)
    with open_subject(root, force=force, wait=wait) as (_, subject), LabProgress() as progress:
        run = run_cases(subject, cases, str(queries), recipe=recipe, ablate=ablate, progress=progress)
    if out is not None:
        write_file(out, msgspec.json.format(msgspec.json.encode(run), indent=1), "out")
    if html is not None:
        from scry.surfaces.text.lab_html import render_run_html

        write_file(html, render_run_html(run), "html")
    print_report(run, run_blocks(run, verbose=verbose, kept=shlex.quote(str(out)) if out else None), as_json=as_json)
    return 0
