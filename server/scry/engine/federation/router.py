"""Route a request to the projects that answer it, or to the one that stored an answer.

Which project keeps an answer: whoever uses, rates or explains it names the answer alone.

All projects of this machine behind one door: a question goes to those that it names, else to the one asked from.

What HTTP, MCP and the command line ask. An answer is kept and logged by the project asked from or, where there is none,
by the first that was asked; what is done with an answer finds by itself who keeps it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest, RegistryUnavailable, ScryError, UnknownProject
from scry.core.projects import RegisteredProject, find_project, find_project_at
from scry.core.settings import Settings
from scry.engine.activity.recorder import Recorder
from scry.engine.context import DEFAULT_CONTEXT, RequestContext, RequestedProjects, names_projects, requested_projects
from scry.engine.engine import Engine
from scry.engine.federation.engine_pool import EnginePool
from scry.engine.federation.fan_out import (
    OpenProject,
    Participant,
    find_in_projects,
    neighbors_in_projects,
    orient_in_projects,
    record_merged_answer,
)
from scry.engine.federation.recent import recent_in_projects
from scry.projects.project import open_project
from scry.projects.registration import describe_unknown_project, open_registry
from scry_protocol import messages

if TYPE_CHECKING:
    from scry.engine.activity.answer_store import AnswerArchive, ResultLocation

_log = logging.getLogger(__name__)


class AnswerLocator:
    """Where answers may be kept. Every method may be called from any thread."""

    def __init__(
        self, pool: EnginePool, home: Path | None, registered: Callable[[], Sequence[RegisteredProject]]
    ) -> None:
        """home: folder of the project that is asked from. registered: gives all projects; may raise."""
        self._pool = pool
        self._home = home
        self._registered = registered

    def find(self, query_id: str) -> Path | None:
        """The folder of the project that keeps this answer."""
        return next((root for root in self._candidate_roots() if self._has_answer(root, query_id)), None)

    def _candidate_roots(self) -> Iterable[Path]:
        """The likeliest first."""
        home = [] if self._home is None else [self._home]
        try:
            known = [project.root for project in self._registered() if project.root.is_dir()]
        except RegistryUnavailable as error:
            _log.warning("%s", error)
            known = []
        return dict.fromkeys((*home, *self._pool.open_roots(), *known))

    def _has_answer(self, root: Path, query_id: str) -> bool:
        """One that is not open is not opened for that."""
        try:
            if root in self._pool.open_roots():
                with self._pool.borrow(root) as engine:
                    return engine.recorder.has_answer(query_id)
            with closing(Recorder(open_project(root, force=True), Settings(), "")) as recorder:
                return recorder.has_answer(query_id)
        except ScryError as error:
            _log.info("%s can't be looked into: %s", root, error)
            return False


RoutableParams = TypeVar(
    "RoutableParams", messages.FindParams, messages.RecentParams, messages.OrientParams, messages.NeighborsParams
)


def _prepare_nothing(_engine: Engine) -> None:
    return None


class ProjectRouter:
    """The registered projects and, maybe, one that is asked from. Every method may be called from any thread."""

    def __init__(
        self, pool: EnginePool, home: Path | None = None, *, prepare: Callable[[Engine], None] = _prepare_nothing
    ) -> None:
        """home: folder of the project that is asked where a question names none. prepare: called before each is asked,
        one after the other; may raise ScryError, which costs that project's answer.
        """
        self.pool = pool
        self.home = home.expanduser().resolve() if home is not None else None
        self._prepare = prepare
        self._answer_locator = AnswerLocator(pool, self.home, self.registered)

    # Questions ----------------------------------------------------------------------------------------------------

    def find(self, params: messages.FindParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Answer:
        """Where is X?

        Raises BadRequest naming the parameter, UnknownProject where no project that is named is known, Cancelled.
        """
        if not names_projects(params):
            with self._borrow_home() as engine:
                return engine.find(params, context)
        return self.ask_projects(params, find_in_projects, context)

    def recent(self, params: messages.RecentParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Answer:
        """What changed lately? Errors as of `find`."""
        if not names_projects(params):
            with self._borrow_home() as engine:
                return engine.recent(params, context)
        return self.ask_projects(params, recent_in_projects, context)

    def orient(self, params: messages.OrientParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Answer:
        """What matters here? Errors as of `find`."""
        name, path = split_off_project(params.path)
        if name and not names_projects(params):
            params = msgspec.structs.replace(params, path=path, projects=[name])
        if not names_projects(params):
            with self._borrow_home() as engine:
                return engine.orient(params, context)
        return self.ask_projects(params, orient_in_projects, context)

    def neighbors(self, params: messages.NeighborsParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Answer:
        """What belongs to this file? Errors as of `find`."""
        name, file = split_off_project(params.file)
        if name:
            inside = msgspec.structs.replace(params, file=file)
            return self.ask_projects(inside, neighbors_in_projects, context, requested=RequestedProjects([name]))
        with self._borrow_home() as engine:
            return engine.neighbors(params, context)

    def why(
        self,
        params: messages.WhyParams,
        context: RequestContext = DEFAULT_CONTEXT,
        *,
        answers: Sequence[AnswerArchive] = (),
    ) -> messages.Explanation:
        """Why does this document have its place, or none? Errors as of `find`.

        answers: where else to look for the question that it is explained for.
        """
        name, _ = split_off_project(params.doc_id.strip())
        if self.home is not None and find_project(self.registered(), name) is None:
            name = ""  # the one asked from says that it is none of its own
        with ExitStack() as held:
            keeper = (
                held.enter_context(self._borrow_answering(params.query_id)) if params.query_id and not answers else None
            )
            engine = keeper if keeper and not name and self.home is None else None
            engine = engine or held.enter_context(self._borrow_named(name, "doc_id"))
            own = [
                each.recorder.answers for each in (keeper, *self._borrow_home_if_any(held), engine) if each is not None
            ]
            return engine.why(params, context, answers=[*answers, *own])

    def detail(
        self,
        params: messages.DetailParams,
        context: RequestContext = DEFAULT_CONTEXT,
        *,
        answered_by: Engine | None = None,
    ) -> messages.Detail:
        """One result of an earlier answer in full. keeper: of the project that keeps the answer, where that is known.

        Raises BadRequest for an answer or a rank that does not exist.
        """
        with ExitStack() as held:
            answered_by = answered_by or held.enter_context(self._borrow_answering(params.query_id))
            engine = held.enter_context(self._borrow_result_project(answered_by, params.query_id, params.rank))
            return engine.detail(params, context, answered_by=answered_by.recorder)

    # What is done with answers ------------------------------------------------------------------------------------

    def use(self, params: messages.UseParams) -> messages.Recorded:
        """A result of an earlier answer was used. Raises BadRequest for an answer or a rank that does not exist."""
        with self._borrow_answering(params.query_id) as keeper:
            return keeper.use(params)

    def feedback(self, params: messages.FeedbackParams) -> messages.Recorded:
        """An earlier answer was good or bad. Raises BadRequest as `use`."""
        with self._borrow_answering(params.query_id) as keeper:
            return keeper.recorder.feedback(params)

    def locate_result(self, query_id: str, rank: int) -> ResultLocation:
        """Where a result of an earlier answer is now. Raises BadRequest, also for one that has no place."""
        with self._borrow_answering(query_id) as keeper, self._borrow_result_project(keeper, query_id, rank) as engine:
            return engine.locate_result(query_id, rank, keeper.recorder)

    # The projects -------------------------------------------------------------------------------------------------

    def status(self, params: messages.StatusParams) -> messages.IndexState:
        """How fresh and complete a project's index is; of the one asked from without a name. Raises UnknownProject."""
        with self._borrow_named(params.project or "", "project") as engine:
            return engine.status()

    @property
    def home_name(self) -> str:
        """What the project asked from is called; empty where none is."""
        try:
            return open_project(self.home, force=True).name if self.home is not None else ""
        except ScryError:
            return ""

    def registered(self) -> tuple[RegisteredProject, ...]:
        """Every registered project. Raises RegistryUnavailable."""
        return open_registry().list_projects()

    def close(self) -> None:
        """Closes the engines, and so writes what is left to be logged."""
        self.pool.close()

    def ask_projects(
        self,
        params: RoutableParams,
        ask: Callable[[Sequence[Participant], RoutableParams, RequestContext], messages.Answer],
        context: RequestContext,
        opened: Sequence[OpenProject] = (),
        requested: RequestedProjects | None = None,
    ) -> messages.Answer:
        """The answer of the projects that a question names. ask: one of engine.across.

        opened: those that are open in an editor, which are asked as they are. wanted: which, where the params don't say
        it. Raises as `find`.
        """
        known = self.registered()
        here = [find_project_at(known, each.project.root) or each.project for each in opened] or self._default_projects(
            known
        )
        selection = select_projects(requested or requested_projects(params), here, known)
        if not selection.projects and selection.unknown_names:
            raise UnknownProject(
                "projects", "; ".join(_describe_unknown_project(name, known) for name in selection.unknown_names)
            )
        if not selection.projects:
            raise BadRequest("projects", "none is registered and none is asked from (scry project add FOLDER)")
        missing = [
            Participant(name, None, failure=_describe_unknown_project(name, known)) for name in selection.unknown_names
        ]
        as_opened = {each.project.root: each.participant for each in opened}
        with ExitStack() as held:
            asked = [self._open_participant(held, each, as_opened) for each in selection.projects]
            answer = ask([*asked, *missing], params, context)
            keepers = (
                *self._borrow_home_if_any(held),
                *(each.participant.engine for each in opened),
                *(each.engine for each in asked),
            )
            keeper = next((engine for engine in keepers if engine is not None), None)
            return (
                record_merged_answer(keeper, answer, asked, params, context.encoding) if keeper is not None else answer
            )

    # Inside -------------------------------------------------------------------------------------------------------

    def _open_participant(
        self, held: ExitStack, selected: SelectedProject, opened: Mapping[Path, Participant]
    ) -> Participant:
        """The project with its engine, borrowed until the stack ends, or with what keeps it from being asked."""
        name, root = selected.project.name, selected.project.root
        if root in opened:
            return replace(opened[root], name=name, via=selected.via)
        try:
            if not root.is_dir():
                raise BadRequest("projects", _describe_missing_folder(selected.project))
            engine = held.enter_context(self.pool.borrow(root))
            self._prepare(engine)
        except ScryError as error:
            return Participant(name, None, selected.via, failure=str(error))
        return Participant(name, engine, selected.via)

    def _default_projects(self, known: Sequence[RegisteredProject]) -> list[RegisteredProject]:
        if self.home is None:
            return []
        found = find_project_at(known, self.home)
        if found is not None:
            return [found]
        with self.pool.borrow(self.home) as engine:
            return [RegisteredProject(engine.project.name, engine.project.root)]

    def _borrow_home_if_any(self, held: ExitStack) -> list[Engine]:
        return [] if self.home is None else [held.enter_context(self.pool.borrow(self.home))]

    @contextmanager
    def _borrow_home(self) -> Generator[Engine]:
        if self.home is None:
            names = ", ".join(project.name for project in self.registered()) or "none (scry project add FOLDER)"
            raise BadRequest("projects", f"say which project to ask, or start in one (--root); registered are: {names}")
        with self.pool.borrow(self.home) as engine:
            self._prepare(engine)
            yield engine

    @contextmanager
    def _borrow_named(self, name: str, field: str) -> Generator[Engine]:
        """The engine of a project by its name, of the one asked from without one. Raises UnknownProject."""
        if not name:
            with self._borrow_home() as engine:
                yield engine
            return
        known = self.registered()
        found = find_project((*self._default_projects(known), *known), name)
        if found is None:
            raise UnknownProject(field, _describe_unknown_project(name, known))
        if not found.root.is_dir():
            raise BadRequest(field, _describe_missing_folder(found))
        with self.pool.borrow(found.root) as engine:
            self._prepare(engine)
            yield engine

    @contextmanager
    def _borrow_answering(self, query_id: str) -> Generator[Engine]:
        """The engine of the project that keeps this answer. Where none does, the one asked from, which then says so."""
        root = self._answer_locator.find(query_id) or self.home
        if root is None:
            raise BadRequest(
                "query_id", f"no registered project has given an answer named {query_id!r}, or it has expired"
            )
        with self.pool.borrow(root) as engine:
            yield engine

    @contextmanager
    def _borrow_result_project(self, keeper: Engine, query_id: str, rank: int) -> Generator[Engine]:
        """The engine of the project that a result is from. Raises BadRequest."""
        project = keeper.recorder.answers.require(query_id).result(rank).project
        if project in ("", keeper.project.name):  # a note of the person's own is of no project
            yield keeper
            return
        with self._borrow_named(project, "rank") as engine:
            yield engine


def _describe_unknown_project(name: str, known: Sequence[RegisteredProject]) -> str:
    return describe_unknown_project(name, [project.name for project in known])


def _describe_missing_folder(project: RegisteredProject) -> str:
    return (
        f"the folder of {project.name}, {project.root}, is not there; if it has moved, use Scry in it once, or tell "
        f"where it is: scry project update {project.name} --folder FOLDER"
    )


MAX_PROJECTS = 1000


class SelectedProject(msgspec.Struct, frozen=True):
    """A project that is to be asked. via: how the one asked from is tied to it, such as LEARNS_FROM."""

    project: RegisteredProject
    via: str


class ProjectSelection(msgspec.Struct, frozen=True):
    """What is to be asked, by name, each once; and the names that nothing is called."""

    projects: tuple[SelectedProject, ...]
    unknown_names: tuple[str, ...]


def select_projects(
    requested: RequestedProjects, default_projects: Sequence[RegisteredProject], registered: Sequence[RegisteredProject]
) -> ProjectSelection:
    """The projects that are to be asked.

    here: those that are asked when a question names none: the open ones, or the one asked from. Raises BadRequest for a
    question that names all and some.
    """
    names, everything = requested.names, requested.all_registered
    if names and everything:
        raise BadRequest("projects", "and all_projects are given both; give one of them")
    if len(names) > MAX_PROJECTS:
        raise BadRequest("projects", f"names {len(names)} projects; at most {MAX_PROJECTS} can be asked at once")
    known = _deduplicate_projects((*default_projects, *registered))
    found = [(name, find_project(known, name)) for name in dict.fromkeys(names)]
    chosen = [project for _, project in found if project is not None]
    if everything or not names:
        chosen = known if everything else list(default_projects)
    if requested.include_linked:
        chosen = _deduplicate_projects((*chosen, *(to for by in chosen for to in known if by.link_kind_to(to))))
    selected = (
        SelectedProject(project, _describe_link(project, default_projects, chosen))
        for project in _deduplicate_projects(chosen)
    )
    ordered = sorted(selected, key=lambda each: each.project.name)
    return ProjectSelection(tuple(ordered), tuple(name for name, project in found if project is None))


def _deduplicate_projects(projects: Iterable[RegisteredProject]) -> list[RegisteredProject]:
    """Each root once, and each name: of two that are called the same, the first."""
    kept: dict[str, RegisteredProject] = {}
    roots = set[object]()
    for project in projects:
        if project.root not in roots and project.name.lower() not in kept:
            roots.add(project.root)
            kept[project.name.lower()] = project
    return list(kept.values())


def _describe_link(
    project: RegisteredProject, default_projects: Sequence[RegisteredProject], selected: Sequence[RegisteredProject]
) -> str:
    """The tie by which it is explained: of those asked from, else of another that is asked, which is then named."""
    if project in default_projects:
        return ""
    own = next((tie for other in default_projects if (tie := other.link_kind_to(project))), "")
    others = (f"{other.name} {tie}" for other in selected if (tie := other.link_kind_to(project)))
    return own or next(others, "")
