"""Convert request parameters of the wire to domain requests. Pure."""

from __future__ import annotations

from typing import overload

from scry.engine.context import FindRequest, NeighborsRequest, OrientRequest, RecentRequest
from scry_protocol import messages


def find_request(params: messages.FindParams) -> FindRequest:
    """Return the parameters of a find."""
    return FindRequest(
        params.query,
        params.limit,
        params.min_score,
        params.intent,
        params.types,
        params.source or "",
        params.domains,
        is_relation_query=params.reason,
        with_full_results=params.full,
    )


def recent_request(params: messages.RecentParams) -> RecentRequest:
    """Return the parameters of a recent."""
    return RecentRequest(
        params.query,
        params.days,
        params.limit,
        params.types,
        params.source or "",
        params.domains,
        with_full_results=params.full,
    )


def orient_request(params: messages.OrientParams) -> OrientRequest:
    """Return the parameters of an orient."""
    return OrientRequest(params.path, params.limit)


def neighbors_request(params: messages.NeighborsParams) -> NeighborsRequest:
    """Return the parameters of a neighbors."""
    return NeighborsRequest(params.file, params.limit, params.by, params.belief, params.types)


@overload
def to_request(params: messages.FindParams) -> FindRequest: ...
@overload
def to_request(params: messages.RecentParams) -> RecentRequest: ...
@overload
def to_request(params: messages.OrientParams) -> OrientRequest: ...
@overload
def to_request(params: messages.NeighborsParams) -> NeighborsRequest: ...
def to_request(
    params: messages.FindParams | messages.RecentParams | messages.OrientParams | messages.NeighborsParams,
) -> FindRequest | RecentRequest | OrientRequest | NeighborsRequest:
    """Return the domain request of a question, whatever its mode."""
    if isinstance(params, messages.FindParams):
        return find_request(params)
    if isinstance(params, messages.RecentParams):
        return recent_request(params)
    if isinstance(params, messages.OrientParams):
        return orient_request(params)
    return neighbors_request(params)
