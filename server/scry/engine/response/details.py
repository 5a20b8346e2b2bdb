"""Convert full results and beliefs to the wire.

Results in full, in the wire's words.

Beliefs, and what they have to do with a result, in the wire's words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import BELIEF, NoteFile
from scry.core.types import Hit
from scry.engine.explain.detail import (
    MAX_BODY_CHARACTERS_IN_LIST,
    DocumentRelations,
    FullDocument,
    RelatedDocument,
    read_full_document,
)
from scry.engine.explain.resolve_id import ProjectSnapshot
from scry.engine.knowledge.beliefs import BeliefSnapshot
from scry.engine.response.answer import file_uri, format_utc_time, present_range, replace_surrogates
from scry.store.notes.project_notes import BeliefTarget
from scry_protocol import messages

OptionalImpact = messages.BeliefImpact | UnsetType
"""What beliefs have to do with a document; absent where there is nothing."""


def add_full_results(
    answer: messages.Answer,
    hits: Sequence[Hit],
    scene: ProjectSnapshot,
    impact: Callable[[str, str], OptionalImpact],
    encoding: str,
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


MAX_BEARINGS = 20
"""Of either list; the rest bears less on it."""


def present_impact(scene: BeliefSnapshot, doc_id: str, content_type: str) -> messages.BeliefImpact:
    """What beliefs have to do with a document."""
    if content_type == BELIEF:
        known = scene.file.notes_by_doc_id([doc_id, *scene.reached_beliefs(doc_id)])
        reached = scene.reach(doc_id)[:MAX_BEARINGS]
        warnings = scene.warnings([doc_id]).get(doc_id, ())
        return messages.BeliefImpact(
            reaches=[_present_bearing(each.target, each, known.get(each.target)) for each in reached],
            warnings=[replace_surrogates(said) for said in warnings],
        )
    found = scene.beliefs_reaching(doc_id)[:MAX_BEARINGS]
    return messages.BeliefImpact(beliefs=[_present_bearing(note.doc_id, reached, note) for note, reached in found])


def present_impact_if_any(scene: BeliefSnapshot, doc_id: str, content_type: str) -> messages.BeliefImpact | UnsetType:
    """The same; absent where there is nothing to be said, or where the beliefs can't be read."""
    try:
        impact = present_impact(scene, doc_id, content_type)
    except IndexUnavailable:
        return UNSET
    return impact if impact != messages.BeliefImpact() else UNSET


def present_new_belief(path: str, note: NoteFile, root: Path) -> messages.Beliefs:
    """A belief that was just written: what it bears on is not known yet."""
    return messages.Beliefs([_present_note(path, note, messages.BeliefImpact(), root)], note=f"Wrote {path}.")


def present_belief(path: str, note: NoteFile, scene: BeliefSnapshot, root: Path) -> messages.Belief:
    """A belief as it leaves. path: of its file, from the root."""
    return _present_note(path, note, present_impact(scene, note.doc_id, BELIEF), root)


def _present_note(path: str, note: NoteFile, impact: messages.BeliefImpact, root: Path) -> messages.Belief:
    start = messages.Position(line=note.line, character=0)
    return messages.Belief(
        doc_id=note.doc_id,
        statement=replace_surrogates(note.title),
        status=note.status,
        path=replace_surrogates(path),
        evidence=[replace_surrogates(written) for written in note.evidence],
        supports=[_belief_doc_id(name) for name in note.supports],
        attacks=[_belief_doc_id(name) for name in note.attacks],
        domains=[replace_surrogates(domain) for domain in note.domains],
        impact=impact,
        entrenchment=UNSET if note.entrenchment is None else note.entrenchment,
        timestamp=UNSET if note.date is None else format_utc_time(note.date),
        location=messages.Location(uri=file_uri(root, path), range=messages.Range(start=start, end=start)),
    )


def _present_bearing(doc_id: str, reached: BeliefTarget, belief: NoteFile | None) -> messages.Bearing:
    statement = replace_surrogates(belief.title) if belief is not None else ""
    return messages.Bearing(replace_surrogates(doc_id), reached.score, replace_surrogates(reached.reason), statement)


def _belief_doc_id(name: str) -> str:
    return f"belief:{name.removeprefix('belief:')}"
