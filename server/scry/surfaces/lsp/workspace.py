"""Open, track and close the workspace folders, each with an engine of its own.

Engines are opened in threads, so that `initialize` never waits for one. A folder that can't be opened is `failed`, with
the reason, and the others go on. While a folder is being opened a find waits a second for it (most open in less) and
then answers without it, with the state `starting` in the answer: never an error, never a plain "nothing found".
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from scry.core import types
from scry.core.errors import BadRequest, ScryError
from scry.core.notices import COMMAND_LINE
from scry.core.platform import is_below_folder
from scry.core.projects import describe_place
from scry.surfaces.lsp.conversion import empty_index_state, unopened_index_state
from scry.surfaces.lsp.uris import NotAFileUri, uri_to_path

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry_protocol.messages import IndexState

OPEN_TIMEOUT = 1.0
"""Seconds that a find waits for a folder that is being opened."""

log = logging.getLogger(__name__)


class WorkspaceFolder(Struct, eq=False):
    """One open folder.

    uri, path: in the client's spelling; the engine's root has links resolved. failure: why it could not be opened.
    has_reported: whether the indexer has sent a state. head_commit: as of the last state. warmed_version: generation
    and history that were last read ahead. roots: the paths that the folder is known by.
    """

    uri: str
    name: str
    path: str
    engine: Engine | None = None
    failure: str = ""
    opening_task: asyncio.Task[None] | None = None
    is_removed: bool = False
    has_reported: bool = False
    head_commit: str | None = None
    warmed_version: tuple[int, str] | None = None
    roots: tuple[str, ...] = field(default=())

    def empty_state(self) -> IndexState:
        """Return the state of the folder while it has no engine."""
        return empty_index_state("failed", self.failure) if self.failure else empty_index_state("starting")

    def unopened_state(self) -> types.IndexState:
        """Return the state of its index while it has no engine, as a domain value."""
        return unopened_index_state(self.failure)

    def relative_path(self, path: str) -> str | None:
        """Return the path within this folder, with slashes; None when it is elsewhere."""
        for root in self.roots:
            if inside := _relative_path(path, root):
                return inside
        return None


class WorkspaceFolders:
    """All open folders, in the order in which they were opened. Changed on the loop alone; read from any thread."""

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        complete: Callable[[WorkspaceFolder, IndexState], IndexState],
        on_state: Callable[[WorkspaceFolder, IndexState], None],
    ) -> None:
        """Start without folders.

        pool: threads for requests. complete: adds to a state what the engine does not know (unsaved files); it may read
        files, and is called in other threads. on_state: called on the loop with each changed state, completed.
        """
        # Opening may block for long (a dead network drive); it must not take the threads that answer questions.
        self._openers = ThreadPoolExecutor(4, thread_name_prefix="scry-open")
        self._pool = pool
        self._complete = complete
        self._on_state = on_state
        self._folders: dict[str, WorkspaceFolder] = {}
        self._started = False
        self.commands = COMMAND_LINE

    def open_all(self) -> None:
        """Open all folders that were added. Those added later open at once."""
        self._started = True
        for folder in self._folders.values():
            if folder.opening_task is None and not folder.failure:
                self._start_opening(folder)

    def add(self, uri: str, name: str) -> None:
        """Add a folder that was opened in the editor, unless it is open already."""
        try:
            path = _normalize_path(uri_to_path(uri))
        except NotAFileUri as error:
            self._folders.setdefault(uri, WorkspaceFolder(uri, name, "", failure=str(error)))
            return
        if path not in self._folders:
            folder = self._folders[path] = WorkspaceFolder(uri, name, path, roots=(path,))
            if self._started:
                self._start_opening(folder)

    def remove(self, uri: str) -> None:
        """Remove a folder that was closed in the editor."""
        folder = self._folders.pop(_folder_key(uri), None)
        if folder:
            folder.is_removed = True
            if folder.engine:
                self._pool.submit(_close_engine, folder.engine)

    def all(self) -> tuple[WorkspaceFolder, ...]:
        """Return every open folder."""
        return tuple(self._folders.values())

    def select(self, uri: str | None) -> tuple[WorkspaceFolder, ...]:
        """Return the folder with this URI, or all. Raises BadRequest when it is not open."""
        if uri is None:
            return self.all()
        folder = self._folders.get(_folder_key(uri))
        if folder is None:
            known = ", ".join(folder.uri for folder in self.all()) or "none"
            raise BadRequest("folder", f"{uri} is not an open folder (open: {known})")
        return (folder,)

    async def wait_until_open(self, folders: Iterable[WorkspaceFolder], timeout: float = OPEN_TIMEOUT) -> None:
        """Wait until these folders are opened or have failed, at most `timeout` seconds."""
        self.open_all()
        opening = [folder.opening_task for folder in folders if folder.opening_task and not folder.opening_task.done()]
        if opening:
            await asyncio.wait(opening, timeout=timeout)

    def reopen(self, folder: WorkspaceFolder) -> None:
        """Try again to open a folder that failed."""
        if folder.failure and folder.path:
            folder.failure = ""
            self._start_opening(folder)

    def files_changed(self, paths: Sequence[str]) -> None:
        """Notify the folders of files that changed on disk; a folder still being opened will look by itself."""
        self._notify_engines(paths, lambda engine, inside: engine.index.notify_changed(inside))

    def files_saved(self, paths: Sequence[str]) -> None:
        """Notify the folders of files that were saved in the editor, which is also worth remembering."""
        self._notify_engines(paths, lambda engine, inside: engine.notify_saved(inside))

    def _notify_engines(self, paths: Sequence[str], notify: Callable[[Engine, Sequence[str]], None]) -> None:
        for folder in self.all():
            inside = [inner for path in paths if (inner := folder.relative_path(path))]
            if inside and folder.engine:
                self._pool.submit(_log_errors, partial(notify, folder.engine, inside))

    async def close(self, timeout: float) -> None:
        """Close all engines, waiting at most `timeout` seconds."""
        for folder in self._folders.values():
            folder.is_removed = True
        loop = asyncio.get_running_loop()
        engines = [folder.engine for folder in self._folders.values() if folder.engine]
        # Not in the pool: its threads may all be busy answering what nobody waits for any more.
        closing = [loop.run_in_executor(self._openers, _close_engine, engine) for engine in engines]
        if closing:
            await asyncio.wait(closing, timeout=timeout)
        self._openers.shutdown(wait=False, cancel_futures=True)

    def _start_opening(self, folder: WorkspaceFolder) -> None:
        folder.opening_task = asyncio.get_running_loop().create_task(self._open_engine(folder))

    async def _open_engine(self, folder: WorkspaceFolder) -> None:
        loop = asyncio.get_running_loop()
        self._on_state(folder, folder.empty_state())
        try:
            place = describe_place(Path(folder.path), [Path(each.path) for each in self.all()])
            engine = await loop.run_in_executor(self._openers, open_engine, folder.path, place)
        except ScryError as error:
            folder.failure = str(error)
        except Exception as error:
            log.error("%s could not be opened", folder.path, exc_info=error)
            folder.failure = f"{type(error).__name__}: {error}"
        else:
            self._on_opened(folder, engine)
        if folder.failure and not folder.is_removed:
            self._on_state(folder, folder.empty_state())

    def _on_opened(self, folder: WorkspaceFolder, engine: Engine) -> None:
        if folder.is_removed:
            self._pool.submit(_close_engine, engine)
            return
        folder.engine = engine
        folder.roots = (folder.path, _normalize_path(str(engine.project.root)))
        loop = asyncio.get_running_loop()

        def report(state: IndexState, listener: Callable[[WorkspaceFolder, IndexState], None]) -> None:
            completed = self._complete(folder, state)
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(listener, folder, completed)

        engine.subscribe(lambda state: report(state, self._on_engine_state), self.commands)
        self._pool.submit(lambda: report(engine.status(commands=self.commands), self._on_initial_state))

    def _on_engine_state(self, folder: WorkspaceFolder, state: IndexState) -> None:
        folder.has_reported = True
        if not folder.is_removed:
            if folder.engine and state.head_commit != folder.head_commit:
                self._pool.submit(_log_errors, partial(folder.engine.notify_head_moved, folder.head_commit))
                folder.head_commit = state.head_commit
            self._warm_up(folder, state)
            self._on_state(folder, state)

    def _warm_up(self, folder: WorkspaceFolder, state: IndexState) -> None:
        """Read the index ahead of questions: once at the opening, and again whenever a new state is ready."""
        version = (state.generation, state.history)
        is_due = state.state == "ready" or (state.generation > 0 and folder.warmed_version is None)
        if folder.engine and is_due and version != folder.warmed_version:
            folder.warmed_version = version
            self._openers.submit(_log_errors, folder.engine.warm_up)

    def _on_initial_state(self, folder: WorkspaceFolder, state: IndexState) -> None:
        """Report the state as of the opening, unless the indexer has sent a newer one."""
        if not folder.has_reported:
            self._on_engine_state(folder, state)


def open_engine(path: str, place: str = "") -> Engine:
    """Open the engine of a folder. Imported only here: `initialize` has been answered by then. Raises ScryError.

    place: as of `open_project`.
    """
    from scry.core.settings import load_settings
    from scry.engine.engine import Engine

    root = Path(path)
    return Engine.open(root, load_settings(root, os.environ), surface="lsp", place=place)


def _close_engine(engine: Engine) -> None:
    try:
        engine.close()
    except Exception as error:
        log.error("an engine could not be closed", exc_info=error)


def _log_errors(action: Callable[[], None]) -> None:
    try:
        action()
    except Exception as error:
        log.warning("%s", error, exc_info=error)


def _folder_key(uri: str) -> str:
    try:
        return _normalize_path(uri_to_path(uri))
    except NotAFileUri:
        return uri


def _normalize_path(path: str) -> str:
    return os.path.normpath(path)


def _relative_path(path: str, root: str) -> str | None:
    """Return the part of `path` below `root`, with slashes; None when it is not below. Links are not followed."""
    path, base = os.path.normpath(path), root.rstrip(os.sep) + os.sep
    if not is_below_folder(path, base):
        return None
    return path[len(base) :].replace(os.sep, "/")
