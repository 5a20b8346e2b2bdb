"""One question to several projects: the open folders, or those that it names, open or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from scry.core.errors import BadRequest
from scry.core.projects import Registered
from scry.surfaces.lsp.asking import CancelledCheck, in_thread, state_of
from scry.surfaces.lsp.landing import land, unsaved_inside
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
    from scry.engine.across import Asked, Open
    from scry.engine.manner import Manner
    from scry.engine.selection import Wanted
    from scry.surfaces.lsp.desk import Desk
    from scry.surfaces.lsp.folders import Folder

Question = TypeVar("Question", FindParams, RecentParams, OrientParams, NeighborsParams)
Across = Callable[[Sequence["Asked"], Question, "Manner"], Answer]


async def ask_named(desk: Desk, params: Question, across: Across[Question], wanted: Wanted | None = None) -> Answer:
    """The answer of the projects that the question names, or that are wanted. Raises ScryError."""
    if params.folder is not None:
        raise BadRequest("projects", "and a folder are named both; name one of them")
    folders = desk.folders.all()
    await desk.folders.settle(folders)

    def ask(cancelled: CancelledCheck) -> Answer:
        opened = [_opened(desk, folder) for folder in folders]
        return desk.elsewhere.projects().across(params, across, desk.manner(cancelled), opened, wanted)

    return await in_thread(desk.pool, ask)


async def ask_open(desk: Desk, folders: Sequence[Folder], params: Question, across: Across[Question]) -> Answer:
    """The answer of these folders, as one. One that is not open (yet) answers with nothing but its state.

    Raises ScryError.
    """
    await desk.folders.settle(folders)

    def ask(cancelled: CancelledCheck) -> Answer:
        from scry.engine.across import leave_across

        asked = [_asked(desk, folder) for folder in folders]
        answer = across(asked, params, desk.manner(cancelled))
        home = next((folder.engine for folder in folders if folder.engine is not None), None)
        return leave_across(home, answer, asked, params, desk.documents.encoding) if home is not None else answer

    return await in_thread(desk.pool, ask)


async def state_of_named(desk: Desk, params: StatusParams) -> IndexState:
    """How the index of a project stands, open or not. Raises UnknownProject."""
    if params.folder is not None:
        raise BadRequest("project", "and a folder are named both; name one of them")
    for folder in desk.folders.all():
        if folder.engine is not None and folder.engine.project.name == params.project:
            return await state_of(folder, desk.documents, desk.pool)
    return await in_thread(desk.pool, lambda _: desk.elsewhere.projects().status(params))


def _opened(desk: Desk, folder: Folder) -> Open:
    from scry.engine.across import Open

    asked = _asked(desk, folder)
    root = folder.engine.project.root if folder.engine is not None else Path(folder.path or "/nowhere")
    return Open(Registered(asked.name, root), asked)


def _asked(desk: Desk, folder: Folder) -> Asked:
    from scry.engine.across import Asked

    engine = folder.engine
    if engine is None:
        return Asked(folder.name, None, failure=folder.failure, state=folder.blank())
    inside = unsaved_inside(folder, desk.documents.unsaved())
    unsaved = tuple(sorted(inside))
    return Asked(engine.project.name, engine, unsaved=unsaved, land=lambda answer: land(answer, folder, inside))
