"""The registry, as an editor sees it: with its open folders, and more to be added."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scry.core.errors import BadRequest
from scry.core.projects import Registered
from scry.surfaces.lsp.asking import CancelledCheck, in_thread
from scry.surfaces.lsp.uris import NotAFile, uri_to_path
from scry_protocol.messages import Projects, ProjectsParams

if TYPE_CHECKING:
    from scry.surfaces.lsp.desk import Desk
    from scry.surfaces.lsp.folders import Folder


async def projects(desk: Desk, params: ProjectsParams) -> Projects:
    """Lists the projects; registers one first where that is asked for. Raises ScryError."""
    folders = desk.folders.all()
    await desk.folders.settle(folders)

    def look(_: CancelledCheck) -> Projects:
        from scry.surfaces.wire.projects import known_projects, register_project

        if params.action == "add":
            register_project(_folder(desk, params.folder))
        return known_projects([_open(folder) for folder in folders if folder.path])

    return await in_thread(desk.pool, look)


def _open(folder: Folder) -> Registered:
    """An open folder, also while its engine is still to be opened, or can't be."""
    if folder.engine is None:
        return Registered(folder.name, Path(folder.path))
    return Registered(folder.engine.project.name, folder.engine.project.root)


def _folder(desk: Desk, named: str | None) -> Path:
    """The folder that is to be registered. Raises BadRequest."""
    if named is None:
        path = next((folder.path for folder in desk.folders.all() if folder.path), None)
        if path is None:
            raise BadRequest("folder", "no folder is open; name one")
        return Path(path)
    try:
        return Path(uri_to_path(named))
    except NotAFile:
        if not Path(named).is_absolute():
            raise BadRequest("folder", f"{named} is neither the URI nor the full path of a folder") from None
        return Path(named)
