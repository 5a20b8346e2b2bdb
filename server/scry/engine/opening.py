"""How a surface opens engines: each with the settings of its project."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

from scry.core.errors import RegistryUnavailable
from scry.core.projects import find_project_at
from scry.core.settings import load_settings
from scry.engine.engine import Engine
from scry.index.registration import open_registry

_log = logging.getLogger(__name__)


def make_engine_opener(
    surface: str, *, force: bool = False, start_indexer: bool = True, warn: Callable[[str], None] = _log.warning
) -> Callable[[Path], Engine]:
    """What opens the engine of the project in a folder, for an EnginePool. It raises ScryError.

    surface, force, start_indexer: as of Engine.open; whoever registered a folder need not force it again. warn: is told
    what was left out of a project's settings.
    """

    def open_engine(root: Path) -> Engine:
        settings = load_settings(root, os.environ)
        for warning in settings.warnings:
            warn(warning)
        agreed = force or _is_registered(root)
        return Engine.open(root, settings, force=agreed, start_indexer=start_indexer, surface=surface)

    return open_engine


def _is_registered(root: Path) -> bool:
    try:
        return find_project_at(open_registry().list_projects(), root) is not None
    except RegistryUnavailable:
        return False
