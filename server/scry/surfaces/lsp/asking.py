"""Questions in threads, stopped at once when the asker gives up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from scry.surfaces.lsp.landing import unsaved_in_folder

if TYPE_CHECKING:
    from scry.surfaces.lsp.documents import OpenDocuments
    from scry.surfaces.lsp.folders import WorkspaceFolder
    from scry_protocol.messages import IndexState

T = TypeVar("T")

CancelledCheck = Callable[[], bool]


async def run_in_thread(pool: Executor, work: Callable[[CancelledCheck], T]) -> T:
    """Run `work` in the pool. When the awaiting task is cancelled, the check that `work` was given turns true."""
    stop = threading.Event()
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, work, stop.is_set)
    except asyncio.CancelledError:
        stop.set()
        raise


class PickerRequests:
    """The finds in progress that were asked with a picker's name: a newer one cancels the older."""

    def __init__(self) -> None:
        """None is running yet."""
        self._tasks: dict[str, asyncio.Task[object]] = {}

    @contextmanager
    def supersede(self, name: str | None) -> Generator[None]:
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


async def folder_index_state(folder: WorkspaceFolder, documents: OpenDocuments, pool: Executor) -> IndexState:
    """How this folder's index stands, unsaved files included. Never waits for a folder that is being opened."""
    engine = folder.engine
    if engine is None:
        return folder.empty_state()

    def look(_: CancelledCheck) -> IndexState:
        return engine.status(unsaved=sorted(unsaved_in_folder(folder, documents.unsaved_edits())))

    return await run_in_thread(pool, look)
