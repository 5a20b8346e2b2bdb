"""Find the project that a command refers to, open its engine, ask it a question and print the answer.

Nothing here imports the option parser (cyclopts) or rich: a plain question needs neither.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from scry.core.errors import BadRequest, IndexUnavailable, ProjectMissing, ProjectRefused, RegistryUnavailable
from scry.core.settings import load_settings
from scry.engine.context import DEFAULT_CONTEXT, RequestContext
from scry.projects.project import Project, find_project_root, list_registered, open_project
from scry.surfaces.cli.output import print_json, print_lines, print_text, terminal_width
from scry.surfaces.render.styled_text import make_printable, shorten_question
from scry_protocol.messages import Answer

if TYPE_CHECKING:
    from scry.engine.activity.recorder import Recorder
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


GRAPH_TIMEOUT_S = 10.0
"""Seconds that a question about calls and imports waits for the code graph, unless `--no-wait` is given."""


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


# Projects -------------------------------------------------------------------------------------------------------------


def resolve_project(root: Path | None) -> Project:
    """Return the project of a command that asks no question, also where it is a home folder. Raises ProjectMissing."""
    return open_project(resolve_project_folder(root), force=True)


def resolve_project_folder(root: Path | None) -> Path:
    """Return the folder that `--root` names, or the project around the current folder. Raises ProjectMissing.

    A registry that can't be read is reported on standard error, and the project is found without it.
    """
    if root is not None:
        return root
    try:
        folder = Path.cwd()
        try:
            registered = list_registered()
        except RegistryUnavailable as error:
            print(f"scry: {make_printable(str(error))}", file=sys.stderr)
            registered = ()
        return find_project_root(folder, registered)
    except OSError as error:
        raise ProjectMissing(f"the current folder can't be read ({error.strerror}); change to another") from error


def resolve_server_folder(root: Path | None) -> Path | None:
    """Return the folder that a server answers from, as `resolve_project_folder` does; None for one not to be indexed.

    A client may start its servers in the home folder, which is not indexed. Raises ProjectMissing, and ProjectRefused
    for such a folder that `--root` names.
    """
    folder = resolve_project_folder(root)
    try:
        return open_project(folder).root
    except ProjectRefused:
        if root is not None:
            raise
        return None


# Engines --------------------------------------------------------------------------------------------------------------


@contextmanager
def open_engine(root: Path | None, *, force: bool, update: bool = False) -> Generator[Engine]:
    """Open the project's engine for a `with`; no indexer is started yet.

    update: bring its index up to date first. Closing the engine waits until its events are logged, so print an answer
    within the `with`. Warnings about settings, and the reason why the log can't be written, go to standard error.

    Raises ProjectMissing, ProjectRefused, BadSettings, and with `update` IndexUnavailable.
    """
    # The answer names an oracle that fails; without a handler Python would print the traceback, too.
    logging.getLogger("scry").addHandler(logging.NullHandler())
    folder = resolve_project_folder(root)
    settings = load_settings(folder, os.environ)
    for warning in settings.warnings:
        print(f"scry: {warning}", file=sys.stderr)
    from scry.engine.engine import Engine

    with closing(Engine.open(folder, settings, force=force, start_indexer=False, surface="cli")) as engine:
        if update:
            _update_index(engine)
        yield engine
    _print_recorder_notice(engine.recorder)


@contextmanager
def open_projects(
    root: Path | None, *, force: bool, prepare: Callable[[Engine], None] = lambda _engine: None
) -> Generator[ProjectRouter]:
    """Open the router of all registered projects and the current one for a `with`; as `open_engine` otherwise.

    In a folder that is no project, such as the home folder, the router holds the registered projects alone. prepare:
    called with the engine of a project before that project is asked.
    """
    logging.getLogger("scry").addHandler(logging.NullHandler())
    from scry.engine.federation.engine_pool import EnginePool, make_engine_opener
    from scry.engine.federation.router import ProjectRouter
    from scry.engine.federation.workspace import HomeWorkspace

    def warn(warning: str) -> None:
        print(f"scry: {make_printable(warning)}", file=sys.stderr)

    pool = EnginePool(make_engine_opener("cli", force=force, start_indexer=False, warn=warn))
    home: Path | None = resolve_project_folder(root)
    recorder = None
    try:
        with pool.borrow(home) as engine:
            recorder = engine.recorder
    except ProjectRefused:
        home = None
    with closing(ProjectRouter(pool, HomeWorkspace(pool, home, prepare=prepare))) as projects:
        yield projects
    _print_recorder_notice(recorder)


@contextmanager
def open_updated_projects(
    options: QuestionOptions | DefaultQuestionOptions, *, with_graph: bool = False
) -> Generator[ProjectRouter]:
    """Open the router of all registered projects and this one for a `with`.

    Each index, and with `with_graph` its code graph, is brought up to date before its project is asked, unless
    `--no-wait` is given.

    Raises ScryError.
    """

    def prepare(engine: Engine) -> None:
        if options.wait:
            _update_index(engine)
            _await_code_graph(engine, with_graph=with_graph)

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


def _await_code_graph(engine: Engine, *, with_graph: bool) -> None:
    if with_graph:
        engine.wait_for_code_graph(GRAPH_TIMEOUT_S)


def _print_recorder_notice(recorder: Recorder | None) -> None:
    if recorder is not None and (trouble := recorder.new_trouble()):
        print(f"scry: {make_printable(trouble)}", file=sys.stderr)


def complete_reference(
    name: str, place: int | None, root: Path | None, *, force: bool, command: str
) -> tuple[str, int]:
    """Return an answer's name and a result's place in it: a place alone is that in this terminal's last answer.

    name: the answer's name, or the place where that is left out. command: such as open, for errors. Says on standard
    error which answer is meant. Raises BadRequest.
    """
    if place is not None:
        return name, place
    if not name.isdecimal():
        raise BadRequest("rank", f"which result? Give its place in the answer, such as scry {command} {name} 1")
    return find_last_answer(root, force=force, example=f"scry {command} q_… {name}"), int(name)


def find_last_answer(root: Path | None, *, force: bool, example: str) -> str:
    """Return the name of the last answer in this terminal, and say on standard error which one that is.

    example: the command with an answer's name, for the error. Raises BadRequest where there is none.
    """
    with open_engine(root, force=force) as engine:
        last = engine.recorder.latest_answer()
    if last is None:
        raise BadRequest("query_id", f"nothing was asked of this project in this terminal; name the answer: {example}")
    print(f"scry: of the last answer, {last.query_id} {make_printable(shorten_question(last.query))}", file=sys.stderr)
    return last.query_id


# Questions ------------------------------------------------------------------------------------------------------------


def ask(
    question: Callable[[Engine], Answer],
    options: QuestionOptions | DefaultQuestionOptions,
    *,
    with_graph: bool = False,
) -> int:
    """Ask the project's engine a question, print the answer, and return the exit status. Raises ScryError.

    with_graph: whether the answer holds calls or imports.
    """
    _reject_conflicting_formats(options)
    with open_engine(options.root, force=options.force, update=options.wait) as engine:
        _await_code_graph(engine, with_graph=with_graph and options.wait)
        return _print_answer(question(engine), engine.project.name, engine.project.root, options)


def ask_projects(
    question: Callable[[ProjectRouter], Answer],
    options: QuestionOptions | DefaultQuestionOptions,
    *,
    with_graph: bool = False,
) -> int:
    """Ask the router of all known projects a question; print and return as `ask` does."""
    _reject_conflicting_formats(options)
    with open_updated_projects(options, with_graph=with_graph) as projects:
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
