"""Answer find, orient, recent, neighbors and status for open folders and named projects.

One question to several projects: the open folders, or those that it names, open or not.

The modes: asked of the folder that a path is in, of all open folders as one, or of the projects that are named.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest
from scry.core.projects import RegisteredProject
from scry.engine.context import CancelledCheck
from scry.surfaces.lsp.locations import map_answer_to_editor, unsaved_in_folder
from scry.surfaces.lsp.session import folder_index_state, run_in_thread
from scry.surfaces.lsp.uris import NotAFileUri, uri_to_path
from scry_protocol.messages import (
    Answer,
    FindParams,
    IndexState,
    NeighborsParams,
    OrientParams,
    RecentParams,
    StatusParams,
)

if TYPE_CHECKING:
    from scry.engine.context import RequestContext, RequestedProjects
    from scry.engine.engine import Engine
    from scry.engine.federation.fan_out import OpenProject, Participant
    from scry.surfaces.lsp.session import EditorSession
    from scry.surfaces.lsp.workspace import WorkspaceFolder, WorkspaceFolders

QueryParams = TypeVar("QueryParams", FindParams, RecentParams, OrientParams, NeighborsParams)
FederatedQuery = Callable[[Sequence["Participant"], QueryParams, "RequestContext"], Answer]


async def ask_named_projects(
    desk: EditorSession,
    params: QueryParams,
    across: FederatedQuery[QueryParams],
    wanted: RequestedProjects | None = None,
) -> Answer:
    """The answer of the projects that the question names, or that are wanted. Raises ScryError."""
    if params.folder is not None:
        raise BadRequest("projects", "and a folder are named both; name one of them")
    folders = desk.folders.all()
    await desk.folders.wait_until_open(folders)

    def ask(cancelled: CancelledCheck) -> Answer:
        opened = [_to_open_project(desk, folder) for folder in folders]
        return desk.other_projects.router().ask_projects(
            params, across, desk.request_context(cancelled), opened, wanted
        )

    return await run_in_thread(desk.pool, ask)


async def ask_open_folders(
    desk: EditorSession, folders: Sequence[WorkspaceFolder], params: QueryParams, across: FederatedQuery[QueryParams]
) -> Answer:
    """The answer of these folders, as one. One that is not open (yet) answers with nothing but its state.

    Raises ScryError.
    """
    await desk.folders.wait_until_open(folders)

    def ask(cancelled: CancelledCheck) -> Answer:
        from scry.engine.federation.fan_out import record_merged_answer

        asked = [_to_participant(desk, folder) for folder in folders]
        answer = across(asked, params, desk.request_context(cancelled))
        home = next((folder.engine for folder in folders if folder.engine is not None), None)
        return (
            record_merged_answer(home, answer, asked, params, desk.documents.encoding) if home is not None else answer
        )

    return await run_in_thread(desk.pool, ask)


async def named_project_state(desk: EditorSession, params: StatusParams) -> IndexState:
    """How the index of a project stands, open or not. Raises UnknownProject."""
    if params.folder is not None:
        raise BadRequest("project", "and a folder are named both; name one of them")
    for folder in desk.folders.all():
        if folder.engine is not None and folder.engine.project.name == params.project:
            return await folder_index_state(folder, desk.documents, desk.pool)
    return await run_in_thread(desk.pool, lambda _: desk.other_projects.router().status(params))


def _to_open_project(desk: EditorSession, folder: WorkspaceFolder) -> OpenProject:
    from scry.engine.federation.fan_out import OpenProject

    asked = _to_participant(desk, folder)
    root = folder.engine.project.root if folder.engine is not None else Path(folder.path or "/nowhere")
    return OpenProject(RegisteredProject(asked.name, root), asked)


def _to_participant(desk: EditorSession, folder: WorkspaceFolder) -> Participant:
    from scry.engine.federation.fan_out import Participant

    engine = folder.engine
    if engine is None:
        return Participant(folder.name, None, failure=folder.failure, state=folder.empty_state())
    inside = unsaved_in_folder(folder, desk.documents.unsaved_edits())
    unsaved = tuple(sorted(inside))
    return Participant(
        engine.project.name,
        engine,
        unsaved_paths=unsaved,
        map_to_editor=lambda answer: map_answer_to_editor(answer, folder, inside),
    )


SearchParams = TypeVar("SearchParams", FindParams, RecentParams)
EngineCall = Callable[["Engine", "RequestContext"], Answer]
"""Asks an engine, in the manner of this editor."""


async def answer_find(desk: EditorSession, params: FindParams) -> Answer:
    """Where is X? Raises ScryError; BadRequest when no folder is open."""
    from scry.engine.federation.fan_out import find_in_projects

    return await _ask_selected_projects(
        desk, "find", params, find_in_projects, lambda engine, manner: engine.find(params, manner)
    )


async def answer_recent(desk: EditorSession, params: RecentParams) -> Answer:
    """What changed lately? As `ask_find`."""
    from scry.engine.federation.recent import recent_in_projects

    return await _ask_selected_projects(
        desk, "recent", params, recent_in_projects, lambda engine, manner: engine.recent(params, manner)
    )


async def answer_orient(desk: EditorSession, params: OrientParams) -> Answer:
    """What matters here? Of the folder that the path belongs to; as `ask_find` otherwise."""
    from scry.engine.context import names_projects
    from scry.engine.federation.fan_out import orient_in_projects

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
        from scry.engine.context import RequestedProjects
        from scry.engine.federation.fan_out import neighbors_in_projects

        inside = msgspec.structs.replace(params, file=file)
        return await ask_named_projects(desk, inside, neighbors_in_projects, RequestedProjects([name]))
    folder, place = _find_owning_folder(desk.folders, params.folder, file)
    asked = msgspec.structs.replace(params, file=place)
    return await _ask_folder(
        desk, folder, "neighbors", params.file, lambda engine, manner: engine.neighbors(asked, manner)
    )


async def _ask_selected_projects(
    desk: EditorSession, mode: str, params: SearchParams, across: FederatedQuery[SearchParams], question: EngineCall
) -> Answer:
    """The answer of the projects that are named, of the folder that is meant, or of all that are open as one."""
    from scry.engine.context import names_projects

    if names_projects(params):
        return await ask_named_projects(desk, params, across)
    chosen = _require_folders(desk.folders, params.folder)
    if len(chosen) > 1:
        return await ask_open_folders(desk, chosen, params, across)
    return await _ask_folder(desk, chosen[0], mode, params.query, question)


async def _ask_belief_neighbors(desk: EditorSession, params: NeighborsParams, belief: str) -> Answer:
    folder = _require_folders(desk.folders, params.folder)[0]
    return await _ask_folder(desk, folder, "neighbors", belief, lambda engine, manner: engine.neighbors(params, manner))


async def _ask_folder(
    desk: EditorSession, folder: WorkspaceFolder, mode: str, query: str, question: EngineCall
) -> Answer:
    """The answer of one folder; one that is not open answers with nothing but its state."""
    await desk.folders.wait_until_open([folder])
    engine = folder.engine
    if engine is None:
        from scry.engine.response.merged import unavailable_answer

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
