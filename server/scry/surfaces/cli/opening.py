"""From a command's options to the engine of the project that it means."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING

from scry.core.errors import ProjectMissing
from scry.core.settings import load_settings
from scry.index.project import find_root

if TYPE_CHECKING:
    from scry.engine.engine import Engine


def open_engine(root: Path | None, *, force: bool) -> AbstractContextManager[Engine]:
    """The engine, to be closed at the end of a `with`; no indexer is started yet.

    Warnings about settings go to standard error. Raises ProjectMissing, ProjectRefused, BadSettings.
    """
    # An oracle that fails is named in the answer; Python would print its traceback besides.
    logging.getLogger("scry").addHandler(logging.NullHandler())
    folder = project_folder(root)
    settings = load_settings(folder, os.environ)
    for warning in settings.warnings:
        print(f"scry: {warning}", file=sys.stderr)
    from scry.engine.engine import Engine

    return closing(Engine.open(folder, settings, force=force, start_indexer=False))


def project_folder(root: Path | None) -> Path:
    """The folder that was named, or the project around the current folder. Raises ProjectMissing."""
    if root is not None:
        return root
    try:
        return find_root(Path.cwd())
    except OSError as error:
        raise ProjectMissing(f"the current folder can't be read ({error.strerror}); change to another") from error
