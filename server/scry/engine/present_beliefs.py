"""Beliefs, and what they have to do with a result, in the wire's words."""

from __future__ import annotations

from pathlib import Path

from msgspec import UNSET, UnsetType

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import BELIEF
from scry.core.notes import NoteFile
from scry.engine.beliefs import BeliefSnapshot
from scry.engine.present import file_uri, replace_surrogates, format_utc_time
from scry.store.knowledge_file import BeliefTarget
from scry_protocol import messages

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
