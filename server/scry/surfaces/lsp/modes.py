"""The modes beside find, asked of the folder that a path belongs to, or of all open folders as one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import msgspec

from scry.core.errors import BadRequest, Cancelled, ScryError
from scry.surfaces.lsp.asking import CancelledCheck, in_thread
from scry.surfaces.lsp.landing import land, unsaved_inside
from scry.surfaces.lsp.uris import NotAFile, uri_to_path
from scry.surfaces.lsp.wire import blank_state
from scry_protocol.messages import Answer, RecentParams

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.surfaces.lsp.documents import Documents
    from scry.surfaces.lsp.edits import Edits
    from scry.surfaces.lsp.folders import Folder, Folders
    from scry_protocol.messages import IndexState

P = TypeVar("P", bound=msgspec.Struct)

Question = Callable[["Engine", tuple[str, ...], CancelledCheck], Answer]
"""Asks an engine; with the folder's unsaved files, and what says that nobody waits any more."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What every question of a session needs."""

    folders: Folders
    documents: Documents
    pool: Executor


async def ask_about(
    desk: Desk, mode: str, folder_uri: str | None, path: str, question: Callable[[str], Question]
) -> Answer:
    """The answer of the folder that a path belongs to. question: made of the path as that folder's engine takes it.

    A folder that is not open answers with nothing but its state. Raises ScryError; BadRequest when no folder is open.
    """
    folder, inside = _owner(desk.folders, folder_uri, path)
    await desk.folders.settle([folder])
    unsaved = await in_thread(desk.pool, lambda _: desk.documents.unsaved())
    engine = folder.engine
    if engine is None:
        return _blank(mode, path, folder.blank())
    return await _ask(desk, folder, engine, unsaved, question(inside))


async def _ask(desk: Desk, folder: Folder, engine: Engine, unsaved: Mapping[str, Edits], question: Question) -> Answer:
    edits = unsaved_inside(folder, unsaved)
    return await in_thread(
        desk.pool, lambda cancelled: land(question(engine, tuple(sorted(edits)), cancelled), folder, edits)
    )


def _owner(folders: Folders, folder_uri: str | None, path: str) -> tuple[Folder, str]:
    """The folder that a path belongs to, and the path within it. A relative one belongs to the first folder."""
    chosen = folders.choose(folder_uri)
    if not chosen:
        raise BadRequest("folder", "no folder is open; open one, then ask again")
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


async def ask_recent(desk: Desk, params: RecentParams) -> Answer:
    """What changed lately in the chosen folders, as one answer. Raises ScryError.

    A folder that is not open answers with nothing but its state, and so does one that fails among several.
    """
    from scry.engine.merge import merge_changes

    chosen = desk.folders.choose(params.folder)
    if not chosen:
        raise BadRequest("folder", "no folder is open; open one, then ask again")
    await desk.folders.settle(chosen)
    unsaved = await in_thread(desk.pool, lambda _: desk.documents.unsaved())
    alone = len(chosen) == 1
    answers = await asyncio.gather(*[_recent(desk, folder, unsaved, params, alone=alone) for folder in chosen])
    home = next((folder.engine for folder in chosen if folder.engine is not None), None)
    if alone or home is None:
        return answers[0]
    merged = merge_changes(answers, [folder.name for folder in chosen], params.limit)
    return await in_thread(desk.pool, lambda _: home.recorder.leave(merged, params, desk.documents.encoding))


async def _recent(
    desk: Desk, folder: Folder, unsaved: Mapping[str, Edits], params: RecentParams, *, alone: bool
) -> Answer:
    def question(engine: Engine, edited: tuple[str, ...], cancelled: CancelledCheck) -> Answer:
        encoding = desk.documents.encoding
        return engine.recent(params, encoding=encoding, unsaved=edited, cancelled=cancelled, is_part=not alone)

    if folder.engine is None:
        return _blank("recent", params.query, folder.blank())
    try:
        return await _ask(desk, folder, folder.engine, unsaved, question)
    except (BadRequest, Cancelled):
        raise
    except ScryError as error:
        if alone:
            raise
        return _blank("recent", params.query, blank_state("failed", f"{folder.name}: {error}"))


def _blank(mode: str, query: str, state: IndexState) -> Answer:
    from scry.engine.merge import blank_answer

    return blank_answer(mode, query, state)
