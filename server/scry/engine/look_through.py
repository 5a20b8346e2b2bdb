"""The project's beliefs, looked through: all, one, or those that something speaks against."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from scry.core.errors import BadRequest
from scry.core.notes import NoteFile, note_kind_of_path
from scry.core.types import SkipReason
from scry.engine.beliefs import BeliefSnapshot
from scry.engine.present import replace_surrogates
from scry.engine.present_beliefs import present_belief
from scry.store.index_store import IndexStore
from scry_protocol.messages import BeliefProblem, Beliefs, BeliefsParams

_NO_BELIEFS = 'There are no beliefs yet; scry belief add "STATEMENT" --evidence FILE:LINE writes one.'


def list_beliefs(params: BeliefsParams, root: Path, store: IndexStore | None, scene: BeliefSnapshot | None) -> Beliefs:
    """What was asked for. Raises BadRequest naming the parameter, IndexUnavailable."""
    if params.action == "show" and not params.id:
        raise BadRequest("id", "is missing; scry belief list names the beliefs")
    notes = scene.file.all_notes() if scene is not None else {}
    if params.action == "show":
        notes = _select_belief(notes, f"belief:{(params.id or '').removeprefix('belief:')}")
    beliefs = {path: note for path, note in notes.items() if note.kind == "belief"}
    shown = [present_belief(path, note, scene, root) for path, note in beliefs.items()] if scene is not None else []
    if params.action != "check":
        return Beliefs(shown, note="" if shown else _NO_BELIEFS)
    problems = sorted((*_malformed_notes(store), *_list_note_problems(notes)), key=lambda problem: (problem.path, problem.problem))
    against = [belief for belief in shown if belief.impact.warnings]
    if against or problems:
        return Beliefs(against, problems)
    return Beliefs([], note=f"Nothing speaks against {_describe_count(len(shown))}." if shown else _NO_BELIEFS)


def _describe_count(beliefs: int) -> str:
    return "the one belief" if beliefs == 1 else f"any of {beliefs} beliefs"


def _select_belief(notes: Mapping[str, NoteFile], doc_id: str) -> dict[str, NoteFile]:
    found = {path: note for path, note in notes.items() if note.doc_id == doc_id}
    if not found:
        raise BadRequest("id", f"this project holds no {doc_id}; scry belief list names those it holds")
    return found


def _malformed_notes(store: IndexStore | None) -> Iterator[BeliefProblem]:
    for path, file in store.all_files().items() if store is not None else ():
        if note_kind_of_path(path) and file.skip is not None and file.skip.reason is SkipReason.MALFORMED:
            yield BeliefProblem(replace_surrogates(path), replace_surrogates(file.skip.detail))


def _list_note_problems(notes: Mapping[str, NoteFile]) -> Iterator[BeliefProblem]:
    """What is passed over in files that are well formed."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, note in notes.items():
        places[note.doc_id].append(path)
        for key, line in note.unknown:
            yield BeliefProblem(replace_surrogates(path), f"line {line}: {key} means nothing here and is passed over")
        for name in (*note.supports, *note.attacks):
            doc_id = f"belief:{name.removeprefix('belief:')}"
            if not any(other.doc_id == doc_id for other in notes.values()):
                yield BeliefProblem(replace_surrogates(path), f"it names {doc_id}, which is not there")
    for doc_id, paths in places.items():
        for path in paths[1:]:
            yield BeliefProblem(replace_surrogates(path), f"{paths[0]} has the id {doc_id} already; give this one another")
