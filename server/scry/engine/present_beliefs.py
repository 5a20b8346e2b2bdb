"""Beliefs, and what they have to do with a result, in the wire's words."""

from __future__ import annotations

from pathlib import Path

from msgspec import UNSET, UnsetType

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import BELIEF
from scry.core.notes import Note
from scry.engine.beliefs import BeliefScene
from scry.engine.present import file_uri, present_text, present_time
from scry.store.knowledge_file import Reached
from scry_protocol import messages

MOST = 20
"""Of either list; the rest bears less on it."""


def present_impact(scene: BeliefScene, doc_id: str, content_type: str) -> messages.BeliefImpact:
    """What beliefs have to do with a document."""
    if content_type == BELIEF:
        known = scene.file.notes_of([doc_id, *scene.reached_beliefs(doc_id)])
        reached = scene.reach(doc_id)[:MOST]
        warnings = scene.warnings([doc_id]).get(doc_id, ())
        return messages.BeliefImpact(
            reaches=[_bearing(each.target, each, known.get(each.target)) for each in reached],
            warnings=[present_text(said) for said in warnings],
        )
    found = scene.reaching(doc_id)[:MOST]
    return messages.BeliefImpact(beliefs=[_bearing(note.doc_id, reached, note) for note, reached in found])


def impact_or_nothing(scene: BeliefScene, doc_id: str, content_type: str) -> messages.BeliefImpact | UnsetType:
    """The same; absent where there is nothing to be said, or where the beliefs can't be read."""
    try:
        impact = present_impact(scene, doc_id, content_type)
    except IndexUnavailable:
        return UNSET
    return impact if impact != messages.BeliefImpact() else UNSET


def present_new(path: str, note: Note, root: Path) -> messages.Beliefs:
    """A belief that was just written: what it bears on is not known yet."""
    return messages.Beliefs([_present(path, note, messages.BeliefImpact(), root)], note=f"Wrote {path}.")


def present_belief(path: str, note: Note, scene: BeliefScene, root: Path) -> messages.Belief:
    """A belief as it leaves. path: of its file, from the root."""
    return _present(path, note, present_impact(scene, note.doc_id, BELIEF), root)


def _present(path: str, note: Note, impact: messages.BeliefImpact, root: Path) -> messages.Belief:
    start = messages.Position(line=note.line, character=0)
    return messages.Belief(
        doc_id=note.doc_id,
        statement=present_text(note.title),
        status=note.status,
        path=present_text(path),
        evidence=[present_text(written) for written in note.evidence],
        supports=[_belief_id(name) for name in note.supports],
        attacks=[_belief_id(name) for name in note.attacks],
        domains=[present_text(domain) for domain in note.domains],
        impact=impact,
        entrenchment=UNSET if note.entrenchment is None else note.entrenchment,
        timestamp=UNSET if note.date is None else present_time(note.date),
        location=messages.Location(uri=file_uri(root, path), range=messages.Range(start=start, end=start)),
    )


def _bearing(doc_id: str, reached: Reached, belief: Note | None) -> messages.Bearing:
    statement = present_text(belief.title) if belief is not None else ""
    return messages.Bearing(present_text(doc_id), reached.score, present_text(reached.reason), statement)


def _belief_id(name: str) -> str:
    return f"belief:{name.removeprefix('belief:')}"
