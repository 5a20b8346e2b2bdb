"""A result in full, in the wire's words."""

from __future__ import annotations

from pathlib import Path

from msgspec import UNSET

from scry.engine.full import Full
from scry.engine.present import file_uri, present_range, present_text
from scry.engine.surroundings import Graph, Link
from scry_protocol import messages


def present_full(full: Full, root: Path, encoding: str) -> messages.Full:
    """All of a result as it leaves. encoding: what characters of positions count."""
    return messages.Full(
        language=full.language,
        signature=present_text(full.signature),
        doc=present_text(full.doc),
        body=present_text(full.body),
        truncated=full.truncated,
        graph=_graph(full.graph, root, encoding) if full.graph else UNSET,
    )


def _graph(graph: Graph, root: Path, encoding: str) -> messages.Graph:
    lists = {name: [_link(link, root, encoding) for link in links] for name, links in graph.lists.items()}
    return messages.Graph(**lists, totals=graph.totals, note=graph.note)


def _link(link: Link, root: Path, encoding: str) -> messages.Link:
    start = messages.Position(line=link.line or 0, character=0)
    place = messages.Range(start=start, end=start)
    if link.span is not None and link.line is None:
        place = present_range(link.span, encoding)
    return messages.Link(
        doc_id=present_text(link.doc_id),
        count=link.count,
        confidence=link.confidence or UNSET,
        location=messages.Location(uri=file_uri(root, link.path), range=place),
    )
