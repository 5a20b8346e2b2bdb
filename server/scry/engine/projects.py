"""All projects of this machine behind one door: a question goes to those that it names, else to the one asked from.

What HTTP, MCP and the command line ask. An answer is kept and logged by the project asked from or, where there is none,
by the first that was asked; what is done with an answer finds by itself who keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from scry.core.doc_id import split_project
from scry.core.errors import BadRequest, ScryError, UnknownProject
from scry.core.projects import Registered, named, registered_at
from scry.engine.across import (
    Asked,
    Open,
    find_across,
    leave_across,
    neighbors_across,
    orient_across,
)
from scry.engine.engine import Engine
from scry.engine.keepers import Keepers
from scry.engine.manner import AS_USUAL, Manner
from scry.engine.pool import EnginePool
from scry.engine.recent_across import recent_across
from scry.engine.selection import Selected, Wanted, names_projects, select, wanted_of
from scry.index.project import open_project
from scry.index.registration import explain_unknown, registry
from scry_protocol import messages

if TYPE_CHECKING:
    from scry.engine.answers import Answers
    from scry.engine.spot import Spot

Question = TypeVar(
    "Question", messages.FindParams, messages.RecentParams, messages.OrientParams, messages.NeighborsParams
)


def _nothing(_engine: Engine) -> None:
    return None


class Projects:
    """The registered projects and, maybe, one that is asked from. Every method may be called from any thread."""

    def __init__(
        self, pool: EnginePool, home: Path | None = None, *, prepare: Callable[[Engine], None] = _nothing
    ) -> None:
        """home: folder of the project that is asked where a question names none. prepare: called before each is asked,
        one after the other; may raise ScryError, which costs that project's answer.
        """
        self.pool = pool
        self.home = home.expanduser().resolve() if home is not None else None
        self._prepare = prepare
        self._keepers = Keepers(pool, self.home, self.registered)

    # Questions ----------------------------------------------------------------------------------------------------

    def find(self, params: messages.FindParams, manner: Manner = AS_USUAL) -> messages.Answer:
        """Where is X?

        Raises BadRequest naming the parameter, UnknownProject where no project that is named is known, Cancelled.
        """
        if not names_projects(params):
            with self._asked_from() as engine:
                return engine.find(params, manner)
        return self.across(params, find_across, manner)

    def recent(self, params: messages.RecentParams, manner: Manner = AS_USUAL) -> messages.Answer:
        """What changed lately? Errors as of `find`."""
        if not names_projects(params):
            with self._asked_from() as engine:
                return engine.recent(params, manner)
        return self.across(params, recent_across, manner)

    def orient(self, params: messages.OrientParams, manner: Manner = AS_USUAL) -> messages.Answer:
        """What matters here? Errors as of `find`."""
        name, path = split_project(params.path)
        if name and not names_projects(params):
            params = msgspec.structs.replace(params, path=path, projects=[name])
        if not names_projects(params):
            with self._asked_from() as engine:
                return engine.orient(params, manner)
        return self.across(params, orient_across, manner)

    def neighbors(self, params: messages.NeighborsParams, manner: Manner = AS_USUAL) -> messages.Answer:
        """What belongs to this file? Errors as of `find`."""
        name, file = split_project(params.file)
        if name:
            inside = msgspec.structs.replace(params, file=file)
            return self.across(inside, neighbors_across, manner, wanted=Wanted([name]))
        with self._asked_from() as engine:
            return engine.neighbors(params, manner)

    def why(
        self, params: messages.WhyParams, manner: Manner = AS_USUAL, *, answers: Sequence[Answers] = ()
    ) -> messages.Explanation:
        """Why does this document have its place, or none? Errors as of `find`.

        answers: where else to look for the question that it is explained for.
        """
        name, _ = split_project(params.doc_id.strip())
        if self.home is not None and named(self.registered(), name) is None:
            name = ""  # the one asked from says that it is none of its own
        with ExitStack() as held:
            keeper = held.enter_context(self._keeper(params.query_id)) if params.query_id and not answers else None
            engine = keeper if keeper and not name and self.home is None else None
            engine = engine or held.enter_context(self._named(name, "doc_id"))
            own = [each.recorder.answers for each in (keeper, *self._at_home(held), engine) if each is not None]
            return engine.why(params, manner, answers=[*answers, *own])

    def detail(
        self, params: messages.DetailParams, manner: Manner = AS_USUAL, *, keeper: Engine | None = None
    ) -> messages.Detail:
        """One result of an earlier answer in full. keeper: of the project that keeps the answer, where that is known.

        Raises BadRequest for an answer or a rank that does not exist.
        """
        with ExitStack() as held:
            keeper = keeper or held.enter_context(self._keeper(params.query_id))
            engine = held.enter_context(self._of_result(keeper, params.query_id, params.rank))
            return engine.detail(params, manner, recorder=keeper.recorder)

    # What is done with answers ------------------------------------------------------------------------------------

    def use(self, params: messages.UseParams) -> messages.Recorded:
        """A result of an earlier answer was used. Raises BadRequest for an answer or a rank that does not exist."""
        with self._keeper(params.query_id) as keeper:
            return keeper.use(params)

    def feedback(self, params: messages.FeedbackParams) -> messages.Recorded:
        """An earlier answer was good or bad. Raises BadRequest as `use`."""
        with self._keeper(params.query_id) as keeper:
            return keeper.recorder.feedback(params)

    def locate(self, query_id: str, rank: int) -> Spot:
        """Where a result of an earlier answer is now. Raises BadRequest, also for one that has no place."""
        with self._keeper(query_id) as keeper, self._of_result(keeper, query_id, rank) as engine:
            return engine.locate(query_id, rank, keeper.recorder)

    # The projects -------------------------------------------------------------------------------------------------

    def status(self, params: messages.StatusParams) -> messages.IndexState:
        """How fresh and complete a project's index is; of the one asked from without a name. Raises UnknownProject."""
        with self._named(params.project or "", "project") as engine:
            return engine.status()

    @property
    def home_name(self) -> str:
        """What the project asked from is called; empty where none is."""
        try:
            return open_project(self.home, force=True).name if self.home is not None else ""
        except ScryError:
            return ""

    def registered(self) -> tuple[Registered, ...]:
        """Every registered project. Raises RegistryUnavailable."""
        return registry().all()

    def close(self) -> None:
        """Closes the engines, and so writes what is left to be logged."""
        self.pool.close()

    def across(
        self,
        params: Question,
        ask: Callable[[Sequence[Asked], Question, Manner], messages.Answer],
        manner: Manner,
        opened: Sequence[Open] = (),
        wanted: Wanted | None = None,
    ) -> messages.Answer:
        """The answer of the projects that a question names. ask: one of engine.across.

        opened: those that are open in an editor, which are asked as they are. wanted: which, where the params don't say
        it. Raises as `find`.
        """
        known = self.registered()
        here = [registered_at(known, each.project.root) or each.project for each in opened] or self._here(known)
        selection = select(wanted or wanted_of(params), here, known)
        if not selection.projects and selection.unknown:
            raise UnknownProject("projects", "; ".join(_unknown(name, known) for name in selection.unknown))
        if not selection.projects:
            raise BadRequest("projects", "none is registered and none is asked from (scry project add FOLDER)")
        missing = [Asked(name, None, failure=_unknown(name, known)) for name in selection.unknown]
        as_opened = {each.project.root: each.asked for each in opened}
        with ExitStack() as held:
            asked = [self._entered(held, each, as_opened) for each in selection.projects]
            answer = ask([*asked, *missing], params, manner)
            keepers = (*self._at_home(held), *(each.asked.engine for each in opened), *(each.engine for each in asked))
            keeper = next((engine for engine in keepers if engine is not None), None)
            return leave_across(keeper, answer, asked, params, manner.encoding) if keeper is not None else answer

    # Inside -------------------------------------------------------------------------------------------------------

    def _entered(self, held: ExitStack, selected: Selected, opened: Mapping[Path, Asked]) -> Asked:
        """The project with its engine, borrowed until the stack ends, or with what keeps it from being asked."""
        name, root = selected.project.name, selected.project.root
        if root in opened:
            return replace(opened[root], name=name, via=selected.via)
        try:
            if not root.is_dir():
                raise BadRequest("projects", _gone(selected.project))
            engine = held.enter_context(self.pool.borrow(root))
            self._prepare(engine)
        except ScryError as error:
            return Asked(name, None, selected.via, failure=str(error))
        return Asked(name, engine, selected.via)

    def _here(self, known: Sequence[Registered]) -> list[Registered]:
        if self.home is None:
            return []
        found = registered_at(known, self.home)
        if found is not None:
            return [found]
        with self.pool.borrow(self.home) as engine:
            return [Registered(engine.project.name, engine.project.root)]

    def _at_home(self, held: ExitStack) -> list[Engine]:
        return [] if self.home is None else [held.enter_context(self.pool.borrow(self.home))]

    @contextmanager
    def _asked_from(self) -> Generator[Engine]:
        if self.home is None:
            names = ", ".join(project.name for project in self.registered()) or "none (scry project add FOLDER)"
            raise BadRequest("projects", f"say which project to ask, or start in one (--root); registered are: {names}")
        with self.pool.borrow(self.home) as engine:
            self._prepare(engine)
            yield engine

    @contextmanager
    def _named(self, name: str, field: str) -> Generator[Engine]:
        """The engine of a project by its name, of the one asked from without one. Raises UnknownProject."""
        if not name:
            with self._asked_from() as engine:
                yield engine
            return
        known = self.registered()
        found = named((*self._here(known), *known), name)
        if found is None:
            raise UnknownProject(field, _unknown(name, known))
        if not found.root.is_dir():
            raise BadRequest(field, _gone(found))
        with self.pool.borrow(found.root) as engine:
            self._prepare(engine)
            yield engine

    @contextmanager
    def _keeper(self, query_id: str) -> Generator[Engine]:
        """The engine of the project that keeps this answer. Where none does, the one asked from, which then says so."""
        root = self._keepers.find(query_id) or self.home
        if root is None:
            raise BadRequest(
                "query_id", f"no registered project has given an answer named {query_id!r}, or it has expired"
            )
        with self.pool.borrow(root) as engine:
            yield engine

    @contextmanager
    def _of_result(self, keeper: Engine, query_id: str, rank: int) -> Generator[Engine]:
        """The engine of the project that a result is from. Raises BadRequest."""
        project = keeper.recorder.answers.read(query_id).result(rank).project
        if project in ("", keeper.project.name):  # a note of the person's own is of no project
            yield keeper
            return
        with self._named(project, "rank") as engine:
            yield engine


def _unknown(name: str, known: Sequence[Registered]) -> str:
    return explain_unknown(name, [project.name for project in known])


def _gone(project: Registered) -> str:
    return (
        f"the folder of {project.name}, {project.root}, is not there; if it has moved, use Scry in it once, or tell "
        f"where it is: scry project update {project.name} --folder FOLDER"
    )
