"""Find the project that a command refers to and open its engine.

From a command's options to the engine of the project that it means.

The project that a server is started for.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scry.core.errors import ProjectMissing, ProjectRefused, RegistryUnavailable
from scry.core.files import data_home
from scry.core.projects import RegisteredProject
from scry.core.settings import load_settings
from scry.projects.project import Project, find_project_root, open_project
from scry.store.registry import RegistryStore
from scry.surfaces.render.styled_text import make_printable

if TYPE_CHECKING:
    from scry.engine.activity.recorder import Recorder
    from scry.engine.engine import Engine
    from scry.engine.federation.router import ProjectRouter


@contextmanager
def open_engine(root: Path | None, *, force: bool) -> Generator[Engine]:
    """The engine, closed at the end of the `with`; no indexer is started yet.

    What is to be logged is written by then; an answer is best shown before. Warnings about settings, and what kept the
    log from being written, go to standard error. Raises ProjectMissing, ProjectRefused, BadSettings.
    """
    # An oracle that fails is named in the answer; Python would print its traceback besides.
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
    """All registered projects and the one asked from, closed at the end of the `with`; as `open_engine` otherwise.

    From a folder that is none, such as the home folder, the registered ones alone. prepare: called before a project is
    asked; see engine.projects.
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
    if recorder is not None and (news := recorder.new_trouble()):
        print(f"scry: {make_printable(news)}", file=sys.stderr)


def resolve_project(root: Path | None) -> Project:
    """The project that a command means which asks nothing. Raises ProjectMissing."""
    return open_project(resolve_project_folder(root), force=True)


def resolve_project_folder(root: Path | None) -> Path:
    """The folder that was named, or the project around the current folder. Raises ProjectMissing.

    A registry that can't be read is told on standard error, and the project found without it.
    """
    if root is not None:
        return root
    try:
        return find_project_root(Path.cwd(), _registered_projects())
    except OSError as error:
        raise ProjectMissing(f"the current folder can't be read ({error.strerror}); change to another") from error


def _registered_projects() -> Sequence[RegisteredProject]:
    try:
        return RegistryStore(data_home()).list_projects()
    except RegistryUnavailable as error:
        print(f"scry: {make_printable(str(error))}", file=sys.stderr)
        return ()


def resolve_server_folder(root: Path | None) -> Path | None:
    """The folder that was named, or the project around the current folder; None where that is none to index.

    A client may well start its servers in the home folder. Raises ProjectMissing, and ProjectRefused
    for a folder that was named.
    """
    folder = resolve_project_folder(root)
    try:
        return open_project(folder).root
    except ProjectRefused:
        if root is not None:
            raise
        return None
