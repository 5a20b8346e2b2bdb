"""What the commands that ask have in common: an engine that is up to date, and an answer shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter, Token

from scry.core.errors import BadRequest, IndexUnavailable
from scry.engine import manner as engine_manner
from scry.surfaces.cli.options import Force, Json, Root
from scry.surfaces.cli.output import print_json, print_lines, print_text
from scry.surfaces.wire.params import read_params
from scry_protocol.messages import Answer

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.engine.projects import Projects

ContentType = Literal["code", "doc", "commit", "belief", "pattern", "session", "memory", "persona"]
Form = Literal["text", "llm", "json"]

MODEL_WITHIN_S = 30.0
"""So long a model other than the bundled one may take to be loaded and to answer, unless told not to wait."""

request = read_params
"""A command's values as the request that the engine takes."""


def _whole_number(_: type[int], tokens: Sequence[Token]) -> int:
    """Cyclopts alone would round."""
    return int(tokens[0].value)


Limit = Annotated[
    int, Parameter(converter=_whole_number, show_default=True, help="How many results at most, 1 to 1000.")
]
Full = Annotated[bool, Parameter(help="Show each result in full: its text, and what it is tied to.")]
Types = Annotated[tuple[ContentType, ...], Parameter(name="--type", help="Only this; may be repeated.")]


@Parameter(name="*")
@dataclass(frozen=True)
class Manner:
    """How a question is asked and its answer shown: options that all commands which ask have."""

    explain: Annotated[bool, Parameter(help="Show the figures behind each result; JSON always has them.")] = False
    form: Annotated[
        Form,
        Parameter(
            name="--format", show_default=True, help="llm is Markdown in groups, for a language model; json is --json."
        ),
    ] = "text"
    as_json: Json = False
    root: Root = None
    force: Force = False
    wait: Annotated[
        bool, Parameter(negative="--no-wait", help="Bring the index up to date first, or answer from what is there.")
    ] = True

    @property
    def of_engine(self) -> engine_manner.Manner:
        """The same, in the engine's words: who waits for the index also waits for a model in another process."""
        return engine_manner.Manner(patience=MODEL_WITHIN_S) if self.wait else engine_manner.AS_USUAL


AS_USUAL = Manner()


def readable(text: str) -> str:
    """An argument as a message can hold it: undecodable bytes become U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@contextmanager
def current_engine(manner: Manner) -> Generator[Engine]:
    """The engine, brought up to date first unless told not to wait, closed at the end of the `with`.

    Raises ScryError.
    """
    from scry.surfaces.cli.opening import open_engine

    with open_engine(manner.root, force=manner.force) as engine:
        if manner.wait:
            _bring(engine)
        yield engine


@contextmanager
def current_projects(manner: Manner) -> Generator[Projects]:
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


def ask(question: Callable[[Engine], Answer], manner: Manner) -> int:
    """Asks the project's engine and prints the answer; returns the exit status. Raises ScryError."""
    _refuse_two_forms(manner)
    with current_engine(manner) as engine:
        _print(question(engine), engine.project.name, manner)
    return 0


def ask_projects(question: Callable[[Projects], Answer], manner: Manner) -> int:
    """Asks those of all known projects that the question is for; as `ask` otherwise."""
    _refuse_two_forms(manner)
    with current_projects(manner) as projects:
        _print(question(projects), projects.home_name, manner)
    return 0


def _refuse_two_forms(manner: Manner) -> None:
    if manner.as_json and manner.form == "llm":
        raise BadRequest("format", "--json and --format llm ask for different forms; give one of them")


def _print(answer: Answer, home: str, manner: Manner) -> None:
    if manner.as_json or manner.form == "json":
        print_json(answer)
    else:
        _show(answer, home, manner)


def _show(answer: Answer, home: str, manner: Manner) -> None:
    if manner.form == "llm":
        from scry.surfaces.text.prompt import show_for_model

        print_text(show_for_model(answer, home=home, explain=manner.explain))
    else:
        from scry.surfaces.cli.colours import screen_width
        from scry.surfaces.text.results import show_answer

        root = str(manner.root) if manner.root is not None else ""
        width = screen_width(sys.stdout)
        print_lines(show_answer(answer, home=home, explain=manner.explain, width=width, root=root))
