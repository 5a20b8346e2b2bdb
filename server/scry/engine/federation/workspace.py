"""Describe the projects that are open where a question is asked: an editor's folders, or the one project asked from.

`OpenProject` and `Workspace` are the protocols that the router uses. The language server implements both for the
folders of an editor (scry.surfaces.lsp.session); `HomeWorkspace` is that of the command line and of the servers for
programs.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Protocol

from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest, RegistryUnavailable, ScryError
from scry.core.projects import (
    RegisteredProject,
    find_project,
    find_project_at,
    may_be_named,
    name_beside,
)
from scry.core.settings import Settings
from scry.core.text import escape_unencodable
from scry.engine.activity.recorder import Recorder
from scry.engine.engine import Engine
from scry.engine.federation.engine_pool import EnginePool
from scry.engine.federation.fan_out import Participant
from scry.engine.notices import ProjectRequired
from scry.projects.project import open_project
from scry.projects.registration import open_registry
from scry.store.team.membership import has_joined

_log = logging.getLogger(__name__)


class OpenProject(Protocol):
    """A project of a workspace. Every method may be called from any thread."""

    @property
    def root(self) -> Path | None:
        """The project's folder with links resolved; None where the workspace's folder is not on this disk."""
        ...

    def identify(self) -> RegisteredProject:
        """Return the project's name and folder as the workspace knows them. May raise ScryError."""
        ...

    def borrow(self) -> AbstractContextManager[Engine | None]:
        """Hold the engine as it is until the `with` ends; None while it can't be asked. May raise ScryError."""
        ...

    def participate(self) -> AbstractContextManager[Participant]:
        """Hold the project ready to be asked: prepared, with its unsaved files. May raise ScryError."""
        ...

    def locate_path(self, path: str) -> str | None:
        """Return the path within the project that a URI of the asker names; None where it names none there."""
        ...

    def locate_document(self, doc_id: str) -> str | None:
        """Return the doc_id within the project of a document that is named by its URI or absolute path, else None."""
        ...


class Workspace(Protocol):
    """The open projects, in order. Every method may be called from any thread."""

    is_editor: bool
    """Whether the open projects are an editor's folders.

    An editor holds its engines open and uses its own answers only: the router looks for them in its folders, and asks
    the answering project about documents of a closed project that is not registered.
    """

    @property
    def home_name(self) -> str:
        """The name of the project whose results are shown without its name; empty for none."""
        ...

    def projects(self, folder: str | None = None) -> Sequence[OpenProject]:
        """Return the open projects, or the one in the folder with this URI. Raises BadRequest for an unknown folder."""
        ...

    def missing_error(self, mode: str) -> ScryError:
        """Return the error that tells the asker that no open project can be asked in this mode."""
        ...

    def prepare(self, engine: Engine, /) -> None:
        """Prepare a project that is not open here, before it is asked. May raise ScryError."""
        ...


def prepare_nothing(_engine: Engine) -> None:
    """Leave an engine as it is."""


class HomeProject:
    """The project that a command or a server was started in, with its engine borrowed from the pool."""

    def __init__(self, pool: EnginePool, root: Path, prepare: Callable[[Engine], None]) -> None:
        """Open nothing yet. root: the folder, with links resolved. prepare: as of HomeWorkspace."""
        self.root: Path | None = root
        self._root = root
        self._pool = pool
        self._prepare = prepare

    def identify(self) -> RegisteredProject:
        """Return the name and the folder of the project that is found there."""
        with self._pool.borrow(self._root) as engine:
            return RegisteredProject(engine.project.name, engine.project.root)

    def borrow(self) -> AbstractContextManager[Engine]:
        """Hold the engine, opened if need be, without preparing it."""
        return self._pool.borrow(self._root)

    @contextmanager
    def participate(self) -> Generator[Participant]:
        """Hold the engine, prepared."""
        with self._pool.borrow(self._root) as engine:
            self._prepare(engine)
            yield Participant(engine.project.name, engine)

    def locate_path(self, path: str) -> str | None:
        """Return None: the engine itself reads paths and URIs."""
        return None

    def locate_document(self, doc_id: str) -> str | None:
        """Return None: the engine itself reads paths and URIs."""
        return None


class HomeWorkspace:
    """The one project asked from, or none."""

    is_editor = False

    def __init__(
        self, pool: EnginePool, home: Path | None = None, *, prepare: Callable[[Engine], None] = prepare_nothing
    ) -> None:
        """Open nothing yet.

        home: folder of the project that is asked where a question names none. prepare: called before each project is
        asked, one after the other; may raise ScryError, which costs that project's answer.
        """
        self.prepare = prepare
        self._home = [] if home is None else [HomeProject(pool, home.expanduser().resolve(), prepare)]

    @property
    def home_name(self) -> str:
        """The name of the project asked from; empty for none, and for one that can't be read."""
        try:
            return next((open_project(root, force=True).name for each in self._home if (root := each.root)), "")
        except ScryError:
            return ""

    def projects(self, folder: str | None = None) -> Sequence[OpenProject]:
        """Return the project asked from, if there is one. folder: is for editors, and refused by the surfaces."""
        return self._home

    def missing_error(self, mode: str) -> ScryError:
        """Return the error that names the registered projects, one of which can be asked instead."""
        names = tuple(project.name for project in open_registry().list_projects())
        return BadRequest("projects", ProjectRequired(names))


class AnswerLocator:
    """Finds the project that stored an answer, given the answer's query_id alone. Every method may be called from any
    thread.
    """

    def __init__(
        self, pool: EnginePool, home: Path | None, registered: Callable[[], Sequence[RegisteredProject]]
    ) -> None:
        """Look nowhere yet. home: folder of the project asked from. registered: returns all projects; may raise."""
        self._pool = pool
        self._home = home
        self._registered = registered

    def find(self, query_id: str) -> Path | None:
        """Return the folder of the project that stored this answer."""
        return next((root for root in self._candidate_roots() if self._has_answer(root, query_id)), None)

    def _candidate_roots(self) -> Iterable[Path]:
        """Return the folders to look in: home, then those of open engines, then the registered ones."""
        home = [] if self._home is None else [self._home]
        try:
            known = [project.root for project in self._registered() if project.root.is_dir()]
        except RegistryUnavailable as error:
            _log.warning("%s", error)
            known = []
        return dict.fromkeys((*home, *self._pool.open_roots(), *known))

    def _has_answer(self, root: Path, query_id: str) -> bool:
        """Return whether a folder's project stored the answer, without opening a closed engine."""
        try:
            if root in self._pool.open_roots():
                with self._pool.borrow(root) as engine:
                    return engine.recorder.has_answer(query_id)
            with closing(Recorder(open_project(root, force=True), Settings(), "")) as recorder:
                return recorder.has_answer(query_id)
        except ScryError as error:
            _log.info("%s can't be looked into: %s", root, error)
            return False


def find_answering(engines: Sequence[Engine], query_id: str) -> Engine:
    """Return the engine that stored an answer, else one that has it in its log, else the first."""
    storing = (engine for engine in engines if engine.recorder.answers.get(query_id) is not None)
    logging_it = (engine for engine in engines if engine.recorder.has_answer(query_id))
    return next(storing, None) or next(logging_it, None) or engines[0]


def borrow_owner(
    stack: ExitStack,
    pool: EnginePool,
    holder: Engine,
    opened: Iterable[tuple[OpenProject, Engine]],
    query_id: str,
    rank: int | None,
) -> Engine:
    """Return the project of a result, open or registered, held until the stack ends: it logs what is done with it, and
    learns from it. The holder of the answer for no result, and where that project can't be opened.
    """
    stored = holder.recorder.answers.get(query_id)
    if stored is None or rank is None or not 1 <= rank <= len(stored.results):
        return holder
    root = stored.root_of(rank)
    for engine in (holder, *(each for _, each in opened)):
        if is_at(engine, root):
            return engine
    with suppress(ScryError):
        known = open_registry().list_projects()
        folder = next((each.root for each in known if escape_unencodable(str(each.root)) == root), None)
        if folder is not None and folder.is_dir():
            return stack.enter_context(pool.borrow(folder))
    return holder


def named(participant: Participant) -> Participant:
    """Return a project that takes part, known to itself by the name that it has among the participants."""
    if participant.engine is not None:
        participant.engine.take_name(participant.name)
    return participant


def choose_result_project(
    candidates: Sequence[tuple[OpenProject, Engine]], root: str, *, may_guess: bool
) -> OpenProject | None:
    """Return the open project in a result's work tree, else the first if that may be a guess."""
    found = next((project for project, engine in candidates if is_at(engine, root)), None)
    return candidates[0][0] if found is None and may_guess else found


def name_at(known: Sequence[RegisteredProject], root: str) -> str:
    """Return the registered name of the project in a result's work tree; empty where none is registered there."""
    return next((each.name for each in known if escape_unencodable(str(each.root)) == root), "")


def is_at(engine: Engine, root: str) -> bool:
    """Return whether a project is in this folder, as answers name the work trees of their results."""
    return escape_unencodable(str(engine.project.root)) == root


def as_registered(project: OpenProject, known: Sequence[RegisteredProject]) -> RegisteredProject:
    """Return an open project by its registered name, or as the workspace knows it; never by the name of another one."""
    registered = find_project_at(known, project.root) if project.root is not None else None
    if registered is not None:
        return registered
    found = project.identify()
    other = find_project(known, found.name)
    return found if other is None else RegisteredProject(name_beside(found.root, other.root), found.root)


def has_answered(engine: Engine, doc_id: str, query_id: str | None) -> bool:
    """Return whether a project stored this answer or, without a query_id, any answer with this document."""
    if query_id is not None:
        return engine.recorder.has_answer(query_id)
    return engine.recorder.answers.latest_with(doc_id) is not None


def find_document(
    borrowed: Sequence[tuple[OpenProject, Engine]], doc_id: str, query_id: str | None
) -> tuple[OpenProject, str]:
    """Return the open project that holds a document, and its doc_id there.

    It is the innermost project of the path, or that of the name in the doc_id, else one that answered with the
    document, else one that has it indexed, else the first. borrowed: at least one.
    """
    plain = doc_id.strip()
    if (owner := innermost((project, project.locate_document(plain)) for project, _ in borrowed)) is not None:
        return owner
    name, _ = split_off_project(plain)
    by_name = (each for each in borrowed if name and name == each[1].project.name)
    by_place = (each for each in borrowed if name and may_be_named(each[1].project.root, name))
    chosen = next(by_name, None) or next(by_place, None)
    if chosen is None and len(borrowed) > 1:
        answering = (each for each in borrowed if has_answered(each[1], plain, query_id))
        indexing = (each for each in borrowed if each[1].is_indexed(plain))
        chosen = next(answering, None) or next(indexing, None)
    return (chosen or borrowed[0])[0], doc_id


def innermost(located: Iterable[tuple[OpenProject, str | None]]) -> tuple[OpenProject, str] | None:
    """Return, of the projects that locate a path, the one whose folder lies deepest, and the path within it.

    located: projects, each with the path within it, or None where the path is not there.
    """
    holding = [(project, inside) for project, inside in located if inside is not None]
    return max(holding, key=lambda each: len(each[0].root.parts) if each[0].root else 0, default=None)


def borrow_asked_together(
    stack: ExitStack, pool: EnginePool, answering: Sequence[Engine], query_id: str | None
) -> list[Engine]:
    """Hold the registered projects that gave a stored answer together; none where one gave it alone.

    One that can't be opened, or a registry that can't be read, costs only what it would have told.
    """
    archives = [each.recorder.answers for each in answering] if query_id else []
    stored = next((found for each in archives if (found := each.get(query_id or "")) is not None), None)
    names = {each.name for each in stored.answer.projects} if stored and stored.answer else set[str]()
    engines: list[Engine] = []
    with suppress(RegistryUnavailable):
        for each in open_registry().list_projects() if names else ():
            if each.name in names and each.root.is_dir():
                with suppress(ScryError):
                    engines.append(stack.enter_context(pool.borrow(each.root)))
    return engines


def is_of_team(
    answering: Sequence[Engine], doc_id: str, query_id: str | None, registered: Iterable[RegisteredProject]
) -> bool:
    """Return whether a doc_id is of the joined team: an answer that one of the engines stored says so, or no local
    project has its name, although a team is joined.

    query_id: of the answer; the newest one with the document where there is none.
    """
    archives = [each.recorder.answers for each in answering]
    stored = [each.get(query_id) if query_id else each.latest_with(doc_id.strip()) for each in archives]
    results = (result for answer in stored if answer is not None for result in answer.results)
    if any(
        (result.commit and result.doc_id == doc_id.strip())
        or any(copy.doc_id == doc_id.strip() for copy in result.also_in)
        for result in results
    ):
        return True
    name, _ = split_off_project(doc_id.strip())
    is_local = find_project(registered, name) is not None or any(
        name == each.project.name or may_be_named(each.project.root, name) for each in answering
    )
    return bool(answering) and not is_local and has_joined()
