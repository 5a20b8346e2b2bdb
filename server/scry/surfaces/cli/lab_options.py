"""What the commands of the lab have in common: options, the index that is judged, and where a page goes."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.surfaces.cli.answering import open_updated_engine
from scry.surfaces.cli.asking import QuestionOptions
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.text.printable import make_printable

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.lab.recipe import WeightOverrides
    from scry.lab.subject import EvaluatedIndex
    from scry.surfaces.text.page import Block

_STATUS_POLL_INTERVAL_S = 1.0
"""Should the indexer not tell."""

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
SeedOption = Annotated[int | None, Parameter(help="Of the bootstrap; another one moves the last digits of its figures.")]


@contextmanager
def open_subject(root: Path | None, *, force: bool, wait: bool) -> Generator[tuple[Engine, EvaluatedIndex]]:
    """The project with its index brought up to date, and the same as the lab judges it. Raises ScryError.

    wait: also for the history, without which an oracle would be silent, and for all vectors of the model that the
    settings name: figures of something half done would be those of a moment.
    """
    from scry.core.settings import load_settings
    from scry.lab.subject import EvaluatedIndex

    with open_updated_engine(QuestionOptions(root=root, force=force, wait=wait)) as engine:
        if wait and not engine.index.is_complete():
            _wait_for_complete_index(engine)
        settings = load_settings(engine.project.root, os.environ)
        with closing(EvaluatedIndex(engine.project, settings)) as subject:
            yield engine, subject


def _wait_for_complete_index(engine: Engine) -> None:
    from scry.surfaces.cli.progress import ProgressBars

    with ProgressBars(quiet=True) as bars:
        reached = engine.wait_until_current(None, bars, vectors=True)
    if reached.state in ("failed", "paused") and reached.message:
        print(f"scry: {make_printable(reached.message)}", file=sys.stderr)
    told = threading.Event()
    engine.subscribe(lambda _: told.set())
    while (state := engine.status()).history == "pending" and state.state not in ("paused", "failed"):
        told.wait(_STATUS_POLL_INTERVAL_S)
        told.clear()


def parse_recipe(without: tuple[str, ...], weights: tuple[str, ...]) -> WeightOverrides:
    """The recipe that the options ask for. Raises BadRequest."""
    from scry.lab.recipe import parse_weight_overrides

    return parse_weight_overrides(without, dict(_parse_weight(each) for each in weights))


def write_file(path: Path, content: bytes, parameter: str) -> None:
    """Raises BadRequest naming the parameter for a place that can't be written."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise BadRequest(parameter, f"{path} can't be written: {error.strerror}") from error


def print_report(value: msgspec.Struct, blocks: Iterable[Block], *, as_json: bool) -> None:
    """Prints it as JSON, or as a page."""
    if as_json:
        print_json(value)
        return
    from scry.surfaces.cli.colours import terminal_width
    from scry.surfaces.text.page_lines import render_lines

    print_lines(render_lines(blocks, terminal_width(sys.stdout)))


def _parse_weight(written: str) -> tuple[str, float]:
    name, equals, value = written.partition("=")
    try:
        if not equals or not name:
            raise ValueError
        return name, float(value)
    except ValueError:
        raise BadRequest("weight", f"{written!r} is not NAME=X; for example: --weight semantic=0.5") from None
