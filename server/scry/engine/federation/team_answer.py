"""Ask a joined team beside the local projects, and merge what it has in time.

A question to the team runs in a thread of its own, on one of a few connections. Local projects are asked meanwhile, and
their answer never waits longer for the team than `RequestContext.team_timeout_s`. Later answers are kept for the same
question asked again. Whatever fails costs the team's part only, and is a fault of the answer.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from scry.core.errors import BadRequest, Busy, Cancelled, IndexUnavailable, ScryError
from scry.core.settings import BUNDLED_MODEL
from scry.core.types import IndexState, SearchQuery
from scry.embedding.embedder import Vectors
from scry.embedding.static_model import content_words, load_bundled_model
from scry.engine.activity.team_jumps import GIVER
from scry.engine.context import FindRequest, NeighborsRequest, OrientRequest, RecentRequest, RequestContext
from scry.engine.federation.fan_out import (
    BlankAnswer,
    Participant,
    arrange_participants,
    ask_in_parallel,
    collect_answers,
    engines_of,
    rank_retrievals_together,
    require_engine,
    subrequest_context,
)
from scry.engine.federation.rank_merge import rank_across_projects
from scry.engine.federation.team_copies import LocalHits, add_copies, fold_into_local, name_of_repository
from scry.engine.federation.team_documents import TeamRequest, add_texts, read_texts
from scry.engine.federation.team_links import add_team_place, remotes_of, team_project
from scry.engine.federation.team_results import TeamAnswer, build_team_answers, rank_in_team
from scry.engine.federation.team_search import TeamRetrieval, retrieve_from_team, used_places_of
from scry.engine.modes import question_of
from scry.engine.response.answer import present_answer
from scry.engine.response.merged import FederatedAnswer, PresentedAnswer, ProjectAnswer, ProjectFault
from scry.engine.search.pipeline import Retrieval, RetrievalResult
from scry.oracles.reader import FindUsedPlaces
from scry.store.team.database import TeamDatabase
from scry.store.team.membership import Membership
from scry.store.team.reader import TeamReader
from scry.store.vector_sets import EmbedderInfo

TEAM = "team"
"""The name under which faults of the team's server are told."""

MAX_CONNECTIONS = 4
"""Connections of one process: with 100 people that each type in an editor, a server of 400 connections has enough."""

KEPT_IDLE_S = 60.0
"""Longest time that an unused connection is kept, so that of a hundred open editors only those that ask hold any."""

REFUSED_WAIT_S = 5.0
"""Longest wait for another connection of this process where the server gives no further one."""

HANDOFF_TIMEOUT_S = 5.0
"""Longest time that a snapshot waits for the ranks of local projects."""

IDLE_CHECK_S = 1.0
"""A connection that was idle for longer is tried before it is used: the server may have been restarted."""

MAX_LATE = 16
LATE_S = 120.0
"""Answers that came too late, and how long they are kept for the same question asked again."""

_log = logging.getLogger(__name__)

QuestionKey = tuple[object, ...]
T = TypeVar("T")


class _Late(Struct, frozen=True):
    answers: Sequence[TeamAnswer]
    at: float


class TeamAccess:
    """The connections of one process to the joined team. Every method may be called from any thread."""

    def __init__(self, membership: Membership) -> None:
        """Connect to nothing yet."""
        self.membership = membership
        self._lock = threading.Condition()
        self._idle: list[tuple[TeamDatabase, float]] = []
        self._open = 0
        self._is_closed = False
        self._closing: threading.Timer | None = None
        self._late: OrderedDict[QuestionKey, _Late] = OrderedDict()
        self._given_up: dict[QuestionKey, Future[Sequence[TeamAnswer]]] = {}

    def borrow(self) -> TeamDatabase:
        """Return a connection for one thread. Raises IndexUnavailable, Busy and PartMissing."""
        while True:
            with self._lock:
                database, idle_since = self._idle.pop() if self._idle else (None, 0.0)
            if database is None:
                break
            if time.monotonic() - idle_since < IDLE_CHECK_S or database.is_alive():
                return database
            self.give_back(database, is_sound=False)
        with self._lock:
            if self._open >= MAX_CONNECTIONS:
                raise Busy(_BUSY)
            self._open += 1
        try:
            return TeamDatabase.open_for_reading(self.membership.connection_string())
        except BaseException as error:
            with self._lock:
                self._open -= 1
                self._lock.notify_all()
            if isinstance(error, IndexUnavailable) and (other := self._wait_for_other()) is not None:
                return other
            raise

    def _wait_for_other(self) -> TeamDatabase | None:
        """Return the next connection that is given back, the server having refused another one; None for none."""
        with self._lock:
            self._lock.wait_for(lambda: self._idle or not self._open, REFUSED_WAIT_S)
            return self._idle.pop()[0] if self._idle else None

    def give_back(self, database: TeamDatabase, *, is_sound: bool) -> None:
        """Take a connection back. is_sound: whether it can be used again."""
        with self._lock:
            is_kept = is_sound and not self._is_closed
        if not is_kept:
            database.close()
        with self._lock:
            if is_kept:
                self._idle.append((database, time.monotonic()))
            else:
                self._open -= 1
            self._lock.notify_all()
            self._close_later()

    def _close_later(self) -> None:
        """See to it that idle connections are closed once nobody has used them for KEPT_IDLE_S. Hold the lock."""
        if self._closing is None and self._idle:
            self._closing = threading.Timer(KEPT_IDLE_S, self._close_unused)
            self._closing.daemon = True
            self._closing.start()

    def _close_unused(self) -> None:
        before = time.monotonic() - KEPT_IDLE_S
        with self._lock:
            unused = [database for database, since in self._idle if since <= before]
            self._idle = [each for each in self._idle if each[1] > before]
            self._open -= len(unused)
            self._closing = None
            self._close_later()
        for database in unused:
            database.close()

    def read(self, read: Callable[[TeamReader], T]) -> T:
        """Return what is read in one snapshot. Raises as `borrow`, and whatever `read` raises."""
        database = self.borrow()
        is_sound = False
        try:
            with database.snapshot():
                found = read(TeamReader(database))
            is_sound = True
        except BadRequest:
            is_sound = True
            raise
        finally:
            self.give_back(database, is_sound=is_sound)
        return found

    def keep_running(self, key: QuestionKey, answered: Future[Sequence[TeamAnswer]]) -> None:
        """Keep a question that nobody waits for any more, until it is answered, for who asks the same again."""
        with self._lock:
            self._given_up[key] = answered
        answered.add_done_callback(lambda _: self._forget_running(key, answered))

    def _forget_running(self, key: QuestionKey, answered: Future[Sequence[TeamAnswer]]) -> None:
        with self._lock:
            if self._given_up.get(key) is answered:
                del self._given_up[key]

    def running(self, key: QuestionKey) -> Future[Sequence[TeamAnswer]] | None:
        """Return the answers to come of this question where it was asked before and given up."""
        with self._lock:
            return self._given_up.get(key)

    def keep_late(self, key: QuestionKey, answers: Sequence[TeamAnswer]) -> None:
        """Keep answers that came too late."""
        with self._lock:
            self._late[key] = _Late(answers, time.monotonic())
            while len(self._late) > MAX_LATE:
                self._late.popitem(last=False)

    def take_late(self, key: QuestionKey) -> Sequence[TeamAnswer]:
        """Return and forget the answers to this question that came too late the last time."""
        with self._lock:
            late = self._late.pop(key, None)
        return late.answers if late is not None and time.monotonic() - late.at < LATE_S else ()

    def close(self) -> None:
        """Close the connections that nobody uses, and the others once they are given back."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
            self._open -= len(idle)
            if self._closing is not None:
                self._closing.cancel()
                self._closing = None
        for database, _ in idle:
            database.close()


class _TeamQuestion:
    """A question on its way to the team, in a thread of its own: first retrieval, then, once ranks are known, answers.

    key: by which late answers are kept. on_late: called when they have come too late. learnt: as for
    retrieve_from_team. with_texts: whether the texts of results are wanted, too. with_graph: whether their relations
    are.
    """

    def __init__(
        self,
        access: TeamAccess,
        question: SearchQuery,
        excluded: Sequence[str],
        key: QuestionKey,
        on_late: Callable[[], None] | None,
        learnt: Sequence[FindUsedPlaces] | None,
        *,
        with_texts: bool,
        with_graph: bool,
    ) -> None:
        self._access = access
        self._question = question
        self._excluded = excluded
        self._on_late = on_late
        self._learnt = learnt
        self._with_texts = with_texts
        self._with_graph = with_graph
        self._key = key
        self._ranked: queue.SimpleQueue[Sequence[Retrieval] | None] = queue.SimpleQueue()
        self._retrieved: Future[Sequence[TeamRetrieval]] = Future()
        self._answered: Future[Sequence[TeamAnswer]] = Future()
        self._is_given_up = threading.Event()
        threading.Thread(target=self._run, name="scry-team", daemon=True).start()

    def wait_for_retrievals(self, seconds: float) -> Sequence[TeamRetrieval] | None:
        """Return the matches; None where they did not come in time. Raises ScryError."""
        return self._wait(self._retrieved, seconds)

    def wait_for_answers(self, ranked: Sequence[Retrieval], seconds: float) -> Sequence[TeamAnswer] | None:
        """Return the answers by these ranks and weights; None where they did not come in time. Raises ScryError."""
        self._ranked.put(ranked)
        answers = self._wait(self._answered, seconds)
        if answers is None:
            self._give_up()
            answers = self._wait(self._answered, 0.0)
        return answers

    def abandon(self) -> None:
        """Let the thread finish on its own, and keep its answers for the same question."""
        self._give_up()
        self._ranked.put(None)

    def _give_up(self) -> None:
        self._access.keep_running(self._key, self._answered)
        self._is_given_up.set()  # from here on the thread keeps what it finds

    def _wait(self, future: Future[Sequence[T]], seconds: float) -> Sequence[T] | None:
        try:
            return future.result(max(0.0, seconds))
        except FutureTimeout:
            return None

    def _run(self) -> None:
        try:
            database = self._access.borrow()
        except Exception as error:
            self._fail(error)
            return
        is_sound = False
        try:
            with database.snapshot():
                is_late = self._answer(TeamReader(database))
            is_sound = True
        except Exception as error:
            self._fail(error)
        else:
            if is_late and self._on_late is not None:
                self._on_late()
        finally:
            self._access.give_back(database, is_sound=is_sound)

    def _answer(self, reader: TeamReader) -> bool:
        """Find and answer; return whether the answers are kept for later."""
        found = retrieve_from_team(
            self._question, reader, encode_question, excluded=self._excluded, learnt=self._learnt
        )
        self._retrieved.set_result(found)
        try:
            ranked = self._ranked.get(timeout=HANDOFF_TIMEOUT_S)
        except queue.Empty:
            ranked = None
        if ranked is None:
            matches = rank_across_projects([each.retrieval for each in found]) if found else []
        else:
            matches = [each.oracle_matches for each in ranked]
            found = [
                replace(each, retrieval=replace(each.retrieval, question=own.question))
                for each, own in zip(found, ranked, strict=True)
            ]
        answers = build_team_answers(found, rank_in_team(found, matches, reader), reader)
        if self._with_texts:
            answers = read_texts(answers, reader, with_graph=self._with_graph)
        self._answered.set_result(answers)
        if is_late := self._is_given_up.is_set():
            self._access.keep_late(self._key, answers)
        return is_late

    def _fail(self, error: Exception) -> None:
        if not isinstance(error, ScryError):
            _log.error("the team can't be asked", exc_info=error)
            error = IndexUnavailable(f"{type(error).__name__}: {error}")
        for future in (self._retrieved, self._answered):
            if not future.done():
                future.set_exception(error)


def encode_question(embedder: EmbedderInfo, text: str) -> Vectors:
    """Return a question's vector. Raises IndexUnavailable where the team's vectors are of another model."""
    model = load_bundled_model()
    if embedder.model != BUNDLED_MODEL or model.identity != embedder.identity:
        raise IndexUnavailable("the team's vectors are of another version of the model; install its version of Scry")
    return model.encode_query(content_words(text))


# The answer -----------------------------------------------------------------------------------------------------------


def find_with_team(
    access: TeamAccess,
    projects: Sequence[Participant],
    request: FindRequest,
    context: RequestContext,
    on_late: Callable[[], None] | None = None,
) -> FederatedAnswer:
    """Return the answers of these projects and of the team's repositories to a find; as fan_out.find_in_projects.

    A repository that one of the projects is a clone of is answered by the project alone. on_late: called, from another
    thread, when answers of the team have come that this one no longer waited for.
    """
    ordered = arrange_participants(projects)
    question = question_of(request)
    with_graph = request.with_full_results
    with_texts = with_graph or request.excerpt_lines > 0
    excluded = remotes_of_projects(ordered)
    learnt = used_places_of(engines_of(ordered))
    key = (repr(question), with_texts, with_graph, *excluded)
    # Who asks again takes what came late, or waits for what is under way: a slow server is not asked twice.
    late = access.take_late(key)
    running = None if late else access.running(key)
    asked: _TeamQuestion | None = None
    if not late and running is None:
        asked = _TeamQuestion(
            access, question, excluded, key, on_late, learnt, with_texts=with_texts, with_graph=with_graph
        )

    def retrieve(participant: Participant) -> RetrievalResult:
        return require_engine(participant).modes.retrieve(request, subrequest_context(context, participant))

    local = ask_in_parallel(ordered, retrieve)
    deadline = time.monotonic() + context.team_timeout_s
    found, fault = ((), None) if asked is None else _wait_for_team(asked, deadline)
    of_team = [RetrievalResult(each.retrieval.question, IndexState(), each.retrieval) for each in found]
    ranked = rank_retrievals_together([*local, *of_team])

    hits: dict[str, LocalHits] = {}

    def build_answer(participant: Participant) -> PresentedAnswer:
        retrieved = ranked[ordered.index(participant)]
        if isinstance(retrieved, ScryError):
            raise retrieved
        own_context, engine = subrequest_context(context, participant), require_engine(participant)
        answer = engine.modes.build_answer(retrieved, own_context)
        if retrieved.retrieval is not None:
            hits[participant.name] = LocalHits(answer.hits, retrieved.retrieval.reader)
        return engine.present(answer, "find", own_context, request)

    answers = ask_in_parallel(ordered, build_answer)
    team: Sequence[TeamAnswer] = late
    if running is not None:
        team, fault = _wait_for_running(running, deadline)
    elif asked is not None and fault is None:
        team, fault = _wait_for_answers(asked, ranked[len(local) :], deadline)
    merged = collect_answers(ordered, answers, BlankAnswer("find", request.query, context), request.limit)
    names = [each.name for each in ordered]
    of_team_parts = [present_part(each, request, context, names) for each in team]
    parts = fold_into_local(merged.parts, hits, of_team_parts, team)
    return replace(merged, parts=parts, faults=[*merged.faults, *_faults_of_team(fault)])


def _faults_of_team(fault: str | None) -> list[ProjectFault]:
    """Return why the team's part is missing, if it is, and why jumps could not be given to it."""
    faults = [] if fault is None else [ProjectFault(TEAM, fault, is_late=fault in RETRIED)]
    trouble = GIVER.describe_trouble()
    return [*faults, ProjectFault(TEAM, trouble)] if trouble else faults


LATE = "the team's server has not answered yet; ask again for its results"
_BUSY = f"all {MAX_CONNECTIONS} connections to the team's server are in use"
RETRIED = (LATE, _BUSY)
"""Faults that are over once earlier questions are answered."""


def _wait_for_team(asked: _TeamQuestion, deadline: float) -> tuple[Sequence[TeamRetrieval], str | None]:
    """Return the team's matches, or why there are none (yet)."""
    try:
        found = asked.wait_for_retrievals(deadline - time.monotonic())
    except Cancelled:
        raise
    except ScryError as error:
        return (), str(error)
    if found is None:
        asked.abandon()
        return (), LATE
    return found, None


def _wait_for_answers(
    asked: _TeamQuestion, ranked: Sequence[RetrievalResult | ScryError], deadline: float
) -> tuple[Sequence[TeamAnswer], str | None]:
    retrievals = [each.retrieval for each in ranked if isinstance(each, RetrievalResult) and each.retrieval]
    try:
        answers = asked.wait_for_answers(retrievals, deadline - time.monotonic())
    except ScryError as error:
        return (), str(error)
    return ((), LATE) if answers is None else (answers, None)


def _wait_for_running(
    running: Future[Sequence[TeamAnswer]], deadline: float
) -> tuple[Sequence[TeamAnswer], str | None]:
    """Return the answers of a question that was asked before, ranked among the team's own, or why there are none."""
    try:
        return running.result(max(0.0, deadline - time.monotonic())), None
    except FutureTimeout:
        return (), LATE
    except ScryError as error:
        return (), str(error)


_MODES: Mapping[type, str] = {
    FindRequest: "find",
    RecentRequest: "recent",
    OrientRequest: "orient",
    NeighborsRequest: "neighbors",
}


def present_part(
    team: TeamAnswer, request: TeamRequest, context: RequestContext, taken: Sequence[str] = ()
) -> ProjectAnswer:
    """Return the answer of a team's repository on the wire. taken: names of local projects in the same answer."""
    repository, mode = team.repository, _MODES[type(request)]
    project = team_project(repository)
    answer = present_answer(replace(team.answer, notices=()), mode, project, replace(context, unsaved_paths=()))
    answer = add_texts(answer, team, project, request, context.encoding)
    results = [
        add_copies(add_team_place(each, repository), team.copies.get(hit.document.doc_key), hit, taken)
        for each, hit in zip(answer.results, team.answer.hits, strict=True)
    ]
    name = name_of_repository(repository, taken)
    return ProjectAnswer(name, replace(answer, results=results), team.answer.notices, is_team=True)


def remotes_of_projects(projects: Sequence[Participant]) -> list[str]:
    """Return the addresses of the repositories that the projects are clones of, in one form."""
    roots = [each.project.root for each in engines_of(projects)]
    return sorted({remote for root in roots for remote in remotes_of(root)})
