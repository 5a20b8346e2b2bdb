"""Find the project that a command refers to and open its engine."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scry.core.errors import ProjectMissing, ProjectRefused, RegistryUnavailable
from scry.core.settings import load_settings
from scry.projects.project import Project, find_project_root, list_registered, open_project
from scry.surfaces.render.styled_text import make_printable

if TYPE_CHECKING:
    from scry.engine.activity.recorder import Recorder
    from scry.engine.engine import Engine
    from scry.engine.federation.router import ProjectRouter


@contextmanager
def open_engine(root: Path | None, *, force: bool) -> Generator[Engine]:
    """Open the project's engine for a `with`; no indexer is started yet.

    Closing the engine waits until its events are logged, so print an answer within the `with`. Warnings about settings,
    and the reason why the log can't be written, go to standard error.

    Raises ProjectMissing, ProjectRefused, BadSettings.
    """
    # The answer names an oracle that fails; without a handler Python would print the traceback, too.
    logging.getLogger("scry").addHandler(logging.NullHandler())
    folder = resolve_project_folder(root)
    settings = load_settings(folder, os.environ)
    for warning in settings.warnings:
        print(f"scry: {warning}", file=sys.stderr)
    from scry.engine.engine import Engine

    with closing(Engine.open(folder, settings, force=force, start_indexer=False, surface="cli")) as engine:
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


def _print_recorder_notice(recorder: Recorder | None) -> None:
    if recorder is not None and (trouble := recorder.new_trouble()):
        print(f"scry: {make_printable(trouble)}", file=sys.stderr)


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
