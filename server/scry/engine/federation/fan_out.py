"""Ask several projects in parallel, each in a thread of its own, and merge their answers into one.

A project that fails becomes a fault of the merged answer; it never fails the others.
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
"""Projects that are asked at the same time; more of them would only wait for the processor."""

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
    """Have one project store and log the answer of several; return it with its notices of the log.

    answered_by: the engine that stores it. projects: the participants, whose documents the results are.
    """
    engines = {asked.name: asked.engine for asked in projects if asked.engine is not None}
    owners = [engines.get(result.project, answered_by) for result in answer.results]
    doc_keys: dict[str, int] = {}
    for engine in dict.fromkeys(owners):
        doc_ids = [result.doc_id for result, owner in zip(answer.results, owners, strict=True) if owner is engine]
        own = engine.doc_keys([split_off_project(doc_id)[1] for doc_id in doc_ids])
        doc_keys.update(zip(doc_ids, own, strict=True))
    keys_by_rank = [doc_keys[result.doc_id] for result in answer.results]
    roots = [engine.project.root for engine in owners]
    return answered_by.recorder.record_answer(answer, params, encoding, keys_by_rank, roots)


def find_in_projects(
    projects: Sequence[Participant], params: messages.FindParams, context: RequestContext
) -> messages.Answer:
    """Find a query in any of these. Raises BadRequest, Cancelled, or the first error if none could be asked."""

    def retrieve(asked: Participant) -> RetrievalResult:
        return require_engine(asked).retrieve(params, subrequest_context(context, asked))

    def build_answer(asked: Participant) -> messages.Answer:
        retrieved = ranked[ordered.index(asked)]
        if isinstance(retrieved, ScryError):
            raise retrieved
        return require_engine(asked).build_answer(retrieved, params, subrequest_context(context, asked))

    def reason(asked: Participant) -> messages.Answer:
        return require_engine(asked).find(params, subrequest_context(context, asked))

    ordered = sort_by_name(projects)
    if params.reason:  # a name in the query may be known in only some projects
        answers = ask_in_parallel(ordered, reason)
    else:
        ranked = rank_retrievals_together(ask_in_parallel(ordered, retrieve))
        answers = ask_in_parallel(ordered, build_answer)
    unavailable = unavailable_answer("find", params.query)
    return merge_project_answers(ordered, answers, unavailable, params.limit, allow_refusals=params.reason)


def orient_in_projects(
    projects: Sequence[Participant], params: messages.OrientParams, context: RequestContext
) -> messages.Answer:
    """Rank the files of a folder of these, which need not all have it. Raises as `find_in_projects`."""

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
    """List what belongs to a file of one of these. Raises as `find_in_projects`."""

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
    """Sort by name, so that equal scores have the same order however the projects were named or opened."""
    return sorted(projects, key=lambda asked: asked.name)


def subrequest_context(context: RequestContext, participant: Participant) -> RequestContext:
    """Derive the context in which one project is asked for its part of the answer."""
    return replace(context, unsaved_paths=participant.unsaved_paths, is_subrequest=True)


def require_engine(participant: Participant) -> Engine:
    """Return the project's engine. Raises IndexUnavailable where it can't be asked."""
    if participant.engine is None:
        raise IndexUnavailable(participant.failure)
    return participant.engine


def rank_retrievals_together(votes: Sequence[RetrievalResult | ScryError]) -> list[RetrievalResult | ScryError]:
    """Return the retrievals, those of projects that have an index with ranks among all projects."""
    retrievals = [each.retrieval for each in votes if isinstance(each, RetrievalResult) and each.retrieval is not None]
    ranked = iter(rank_across_projects(retrievals) if retrievals else ())
    return [
        replace(each, retrieval=replace(each.retrieval, oracle_votes=next(ranked)))
        if isinstance(each, RetrievalResult) and each.retrieval is not None
        else each
        for each in votes
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
    """Merge all answers into one. A project that failed becomes a fault, and its index's state is part of the answer.

    unavailable: an answer without results, for projects that have only a state. allow_refusals: a BadRequest of one
    project does not refuse the question, since it may be valid in another. round_robin: as of `merge_answers`.
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
    """Ask each, MAX_THREADS at a time; return the answers, an error in the place of each that failed.

    Raises Cancelled.
    """

    def safely(asked: Participant) -> T | ScryError:
        try:
            return ask(asked)
        except Cancelled:
            raise
        except ScryError as error:
            return error
        except Exception as error:  # any failure must cost this project's answer only
            _log.error("%s failed", asked.name, exc_info=error)
            return IndexUnavailable(f"{type(error).__name__}: {error}")

    with ThreadPoolExecutor(min(MAX_THREADS, max(1, len(projects))), thread_name_prefix="scry-across") as threads:
        return list(threads.map(safely, projects))
