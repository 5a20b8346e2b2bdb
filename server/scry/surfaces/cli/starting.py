"""The project that a server is started for."""

from __future__ import annotations

from pathlib import Path

from scry.core.errors import ProjectRefused
from scry.index.project import open_project
from scry.surfaces.cli.opening import resolve_project_folder


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
