"""The registry, as an editor sees it: with its open folders, and more to be added."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scry.core.errors import BadRequest
from scry.core.projects import RegisteredProject
from scry.surfaces.lsp.asking import CancelledCheck, run_in_thread
from scry.surfaces.lsp.uris import NotAFileUri, uri_to_path
from scry_protocol.messages import Projects, ProjectsParams

if TYPE_CHECKING:
    from scry.surfaces.lsp.desk import EditorSession
    from scry.surfaces.lsp.folders import WorkspaceFolder


async def list_projects(desk: EditorSession, params: ProjectsParams) -> Projects:
    """Lists the projects; registers one first where that is asked for. Raises ScryError."""
    folders = desk.folders.all()
    await desk.folders.wait_until_open(folders)

    def look(_: CancelledCheck) -> Projects:
        from scry.surfaces.wire.projects import list_known_projects, register_project

        if params.action == "add":
            register_project(_folder_to_register(desk, params.folder))
        return list_known_projects([_to_registered(folder) for folder in folders if folder.path])

    return await run_in_thread(desk.pool, look)


def _to_registered(folder: WorkspaceFolder) -> RegisteredProject:
    """An open folder, also while its engine is still to be opened, or can't be."""
    if folder.engine is None:
        return RegisteredProject(folder.name, Path(folder.path))
    return RegisteredProject(folder.engine.project.name, folder.engine.project.root)


def _folder_to_register(desk: EditorSession, uri_or_path: str | None) -> Path:
    """The folder that is to be registered. Raises BadRequest."""
    if uri_or_path is None:
        path = next((folder.path for folder in desk.folders.all() if folder.path), None)
        if path is None:
            raise BadRequest("folder", "no folder is open; name one")
        return Path(path)
    try:
        return Path(uri_to_path(uri_or_path))
    except NotAFileUri:
        if not Path(uri_or_path).is_absolute():
            raise BadRequest("folder", f"{uri_or_path} is neither the URI nor the full path of a folder") from None
        return Path(uri_or_path)
