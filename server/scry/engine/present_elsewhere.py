"""What an answer says of a project that was named: every doc_id in it has the project's name before it (J2a), so that
it can be asked about from anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import UNSET, UnsetType

from scry.core.doc_id import add_project
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
        graph = msgspec.structs.replace(graph, **{name: _qualify_links(project, getattr(graph, name)) for name in _LINK_LISTS})
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
