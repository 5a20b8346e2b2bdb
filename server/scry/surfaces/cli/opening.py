"""From a command's options to the engine of the project that it means."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scry.core.errors import ProjectMissing, RegistryUnavailable
from scry.core.places import data_home
from scry.core.projects import Registered
from scry.core.settings import load_settings
from scry.index.project import Project, find_root, open_project
from scry.store.registry import RegistryStore
from scry.surfaces.text.printable import printable

if TYPE_CHECKING:
    from scry.engine.engine import Engine


@contextmanager
def open_engine(root: Path | None, *, force: bool) -> Generator[Engine]:
    """The engine, closed at the end of the `with`; no indexer is started yet.

    What is to be logged is written by then; an answer is best shown before. Warnings about settings, and what kept the
    log from being written, go to standard error. Raises ProjectMissing, ProjectRefused, BadSettings.
    """
    # An oracle that fails is named in the answer; Python would print its traceback besides.
    logging.getLogger("scry").addHandler(logging.NullHandler())
    folder = project_folder(root)
    settings = load_settings(folder, os.environ)
    for warning in settings.warnings:
        print(f"scry: {warning}", file=sys.stderr)
    from scry.engine.engine import Engine

    with closing(Engine.open(folder, settings, force=force, start_indexer=False, surface="cli")) as engine:
        yield engine
    if news := engine.recorder.news():
        print(f"scry: {printable(news)}", file=sys.stderr)


def project_of(root: Path | None) -> Project:
    """The project that a command means which asks nothing. Raises ProjectMissing."""
    return open_project(project_folder(root), force=True)


def project_folder(root: Path | None) -> Path:
    """The folder that was named, or the project around the current folder. Raises ProjectMissing.

    A registry that can't be read is told on standard error, and the project found without it.
    """
    if root is not None:
        return root
    try:
        return find_root(Path.cwd(), _registered())
    except OSError as error:
        raise ProjectMissing(f"the current folder can't be read ({error.strerror}); change to another") from error


def _registered() -> Sequence[Registered]:
    try:
        return RegistryStore(data_home()).all()
    except RegistryUnavailable as error:
        print(f"scry: {printable(str(error))}", file=sys.stderr)
        return ()
