"""Record uses, feedback, observations and notes, and list beliefs and projects.

What is done with an answer: it goes to the folder that answered, found by the answer's name.

Knowledge told and looked through: of the person in any folder, of a project in the one that is meant.

The registry, as an editor sees it: with its open folders, and more to be added.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from scry.core.errors import BadRequest
from scry.core.projects import RegisteredProject
from scry.engine.context import CancelledCheck
from scry.surfaces.lsp.session import run_in_thread
from scry.surfaces.lsp.uris import NotAFileUri, uri_to_path
from scry.surfaces.render.prompt import result_clipboard_text
from scry_protocol.messages import (
    Beliefs,
    BeliefsParams,
    BelieveParams,
    FeedbackParams,
    Observed,
    ObserveParams,
    PersonaNotes,
    PersonaParams,
    Projects,
    ProjectsParams,
    Recorded,
    RememberParams,
    UseParams,
)

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.surfaces.lsp.session import EditorSession
    from scry.surfaces.lsp.workspace import WorkspaceFolder, WorkspaceFolders


async def record_use(folders: WorkspaceFolders, pool: Executor, params: UseParams) -> Recorded:
    """A result was used. For a copy, the outcome says what belongs on the clipboard."""

    def act(engine: Engine) -> Recorded:
        recorded = engine.use(params)
        kept = engine.recorder.answers.get(params.query_id) if params.how == "copy" else None
        text = result_clipboard_text(kept.result(params.rank)) if kept else ""
        return msgspec.structs.replace(recorded, text=text)

    return await _run_in_answering_folder(folders, pool, params.query_id, params.folder, act)


async def record_feedback(folders: WorkspaceFolders, pool: Executor, params: FeedbackParams) -> Recorded:
    """An answer was good or bad."""
    return await _run_in_answering_folder(
        folders, pool, params.query_id, params.folder, lambda engine: engine.recorder.feedback(params)
    )


async def record_observation(folders: WorkspaceFolders, pool: Executor, params: ObserveParams) -> Observed:
    """Something is to be remembered, in the folder that is named or the first."""
    chosen = folders.select(params.folder)[:1]
    await folders.wait_until_open(chosen)
    engines = [folder.engine for folder in chosen if folder.engine is not None]
    if not engines:
        raise BadRequest("folder", "no folder is open (yet), so that nothing can be remembered")
    return await run_in_thread(pool, lambda _: engines[0].observe(params))


async def _run_in_answering_folder(
    folders: WorkspaceFolders, pool: Executor, query_id: str, uri: str | None, run: Callable[[Engine], Recorded]
) -> Recorded:
    """Does it with the engine that knows the answer. Raises BadRequest when none does."""
    chosen = folders.select(uri)
    await folders.wait_until_open(chosen)
    engines = [folder.engine for folder in chosen if folder.engine is not None]
    if not engines:
        raise BadRequest("folder", "no folder is open (yet), so that no answer is known")

    def look_and_act(_: Callable[[], bool]) -> Recorded:
        knowing = [engine for engine in engines if engine.recorder.has_answer(query_id)]
        return run((knowing or engines)[0])

    return await run_in_thread(pool, look_and_act)


Outcome = TypeVar("Outcome", PersonaNotes, Beliefs)


async def remember_note(desk: EditorSession, params: RememberParams) -> PersonaNotes:
    """Keeps a note of the person."""
    return await _run_with_engine(desk, params.folder, lambda engine: engine.knowledge.remember(params))


async def list_persona_notes(desk: EditorSession, params: PersonaParams) -> PersonaNotes:
    """The person's notes."""
    return await _run_with_engine(desk, params.folder, lambda engine: engine.knowledge.persona(params))


async def write_belief(desk: EditorSession, params: BelieveParams) -> Beliefs:
    """Writes a belief of the team."""
    return await _run_with_engine(desk, params.folder, lambda engine: engine.knowledge.believe(params))


async def list_beliefs(desk: EditorSession, params: BeliefsParams) -> Beliefs:
    """The project's beliefs."""
    return await _run_with_engine(desk, params.folder, lambda engine: engine.knowledge.beliefs(params))


async def _run_with_engine(desk: EditorSession, uri: str | None, run: Callable[[Engine], Outcome]) -> Outcome:
    """Does it with the engine of that folder, or of the first that is open. Raises BadRequest when none is."""
    chosen = desk.folders.select(uri)
    await desk.folders.wait_until_open(chosen)
    engine = next((folder.engine for folder in chosen if folder.engine is not None), None)
    if engine is None:
        raise BadRequest("folder", "no folder is open (yet); open one, then try again")
    return await run_in_thread(desk.pool, lambda _: run(engine))


async def list_projects(desk: EditorSession, params: ProjectsParams) -> Projects:
    """Lists the projects; registers one first where that is asked for. Raises ScryError."""
    folders = desk.folders.all()
    await desk.folders.wait_until_open(folders)

    def look(_: CancelledCheck) -> Projects:
        from scry.surfaces.serving.projects import list_known_projects, register_project

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
