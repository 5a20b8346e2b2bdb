"""Ask several projects in parallel, and merge their answers into one.

One question to several projects at once: each in a thread of its own, none of them able to fail the others.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest, Cancelled, IndexUnavailable, ScryError
from scry.core.types import IndexState
from scry.engine.context import RequestContext
from scry.engine.federation.rank_merge import rank_across_projects
from scry.engine.response.answer import present_state
from scry.engine.response.merged import ProjectAnswer, merge_answers, unavailable_answer
from scry.engine.search.retrieve import RetrievalResult
from scry_protocol import messages

if TYPE_CHECKING:
    from scry.engine.engine import Engine

MAX_THREADS = 8
"""So many projects are asked at the same time; more of them would only wait for the processor."""

T = TypeVar("T")

_log = logging.getLogger(__name__)


def return_unchanged(result: messages.ResultItem) -> messages.ResultItem:
    """Leave a result's locations as the engine gave them."""
    return result


class Participant(msgspec.Struct, frozen=True, eq=False):
    """A project that takes part in answering.

    name: its own among the participants. engine: None for a project that can't be asked (yet). via: its link from the
    project asked from. failure: why it can't be asked. state: that of its index, where there is one to tell of.
    unsaved_paths: files whose text in an editor is newer. map_to_editor: moves the locations of a result to where the
    editor has them.
    """

    name: str
    engine: Engine | None
    via: str = ""
    failure: str = ""
    state: messages.IndexState | None = None
    unsaved_paths: tuple[str, ...] = ()
    map_to_editor: Callable[[messages.ResultItem], messages.ResultItem] = return_unchanged

    def map_answer(self, answer: messages.Answer) -> messages.Answer:
        """Return the answer with the locations of all its results mapped."""
        if self.map_to_editor is return_unchanged:
            return answer
        return replace(answer, results=[self.map_to_editor(result) for result in answer.results])

    def map_explanation(self, explanation: messages.Explanation) -> messages.Explanation:
        """Return the explanation with the locations of its result, if it has one, mapped."""
        if explanation.result is msgspec.UNSET:
            return explanation
        return replace(explanation, result=self.map_to_editor(explanation.result))


def record_merged_answer(
    answered_by: Engine, answer: messages.Answer, projects: Sequence[Participant], params: msgspec.Struct, encoding: str
) -> messages.Answer:
    """Has one project keep and log the answer of several; returns it as it leaves."""
    engines = {asked.name: asked.engine for asked in projects if asked.engine is not None}
    of = [engines.get(result.project, answered_by) for result in answer.results]
    numbers: dict[str, int] = {}
    for engine in dict.fromkeys(of):
        doc_ids = [result.doc_id for result, its in zip(answer.results, of, strict=True) if its is engine]
        own = engine.doc_keys([split_off_project(doc_id)[1] for doc_id in doc_ids])
        numbers.update(zip(doc_ids, own, strict=True))
    by_rank = [numbers[result.doc_id] for result in answer.results]
    return answered_by.recorder.record_answer(answer, params, encoding, by_rank, [engine.project.root for engine in of])


def find_in_projects(
    projects: Sequence[Participant], params: messages.FindParams, context: RequestContext
) -> messages.Answer:
    """Where is X, in any of these? Raises BadRequest, Cancelled, or why none of them could be asked."""

    def vote(asked: Participant) -> RetrievalResult:
        return require_engine(asked).retrieve(params, subrequest_context(context, asked))

    def tally(asked: Participant) -> messages.Answer:
        voted = settled[ordered.index(asked)]
        if isinstance(voted, ScryError):
            raise voted
        return require_engine(asked).build_answer(voted, params, subrequest_context(context, asked))

    def reason(asked: Participant) -> messages.Answer:
        return require_engine(asked).find(params, subrequest_context(context, asked))

    ordered = sort_by_name(projects)
    if params.reason:  # a name of the question may be known in only some of them
        answers = ask_in_parallel(ordered, reason)
    else:
        settled = rank_retrievals_together(ask_in_parallel(ordered, vote))
        answers = ask_in_parallel(ordered, tally)
    blank = unavailable_answer("find", params.query)
    return merge_project_answers(ordered, answers, blank, params.limit, allow_refusals=params.reason)


def orient_in_projects(
    projects: Sequence[Participant], params: messages.OrientParams, context: RequestContext
) -> messages.Answer:
    """What matters in any of these? The path may be one of only some of them. Raises as `find_across`."""

    def ask(asked: Participant) -> messages.Answer:
        return require_engine(asked).orient(params, subrequest_context(context, asked))

    ordered = sort_by_name(projects)
    return merge_project_answers(
        ordered,
        ask_in_parallel(ordered, ask),
        unavailable_answer("orient", params.path),
        params.limit,
        allow_refusals=True,
    )


def neighbors_in_projects(
    projects: Sequence[Participant], params: messages.NeighborsParams, context: RequestContext
) -> messages.Answer:
    """What belongs to a file of one of these? Raises as `find_across`."""

    def ask(asked: Participant) -> messages.Answer:
        return require_engine(asked).neighbors(params, subrequest_context(context, asked))

    ordered = sort_by_name(projects)
    return merge_project_answers(
        ordered,
        ask_in_parallel(ordered, ask),
        unavailable_answer("neighbors", params.file),
        params.limit,
        allow_refusals=True,
    )


def sort_by_name(projects: Sequence[Participant]) -> list[Participant]:
    """By name: however they were named or opened, equal scores stand in one order."""
    return sorted(projects, key=lambda asked: asked.name)


def subrequest_context(context: RequestContext, participant: Participant) -> RequestContext:
    """How a project is asked for its part of the answer."""
    return replace(context, unsaved_paths=participant.unsaved_paths, is_subrequest=True)


def require_engine(participant: Participant) -> Engine:
    """The project's engine. Raises IndexUnavailable where it can't be asked."""
    if participant.engine is None:
        raise IndexUnavailable(participant.failure)
    return participant.engine


def rank_retrievals_together(votes: Sequence[RetrievalResult | ScryError]) -> list[RetrievalResult | ScryError]:
    """The votes with those of the projects that have an index ranked together."""
    ballots = [voted.retrieval for voted in votes if isinstance(voted, RetrievalResult) and voted.retrieval is not None]
    ranked = iter(rank_across_projects(ballots) if ballots else ())
    return [
        replace(voted, retrieval=replace(voted.retrieval, oracle_votes=next(ranked)))
        if isinstance(voted, RetrievalResult) and voted.retrieval is not None
        else voted
        for voted in votes
    ]


def merge_project_answers(
    projects: Sequence[Participant],
    answers: Sequence[messages.Answer | ScryError],
    unavailable: messages.Answer,
    limit: int,
    *,
    allow_refusals: bool = False,
    round_robin: bool = False,
) -> messages.Answer:
    """All answers as one. What could not answer is a fault, and its index's state is told where it has one.

    may_refuse: what is wrong with the question in one project may be right in another. in_turn: as of `merge`.
    """
    errors = [answer for answer in answers if isinstance(answer, ScryError)]
    refused = next((error for error in errors if isinstance(error, BadRequest)), None)
    none_answered = len(errors) == len(projects) and all(asked.state is None for asked in projects)
    if refused is not None and not allow_refusals:
        raise refused
    if errors and none_answered:
        raise errors[0]
    parts: list[ProjectAnswer] = []
    faults: list[messages.Fault] = []
    for asked, answer in zip(projects, answers, strict=True):
        if not isinstance(answer, ScryError):
            parts.append(ProjectAnswer(asked.name, asked.map_answer(answer), asked.via))
            continue
        if asked.state is None:
            faults.append(messages.Fault("", str(answer), asked.name))
        state = asked.state or (None if isinstance(answer, BadRequest) else _failed_state(str(answer)))
        if state is not None and (asked.engine is not None or asked.state is not None):
            parts.append(ProjectAnswer(asked.name, msgspec.structs.replace(unavailable, index=state), asked.via))
    return merge_answers(parts, limit, faults, round_robin=round_robin)


def _failed_state(message: str) -> messages.IndexState:
    return present_state(IndexState(state="failed", message=message))


def ask_in_parallel(projects: Sequence[Participant], ask: Callable[[Participant], T]) -> list[T | ScryError]:
    """Asks each, as many at once as there are threads; in the place of what failed its error. Raises Cancelled."""

    def safely(asked: Participant) -> T | ScryError:
        try:
            return ask(asked)
        except Cancelled:
            raise
        except ScryError as error:
            return error
        except Exception as error:  # whatever it is, it must cost this project's answer only
            _log.error("%s failed", asked.name, exc_info=error)
            return IndexUnavailable(f"{type(error).__name__}: {error}")

    with ThreadPoolExecutor(min(MAX_THREADS, max(1, len(projects))), thread_name_prefix="scry-across") as threads:
        return list(threads.map(safely, projects))
