"""Ask an up-to-date engine a question and print the answer.

Nothing here imports the option parser (cyclopts) or rich: a plain question needs neither.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from scry.core.errors import BadRequest, IndexUnavailable
from scry.engine.context import DEFAULT_CONTEXT, RequestContext
from scry.surfaces.cli.output import print_json, print_lines, print_text, terminal_width
from scry_protocol.messages import Answer

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.engine.federation.router import ProjectRouter
    from scry.surfaces.cli.questions.question_options import QuestionOptions

OutputFormat = Literal["text", "llm", "json"]

NOTHING_FOUND = 1
"""The exit status of a question without results, as grep has it."""

MODEL_TIMEOUT_S = 30.0
"""Seconds that a model other than the bundled one may take to load and to answer, unless `--no-wait` is given."""


TEAM_TIMEOUT_S = 10.0
"""Seconds that a command waits for the joined team, unless `--no-wait` is given."""


class DefaultQuestionOptions(Struct, frozen=True):
    """The defaults of `question_options.QuestionOptions`, for a question without options; a test compares the two."""

    explain: bool = False
    form: OutputFormat = "text"
    as_json: bool = False
    root: Path | None = None
    force: bool = False
    wait: bool = True


def make_request_context(*, wait: bool) -> RequestContext:
    """Return the engine's context of a command: one that waits for the index also waits for a model's process, and for
    the joined team.
    """
    return RequestContext(model_timeout_s=MODEL_TIMEOUT_S, team_timeout_s=TEAM_TIMEOUT_S) if wait else DEFAULT_CONTEXT


def replace_undecodable(text: str) -> str:
    """Return an argument as a JSON message can hold it: undecodable bytes become U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@contextmanager
def open_updated_engine(options: QuestionOptions | DefaultQuestionOptions) -> Generator[Engine]:
    """Open the engine of the project for a `with`, and bring its index up to date first unless `--no-wait` is given.

    Raises ScryError.
    """
    from scry.surfaces.cli.engines import open_engine

    with open_engine(options.root, force=options.force) as engine:
        if options.wait:
            _update_index(engine)
        yield engine


@contextmanager
def open_updated_projects(options: QuestionOptions | DefaultQuestionOptions) -> Generator[ProjectRouter]:
    """Open the router of all registered projects and this one for a `with`.

    Each index is brought up to date before its project is asked, unless `--no-wait` is given.

    Raises ScryError.
    """
    from scry.surfaces.cli.engines import open_projects

    def prepare(engine: Engine) -> None:
        if options.wait:
            _update_index(engine)

    with open_projects(options.root, force=options.force, prepare=prepare) as projects:
        yield projects


def _update_index(engine: Engine) -> None:
    from scry.surfaces.cli.progress import ProgressBars

    if engine.index.is_current():
        return
    with ProgressBars(quiet=True) as bars:
        state = engine.wait_until_current(None, bars)
    if state.state == "failed" and not state.generation:
        raise IndexUnavailable(state.message)


def ask(question: Callable[[Engine], Answer], options: QuestionOptions | DefaultQuestionOptions) -> int:
    """Ask the project's engine a question, print the answer, and return the exit status. Raises ScryError."""
    _reject_conflicting_formats(options)
    with open_updated_engine(options) as engine:
        return _print_answer(question(engine), engine.project.name, engine.project.root, options)


def ask_projects(question: Callable[[ProjectRouter], Answer], options: QuestionOptions | DefaultQuestionOptions) -> int:
    """Ask the router of all known projects a question; print and return as `ask` does."""
    _reject_conflicting_formats(options)
    with open_updated_projects(options) as projects:
        return _print_answer(question(projects), projects.home_name, None, options)


def _reject_conflicting_formats(options: QuestionOptions | DefaultQuestionOptions) -> None:
    if options.as_json and options.form == "llm":
        raise BadRequest("format", "--json and --format llm ask for different forms; give one of them")


def _print_answer(
    answer: Answer, project_name: str, folder: Path | None, options: QuestionOptions | DefaultQuestionOptions
) -> int:
    """Print an answer and return the exit status. folder: the project's, where paths begin; None for several."""
    if options.as_json or options.form == "json":
        print_json(answer)
    elif options.form == "llm":
        from scry.surfaces.render.prompt import render_for_model

        print_text(render_for_model(answer, home=project_name, explain=options.explain))
    else:
        from scry.surfaces.render.results import render_answer

        root = str(options.root) if options.root is not None else ""
        width = terminal_width(sys.stdout)
        try:
            way = os.path.relpath(folder) if folder is not None else ""
        except (OSError, ValueError):  # the current folder is gone, or on another drive
            way = str(folder)
        print_lines(
            render_answer(answer, home=project_name, explain=options.explain, width=width, root=root, folder=way)
        )
    return 0 if answer.results else NOTHING_FOUND
