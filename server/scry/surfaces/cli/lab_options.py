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
from scry.surfaces.cli.answering import current_engine
from scry.surfaces.cli.asking import Manner
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.text.printable import printable

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.lab.recipe import Recipe
    from scry.lab.subject import Subject
    from scry.surfaces.text.page import Block

_LOOKS_EVERY_S = 1.0
"""Should the indexer not tell."""

Without = Annotated[
    tuple[str, ...],
    Parameter(name="--without", help="Leave this oracle or adjustment out; may be repeated; '*' is all adjustments."),
]
Weights = Annotated[
    tuple[str, ...],
    Parameter(
        name="--weight",
        help="NAME=X: an oracle's weight times X, or an adjustment's factor to the power of X. May be repeated.",
    ),
]
Out = Annotated[Path | None, Parameter(name="--out", help="Write the JSON to this file, for compare and why.")]
Html = Annotated[Path | None, Parameter(name="--html", help="Write a report with plots to this file.")]
Seed = Annotated[int | None, Parameter(help="Of the bootstrap; another one moves the last digits of its figures.")]


@contextmanager
def opened(root: Path | None, *, force: bool, wait: bool) -> Generator[tuple[Engine, Subject]]:
    """The project with its index brought up to date, and the same as the lab judges it. Raises ScryError.

    wait: also for the history, without which an oracle would be silent, and for all vectors of the model that the
    settings name: figures of something half done would be those of a moment.
    """
    from scry.core.settings import load_settings
    from scry.lab.subject import Subject

    with current_engine(Manner(root=root, force=force, wait=wait)) as engine:
        if wait and not engine.index.is_complete():
            _wait_for_all(engine)
        settings = load_settings(engine.project.root, os.environ)
        with closing(Subject(engine.project, settings)) as subject:
            yield engine, subject


def _wait_for_all(engine: Engine) -> None:
    from scry.surfaces.cli.progress import ProgressBars

    with ProgressBars(quiet=True) as bars:
        reached = engine.wait_until_current(None, bars, vectors=True)
    if reached.state in ("failed", "paused") and reached.message:
        print(f"scry: {printable(reached.message)}", file=sys.stderr)
    told = threading.Event()
    engine.subscribe(lambda _: told.set())
    while (state := engine.status()).history == "pending" and state.state not in ("paused", "failed"):
        told.wait(_LOOKS_EVERY_S)
        told.clear()


def recipe_of(without: tuple[str, ...], weights: tuple[str, ...]) -> Recipe:
    """The recipe that the options ask for. Raises BadRequest."""
    from scry.lab.recipe import read_recipe

    return read_recipe(without, dict(_weight(each) for each in weights))


def write(path: Path, content: bytes, parameter: str) -> None:
    """Raises BadRequest naming the parameter for a place that can't be written."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise BadRequest(parameter, f"{path} can't be written: {error.strerror}") from error


def show(value: msgspec.Struct, blocks: Iterable[Block], *, as_json: bool) -> None:
    """Prints it as JSON, or as a page."""
    if as_json:
        print_json(value)
        return
    from scry.surfaces.cli.colours import screen_width
    from scry.surfaces.text.page_lines import to_lines

    print_lines(to_lines(blocks, screen_width(sys.stdout)))


def _weight(written: str) -> tuple[str, float]:
    name, equals, value = written.partition("=")
    try:
        if not equals or not name:
            raise ValueError
        return name, float(value)
    except ValueError:
        raise BadRequest("weight", f"{written!r} is not NAME=X; for example: --weight semantic=0.5") from None
