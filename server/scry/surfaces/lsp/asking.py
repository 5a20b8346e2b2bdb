"""One question to all open folders: each engine in a thread of its own, stopped at once when the asker gives up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import msgspec

from scry.core.errors import BadRequest, Cancelled, ScryError
from scry.surfaces.lsp.landing import land, unsaved_inside
from scry.surfaces.lsp.wire import blank_state

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.surfaces.lsp.documents import Documents
    from scry.surfaces.lsp.folders import Folder, Folders
    from scry_protocol.messages import Answer, FindParams, IndexState

T = TypeVar("T")

CancelledCheck = Callable[[], bool]


async def in_thread(pool: Executor, work: Callable[[CancelledCheck], T]) -> T:
    """Run `work` in the pool. When the awaiting task is cancelled, the check that `work` was given turns true."""
    stop = threading.Event()
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, work, stop.is_set)
    except asyncio.CancelledError:
        stop.set()
        raise


class Pickers:
    """The finds in progress that were asked with a picker's name: a newer one cancels the older."""

    def __init__(self) -> None:
        """None is running yet."""
        self._tasks: dict[str, asyncio.Task[object]] = {}

    @contextmanager
    def turn(self, name: str | None) -> Generator[None]:
        """While inside, the current task is the one of this picker."""
        task = asyncio.current_task()
        if name is None or task is None:
            yield
            return
        older = self._tasks.get(name)
        if older:
            older.cancel()
        self._tasks[name] = task
        try:
            yield
        finally:
            if self._tasks.get(name) is task:
                del self._tasks[name]


async def ask(folders: Folders, documents: Documents, pool: Executor, params: FindParams) -> Answer:
    """The answer of the chosen folders, as one. Raises ScryError.

    A folder that is not open answers with nothing but its state, and so does one that fails among several.
    """
    from scry.engine.merge import merge

    chosen = folders.choose(params.folder)
    await folders.settle(chosen)
    alone = len(chosen) == 1
    asked = [_ask_folder(folder, params, documents, pool, alone) for folder in chosen]
    answers = await asyncio.gather(*asked)
    # `merge` takes the scoring from the first answer: one that searched goes before one that could not.
    merged = merge(sorted(answers, key=lambda answer: not answer.scoring.weights), params.limit)
    home = next((folder.engine for folder in chosen if folder.engine is not None), None)
    if alone or home is None:
        return merged
    return await in_thread(pool, lambda _: _leave(home, merged, params, documents.encoding))


def _leave(home: Engine, merged: Answer, params: FindParams, encoding: str) -> Answer:
    """The answer of several folders has a name of its own, which the first of them knows."""
    from scry.engine.query_id import new_query_id

    named = msgspec.structs.replace(merged, query_id=new_query_id())
    return home.recorder.leave(named, params, encoding)


async def _ask_folder(folder: Folder, params: FindParams, documents: Documents, pool: Executor, alone: bool) -> Answer:
    engine = folder.engine
    if engine is None:
        return empty_answer(params, folder.blank())

    def search(cancelled: CancelledCheck) -> Answer:
        inside = unsaved_inside(folder, documents.unsaved())
        unsaved, encoding = sorted(inside), documents.encoding
        found = engine.find(params, encoding=encoding, unsaved=unsaved, cancelled=cancelled, is_part=not alone)
        return land(found, folder, inside)

    try:
        return await in_thread(pool, search)
    except (BadRequest, Cancelled):
        raise
    except ScryError as error:
        if alone:
            raise
        return empty_answer(params, blank_state("failed", f"{folder.name}: {error}"))


def empty_answer(params: FindParams, state: IndexState) -> Answer:
    """What can be said of a folder that can't be searched (yet): nothing but how its index stands."""
    from scry.engine.notice import with_notice
    from scry.engine.query_id import new_query_id
    from scry_protocol.messages import Answer, Scoring

    blank = Answer(
        query=params.query,
        mode="find",
        query_id=new_query_id(),
        intent=params.intent or "general",
        scoring=Scoring(k=60, depth=200, weights={}, ceiling=0.0),
        index=state,
        results=[],
        faults=[],
    )
    return with_notice(blank)


async def state_of(folder: Folder, documents: Documents, pool: Executor) -> IndexState:
    """How this folder's index stands, unsaved files included. Never waits for a folder that is being opened."""
    engine = folder.engine
    if engine is None:
        return folder.blank()

    def look(_: CancelledCheck) -> IndexState:
        return engine.status(unsaved=sorted(unsaved_inside(folder, documents.unsaved())))

    return await in_thread(pool, look)
