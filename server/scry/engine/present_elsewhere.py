"""What an answer says of a project that was named: every doc_id in it has the project's name before it (J2a), so that
it can be asked about from anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import UNSET, UnsetType

from scry.core.doc_id import in_project
from scry_protocol import messages

_LISTS = ("imports", "imported_by", "callers", "callees", "inherits", "inherited_by", "co_changes")
"""What a graph links to."""


def result_in(project: str, result: messages.ResultItem) -> messages.ResultItem:
    """A result with all that it is tied to."""
    proof = result.annotations.proof
    if proof is not UNSET:
        named = [_edge(project, edge) for edge in proof]
        annotations = msgspec.structs.replace(result.annotations, proof=named)
        result = msgspec.structs.replace(result, annotations=annotations)
    if result.full is not UNSET:
        result = msgspec.structs.replace(result, full=full_in(project, result.full))
    return msgspec.structs.replace(result, doc_id=in_project(project, result.doc_id))


def full_in(project: str, full: messages.Full) -> messages.Full:
    """What a result is tied to."""
    graph = full.graph
    if graph is not UNSET:
        graph = msgspec.structs.replace(graph, **{name: _links(project, getattr(graph, name)) for name in _LISTS})
    return msgspec.structs.replace(full, graph=graph, impact=_impact(project, full.impact))


def explanation_in(project: str, explanation: messages.Explanation) -> messages.Explanation:
    """An explanation, with the result that it is of and what changed together with it."""
    result, lived = explanation.result, explanation.lived
    if lived is not UNSET:
        lived = msgspec.structs.replace(lived, co_changes=_links(project, lived.co_changes))
    return msgspec.structs.replace(
        explanation,
        doc_id=in_project(project, explanation.doc_id),
        near=[in_project(project, near) for near in explanation.near],
        result=UNSET if result is UNSET else result_in(project, result),
        lived=lived,
        impact=_impact(project, explanation.impact),
    )


def _edge(project: str, edge: messages.Edge) -> messages.Edge:
    return msgspec.structs.replace(
        edge, source=in_project(project, edge.source), target=in_project(project, edge.target)
    )


def _links(project: str, links: Sequence[messages.Link]) -> list[messages.Link]:
    return [msgspec.structs.replace(link, doc_id=in_project(project, link.doc_id)) for link in links]


def _impact(project: str, impact: messages.BeliefImpact | UnsetType) -> messages.BeliefImpact | UnsetType:
    if impact is UNSET:
        return UNSET
    beliefs, reaches = (
        [msgspec.structs.replace(each, doc_id=in_project(project, each.doc_id)) for each in bearings]
        for bearings in (impact.beliefs, impact.reaches)
    )
    return msgspec.structs.replace(impact, beliefs=beliefs, reaches=reaches)
