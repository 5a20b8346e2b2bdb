"""Convert beliefs of the team, and their impact on a document, to and from the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import UNSET, UnsetType

from scry.core.errors import BadRequest, IndexUnavailable
from scry.core.knowledge import BELIEF, NoteFile
from scry.engine.knowledge.belief_commands import NewBelief, list_beliefs, list_note_problems
from scry.engine.response.answer import file_uri, format_utc_time, replace_surrogates
from scry.index.notes.belief_evaluation import BeliefSnapshot, cited_files
from scry.store.index.store import IndexStore
from scry.store.notes.project_notes import BeliefTarget
from scry_protocol import messages

MAX_BEARINGS = 20
"""How many beliefs or targets each list of an impact holds; the others bear less on the document."""


def present_impact(beliefs: BeliefSnapshot, doc_id: str, content_type: str) -> messages.BeliefImpact:
    """Return the targets and warnings of a belief; of another document, the beliefs that reach it."""
    if content_type == BELIEF:
        known = beliefs.file.notes_by_doc_id([doc_id, *beliefs.reached_beliefs(doc_id)])
        targets = beliefs.reach(doc_id)
        warnings = beliefs.warnings([doc_id]).get(doc_id, ())
        return present_targets(targets, warnings, known)
    beliefs_reaching = beliefs.beliefs_reaching(doc_id)[:MAX_BEARINGS]
    return messages.BeliefImpact(
        beliefs=[_present_bearing(note.doc_id, targets, note) for note, targets in beliefs_reaching]
    )


def present_targets(
    targets: Sequence[BeliefTarget], warnings: Sequence[str], known: Mapping[str, NoteFile]
) -> messages.BeliefImpact:
    """Return the targets and warnings of a belief. known: the notes among the targets, by doc_id."""
    return messages.BeliefImpact(
        reaches=[_present_bearing(each.target, each, known.get(each.target)) for each in targets[:MAX_BEARINGS]],
        warnings=[replace_surrogates(warning) for warning in warnings],
    )


def present_impact_if_any(beliefs: BeliefSnapshot, doc_id: str, content_type: str) -> messages.BeliefImpact | UnsetType:
    """Return the impact; absent where it is empty, or where the beliefs can't be read."""
    try:
        impact = present_impact(beliefs, doc_id, content_type)
    except IndexUnavailable:
        return UNSET
    return impact if impact != messages.BeliefImpact() else UNSET


_NO_BELIEFS = 'There are no beliefs yet; scry belief add "STATEMENT" --evidence FILE:LINE writes one.'


def new_belief(params: messages.BelieveParams) -> NewBelief:
    """Return the belief that is to be written."""
    return NewBelief(
        params.statement,
        params.id,
        params.evidence,
        params.supports,
        params.attacks,
        params.domains,
        params.entrenchment,
    )


def present_new_belief(
    path: str, note: NoteFile, root: Path, beliefs: BeliefSnapshot | None, done: str = "Wrote"
) -> messages.Beliefs:
    """Return a belief that was just written, with its targets. done: what was done to its file."""
    return messages.Beliefs([_present_belief(path, note, beliefs, root)], note=f"{done} {path}.")


def present_belief_list(
    params: messages.BeliefsParams, root: Path, store: IndexStore | None, beliefs: BeliefSnapshot | None
) -> messages.Beliefs:
    """Return the requested beliefs. Raises BadRequest naming the parameter, IndexUnavailable."""
    if params.action == "show" and not params.id:
        raise BadRequest("id", "is missing; scry belief list names the beliefs")
    notes = list_beliefs(root, store, beliefs, params.id or "" if params.action == "show" else None)
    presented = [_present_belief(path, note, beliefs, root) for path, note in notes.items()]
    if params.action != "check":
        return messages.Beliefs(presented, note="" if presented else _NO_BELIEFS)
    problems = [
        messages.BeliefProblem(replace_surrogates(each.path), replace_surrogates(each.problem))
        for each in list_note_problems(store, beliefs)
    ]
    contested = [belief for belief in presented if belief.impact.warnings]
    if contested or problems:
        return messages.Beliefs(contested, problems)
    note = f"Nothing speaks against {_describe_count(len(presented))}." if presented else _NO_BELIEFS
    return messages.Beliefs([], note=note)


def _describe_count(beliefs: int) -> str:
    return "the one belief" if beliefs == 1 else f"any of {beliefs} beliefs"


def _present_belief(path: str, note: NoteFile, beliefs: BeliefSnapshot | None, root: Path) -> messages.Belief:
    if beliefs is not None and beliefs.file.notes_by_doc_id([note.doc_id]):
        impact = present_impact(beliefs, note.doc_id, BELIEF)
    else:  # the indexer has not read it yet: it reaches what it cites
        impact = messages.BeliefImpact(
            reaches=[_present_bearing(each.target, each, None) for each in cited_files(note)]
        )
    return _present_note(path, note, impact, root)


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


def _present_bearing(doc_id: str, target: BeliefTarget, belief: NoteFile | None) -> messages.Bearing:
    statement = replace_surrogates(belief.title) if belief is not None else ""
    return messages.Bearing(replace_surrogates(doc_id), target.score, replace_surrogates(target.reason), statement)


def _belief_doc_id(name: str) -> str:
    return f"belief:{name.removeprefix('belief:')}"
