"""`scry lab`: how good the answers are, what each part of them is worth, and what a change moves."""

from __future__ import annotations

from cyclopts import App, Parameter

from scry.surfaces.cli.lab_compare import compare
from scry.surfaces.cli.lab_eval import evaluate
from scry.surfaces.cli.lab_gold import gold
from scry.surfaces.cli.lab_replay import replay
from scry.surfaces.cli.lab_why import why

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
