"""Ask several projects in parallel, each in a thread of its own, so that a failure costs one project's answer only."""

from __future__ import annotations

import logging
import operator
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

import msgspec
from msgspec.structs import replace

from scry.core.errors import BadRequest, Cancelled, IndexUnavailable, ScryError
from scry.core.knowledge import NOTES_FOLDER
from scry.core.types import Answer, IndexState
from scry.engine.context import FindRequest, NeighborsRequest, OrientRequest, RequestContext
from scry.engine.federation.rank_merge import rank_across_projects
from scry.engine.response.merged import (
    FederatedAnswer,
    PresentedAnswer,
    ProjectAnswer,
    ProjectFault,
    ResultMapping,
    map_answer,
    return_unchanged,
    unavailable_answer,
)
from scry.engine.search.pipeline import Retrieval, RetrievalResult

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.engine.search.query import FileRow
    from scry.projects.project import Project

MAX_THREADS = 8
"""Projects asked at the same time; more threads would only wait for the processor."""

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Participant(msgspec.Struct, frozen=True, eq=False):
    """A project that takes part in answering.

    name: its own among the participants. engine: None for a project that can't be asked (yet). via: its link from the
    project asked from. failure: why it can't be asked. refusal: the same where the request is to blame. state: of its
    index, where known. unsaved_paths: files whose text in an editor is newer. map_to_editor: moves the locations of a
    result to where the editor has them. answered_by: as of RequestContext.
    """

    name: str
    engine: Engine | None
    via: str = ""
    failure: str = ""
    refusal: BadRequest | None = None
    state: IndexState | None = None
    unsaved_paths: tuple[str, ...] = ()
    map_to_editor: ResultMapping = return_unchanged
    answered_by: Mapping[str, str] = MappingProxyType({})


def find_in_projects(projects: Sequence[Participant], request: FindRequest, context: RequestContext) -> FederatedAnswer:
    """Return the answers of these projects to a find, with each oracle's matches ranked among those of all projects.

    Raises BadRequest, Cancelled, or the reason why none of the projects could be asked.
    """

    def retrieve(participant: Participant) -> RetrievalResult:
        return require_engine(participant).modes.retrieve(request, subrequest_context(context, participant))

    def build_answer(participant: Participant) -> PresentedAnswer:
        retrieved = ranked[ordered.index(participant)]
        if isinstance(retrieved, ScryError):
            raise retrieved
        own = subrequest_context(context, participant)
        engine = require_engine(participant)
        answer = engine.modes.build_answer(retrieved, own)
        if request.is_typed:
            from scry.engine.search.completion import add_completion_notice

            answer = add_completion_notice(answer, typed, request)
        return engine.present(answer, "find", own, request)

    def answer_relation_query(participant: Participant) -> PresentedAnswer:
        own = subrequest_context(context, participant)
        engine = require_engine(participant)
        return engine.present(engine.modes.find(request, own), request.mode, own, request)

    ordered, typed = arrange_participants(projects), request
    if request.is_typed:
        from scry.engine.search.completion import complete_last_word

        engines = [each.engine for each in ordered if each.engine is not None]
        request = complete_last_word(typed, [store for engine in engines if (store := engine.index.store())])
    if request.mode == "reason":  # a name in the question may be known in only some of the projects
        answers = ask_in_parallel(ordered, answer_relation_query)
    else:
        ranked = rank_retrievals_together(ask_in_parallel(ordered, retrieve))
        answers = ask_in_parallel(ordered, build_answer)
    blank = BlankAnswer("find", request.query, context)
    return collect_answers(ordered, answers, blank, request.limit, allow_refusals=request.mode == "reason")


def orient_in_projects(
    projects: Sequence[Participant], request: OrientRequest, context: RequestContext
) -> FederatedAnswer:
    """Return the answers of these projects to an orient; the path may be in only some of them. Raises as find."""
    blank = BlankAnswer("orient", request.path, context)
    return _ask_about_path(projects, blank, request.limit, lambda engine, own: engine.modes.orient(request, own))


def neighbors_in_projects(
    projects: Sequence[Participant], request: NeighborsRequest, context: RequestContext
) -> FederatedAnswer:
    """Return the answers of these projects to a neighbors; the file is in one of them. Raises as find."""
    blank = BlankAnswer("neighbors", request.file, context)
    return _ask_about_path(projects, blank, request.limit, lambda engine, own: engine.modes.neighbors(request, own))


def _ask_about_path(
    projects: Sequence[Participant],
    blank: BlankAnswer,
    limit: int,
    answer: Callable[[Engine, RequestContext], Answer],
) -> FederatedAnswer:
    """Return the answers of these projects to a request about a path, which may be in only some of them."""

    def ask(participant: Participant) -> PresentedAnswer:
        own, engine = subrequest_context(blank.context, participant), require_engine(participant)
        return engine.present(answer(engine, own), blank.mode, own)

    ordered = arrange_participants(projects)
    return collect_answers(ordered, ask_in_parallel(ordered, ask), blank, limit, allow_refusals=True)


def arrange_participants(projects: Sequence[Participant]) -> list[Participant]:
    """Return the projects by name, so that equal scores have the same order however the projects were named or opened.

    One that has another in its folder leaves the files that both have to the inner one, so that none is found twice.
    """
    ordered = sorted(projects, key=lambda project: project.name)
    by_root = {each.engine.project.root: each.engine for each in ordered if each.engine is not None}
    inner: dict[Path, list[Engine]] = defaultdict(list)
    for root, engine in by_root.items():
        for folder in root.parents:
            if folder in by_root:
                inner[folder].append(engine)
    if not inner:
        return ordered
    return [
        _leave_files(each, files_of_inner_projects(each.engine, inner[each.engine.project.root]))
        if each.engine is not None and each.engine.project.root in inner
        else each
        for each in ordered
    ]


def _leave_files(outer: Participant, answered_by: Mapping[str, str]) -> Participant:
    """Return a project without the files that others answer for; these tell of their unsaved text, too."""
    unsaved = tuple(path for path in outer.unsaved_paths if path not in answered_by)
    return replace(outer, answered_by=answered_by, unsaved_paths=unsaved)


def files_of_inner_projects(outer: Engine, asked: Sequence[Engine]) -> dict[str, str]:
    """Return the files of a project that others inside its folder have, too, each with the name of the innermost.

    asked: projects that are asked with it, inside its folder or elsewhere.
    """
    root = outer.project.root
    inner = [each for each in asked if root in each.project.root.parents]
    if not inner:
        return {}
    inner.sort(key=lambda each: len(each.project.root.parts))
    projects, files = [each.project for each in inner], [_indexed_files(each) for each in (outer, *inner)]
    known = _inner_files.get(outer)
    if known is not None and known.inner == projects and all(map(operator.is_, known.files, files)):
        return known.answered_by
    own, answered_by = {path for _, path, *_ in files[0]}, dict[str, str]()
    for project, found in zip(projects, files[1:], strict=True):
        prefix = f"{project.root.relative_to(root).as_posix()}/"
        shared = own.intersection([prefix + path for _, path, *_ in found])
        shared |= {path for path in own if path.startswith(f"{prefix}{NOTES_FOLDER}/")}  # its beliefs are notes there
        answered_by.update(dict.fromkeys(shared, project.name))
    _inner_files[outer] = _InnerFiles(projects, files, answered_by)
    return answered_by


class _InnerFiles(msgspec.Struct, frozen=True, eq=False):
    """The files of a project that others inside its folder have, too, with all files of it and of them."""

    inner: Sequence[Project]
    files: Sequence[Sequence[FileRow]]
    answered_by: dict[str, str]


_inner_files: WeakKeyDictionary[Engine, _InnerFiles] = WeakKeyDictionary()
"""By the outer project; looked for again only where files were added or removed."""


def _indexed_files(engine: Engine) -> Sequence[FileRow]:
    """Return the files that can be found in a project now, the same object until they change; none where its index
    can't be read.
    """
    try:
        store = engine.index.store()
        if store is None:
            return ()
        store.refresh()
        return store.files.indexed_files()
    except Exception as error:  # its own part of the answer tells why
        _log.info("%s: its files can't be listed: %s", engine.project.name, error)
        return ()


def participant_of(engine: Engine) -> Participant:
    """Return the project of an engine, as it is on the disk."""
    return Participant(engine.project.name, engine)


def context_for(participant: Participant, context: RequestContext) -> RequestContext:
    """Derive the context in which one project is asked alone."""
    return replace(context, unsaved_paths=participant.unsaved_paths)


def subrequest_context(context: RequestContext, participant: Participant) -> RequestContext:
    """Derive the context in which one project is asked for its part of the answer."""
    return replace(
        context,
        unsaved_paths=participant.unsaved_paths,
        is_subrequest=True,
        answered_by=participant.answered_by,
    )


def engines_of(participants: Sequence[Participant]) -> list[Engine]:
    """Return the engines of the projects that can be asked."""
    return [each.engine for each in participants if each.engine is not None]


def failed_participant(name: str, via: str, error: ScryError) -> Participant:
    """Return a project that can't be asked for this reason."""
    refusal = error if isinstance(error, BadRequest) else None
    return Participant(name, None, via, failure=str(error), refusal=refusal)


def require_engine(participant: Participant) -> Engine:
    """Return the project's engine. Raises IndexUnavailable where it can't be asked."""
    if participant.engine is None:
        raise IndexUnavailable(participant.failure)
    return participant.engine


def rank_retrievals_together(results: Sequence[RetrievalResult | ScryError]) -> list[RetrievalResult | ScryError]:
    """Return the retrievals; those of projects with an index have ranks among all projects."""
    retrievals = [
        each.retrieval for each in results if isinstance(each, RetrievalResult) and each.retrieval is not None
    ]
    matches = rank_across_projects(retrievals) if retrievals else []
    together = [
        replace(own, oracle_matches=its, question=replace(own.question, weights=weights))
        for own, its, weights in zip(retrievals, matches, _common_weights(retrievals), strict=True)
    ]
    if together and together[0].question.prefix:
        from scry.engine.search.completion import share_holding_scores

        together = share_holding_scores(together)
    ranked = iter(together)
    return [
        replace(each, retrieval=next(ranked))
        if isinstance(each, RetrievalResult) and each.retrieval is not None
        else each
        for each in results
    ]


def _common_weights(retrievals: Sequence[Retrieval]) -> list[Mapping[str, float]]:
    """Return the weights for each project: of every oracle that takes part in any, so that their scores compare."""
    every = {name: weight for each in retrievals for name, weight in each.question.weights.items()}
    return [{**each.question.weights, **every} for each in retrievals]


class BlankAnswer(msgspec.Struct, frozen=True):
    """The answer in place of a project that could not answer, but whose index has a state."""

    mode: str
    query: str
    context: RequestContext

    def with_state(self, state: IndexState) -> PresentedAnswer:
        """Return the answer, which holds nothing but this state."""
        return PresentedAnswer(unavailable_answer(self.mode, self.query, state, self.context.commands))


def collect_answers(
    projects: Sequence[Participant],
    answers: Sequence[PresentedAnswer | ScryError],
    blank: BlankAnswer,
    limit: int,
    *,
    allow_refusals: bool = False,
    round_robin: bool = False,
) -> FederatedAnswer:
    """Return all answers, with a fault for each project that could not answer, and the state of its index, if any.

    allow_refusals: keep the other answers where a project refuses the question, which may be right in another project.
    """
    errors = [answer for answer in answers if isinstance(answer, ScryError)]
    refused = next((error for error in errors if isinstance(error, BadRequest)), None)
    none_answered = len(errors) == len(projects) and all(project.state is None for project in projects)
    if refused is not None and not allow_refusals:
        raise refused
    if errors and none_answered:
        raise refused or next(filter(None, [project.refusal for project in projects]), errors[0])
    parts: list[ProjectAnswer] = []
    faults: list[ProjectFault] = []
    for project, answer in zip(projects, answers, strict=True):
        if not isinstance(answer, ScryError):
            parts.append(
                ProjectAnswer(
                    project.name, map_answer(answer.answer, project.map_to_editor), answer.notices, project.via
                )
            )
            continue
        if project.state is None:
            faults.append(ProjectFault(project.name, str(answer)))
        state = project.state or (None if isinstance(answer, BadRequest) else _failed_state(str(answer)))
        if state is not None and (project.engine is not None or project.state is not None):
            parts.append(ProjectAnswer(project.name, blank.with_state(state).answer, via=project.via))
    return FederatedAnswer(parts, limit, faults, round_robin)


def _failed_state(message: str) -> IndexState:
    return IndexState(state="failed", message=message)


def ask_in_parallel(projects: Sequence[Participant], ask: Callable[[Participant], T]) -> list[T | ScryError]:
    """Ask each project, MAX_THREADS at a time; return the answers in order, with an error in place of each failed one.

    Raises Cancelled.
    """

    def safely(participant: Participant) -> T | ScryError:
        try:
            return ask(participant)
        except Cancelled:
            raise
        except ScryError as error:
            return error
        except Exception as error:  # any failure must cost this project's answer only
            _log.error("%s failed", participant.name, exc_info=error)
            return IndexUnavailable(f"{type(error).__name__}: {error}")

    with ThreadPoolExecutor(min(MAX_THREADS, max(1, len(projects))), thread_name_prefix="scry-across") as threads:
        return list(threads.map(safely, projects))
