"""Hold what every request of an editor session needs, and run requests in threads.

Questions in threads, stopped at once when the asker gives up.

The registered projects that are not open in this editor: opened when a question names them, closed when none did for
a while.

What every question of a session needs.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from scry.engine.context import CancelledCheck, RequestContext
from scry.surfaces.lsp.locations import unsaved_in_folder

if TYPE_CHECKING:
    from scry.engine.federation.router import ProjectRouter
    from scry.surfaces.lsp.documents import OpenDocuments
    from scry.surfaces.lsp.workspace import WorkspaceFolder, WorkspaceFolders
    from scry_protocol.messages import IndexState

T = TypeVar("T")


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


class OtherProjects:
    """All projects of this machine, made known when they are first needed. May be used from any thread."""

    def __init__(self) -> None:
        """Imports and opens nothing yet."""
        self._lock = threading.Lock()
        self._projects: ProjectRouter | None = None

    def router(self) -> ProjectRouter:
        """They. No one of them is asked from: the open folders are."""
        from scry.engine.federation.engine_pool import EnginePool, make_engine_opener
        from scry.engine.federation.router import ProjectRouter

        with self._lock:
            if self._projects is None:
                self._projects = ProjectRouter(EnginePool(make_engine_opener("lsp")))
            return self._projects

    def close(self) -> None:
        """Closes those that were opened."""
        with self._lock:
            projects, self._projects = self._projects, None
        if projects is not None:
            projects.close()


class EditorSession(Struct, frozen=True):
    """folders: the open ones. documents: their texts. pool: where questions are answered. elsewhere: other projects."""

    folders: WorkspaceFolders
    documents: OpenDocuments
    pool: Executor
    other_projects: OtherProjects

    def request_context(self, cancelled: CancelledCheck, unsaved: Iterable[str] = ()) -> RequestContext:
        """How this editor asks. unsaved: files, of the folder that is asked, whose text in it is newer."""
        return RequestContext(self.documents.encoding, cancelled, unsaved_paths=sorted(unsaved))
