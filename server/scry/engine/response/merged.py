"""Merge the answers of several projects into one, and qualify doc_ids by the name of their project. Pure.

Fused scores compare across projects because they are made of ranks with the same weights: for find, of ranks among the
matches of all projects (engine/federation/rank_merge.py). Where a request names projects, every doc_id begins with its
project's name, so that it is valid in any project (J2a).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from scry.core.doc_id import add_project, commit_sha_of, new_query_id, parse_doc_id, split_off_project
from scry.core.knowledge import PERSONA
from scry.core.notices import COMMAND_LINE, CommandNames, Notice, render_notices
from scry.core.types import IndexState
from scry.engine.notices import UnknownFilterValue, UnknownWords
from scry.engine.response.answer import add_merged_notice, add_notice, add_status_summary, present_state
from scry_protocol import messages

LINK_LISTS = ("imports", "imported_by", "callers", "callees", "inherits", "inherited_by", "co_changes")
"""The lists of links in a result's relations."""


def qualify_result(project: str, result: messages.ResultItem) -> messages.ResultItem:
    """Return a result with the project's name before its doc_id and all that it relates to."""
    proof = result.annotations.proof
    if proof is not UNSET:
        named = [_qualify_edge(project, edge) for edge in proof]
        annotations = msgspec.structs.replace(result.annotations, proof=named)
        result = msgspec.structs.replace(result, annotations=annotations)
    if result.full is not UNSET:
        result = msgspec.structs.replace(result, full=qualify_full(project, result.full))
    further = [msgspec.structs.replace(place, doc_id=add_project(project, place.doc_id)) for place in result.further]
    return msgspec.structs.replace(result, doc_id=add_project(project, result.doc_id), further=further)


def qualify_full(project: str, full: messages.Full) -> messages.Full:
    """Return a result in full, with the project's name before the doc_ids that it relates to."""
    graph = full.graph
    if graph is not UNSET:
        graph = msgspec.structs.replace(
            graph, **{name: _qualify_links(project, getattr(graph, name)) for name in LINK_LISTS}
        )
    return msgspec.structs.replace(full, graph=graph, impact=_qualify_impact(project, full.impact))


def qualify_explanation(project: str, explanation: messages.Explanation) -> messages.Explanation:
    """Return an explanation with the project's name before every doc_id in it."""
    result, file_history = explanation.result, explanation.lived
    if file_history is not UNSET:
        file_history = msgspec.structs.replace(
            file_history, co_changes=_qualify_links(project, file_history.co_changes)
        )
    return msgspec.structs.replace(
        explanation,
        doc_id=add_project(project, explanation.doc_id),
        near=[add_project(project, similar) for similar in explanation.near],
        result=UNSET if result is UNSET else qualify_result(project, result),
        lived=file_history,
        impact=_qualify_impact(project, explanation.impact),
    )


def _qualify_edge(project: str, edge: messages.Edge) -> messages.Edge:
    return msgspec.structs.replace(
        edge, source=add_project(project, edge.source), target=add_project(project, edge.target)
    )


def _qualify_links(project: str, links: Sequence[messages.Link]) -> list[messages.Link]:
    return [msgspec.structs.replace(link, doc_id=add_project(project, link.doc_id)) for link in links]


def _qualify_impact(project: str, impact: messages.BeliefImpact | UnsetType) -> messages.BeliefImpact | UnsetType:
    if impact is UNSET:
        return UNSET
    beliefs, reaches = (
        [msgspec.structs.replace(each, doc_id=add_project(project, each.doc_id)) for each in bearings]
        for bearings in (impact.beliefs, impact.reaches)
    )
    return msgspec.structs.replace(impact, beliefs=beliefs, reaches=reaches)


ResultMapping = Callable[[messages.ResultItem], messages.ResultItem]
"""Moves the locations of a result to where they are in an editor."""


def return_unchanged(result: messages.ResultItem) -> messages.ResultItem:
    """Return a result with its locations as the engine gave them."""
    return result


def map_answer(answer: messages.Answer, mapping: ResultMapping) -> messages.Answer:
    """Return the answer with all its results mapped."""
    if mapping is return_unchanged:
        return answer
    return msgspec.structs.replace(answer, results=[mapping(result) for result in answer.results])


def map_explanation(explanation: messages.Explanation, mapping: ResultMapping) -> messages.Explanation:
    """Return the explanation with its result mapped, if it has one."""
    if explanation.result is UNSET:
        return explanation
    return msgspec.structs.replace(explanation, result=mapping(explanation.result))


class PresentedAnswer(msgspec.Struct, frozen=True):
    """An answer on the wire, and the notices of its mode, from which the notice of a merged answer is made."""

    answer: messages.Answer
    notices: tuple[Notice, ...] = ()


class ProjectAnswer(msgspec.Struct, frozen=True):
    """The answer of one project. notices: of its mode. via: how the project asked from is linked to it.

    is_team: whether it is a repository of the joined team.
    """

    name: str
    answer: messages.Answer
    notices: tuple[Notice, ...] = ()
    via: str = ""
    is_team: bool = False


class ProjectFault(msgspec.Struct, frozen=True):
    """A project that could not answer, and why, in words for a person. is_late: whether it may have answered soon."""

    project: str
    message: str
    is_late: bool = False


class FederatedAnswer(msgspec.Struct, frozen=True):
    """The answers of several projects to one question, at least one, before they are merged.

    faults: of the projects that could not answer. round_robin: of results with equal scores each project gives one in
    turn, else those of the earlier project come first.
    """

    parts: Sequence[ProjectAnswer]
    limit: int
    faults: Sequence[ProjectFault] = ()
    round_robin: bool = False


def merge_answers(federated: FederatedAnswer, commands: CommandNames = COMMAND_LINE) -> messages.Answer:
    """Return the best results of all projects as one answer with a query_id of its own.

    The results of a project keep their order, which in `recent` says more than equal scores.
    """
    parts = federated.parts
    searched = max((part.answer for part in parts), key=lambda answer: len(answer.scoring.weights))
    results = _deduplicate_results(result for part in parts for result in _qualified_results(part))
    best = sorted(results, key=lambda result: (-result.fused_score, result.rank if federated.round_robin else 0))
    faults = [messages.Fault("", fault.message, fault.project, fault.is_late) for fault in federated.faults]
    merged = msgspec.structs.replace(
        searched,
        query_id=new_query_id(),
        scoring=msgspec.structs.replace(searched.scoring, term_weights={}),
        results=[msgspec.structs.replace(each, rank=rank) for rank, each in enumerate(best[: federated.limit], 1)],
        faults=[*faults, *(fault for part in parts for fault in _qualified_faults(part))],
        index=merge_states([part.answer.index for part in parts]),
        projects=[
            messages.AskedProject(
                part.name,
                part.answer.index,
                part.via,
                part.answer.scoring.term_weights,
                part.answer.scoring.cosine_counts,
                part.is_team,
            )
            for part in parts
        ],
    )
    own_notices = _notices_by_project(parts, has_results=bool(best))
    notices = [
        (part.name, render_notices(own, commands), part.answer.index)
        for part, own in zip(parts, own_notices, strict=True)
    ]
    return add_merged_notice(merged, notices, commands)


def _notices_by_project(parts: Sequence[ProjectAnswer], *, has_results: bool) -> list[list[Notice]]:
    """Return the notices of each project, those about unknown words and filter values only where no project has them.

    has_results: whether any project gave a result.
    """
    filters_of = [{(f.field, f.value) for f in part.notices if isinstance(f, UnknownFilterValue)} for part in parts]
    unknown_filters = filters_of[0].intersection(*filters_of)
    unknown_words = [each for part in parts for each in part.notices if isinstance(each, UnknownWords)]
    in_all = _common_unknown_words(unknown_words, has_results) if len(unknown_words) == len(parts) else []

    def is_kept(notice: Notice) -> bool:
        if isinstance(notice, UnknownFilterValue):
            return (notice.field, notice.value) in unknown_filters
        return not isinstance(notice, UnknownWords)

    return [[*filter(is_kept, part.notices), *in_all] for part in parts]


def _common_unknown_words(notices: Sequence[UnknownWords], has_results: bool) -> list[UnknownWords]:
    """Return one notice about the words that are unknown in every project; none where each is known in some."""
    words = tuple(word for word in notices[0].words if all(word in each.words for each in notices))
    similar = tuple(dict.fromkeys(name for each in notices for name in each.similar))[:_MAX_SIMILAR_NAMES]
    return [UnknownWords(words, similar, all(each.is_all for each in notices), has_results)] if words else []


_MAX_SIMILAR_NAMES = 3


def _qualified_results(part: ProjectAnswer) -> Iterator[messages.ResultItem]:
    for result in part.answer.results:
        evidence = " | ".join(words for words in (result.evidence, part.via and f"via {part.via}") if words)
        if result.content_type == PERSONA:
            yield msgspec.structs.replace(result, project="")
            continue
        named = qualify_result(part.name, result)
        yield msgspec.structs.replace(named, project=part.name, evidence=evidence, via=part.via)


def _deduplicate_results(results: Iterable[messages.ResultItem]) -> list[messages.ResultItem]:
    """Return each document once, in the innermost of the projects that have its file, at its best score otherwise.

    Notes of the person come with every project, and are of none; a commit comes with each project of its repository.
    """
    best: dict[object, messages.ResultItem] = {}
    for result in results:
        identity = _identity(result)
        better = best.get(identity)
        if better is None or _precedence(better) < _precedence(result):
            best[identity] = result
    return list(best.values())


def _identity(result: messages.ResultItem) -> object:
    """Return what two results of one document have in common, whichever project each is of.

    Each repository of a team keeps its own commits.
    """
    name, doc_id = split_off_project(result.doc_id)
    if not name or (commit_sha_of(doc_id) is not None and not result.commit):
        return doc_id
    if result.location is UNSET or not doc_id.startswith("./"):
        return result.doc_id
    document = parse_doc_id(doc_id)
    return result.location.uri, document.name, document.ordinal, document.lines


def _precedence(result: messages.ResultItem) -> tuple[int, float]:
    """Return what orders the results of one document, the best last: a file's path is shortest in the innermost."""
    return -len(split_off_project(result.doc_id)[1]), result.fused_score


def _qualified_faults(part: ProjectAnswer) -> Iterator[messages.Fault]:
    for fault in part.answer.faults:
        yield msgspec.structs.replace(fault, project=part.name)


def unavailable_answer(
    mode: str, query: str, state: IndexState | None = None, commands: CommandNames = COMMAND_LINE
) -> messages.Answer:
    """Return the answer of a project that can't be asked (yet): it holds the state of its index and nothing else."""
    blank = messages.Answer(
        query=query,
        mode=mode,
        query_id=new_query_id(),
        intent="general",
        scoring=messages.Scoring(k=0, depth=0, weights={}, ceiling=1.0),
        index=present_state(state or IndexState(), commands),
        results=[],
        faults=[],
    )
    return add_notice(blank, commands=commands)


_STATES_WORST_FIRST = ("failed", "starting", "indexing", "paused", "ready")


def merge_states(states: Sequence[messages.IndexState]) -> messages.IndexState:
    """Return one state for several indexes: that of the least complete one, with the sums of all counts."""
    worst = min(
        states, key=lambda state: _STATES_WORST_FIRST.index(state.state) if state.state in _STATES_WORST_FIRST else 0
    )
    merged = msgspec.structs.replace(
        worst,
        history="pending" if any(state.history == "pending" for state in states) else worst.history,
        graph="pending" if any(state.graph == "pending" for state in states) else worst.graph,
        generation=sum(state.generation for state in states),
        files_indexed=sum(state.files_indexed for state in states),
        files_total=sum(state.files_total for state in states),
        vectors=sum(state.vectors for state in states),
        vectors_total=sum(state.vectors_total for state in states),
        skipped=sum(state.skipped for state in states),
        failed=sum(state.failed for state in states),
        unsaved=[path for state in states for path in state.unsaved],
        message="; ".join(dict.fromkeys(state.message for state in states if state.message)),
    )
    return add_status_summary(merged)
