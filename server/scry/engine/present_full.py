"""Results in full, in the wire's words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from scry.core.types import Hit
from scry.engine.full import BODY_CHARACTERS_OF_MANY, Full, make_full
from scry.engine.present import file_uri, present_range, present_text
from scry.engine.scene import Scene
from scry.engine.surroundings import Graph, Link
from scry_protocol import messages

Impact = messages.BeliefImpact | UnsetType
"""What beliefs have to do with a document; absent where there is nothing."""


def fill(
    answer: messages.Answer, hits: Sequence[Hit], scene: Scene, impact: Callable[[str, str], Impact], encoding: str
) -> messages.Answer:
    """The answer with every result in full (D2). hits: its results. impact: of a doc_id and a content type."""
    root, filled = scene.project.root, list[messages.ResultItem]()
    for result, hit in zip(answer.results, hits, strict=True):
        full = make_full(hit.document, scene.project, scene.store, scene.history, BODY_CHARACTERS_OF_MANY)
        presented = present_full(full, impact(result.doc_id, result.content_type), root, encoding)
        filled.append(msgspec.structs.replace(result, full=presented))
    return msgspec.structs.replace(answer, results=filled)


def present_full(full: Full, impact: Impact, root: Path, encoding: str) -> messages.Full:
    """All of a result as it leaves. encoding: what characters of positions count."""
    return messages.Full(
        language=full.language,
        signature=present_text(full.signature),
        doc=present_text(full.doc),
        body=present_text(full.body),
        truncated=full.truncated,
        graph=_graph(full.graph, root, encoding) if full.graph else UNSET,
        impact=impact,
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
