"""Merge the wire answers of several projects into one, with doc_ids qualified by project. Pure.

What an answer says of a project that was named: every doc_id in it has the project's name before it (J2a), so that
it can be asked about from anywhere.

Answers of several projects to one question, as one answer. Pure.

Fused scores compare across projects because they are made of ranks under the same weights: of a find, of ranks among
the votes of all projects (engine.together). Documents keep their project's name, in `project` and before their doc_id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from scry.core.doc_id import add_project
from scry.core.knowledge import PERSONA
from scry.core.types import IndexState
from scry.engine.context import new_query_id
from scry.engine.response.answer import present_state
from scry.engine.response.notices import add_merged_notice, add_notice, add_status_summary
from scry_protocol import messages

_LINK_LISTS = ("imports", "imported_by", "callers", "callees", "inherits", "inherited_by", "co_changes")
"""What a graph links to."""


def qualify_result(project: str, result: messages.ResultItem) -> messages.ResultItem:
    """A result with all that it is tied to."""
    proof = result.annotations.proof
    if proof is not UNSET:
        named = [_qualify_edge(project, edge) for edge in proof]
        annotations = msgspec.structs.replace(result.annotations, proof=named)
        result = msgspec.structs.replace(result, annotations=annotations)
    if result.full is not UNSET:
        result = msgspec.structs.replace(result, full=qualify_full(project, result.full))
    return msgspec.structs.replace(result, doc_id=add_project(project, result.doc_id))


def qualify_full(project: str, full: messages.Full) -> messages.Full:
    """What a result is tied to."""
    graph = full.graph
    if graph is not UNSET:
        graph = msgspec.structs.replace(
            graph, **{name: _qualify_links(project, getattr(graph, name)) for name in _LINK_LISTS}
        )
    return msgspec.structs.replace(full, graph=graph, impact=_qualify_impact(project, full.impact))


def qualify_explanation(project: str, explanation: messages.Explanation) -> messages.Explanation:
    """An explanation, with the result that it is of and what changed together with it."""
    result, lived = explanation.result, explanation.lived
    if lived is not UNSET:
        lived = msgspec.structs.replace(lived, co_changes=_qualify_links(project, lived.co_changes))
    return msgspec.structs.replace(
        explanation,
        doc_id=add_project(project, explanation.doc_id),
        near=[add_project(project, near) for near in explanation.near],
        result=UNSET if result is UNSET else qualify_result(project, result),
        lived=lived,
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


class ProjectAnswer(msgspec.Struct, frozen=True):
    """What one project answered. via: how the project that was asked from is tied to it, such as LEARNS_FROM."""

    name: str
    answer: messages.Answer
    via: str = ""


def merge_answers(
    parts: Sequence[ProjectAnswer], limit: int, faults: Sequence[messages.Fault] = (), *, round_robin: bool = False
) -> messages.Answer:
    """The best `limit` results of all, at least one, under a name of its own. faults: of projects that did not answer.

    Each part keeps its own order, which in `recent` says more than equal scores. in_turn: of equal scores each part
    gives one in turn, else those of the earlier part come first.
    """
    searched = max((part.answer for part in parts), key=lambda answer: len(answer.scoring.weights))
    tagged = _deduplicate_results(result for part in parts for result in _qualified_results(part))
    best = sorted(tagged, key=lambda result: (-result.fused_score, result.rank if round_robin else 0))[:limit]
    merged = msgspec.structs.replace(
        searched,
        query_id=new_query_id(),
        results=[msgspec.structs.replace(result, rank=rank) for rank, result in enumerate(best, 1)],
        faults=[*faults, *(fault for part in parts for fault in _qualified_faults(part))],
        index=merge_states([part.answer.index for part in parts]),
        projects=[messages.AskedProject(part.name, part.answer.index, part.via) for part in parts],
    )
    return add_merged_notice(merged, {part.name: part.answer for part in parts})


def _qualified_results(part: ProjectAnswer) -> Iterator[messages.ResultItem]:
    for result in part.answer.results:
        evidence = " | ".join(words for words in (result.evidence, part.via and f"via {part.via}") if words)
        if result.content_type == PERSONA:
            yield msgspec.structs.replace(result, project="")
            continue
        named = qualify_result(part.name, result)
        yield msgspec.structs.replace(named, project=part.name, evidence=evidence, via=part.via)


def _deduplicate_results(results: Iterable[messages.ResultItem]) -> list[messages.ResultItem]:
    """The person's own notes come with every project, and are of none: each stays once, at its best."""
    kept: dict[str, messages.ResultItem] = {}
    for result in results:
        better = kept.get(result.doc_id)
        if better is None or better.fused_score < result.fused_score:
            kept[result.doc_id] = result
    return list(kept.values())


def _qualified_faults(part: ProjectAnswer) -> Iterator[messages.Fault]:
    for fault in part.answer.faults:
        yield msgspec.structs.replace(fault, project=part.name)


def unavailable_answer(mode: str, query: str, state: messages.IndexState | None = None) -> messages.Answer:
    """What can be said of a project that can't be asked (yet): nothing but how its index stands."""
    blank = messages.Answer(
        query=query,
        mode=mode,
        query_id=new_query_id(),
        intent="general",
        scoring=messages.Scoring(k=0, depth=0, weights={}, ceiling=1.0),
        index=state or present_state(IndexState()),
        results=[],
        faults=[],
    )
    return add_notice(blank)


_STATES_WORST_FIRST = ("failed", "starting", "indexing", "paused", "ready")


def merge_states(states: Sequence[messages.IndexState]) -> messages.IndexState:
    """One state for several indexes: the least complete one's, with the sums of all counts."""
    worst = min(
        states, key=lambda state: _STATES_WORST_FIRST.index(state.state) if state.state in _STATES_WORST_FIRST else 0
    )
    merged = msgspec.structs.replace(
        worst,
        history="pending" if any(state.history == "pending" for state in states) else worst.history,
        generation=sum(state.generation for state in states),
        files_indexed=sum(state.files_indexed for state in states),
        files_total=sum(state.files_total for state in states),
        vectors=sum(state.vectors for state in states),
        vectors_total=sum(state.vectors_total for state in states),
        skipped=sum(state.skipped for state in states),
        unsaved=[path for state in states for path in state.unsaved],
        message="; ".join(dict.fromkeys(state.message for state in states if state.message)),
    )
    return add_status_summary(merged)
