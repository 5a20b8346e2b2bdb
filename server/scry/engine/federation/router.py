"""Route every request of every surface to the projects that answer it, or to the one that stored an answer.

A question goes to the projects that it names, to the open project that its path is in, or to all open projects, whose
answers are merged into one.

The workspace tells which projects are open: an editor's folders, or the one project that a command or server was
started in. All others are registered, and their engines are borrowed from the pool while they are asked. An answer of
all open projects is stored and logged by the one with the best result, an answer of named projects by the first open
one or, where none is open, by the first asked. A use or rating of a result is logged by the result's project where that
is open or registered, so that it learns from it; else by the one that stored the answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import replace

from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest, IndexUnavailable, RegistryUnavailable, ScryError, UnknownProject
from scry.core.projects import RegisteredProject, find_project, find_project_at
from scry.engine.context import DEFAULT_CONTEXT, RequestContext
from scry.engine.engine import Engine
from scry.engine.federation.engine_pool import EnginePool, make_engine_opener
from scry.engine.federation.fan_out import (
    Participant,
    context_for,
    engines_of,
    failed_participant,
    files_of_inner_projects,
    find_in_projects,
    neighbors_in_projects,
    orient_in_projects,
    participant_of,
    require_engine,
)
from scry.engine.federation.recent import recent_in_projects
from scry.engine.federation.selection import (
    SelectedProject,
    describe_missing_folder,
    describe_unknown_projects,
    require_projects,
    select_projects,
    split_off_requested,
)
from scry.engine.federation.workspace import (
    AnswerLocator,
    HomeWorkspace,
    OpenProject,
    Workspace,
    as_registered,
    borrow_asked_together,
    borrow_owner,
    choose_result_project,
    find_answering,
    find_document,
    innermost,
    is_at,
    is_of_team,
    name_at,
    named,
)
from scry.engine.response.answer import RequestedProjects, names_projects, present_state, requested_projects, to_request
from scry.engine.response.merged import FederatedAnswer, map_answer, map_explanation, merge_answers, unavailable_answer
from scry.engine.response.recording import StoredAnswer, record_merged_answer
from scry.projects.registration import open_registry
from scry_protocol import messages

if TYPE_CHECKING:
    from scry.engine.federation.team_service import TeamService
    from scry.engine.response.details import ResultLocation

SearchParams = TypeVar("SearchParams", messages.FindParams, messages.RecentParams)
QueryParams = TypeVar(
    "QueryParams", messages.FindParams, messages.RecentParams, messages.OrientParams, messages.NeighborsParams
)
FanOut = Callable[[Sequence[Participant], Any, RequestContext], FederatedAnswer]
"""Asks several projects, with the domain request of the mode."""

EngineQuery = Callable[[Engine, RequestContext], messages.Answer]


class ProjectRouter:
    """The open and the registered projects as one. Every method may be called from any thread.

    Every question may raise BadRequest naming the parameter, UnknownProject, Cancelled, and the workspace's own error
    where no open project could answer.
    """

    def __init__(self, pool: EnginePool, workspace: Workspace) -> None:
        """Open nothing yet. pool: holds the engines of projects that are not open in the workspace."""
        self.pool = pool
        self.workspace = workspace
        home = next((project.root for project in workspace.projects()), None)
        self._answer_locator = AnswerLocator(pool, home, self.registered)

    # Questions ----------------------------------------------------------------------------------------------------

    def find(self, params: messages.FindParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Answer:
        """Find code, documents, commits and notes by a query."""
        if params.team:
            return self._ask_requested(params, requested_projects(params), self.team.find, context)
        return self._search("find", params, find_in_projects, lambda each, asked: each.find(params, asked), context)

    def recent(self, params: messages.RecentParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Answer:
        """List recent changes, or the matches of a query by recency."""
        if params.team:
            return self._ask_requested(params, requested_projects(params), self.team.recent, context)
        return self._search("recent", params, recent_in_projects, lambda each, own: each.recent(params, own), context)

    def orient(self, params: messages.OrientParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Answer:
        """Rank the files of a folder, in the project that holds the path."""
        inner, requested = split_off_requested(params)
        if inner.team or requested != RequestedProjects():
            fan_out = self.team.browse if inner.team else orient_in_projects
            return self._ask_requested(inner, requested, fan_out, context)
        owner, path = self._find_owner("orient", params.folder, params.path)
        asked = replace(params, path=path)
        return _ask_one(owner, "orient", params.path, lambda each, own: each.orient(asked, own), context)

    def neighbors(self, params: messages.NeighborsParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Answer:
        """List the files related to a file, in the project that holds it; of a belief its targets, in the first one."""
        inner, requested = split_off_requested(params)
        if inner.team or requested != RequestedProjects():
            fan_out = self.team.browse if inner.team else neighbors_in_projects
            return self._ask_requested(inner, requested, fan_out, context)
        if params.belief is not None:
            project, subject = self._require_open("neighbors", params.folder)[0], params.belief
        else:
            project, path = self._find_owner("neighbors", params.folder, params.file)
            inner, subject = replace(params, file=path), params.file
        return _ask_one(project, "neighbors", subject, lambda each, asked: each.neighbors(inner, asked), context)

    def why(self, params: messages.WhyParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Explanation:
        """Explain a document's rank, or why it has none, in the project that holds it.

        Its query is looked up in the answers of all open projects and of the one asked.
        """
        name, _ = split_off_project(params.doc_id.strip())
        with ExitStack() as stack:
            opened = [engine for _, engine in self._borrow_open(stack)]
            answering = list(opened)
            if params.query_id and not self.workspace.is_editor:
                answering.insert(0, stack.enter_context(self._borrow_answering("why", params.query_id, None)))
            if name and is_of_team(answering, params.doc_id, params.query_id, self.registered()):
                return self.team.why(params, answering, context)
            if self._is_elsewhere(name, opened):
                participant = participant_of(stack.enter_context(self._borrow_registered(name, "doc_id")))
            elif answering and not opened:
                participant = participant_of(answering[0])
            else:
                borrowed = self._borrow_open(stack, params.folder)
                if not borrowed:
                    raise self.workspace.missing_error("why")
                project, doc_id = find_document(borrowed, params.doc_id, params.query_id)
                params = replace(params, doc_id=doc_id)
                participant = stack.enter_context(project.participate())
            engine = require_engine(participant)
            archives = [each.recorder.answers for each in dict.fromkeys((*answering, engine))]
            asked = [] if params.folder else self._borrow_asked(stack, answering, params.query_id)
            own = replace(context_for(participant, context), answered_by=files_of_inner_projects(engine, asked))
            return map_explanation(engine.why(params, own, answers=archives), participant.map_to_editor)

    def detail(self, params: messages.DetailParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Detail:
        """Return one result of an earlier answer in full. Raises BadRequest for an unknown answer or rank."""
        with ExitStack() as stack:
            holder = stack.enter_context(self._borrow_answering("detail", params.query_id, params.folder))
            stored = holder.recorder.answers.require(params.query_id)
            if stored.result(params.rank).commit:
                return self.team.detail(holder.recorder, params, context)
            participant = self._borrow_result_project(stack, holder, stored, params.rank, params.folder)
            detail = require_engine(participant).detail(
                params, context_for(participant, context), answered_by=holder.recorder
            )
            return replace(detail, result=participant.map_to_editor(detail.result))

    # Uses of stored answers ---------------------------------------------------------------------------------------

    def use(
        self,
        params: messages.UseParams,
        clipboard_text: Callable[[messages.ResultItem], str] | None = None,
        context: RequestContext = DEFAULT_CONTEXT,
    ) -> messages.Recorded:
        """Record that a result of an earlier answer was used. Raises BadRequest for an unknown answer or rank.

        clipboard_text: renders the result as it is now, for the outcome of a copy; one that is gone is refused.
        """
        with ExitStack() as stack:
            holder = stack.enter_context(self._borrow_answering("use", params.query_id, params.folder))
            owner = borrow_owner(stack, self.pool, holder, self._borrow_open(stack), params.query_id, params.rank)
            stored = holder.recorder.answers.get(params.query_id) if clipboard_text and params.how == "copy" else None
            if clipboard_text is None or stored is None:
                return owner.use(params, context.commands, answered_by=holder.recorder)
            place = stored.place(params.rank, params.doc_id)
            if place.commit:
                return replace(holder.use(params, context.commands), text=clipboard_text(place))
            participant = self._borrow_result_project(stack, holder, stored, params.rank, params.folder)
            now = require_engine(participant).place_now(place, context.encoding)
            text = clipboard_text(participant.map_to_editor(now))
            return replace(owner.use(params, context.commands, answered_by=holder.recorder), text=text)

    def feedback(self, params: messages.FeedbackParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Recorded:
        """Record that an earlier answer was good or bad. Raises BadRequest as `use`."""
        with self._borrow_answering("feedback", params.query_id, params.folder) as holder, ExitStack() as stack:
            owner = borrow_owner(stack, self.pool, holder, self._borrow_open(stack), params.query_id, params.rank)
            return owner.feedback(params, context.commands, answered_by=holder.recorder)

    def locate_result(self, query_id: str, rank: int, doc_id: str | None = None) -> ResultLocation:
        """Return where a result, or its further place `doc_id`, is now. Raises BadRequest, also without a location."""
        with ExitStack() as stack:
            holder = stack.enter_context(self._borrow_answering("use", query_id, None))
            stored = holder.recorder.answers.require(query_id)
            result = stored.result(rank)
            if result.commit:
                raise BadRequest("rank", f"is of the team's index, no file here; see {result.link or 'its detail'}")
            participant = self._borrow_result_project(stack, holder, stored, rank, None)
            return require_engine(participant).locate_result(query_id, rank, doc_id, holder.recorder)

    @cached_property
    def team(self) -> TeamService:
        """The joined team; its room is imported when it is first asked for."""
        from scry.engine.federation.team_service import TeamService

        return TeamService()

    # Memory and knowledge of the first open project ---------------------------------------------------------------

    def observe(self, params: messages.ObserveParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Observed:
        """Record an event or decision."""
        with self.borrow_first("observe", self.workspace.projects(params.folder)[:1]) as engine:
            return engine.observe(params, context.commands)

    def remember(self, params: messages.RememberParams) -> messages.PersonaNotes:
        """Keep a note of the person, across all projects."""
        with self.borrow_first("remember", self.workspace.projects(params.folder)) as engine:
            return engine.knowledge.remember(params)

    def persona(self, params: messages.PersonaParams) -> messages.PersonaNotes:
        """List, search or forget the person's notes."""
        with self.borrow_first("persona", self.workspace.projects(params.folder)) as engine:
            return engine.knowledge.persona(params)

    def believe(self, params: messages.BelieveParams) -> messages.Beliefs:
        """Write a belief of the team to a file of the project."""
        with self.borrow_first("believe", self.workspace.projects(params.folder)) as engine:
            return engine.knowledge.believe(params)

    def beliefs(self, params: messages.BeliefsParams) -> messages.Beliefs:
        """Return the project's beliefs."""
        with self.borrow_first("beliefs", self.workspace.projects(params.folder)) as engine:
            return engine.knowledge.beliefs(params)

    # The projects and their indexes -------------------------------------------------------------------------------

    def status(self, params: messages.StatusParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.IndexState:
        """Return how fresh and complete a project's index is; without a name that of the first open project."""
        with ExitStack() as stack:
            if params.project:
                borrowed = self._borrow_open(stack) if self.workspace.is_editor else []
                opened = [project for project, engine in borrowed if engine.project.name == params.project]
            else:
                opened = self._require_open("status", params.folder)
            participant = (
                stack.enter_context(opened[0].participate())
                if opened
                else participant_of(stack.enter_context(self._borrow_registered(params.project or "", "project")))
            )
            if participant.engine is None and participant.state is not None:
                return present_state(participant.state, context.commands)
            unsaved, engine = participant.unsaved_paths, require_engine(participant)
            return engine.status(unsaved=unsaved, commands=context.commands, languages=params.languages)

    def control(self, params: messages.IndexParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.IndexState:
        """Start, pause, resume or rebuild the index of the first open project; return its state."""
        with self._require_open("index", params.folder)[0].participate() as participant:
            if participant.engine is None:
                raise IndexUnavailable(participant.failure or f"{participant.name} is still being opened.")
            return participant.engine.control(params.action, context.commands)

    @property
    def home_name(self) -> str:
        """The name of the project whose results are shown without its name; empty for none."""
        return self.workspace.home_name

    def registered(self) -> tuple[RegisteredProject, ...]:
        """Return every registered project. Raises RegistryUnavailable."""
        return open_registry().list_projects()

    def open_projects(self) -> list[RegisteredProject]:
        """Return the open projects that have a folder on this disk, by name and folder."""
        return [project.identify() for project in self.workspace.projects() if project.root is not None]

    def other_project_names(self) -> list[str]:
        """Return the names of the registered projects that a question can name, except the project asked from."""
        try:
            return [project.name for project in self.registered() if project.name != self.home_name]
        except RegistryUnavailable:  # a question that names one gets the error
            return []

    def roots_to_ask(self, params: msgspec.Struct) -> list[Path]:
        """Return the folders of the projects that a question names, else of the open ones."""
        open_roots = [root for project in self.workspace.projects() if (root := project.root) is not None]
        if not names_projects(params):
            return open_roots
        known = self.registered()
        open_projects = [registered for root in open_roots if (registered := find_project_at(known, root))]
        selection = select_projects(requested_projects(params), open_projects, known)
        return [each.project.root for each in selection.projects]

    def warm_up(self) -> None:
        """Open the first project in the background, so that its index is up to date before the first question."""

        def open_first() -> None:
            with suppress(ScryError):  # the first question gets the error
                self.status(messages.StatusParams())

        if self.workspace.projects():
            threading.Thread(target=open_first, name="warm up", daemon=True).start()

    def close(self) -> None:
        """Close the pool's engines, which writes all queued events, and the connections to the team."""
        self.pool.close()
        if "team" in self.__dict__:
            self.team.close()

    # Inside: choosing ---------------------------------------------------------------------------------------------

    def _search(
        self,
        mode: str,
        params: SearchParams,
        fan_out: FanOut,
        query: EngineQuery,
        context: RequestContext,
    ) -> messages.Answer:
        """Ask the projects that are named, or the only open one, or all open ones together."""
        if names_projects(params):
            return self._ask_requested(params, requested_projects(params), fan_out, context)
        projects = self._require_open(mode, params.folder)
        if len(projects) == 1:
            return _ask_one(projects[0], mode, params.query, query, context)
        with ExitStack() as stack:
            participants = [stack.enter_context(project.participate()) for project in projects]
            answer = merge_answers(fan_out(participants, to_request(params), context), context.commands)
            best = next((result.project for result in answer.results), "")
            holders = sorted(participants, key=lambda each: each.name != best)  # a question is logged where it led
            return record_merged_answer(engines_of(holders), participants, answer, params, context.encoding)

    def _require_open(self, mode: str, folder: str | None) -> Sequence[OpenProject]:
        projects = self.workspace.projects(folder)
        if not projects:
            raise self.workspace.missing_error(mode)
        return projects

    def _find_owner(self, mode: str, folder: str | None, path: str) -> tuple[OpenProject, str]:
        """Return the innermost open project that a path is in, and the path there; a relative path is in the first."""
        projects = self._require_open(mode, folder)
        return innermost((each, each.locate_path(path)) for each in projects) or (projects[0], path)

    def _is_elsewhere(self, name: str, opened: Sequence[Engine]) -> bool:
        """Return whether a name is that of a registered project which is not open."""
        if not name or (self.workspace.is_editor and any(engine.project.name == name for engine in opened)):
            return False
        return (not opened and not self.workspace.is_editor) or find_project(self.registered(), name) is not None

    # Inside: asking several projects ------------------------------------------------------------------------------

    def _ask_requested(
        self, params: QueryParams, requested: RequestedProjects, fan_out: FanOut, context: RequestContext
    ) -> messages.Answer:
        """Ask the requested projects, open or not, and merge their answers."""
        known = self.registered()
        opened = self.workspace.projects()
        selection = select_projects(requested, [as_registered(project, known) for project in opened], known)
        require_projects(selection, known)
        unknown = [(name, str(describe_unknown_projects([name], known))) for name in selection.unknown_names]
        missing = [Participant(name, None, failure=failure) for name, failure in unknown]
        with ExitStack() as stack:
            participants = [named(self._open_participant(stack, each)) for each in selection.projects]
            answer = merge_answers(fan_out([*participants, *missing], to_request(params), context), context.commands)
            holders = [stack.enter_context(project.borrow()) for project in opened]
            holders += [each.engine for each in participants]
            return record_merged_answer(holders, participants, answer, params, context.encoding)

    def _open_participant(self, stack: ExitStack, selected: SelectedProject) -> Participant:
        """Return the project, held until the stack ends, or with the reason why it can't be asked."""
        name, root = selected.project.name, selected.project.root
        open_projects = self.workspace.projects() if self.workspace.is_editor else ()
        opened = next((project for project in open_projects if project.identify().root == root), None)
        if opened is not None:
            return replace(stack.enter_context(opened.participate()), name=name, via=selected.via)
        try:
            if not root.is_dir():
                raise BadRequest("projects", describe_missing_folder(selected.project))
            engine = stack.enter_context(self.pool.borrow(root))
            self.workspace.prepare(engine)
        except ScryError as error:
            return failed_participant(name, selected.via, error)
        return Participant(name, engine, selected.via)

    # Inside: borrowing one engine ---------------------------------------------------------------------------------

    def _borrow_open(self, stack: ExitStack, folder: str | None = None) -> list[tuple[OpenProject, Engine]]:
        """Return the open projects that have an engine, each held until the stack ends."""
        borrowed = ((project, stack.enter_context(project.borrow())) for project in self.workspace.projects(folder))
        return [(project, engine) for project, engine in borrowed if engine is not None]

    def _borrow_asked(self, stack: ExitStack, answering: Sequence[Engine], query_id: str | None) -> list[Engine]:
        """Hold the projects that answered the explained question together, or would: those open in an editor."""
        if self.workspace.is_editor:
            return [engine for _, engine in self._borrow_open(stack)]
        return borrow_asked_together(stack, self.pool, answering, query_id)

    @contextmanager
    def borrow_first(self, mode: str, projects: Sequence[OpenProject]) -> Generator[Engine]:
        """Hold the first of these that has an engine."""
        with ExitStack() as stack:
            participants = (stack.enter_context(project.participate()) for project in projects)
            engine = next((each.engine for each in participants if each.engine is not None), None)
            if engine is None:
                raise self.workspace.missing_error(mode)
            yield engine

    @contextmanager
    def _borrow_registered(self, name: str, field: str) -> Generator[Engine]:
        """Hold the engine of a project by its name. Raises UnknownProject naming the field."""
        known = self.registered()
        opened = () if self.workspace.is_editor else self.workspace.projects()
        project = find_project((*(as_registered(each, known) for each in opened), *known), name)
        if project is None:
            raise UnknownProject(field, describe_unknown_projects([name], known))
        if not project.root.is_dir():
            raise BadRequest(field, describe_missing_folder(project))
        with self.pool.borrow(project.root) as engine:
            engine.take_name(project.name)
            self.workspace.prepare(engine)
            yield engine

    @contextmanager
    def _borrow_answering(self, mode: str, query_id: str, folder: str | None) -> Generator[Engine]:
        """Hold the engine that stored an answer, else that of the first open project, which reports its absence."""
        with ExitStack() as stack:
            if self.workspace.is_editor:
                opened = [engine for _, engine in self._borrow_open(stack, folder)]
                if not opened:
                    raise self.workspace.missing_error(mode)
                yield find_answering(opened, query_id)
                return
            home = next((project.root for project in self.workspace.projects()), None)
            root = self._answer_locator.find(query_id) or home
            if root is None:
                raise BadRequest(
                    "query_id", f"no registered project has given an answer named {query_id!r}, or it has expired"
                )
            yield stack.enter_context(self.pool.borrow(root))

    def _borrow_result_project(
        self, stack: ExitStack, holder: Engine, stored: StoredAnswer, rank: int, folder: str | None
    ) -> Participant:
        """Return the project of a result, held until the stack ends: that of its work tree, whatever its name is now.

        A note of the person belongs to the project that answered.
        """
        name, root = stored.result(rank).project, stored.root_of(rank)
        if self.workspace.is_editor:
            borrowed = self._borrow_open(stack)
            candidates = [*(each for each in borrowed if each[1] is holder), *self._borrow_open(stack, folder)]
            is_elsewhere = self._is_elsewhere(name, [engine for _, engine in borrowed])
            if (owner := choose_result_project(candidates, root, may_guess=not is_elsewhere)) is not None:
                return stack.enter_context(owner.participate())
        if not name or is_at(holder, root):
            return participant_of(holder)
        name = name_at(self.registered(), root) or name
        return participant_of(stack.enter_context(self._borrow_registered(name, "rank")))


def open_home_router(home: Path | None, surface: str) -> ProjectRouter:
    """Return the router of a server for programs; each project is kept up to date from its first question on.

    home: folder of the project asked where a question names none. surface: as of Engine.open.
    """
    pool = EnginePool(make_engine_opener(surface))
    return ProjectRouter(pool, HomeWorkspace(pool, home))


def _ask_one(
    project: OpenProject, mode: str, subject: str, query: EngineQuery, context: RequestContext
) -> messages.Answer:
    """Ask one open project; while it can't be asked, return an answer with nothing but the state of its index."""
    with project.participate() as participant:
        if participant.engine is None:
            return unavailable_answer(mode, subject, participant.state, context.commands)
        return map_answer(query(participant.engine, context_for(participant, context)), participant.map_to_editor)
