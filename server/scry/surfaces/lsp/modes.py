"""The modes: asked of the folder that a path is in, of all open folders as one, or of the projects that are named."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest
from scry.surfaces.lsp.asking import CancelledCheck, run_in_thread
from scry.surfaces.lsp.landing import map_answer_to_editor, unsaved_in_folder
from scry.surfaces.lsp.several import FederatedQuery, ask_named_projects, ask_open_folders
from scry.surfaces.lsp.uris import NotAFileUri, uri_to_path
from scry_protocol.messages import Answer, FindParams, NeighborsParams, OrientParams, RecentParams

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.engine.manner import RequestContext
    from scry.surfaces.lsp.desk import EditorSession
    from scry.surfaces.lsp.folders import WorkspaceFolder, WorkspaceFolders

SearchParams = TypeVar("Asked", FindParams, RecentParams)
EngineCall = Callable[["Engine", "RequestContext"], Answer]
"""Asks an engine, in the manner of this editor."""


async def answer_find(desk: EditorSession, params: FindParams) -> Answer:
    """Where is X? Raises ScryError; BadRequest when no folder is open."""
    from scry.engine.across import find_in_projects

    return await _ask_selected_projects(desk, "find", params, find_in_projects, lambda engine, manner: engine.find(params, manner))


async def answer_recent(desk: EditorSession, params: RecentParams) -> Answer:
    """What changed lately? As `ask_find`."""
    from scry.engine.recent_across import recent_in_projects

    return await _ask_selected_projects(desk, "recent", params, recent_in_projects, lambda engine, manner: engine.recent(params, manner))


async def answer_orient(desk: EditorSession, params: OrientParams) -> Answer:
    """What matters here? Of the folder that the path belongs to; as `ask_find` otherwise."""
    from scry.engine.across import orient_in_projects
    from scry.engine.selection import names_projects

    name, path = split_off_project(params.path)
    if name and not names_projects(params):
        params = msgspec.structs.replace(params, path=path, projects=[name])
    if names_projects(params):
        return await ask_named_projects(desk, params, orient_in_projects)
    folder, inside = _find_owning_folder(desk.folders, params.folder, params.path)
    asked = msgspec.structs.replace(params, path=inside)
    return await _ask_folder(desk, folder, "orient", params.path, lambda engine, manner: engine.orient(asked, manner))


async def answer_neighbors(desk: EditorSession, params: NeighborsParams) -> Answer:
    """What belongs to this file? Of the project that is named before it, or the folder that it belongs to."""
    if params.belief is not None:
        return await _ask_belief_neighbors(desk, params, params.belief)
    name, file = split_off_project(params.file)
    if name:
        from scry.engine.across import neighbors_in_projects
        from scry.engine.selection import RequestedProjects

        inside = msgspec.structs.replace(params, file=file)
        return await ask_named_projects(desk, inside, neighbors_in_projects, RequestedProjects([name]))
    folder, place = _find_owning_folder(desk.folders, params.folder, file)
    asked = msgspec.structs.replace(params, file=place)
    return await _ask_folder(desk, folder, "neighbors", params.file, lambda engine, manner: engine.neighbors(asked, manner))


async def _ask_selected_projects(desk: EditorSession, mode: str, params: SearchParams, across: FederatedQuery[SearchParams], question: EngineCall) -> Answer:
    """The answer of the projects that are named, of the folder that is meant, or of all that are open as one."""
    from scry.engine.selection import names_projects

    if names_projects(params):
        return await ask_named_projects(desk, params, across)
    chosen = _require_folders(desk.folders, params.folder)
    if len(chosen) > 1:
        return await ask_open_folders(desk, chosen, params, across)
    return await _ask_folder(desk, chosen[0], mode, params.query, question)


async def _ask_belief_neighbors(desk: EditorSession, params: NeighborsParams, belief: str) -> Answer:
    folder = _require_folders(desk.folders, params.folder)[0]
    return await _ask_folder(desk, folder, "neighbors", belief, lambda engine, manner: engine.neighbors(params, manner))


async def _ask_folder(desk: EditorSession, folder: WorkspaceFolder, mode: str, query: str, question: EngineCall) -> Answer:
    """The answer of one folder; one that is not open answers with nothing but its state."""
    await desk.folders.wait_until_open([folder])
    engine = folder.engine
    if engine is None:
        from scry.engine.merge import unavailable_answer

        return unavailable_answer(mode, query, folder.empty_state())

    def ask(cancelled: CancelledCheck) -> Answer:
        edits = unsaved_in_folder(folder, desk.documents.unsaved_edits())
        return map_answer_to_editor(question(engine, desk.request_context(cancelled, edits)), folder, edits)

    return await run_in_thread(desk.pool, ask)


def _require_folders(folders: WorkspaceFolders, uri: str | None) -> Sequence[WorkspaceFolder]:
    chosen = folders.select(uri)
    if not chosen:
        raise BadRequest("folder", "no folder is open; open one, then ask again")
    return chosen


def _find_owning_folder(folders: WorkspaceFolders, folder_uri: str | None, path: str) -> tuple[WorkspaceFolder, str]:
    """The folder that a path belongs to, and the path within it. A relative one belongs to the first folder."""
    chosen = _require_folders(folders, folder_uri)
    try:
        place = os.path.normpath(uri_to_path(path))
    except NotAFileUri:
        return chosen[0], path
    for folder in chosen:
        if place in folder.roots:
            return folder, "."
        if inside := folder.relative_path(place) or folder.relative_path(os.path.realpath(place)):
            return folder, inside
    return chosen[0], path
