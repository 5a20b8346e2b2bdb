"""The steps that make a result an answer to a relational question, a line each (N3)."""

from __future__ import annotations

from msgspec import UNSET

from scry_protocol.messages import Edge, ResultItem

_PASSIVE_VERBS = {
    "calls": "is called by",
    "imports": "is imported by",
    "inherits": "is inherited by",
    "defines": "is defined by",
    "changes_with": "changes with",
}


def proof_lines(result: ResultItem) -> list[str]:
    """`calls ./a.py::f at line 12 (by name)`: what the result does or undergoes; other steps begin with who does it."""
    proof = result.annotations.proof
    own = result.doc_id.removeprefix(f"{result.project}:")
    return [] if proof is UNSET else [_describe_edge(edge, own) for edge in proof]


def _describe_edge(edge: Edge, own: str) -> str:
    if edge.source != own and edge.target == own:
        words = f"{_PASSIVE_VERBS[edge.kind]} {edge.source}"
    else:
        does = f"{edge.kind.replace('_', ' ')} {edge.target}"
        words = does if edge.source == own else f"{edge.source} {does}"
    place = "" if edge.location is UNSET else f" at line {edge.location.range.start.line + 1}"
    return f"{words}{place} ({edge.confidence})"
