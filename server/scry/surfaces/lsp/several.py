"""One question to several projects: the open folders, or those that it names, open or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from scry.core.errors import BadRequest
from scry.core.projects import RegisteredProject
from scry.surfaces.lsp.asking import CancelledCheck, run_in_thread, folder_index_state
from scry.surfaces.lsp.landing import map_answer_to_editor, unsaved_in_folder
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
    from scry.engine.across import Participant, OpenProject
    from scry.engine.manner import RequestContext
    from scry.engine.selection import RequestedProjects
    from scry.surfaces.lsp.desk import EditorSession
    from scry.surfaces.lsp.folders import WorkspaceFolder

QueryParams = TypeVar("Question", FindParams, RecentParams, OrientParams, NeighborsParams)
FederatedQuery = Callable[[Sequence["Participant"], QueryParams, "RequestContext"], Answer]


async def ask_named_projects(desk: EditorSession, params: QueryParams, across: FederatedQuery[QueryParams], wanted: RequestedProjects | None = None) -> Answer:
    """The answer of the projects that the question names, or that are wanted. Raises ScryError."""
    if params.folder is not None:
        raise BadRequest("projects", "and a folder are named both; name one of them")
    folders = desk.folders.all()
    await desk.folders.wait_until_open(folders)

    def ask(cancelled: CancelledCheck) -> Answer:
        opened = [_to_open_project(desk, folder) for folder in folders]
        return desk.other_projects.router().ask_projects(params, across, desk.request_context(cancelled), opened, wanted)

    return await run_in_thread(desk.pool, ask)


async def ask_open_folders(desk: EditorSession, folders: Sequence[WorkspaceFolder], params: QueryParams, across: FederatedQuery[QueryParams]) -> Answer:
    """The answer of these folders, as one. One that is not open (yet) answers with nothing but its state.

    Raises ScryError.
    """
    await desk.folders.wait_until_open(folders)

    def ask(cancelled: CancelledCheck) -> Answer:
        from scry.engine.across import record_merged_answer

        asked = [_to_participant(desk, folder) for folder in folders]
        answer = across(asked, params, desk.request_context(cancelled))
        home = next((folder.engine for folder in folders if folder.engine is not None), None)
        return record_merged_answer(home, answer, asked, params, desk.documents.encoding) if home is not None else answer

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
    from scry.engine.across import OpenProject

    asked = _to_participant(desk, folder)
    root = folder.engine.project.root if folder.engine is not None else Path(folder.path or "/nowhere")
    return OpenProject(RegisteredProject(asked.name, root), asked)


def _to_participant(desk: EditorSession, folder: WorkspaceFolder) -> Participant:
    from scry.engine.across import Participant

    engine = folder.engine
    if engine is None:
        return Participant(folder.name, None, failure=folder.failure, state=folder.empty_state())
    inside = unsaved_in_folder(folder, desk.documents.unsaved_edits())
    unsaved = tuple(sorted(inside))
    return Participant(engine.project.name, engine, unsaved_paths=unsaved, map_to_editor=lambda answer: map_answer_to_editor(answer, folder, inside))
