"""The project's beliefs, looked through: all, one, or those that something speaks against."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from scry.core.errors import BadRequest
from scry.core.notes import Note, note_kind
from scry.core.types import SkipReason
from scry.engine.beliefs import BeliefScene
from scry.engine.present import present_text
from scry.engine.present_beliefs import present_belief
from scry.store.index_store import IndexStore
from scry_protocol.messages import BeliefProblem, Beliefs, BeliefsParams

_NONE = 'There are no beliefs yet; scry belief add "STATEMENT" --evidence FILE:LINE writes one.'


def look_through(params: BeliefsParams, root: Path, store: IndexStore | None, scene: BeliefScene | None) -> Beliefs:
    """What was asked for. Raises BadRequest naming the parameter, IndexUnavailable."""
    if params.action == "show" and not params.id:
        raise BadRequest("id", "is missing; scry belief list names the beliefs")
    notes = scene.file.notes() if scene is not None else {}
    if params.action == "show":
        notes = _one(notes, f"belief:{(params.id or '').removeprefix('belief:')}")
    beliefs = {path: note for path, note in notes.items() if note.kind == "belief"}
    shown = [present_belief(path, note, scene, root) for path, note in beliefs.items()] if scene is not None else []
    if params.action != "check":
        return Beliefs(shown, note="" if shown else _NONE)
    problems = sorted((*_malformed(store), *_odd(notes)), key=lambda problem: (problem.path, problem.problem))
    against = [belief for belief in shown if belief.impact.warnings]
    if against or problems:
        return Beliefs(against, problems)
    return Beliefs([], note=f"Nothing speaks against {_all_of(len(shown))}." if shown else _NONE)


def _all_of(beliefs: int) -> str:
    return "the one belief" if beliefs == 1 else f"any of {beliefs} beliefs"


def _one(notes: Mapping[str, Note], doc_id: str) -> dict[str, Note]:
    found = {path: note for path, note in notes.items() if note.doc_id == doc_id}
    if not found:
        raise BadRequest("id", f"this project holds no {doc_id}; scry belief list names those it holds")
    return found


def _malformed(store: IndexStore | None) -> Iterator[BeliefProblem]:
    for path, file in store.files().items() if store is not None else ():
        if note_kind(path) and file.skip is not None and file.skip.reason is SkipReason.MALFORMED:
            yield BeliefProblem(present_text(path), present_text(file.skip.detail))


def _odd(notes: Mapping[str, Note]) -> Iterator[BeliefProblem]:
    """What is passed over in files that are well formed."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, note in notes.items():
        places[note.doc_id].append(path)
        for key, line in note.unknown:
            yield BeliefProblem(present_text(path), f"line {line}: {key} means nothing here and is passed over")
        for name in (*note.supports, *note.attacks):
            doc_id = f"belief:{name.removeprefix('belief:')}"
            if not any(other.doc_id == doc_id for other in notes.values()):
                yield BeliefProblem(present_text(path), f"it names {doc_id}, which is not there")
    for doc_id, paths in places.items():
        for path in paths[1:]:
            yield BeliefProblem(present_text(path), f"{paths[0]} has the id {doc_id} already; give this one another")
