"""Results in full, in the wire's words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from scry.core.types import Hit
from scry.engine.full import MAX_BODY_CHARACTERS_IN_LIST, FullDocument, read_full_document
from scry.engine.present import file_uri, present_range, replace_surrogates
from scry.engine.scene import ProjectSnapshot
from scry.engine.surroundings import DocumentRelations, RelatedDocument
from scry_protocol import messages

OptionalImpact = messages.BeliefImpact | UnsetType
"""What beliefs have to do with a document; absent where there is nothing."""


def add_full_results(
    answer: messages.Answer, hits: Sequence[Hit], scene: ProjectSnapshot, impact: Callable[[str, str], OptionalImpact], encoding: str
) -> messages.Answer:
    """The answer with every result in full (D2). hits: its results. impact: of a doc_id and a content type."""
    root, filled = scene.project.root, list[messages.ResultItem]()
    for result, hit in zip(answer.results, hits, strict=True):
        full = read_full_document(hit.document, scene.project, scene.store, scene.history, MAX_BODY_CHARACTERS_IN_LIST)
        presented = present_full(full, impact(result.doc_id, result.content_type), root, encoding)
        filled.append(msgspec.structs.replace(result, full=presented))
    return msgspec.structs.replace(answer, results=filled)


def present_full(full: FullDocument, impact: OptionalImpact, root: Path, encoding: str) -> messages.Full:
    """All of a result as it leaves. encoding: what characters of positions count."""
    return messages.Full(
        language=full.language,
        signature=replace_surrogates(full.signature),
        doc=replace_surrogates(full.doc),
        body=replace_surrogates(full.body),
        truncated=full.truncated,
        graph=_present_relations(full.graph, root, encoding) if full.graph else UNSET,
        impact=impact,
    )


def _present_relations(graph: DocumentRelations, root: Path, encoding: str) -> messages.Graph:
    lists = {name: [_present_link(link, root, encoding) for link in links] for name, links in graph.lists.items()}
    return messages.Graph(**lists, totals=graph.totals, note=graph.note)


def _present_link(link: RelatedDocument, root: Path, encoding: str) -> messages.Link:
    start = messages.Position(line=link.line or 0, character=0)
    place = messages.Range(start=start, end=start)
    if link.span is not None and link.line is None:
        place = present_range(link.span, encoding)
    return messages.Link(
        doc_id=replace_surrogates(link.doc_id),
        count=link.count,
        confidence=link.confidence or UNSET,
        location=messages.Location(uri=file_uri(root, link.path), range=place),
    )
