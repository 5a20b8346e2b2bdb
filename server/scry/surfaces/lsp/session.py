"""Show the editor's open folders to the router, and run each request in a thread that stops when nobody waits.

`EditorWorkspace` and `EditorFolder` are the router's Workspace and OpenProject for the folders of an editor: they add
what only an editor has, texts that are not saved yet and its own spelling of paths.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

import msgspec

from scry.core.doc_id import file_doc_id
from scry.core.errors import BadRequest, IndexUnavailable, ScryError
from scry.core.projects import RegisteredProject
from scry.engine.context import CancelledCheck, RequestContext
from scry.engine.federation.selection import split_off_requested
from scry.engine.response.answer import RequestedProjects
from scry.surfaces.lsp.locations import map_result_to_editor, unsaved_in_folder
from scry.surfaces.lsp.uris import NotAFileUri, uri_to_path

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.engine.federation.fan_out import Participant
    from scry.engine.federation.router import ProjectRouter
    from scry.surfaces.lsp.documents import OpenDocuments
    from scry.surfaces.lsp.workspace import WorkspaceFolder, WorkspaceFolders

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
    """The requests in progress that carry a picker's name: a newer one cancels the older."""

    def __init__(self) -> None:
        """Start with none in progress."""
        self._tasks: dict[str, asyncio.Task[object]] = {}

    @contextmanager
    def supersede(self, name: str | None) -> Generator[None]:
        """Make the current task the one of this picker until the `with` ends."""
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


class EditorFolder:
    """An open folder as the router asks it. Every method may be called from any thread."""

    def __init__(self, folder: WorkspaceFolder, documents: OpenDocuments) -> None:
        """Take the folder as it is when it is asked. documents: the editor's texts."""
        self._folder = folder
        self._documents = documents

    @property
    def root(self) -> Path | None:
        """The engine's root, the editor's path while there is no engine; None for a URI that names no path."""
        if self._folder.engine is not None:
            return self._folder.engine.project.root
        return Path(self._folder.path) if self._folder.path else None

    def identify(self) -> RegisteredProject:
        """Return the name and folder of the project, also while its engine is still to be opened, or can't be."""
        engine = self._folder.engine
        name = engine.project.name if engine is not None else self._folder.name
        return RegisteredProject(name, self.root or Path("/nowhere"))

    @contextmanager
    def borrow(self) -> Generator[Engine | None]:
        """Hold the engine, which is open as long as the folder is."""
        yield self._folder.engine

    @contextmanager
    def participate(self) -> Generator[Participant]:
        """Hold the engine with the unsaved files of its folder, or the state that keeps it from being asked."""
        from scry.engine.federation.fan_out import Participant, return_unchanged

        folder, engine = self._folder, self._folder.engine
        if engine is None:
            yield Participant(folder.name, None, failure=folder.failure, state=folder.unopened_state())
            return
        unsaved = unsaved_in_folder(folder, self._documents.unsaved_edits())
        is_mapped = unsaved or len(set(folder.roots)) > 1
        yield Participant(
            engine.project.name,
            engine,
            unsaved_paths=tuple(sorted(unsaved)),
            map_to_editor=(lambda result: map_result_to_editor(result, folder, unsaved))
            if is_mapped
            else return_unchanged,
        )

    def locate_path(self, path: str) -> str | None:
        """Return the path within the folder that a file URI names, `.` for the folder itself; None for all others."""
        try:
            absolute = os.path.normpath(uri_to_path(path))
        except NotAFileUri:
            return None
        if absolute in self._folder.roots:
            return "."
        inside = self._folder.relative_path(absolute) or self._folder.relative_path(os.path.realpath(absolute))
        return inside or None

    def locate_document(self, doc_id: str) -> str | None:
        """Return the doc_id within the folder of a file URI or an absolute path; the part after the path stays."""
        path, mark, rest = doc_id.partition("::")
        if not mark:
            path, mark, rest = doc_id.partition("#")
        try:
            path = uri_to_path(path) if path[:5].lower() == "file:" else path
        except NotAFileUri:
            return None
        relative = self._folder.relative_path(path)
        return f"{file_doc_id(relative)}{mark}{rest}" if relative else None


_MISSING_ERRORS: Mapping[str, Callable[[], ScryError]] = MappingProxyType(
    {
        "why": lambda: IndexUnavailable("No folder is open (yet), so that nothing is known of this."),
        "detail": lambda: IndexUnavailable("No folder is open (yet), so that nothing is known of this."),
        "use": lambda: BadRequest("folder", "no folder is open (yet), so that no answer is known"),
        "feedback": lambda: BadRequest("folder", "no folder is open (yet), so that no answer is known"),
        "observe": lambda: BadRequest("folder", "no folder is open (yet), so that nothing can be remembered"),
        "index": lambda: IndexUnavailable("No folder is open."),
    }
)
"""The error of each mode while no folder is open."""

_KNOWLEDGE_MODES = ("remember", "persona", "believe", "beliefs", "memory", "session")

REFUSED_WHILE_OPENING = frozenset((*_MISSING_ERRORS, *_KNOWLEDGE_MODES))
"""The modes without an answer that says that the index is still being opened: they wait for it."""


class EditorWorkspace:
    """The open folders as the router asks them."""

    is_editor = True
    home_name = ""

    def __init__(self, folders: WorkspaceFolders, documents: OpenDocuments) -> None:
        """Show the folders as they are at each question. documents: the editor's texts."""
        self._folders = folders
        self._documents = documents

    def projects(self, folder: str | None = None) -> Sequence[EditorFolder]:
        """Return the open folders, or the one with this URI. Raises BadRequest when it is not open."""
        return [EditorFolder(each, self._documents) for each in self._folders.select(folder)]

    def missing_error(self, mode: str) -> ScryError:
        """Return the error that says that no folder is open."""
        if mode in _MISSING_ERRORS:
            return _MISSING_ERRORS[mode]()
        if mode in _KNOWLEDGE_MODES:
            return BadRequest("folder", "no folder is open (yet); open one, then try again")
        return BadRequest("folder", "no folder is open; open one, then ask again")

    def prepare(self, engine: Engine, /) -> None:
        """Ask a project that is not open here as it is."""


class EditorSession:
    """Runs the requests of one editor, and opens the router that they share. Used on the loop."""

    def __init__(self, folders: WorkspaceFolders, documents: OpenDocuments, pool: Executor) -> None:
        """Import and open nothing yet. pool: the threads in which requests run."""
        self._folders = folders
        self._documents = documents
        self._pool = pool
        self._lock = threading.Lock()
        self._router: ProjectRouter | None = None

    async def run(self, work: Callable[[ProjectRouter, RequestContext], T]) -> T:
        """Run a request in a thread; cancelling the awaiting task cancels it."""

        def in_thread(cancelled: CancelledCheck) -> T:
            return work(
                self._open_router(),
                RequestContext(self._documents.encoding, cancelled, commands=self._folders.commands),
            )

        return await run_in_thread(self._pool, in_thread)

    def folders_to_open(self, mode: str, params: msgspec.Struct) -> Sequence[WorkspaceFolder]:
        """Return the folders that have to be open, or have failed, before this request can be answered.

        Raises BadRequest for a folder that is not open, and for one that is named beside projects.
        """
        if mode == "projects":
            return self._folders.all()
        uri: str | None = getattr(params, "folder", None)
        named = "project" if getattr(params, "project", None) is not None else ""
        if mode in ("find", "recent", "orient", "neighbors") and split_off_requested(params)[1] != RequestedProjects():
            named = "projects"
        if named and uri is not None:
            raise BadRequest(named, "and a folder are named both; name one of them")
        if mode == "status":
            return ()
        if named:
            return self._folders.all()
        selected = self._folders.select(uri)
        if mode in ("index", "observe", "memory", "session"):
            return selected[:1]
        if mode in ("orient", "neighbors"):
            path: str = getattr(params, "path", "") or getattr(params, "file", "")
            owner = (each for each in selected if EditorFolder(each, self._documents).locate_path(path) is not None)
            return [each for each in (next(owner, None), *selected[:1]) if each is not None][:1]
        return selected

    def close(self) -> None:
        """Close the projects that are not open in the editor, as far as they were asked."""
        with self._lock:
            router, self._router = self._router, None
        if router is not None:
            router.close()

    def _open_router(self) -> ProjectRouter:
        """Return the router, imported and made when it is first needed, which is never on the loop."""
        from scry.engine.federation.engine_pool import EnginePool, make_engine_opener
        from scry.engine.federation.router import ProjectRouter

        with self._lock:
            if self._router is None:
                workspace = EditorWorkspace(self._folders, self._documents)
                self._router = ProjectRouter(EnginePool(make_engine_opener("lsp")), workspace)
            return self._router
