"""The open workspace folders, each with an engine of its own.

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

from scry.core.errors import BadRequest, ScryError
from scry.surfaces.lsp.uris import NotAFile, uri_to_path
from scry.surfaces.lsp.wire import blank_state

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry_protocol.messages import IndexState

OPEN_PATIENCE = 1.0
"""Seconds that a find waits for a folder that is being opened."""

log = logging.getLogger(__name__)


class Folder(Struct, eq=False):
    """One open folder. `uri` and `path` are the client's spelling; the engine's root has links resolved."""

    uri: str
    name: str
    path: str
    engine: Engine | None = None
    failure: str = ""
    opening: asyncio.Task[None] | None = None
    removed: bool = False
    heard: bool = False
    head: str | None = None
    warmed: tuple[int, str] | None = None
    roots: tuple[str, ...] = field(default=())

    def blank(self) -> IndexState:
        """Its state while it has no engine."""
        return blank_state("failed", self.failure) if self.failure else blank_state("starting")

    def relative(self, path: str) -> str | None:
        """The path within this folder, with slashes; None when it is elsewhere."""
        for root in self.roots:
            if inside := _relative(path, root):
                return inside
        return None


class Folders:
    """All open folders, in the order in which they were opened. Used on the loop alone."""

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        complete: Callable[[Folder, IndexState], IndexState],
        on_state: Callable[[Folder, IndexState], None],
    ) -> None:
        """`on_state` is called on the loop whenever the state of a folder changes, with what `complete` made of it.

        `complete` adds what the engine does not know (unsaved files). It may read files; it is called in other threads.
        """
        # Opening may block for long (a dead network drive); it must not take the threads that answer questions.
        self._openers = ThreadPoolExecutor(4, thread_name_prefix="scry-open")
        self._pool = pool
        self._complete = complete
        self._on_state = on_state
        self._folders: dict[str, Folder] = {}
        self._started = False

    def start(self) -> None:
        """Open all folders that were added. Those added later open at once."""
        self._started = True
        for folder in self._folders.values():
            if folder.opening is None and not folder.failure:
                self._open(folder)

    def add(self, uri: str, name: str) -> None:
        """A folder was opened in the editor. One that is open already is left alone."""
        try:
            path = _normal(uri_to_path(uri))
        except NotAFile as error:
            self._folders.setdefault(uri, Folder(uri, name, "", failure=str(error)))
            return
        if path not in self._folders:
            folder = self._folders[path] = Folder(uri, name, path, roots=(path,))
            if self._started:
                self._open(folder)

    def remove(self, uri: str) -> None:
        """A folder was closed in the editor."""
        folder = self._folders.pop(_key(uri), None)
        if folder:
            folder.removed = True
            if folder.engine:
                self._pool.submit(_close, folder.engine)

    def all(self) -> tuple[Folder, ...]:
        """Every open folder."""
        return tuple(self._folders.values())

    def choose(self, uri: str | None) -> tuple[Folder, ...]:
        """The folder with this URI, or all. Raises BadRequest when it is not open."""
        if uri is None:
            return self.all()
        folder = self._folders.get(_key(uri))
        if folder is None:
            known = ", ".join(folder.uri for folder in self.all()) or "none"
            raise BadRequest("folder", f"{uri} is not an open folder (open: {known})")
        return (folder,)

    async def settle(self, folders: Iterable[Folder], patience: float = OPEN_PATIENCE) -> None:
        """Wait until these folders are opened or have failed, at most `patience` seconds."""
        self.start()
        opening = [folder.opening for folder in folders if folder.opening and not folder.opening.done()]
        if opening:
            await asyncio.wait(opening, timeout=patience)

    def reopen(self, folder: Folder) -> None:
        """Try again to open a folder that failed."""
        if folder.failure and folder.path:
            folder.failure = ""
            self._open(folder)

    def changed(self, paths: Sequence[str]) -> None:
        """Files changed on disk: tell the folders that hold them. A folder still being opened will look for itself."""
        self._tell(paths, lambda engine, inside: engine.index.changed(inside))

    def saved(self, paths: Sequence[str]) -> None:
        """Files were saved in the editor: the same, and that is remembered."""
        self._tell(paths, lambda engine, inside: engine.saved(inside))

    def _tell(self, paths: Sequence[str], tell: Callable[[Engine, Sequence[str]], None]) -> None:
        for folder in self.all():
            inside = [inner for path in paths if (inner := folder.relative(path))]
            if inside and folder.engine:
                self._pool.submit(_try, partial(tell, folder.engine, inside))

    async def close(self, timeout: float) -> None:
        """Close all engines, waiting at most `timeout` seconds."""
        for folder in self._folders.values():
            folder.removed = True
        loop = asyncio.get_running_loop()
        engines = [folder.engine for folder in self._folders.values() if folder.engine]
        # Not in the pool: its threads may all be busy answering what nobody waits for any more.
        closing = [loop.run_in_executor(self._openers, _close, engine) for engine in engines]
        if closing:
            await asyncio.wait(closing, timeout=timeout)
        self._openers.shutdown(wait=False, cancel_futures=True)

    def _open(self, folder: Folder) -> None:
        folder.opening = asyncio.get_running_loop().create_task(self._open_engine(folder))

    async def _open_engine(self, folder: Folder) -> None:
        loop = asyncio.get_running_loop()
        self._on_state(folder, folder.blank())
        try:
            engine = await loop.run_in_executor(self._openers, open_engine, folder.path)
        except ScryError as error:
            folder.failure = str(error)
        except Exception as error:
            log.error("%s could not be opened", folder.path, exc_info=error)
            folder.failure = f"{type(error).__name__}: {error}"
        else:
            self._opened(folder, engine)
        if folder.failure and not folder.removed:
            self._on_state(folder, folder.blank())

    def _opened(self, folder: Folder, engine: Engine) -> None:
        if folder.removed:
            self._pool.submit(_close, engine)
            return
        folder.engine = engine
        folder.roots = (folder.path, _normal(str(engine.project.root)))
        loop = asyncio.get_running_loop()

        def tell(state: IndexState, hear: Callable[[Folder, IndexState], None]) -> None:
            completed = self._complete(folder, state)
            with suppress(RuntimeError):  # the loop is closed: nobody wants to hear
                loop.call_soon_threadsafe(hear, folder, completed)

        engine.subscribe(lambda state: tell(state, self._heard))
        self._pool.submit(lambda: tell(engine.status(), self._heard_first))

    def _heard(self, folder: Folder, state: IndexState) -> None:
        folder.heard = True
        if not folder.removed:
            if folder.engine and state.head_commit != folder.head:
                self._pool.submit(_try, partial(folder.engine.head_moved, folder.head))
                folder.head = state.head_commit
            self._warm_up(folder, state)
            self._on_state(folder, state)

    def _warm_up(self, folder: Folder, state: IndexState) -> None:
        """What there is at the opening, and what is new whenever all is indexed, is read before somebody asks."""
        seen = (state.generation, state.history)
        is_due = state.state == "ready" or (state.generation > 0 and folder.warmed is None)
        if folder.engine and is_due and seen != folder.warmed:
            folder.warmed = seen
            self._openers.submit(_try, folder.engine.warm_up)

    def _heard_first(self, folder: Folder, state: IndexState) -> None:
        """What was known at the opening; worth nothing once the indexer has spoken, for it may come after that."""
        if not folder.heard:
            self._heard(folder, state)


def open_engine(path: str) -> Engine:
    """The engine of a folder. Imports it only now: `initialize` has been answered by then. Raises ScryError."""
    from scry.core.settings import load_settings
    from scry.engine.engine import Engine

    root = Path(path)
    return Engine.open(root, load_settings(root, os.environ), surface="lsp")


def _close(engine: Engine) -> None:
    try:
        engine.close()
    except Exception as error:
        log.error("an engine could not be closed", exc_info=error)


def _try(tell: Callable[[], None]) -> None:
    try:
        tell()
    except Exception as error:
        log.warning("%s", error, exc_info=error)


def _key(uri: str) -> str:
    try:
        return _normal(uri_to_path(uri))
    except NotAFile:
        return uri


def _normal(path: str) -> str:
    return os.path.normpath(path)


def _relative(path: str, root: str) -> str | None:
    """The part of `path` below `root`, with slashes; None when it is not below. Links are not followed."""
    path, base = os.path.normpath(path), root.rstrip(os.sep) + os.sep
    if not os.path.normcase(path).startswith(os.path.normcase(base)):
        return None
    return path[len(base) :].replace(os.sep, "/")
