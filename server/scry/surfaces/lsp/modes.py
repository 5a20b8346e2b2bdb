"""The modes: asked of the folder that a path is in, of all open folders as one, or of the projects that are named."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from scry.core.doc_id import split_project
from scry.core.errors import BadRequest
from scry.surfaces.lsp.asking import CancelledCheck, in_thread
from scry.surfaces.lsp.landing import land, unsaved_inside
from scry.surfaces.lsp.several import Across, ask_named, ask_open
from scry.surfaces.lsp.uris import NotAFile, uri_to_path
from scry_protocol.messages import Answer, FindParams, NeighborsParams, OrientParams, RecentParams

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.engine.manner import Manner
    from scry.surfaces.lsp.desk import Desk
    from scry.surfaces.lsp.folders import Folder, Folders

Asked = TypeVar("Asked", FindParams, RecentParams)
Question = Callable[["Engine", "Manner"], Answer]
"""Asks an engine, in the manner of this editor."""


async def ask_find(desk: Desk, params: FindParams) -> Answer:
    """Where is X? Raises ScryError; BadRequest when no folder is open."""
    from scry.engine.across import find_across

    return await _ask_any(desk, "find", params, find_across, lambda engine, manner: engine.find(params, manner))


async def ask_recent(desk: Desk, params: RecentParams) -> Answer:
    """What changed lately? As `ask_find`."""
    from scry.engine.recent_across import recent_across

    return await _ask_any(desk, "recent", params, recent_across, lambda engine, manner: engine.recent(params, manner))


async def ask_orient(desk: Desk, params: OrientParams) -> Answer:
    """What matters here? Of the folder that the path belongs to; as `ask_find` otherwise."""
    from scry.engine.across import orient_across
    from scry.engine.selection import names_projects

    name, path = split_project(params.path)
    if name and not names_projects(params):
        params = msgspec.structs.replace(params, path=path, projects=[name])
    if names_projects(params):
        return await ask_named(desk, params, orient_across)
    folder, inside = _owner(desk.folders, params.folder, params.path)
    asked = msgspec.structs.replace(params, path=inside)
    return await _ask(desk, folder, "orient", params.path, lambda engine, manner: engine.orient(asked, manner))


async def ask_neighbors(desk: Desk, params: NeighborsParams) -> Answer:
    """What belongs to this file? Of the project that is named before it, or the folder that it belongs to."""
    if params.belief is not None:
        return await _ask_about_belief(desk, params, params.belief)
    name, file = split_project(params.file)
    if name:
        from scry.engine.across import neighbors_across
        from scry.engine.selection import Wanted

        inside = msgspec.structs.replace(params, file=file)
        return await ask_named(desk, inside, neighbors_across, Wanted([name]))
    folder, place = _owner(desk.folders, params.folder, file)
    asked = msgspec.structs.replace(params, file=place)
    return await _ask(desk, folder, "neighbors", params.file, lambda engine, manner: engine.neighbors(asked, manner))


async def _ask_any(desk: Desk, mode: str, params: Asked, across: Across[Asked], question: Question) -> Answer:
    """The answer of the projects that are named, of the folder that is meant, or of all that are open as one."""
    from scry.engine.selection import names_projects

    if names_projects(params):
        return await ask_named(desk, params, across)
    chosen = _chosen(desk.folders, params.folder)
    if len(chosen) > 1:
        return await ask_open(desk, chosen, params, across)
    return await _ask(desk, chosen[0], mode, params.query, question)


async def _ask_about_belief(desk: Desk, params: NeighborsParams, belief: str) -> Answer:
    folder = _chosen(desk.folders, params.folder)[0]
    return await _ask(desk, folder, "neighbors", belief, lambda engine, manner: engine.neighbors(params, manner))


async def _ask(desk: Desk, folder: Folder, mode: str, query: str, question: Question) -> Answer:
    """The answer of one folder; one that is not open answers with nothing but its state."""
    await desk.folders.settle([folder])
    engine = folder.engine
    if engine is None:
        from scry.engine.merge import blank_answer

        return blank_answer(mode, query, folder.blank())

    def ask(cancelled: CancelledCheck) -> Answer:
        edits = unsaved_inside(folder, desk.documents.unsaved())
        return land(question(engine, desk.manner(cancelled, edits)), folder, edits)

    return await in_thread(desk.pool, ask)


def _chosen(folders: Folders, uri: str | None) -> Sequence[Folder]:
    chosen = folders.choose(uri)
    if not chosen:
        raise BadRequest("folder", "no folder is open; open one, then ask again")
    return chosen


def _owner(folders: Folders, folder_uri: str | None, path: str) -> tuple[Folder, str]:
    """The folder that a path belongs to, and the path within it. A relative one belongs to the first folder."""
    chosen = _chosen(folders, folder_uri)
    try:
        place = os.path.normpath(uri_to_path(path))
    except NotAFile:
        return chosen[0], path
    for folder in chosen:
        if place in folder.roots:
            return folder, "."
        if inside := folder.relative(place) or folder.relative(os.path.realpath(place)):
            return folder, inside
    return chosen[0], path
