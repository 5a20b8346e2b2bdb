"""A question is asked, of an engine that is up to date, and its answer shown. Nothing here needs the parser."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from scry.core.errors import BadRequest, IndexUnavailable
from scry.engine import manner as engine_manner
from scry.surfaces.cli.output import print_json, print_lines, print_text
from scry.surfaces.wire.params import read_params
from scry_protocol.messages import Answer

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.engine.projects import Projects
    from scry.surfaces.cli.asking import Manner

Form = Literal["text", "llm", "json"]

MODEL_WITHIN_S = 30.0
"""So long a model other than the bundled one may take to be loaded and to answer, unless told not to wait."""

request = read_params
"""A command's values as the request that the engine takes."""


class Plainly(Struct, frozen=True):
    """How a question without options is asked and shown: what `asking.Manner` is by default."""

    explain: bool = False
    form: Form = "text"
    as_json: bool = False
    root: Path | None = None
    force: bool = False
    wait: bool = True


def manner_of_engine(*, wait: bool) -> engine_manner.Manner:
    """Who waits for the index also waits for a model in another process."""
    return engine_manner.Manner(patience=MODEL_WITHIN_S) if wait else engine_manner.AS_USUAL


def readable(text: str) -> str:
    """An argument as a message can hold it: undecodable bytes become U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@contextmanager
def current_engine(manner: Manner | Plainly) -> Generator[Engine]:
    """The engine, brought up to date first unless told not to wait, closed at the end of the `with`.

    Raises ScryError.
    """
    from scry.surfaces.cli.opening import open_engine

    with open_engine(manner.root, force=manner.force) as engine:
        if manner.wait:
            _bring(engine)
        yield engine


@contextmanager
def current_projects(manner: Manner | Plainly) -> Generator[Projects]:
    """All registered projects and this one, each brought up to date before it is asked, unless told not to wait.

    Raises ScryError.
    """
    from scry.surfaces.cli.opening import open_projects

    def prepare(engine: Engine) -> None:
        if manner.wait:
            _bring(engine)

    with open_projects(manner.root, force=manner.force, prepare=prepare) as projects:
        yield projects


def _bring(engine: Engine) -> None:
    from scry.surfaces.cli.progress import ProgressBars

    if engine.index.is_current():
        return
    with ProgressBars(quiet=True) as bars:
        state = engine.wait_until_current(None, bars)
    if state.state == "failed" and not state.generation:
        raise IndexUnavailable(state.message)


def ask(question: Callable[[Engine], Answer], manner: Manner | Plainly) -> int:
    """Asks the project's engine and prints the answer; returns the exit status. Raises ScryError."""
    _refuse_two_forms(manner)
    with current_engine(manner) as engine:
        _print(question(engine), engine.project.name, manner)
    return 0


def ask_projects(question: Callable[[Projects], Answer], manner: Manner | Plainly) -> int:
    """Asks those of all known projects that the question is for; as `ask` otherwise."""
    _refuse_two_forms(manner)
    with current_projects(manner) as projects:
        _print(question(projects), projects.home_name, manner)
    return 0


def _refuse_two_forms(manner: Manner | Plainly) -> None:
    if manner.as_json and manner.form == "llm":
        raise BadRequest("format", "--json and --format llm ask for different forms; give one of them")


def _print(answer: Answer, home: str, manner: Manner | Plainly) -> None:
    if manner.as_json or manner.form == "json":
        print_json(answer)
    else:
        _show(answer, home, manner)


def _show(answer: Answer, home: str, manner: Manner | Plainly) -> None:
    if manner.form == "llm":
        from scry.surfaces.text.prompt import show_for_model

        print_text(show_for_model(answer, home=home, explain=manner.explain))
    else:
        from scry.surfaces.cli.colours import screen_width
        from scry.surfaces.text.results import show_answer

        root = str(manner.root) if manner.root is not None else ""
        width = screen_width(sys.stdout)
        print_lines(show_answer(answer, home=home, explain=manner.explain, width=width, root=root))
