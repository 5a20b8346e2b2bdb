"""Write a belief to a file of the project, and list and check the existing ones.

A belief written to a file of its own in the project, for review like code.

The project's beliefs, looked through: all, one, or those that something speaks against.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from scry.core.errors import BadRequest, IndexUnavailable
from scry.core.knowledge import (
    NOTE_FOLDERS,
    NOTE_ID_PATTERN,
    MalformedNote,
    NoteFile,
    note_kind_of_path,
    parse_citation,
)
from scry.core.text import STOP_WORDS, escape_unencodable, tokenize
from scry.core.types import SkipReason
from scry.engine.knowledge.beliefs import BeliefSnapshot
from scry.engine.response.answer import replace_surrogates
from scry.engine.response.details import present_belief
from scry.index.notes.note_file import parse_note
from scry.projects.project import Project
from scry.store.index.store import IndexStore
from scry_protocol.messages import BeliefProblem, Beliefs, BeliefsParams, BelieveParams

_MAX_ID_WORDS = 7
_FOLDER = next(folder for folder, kind in NOTE_FOLDERS.items() if kind == "belief")


def write_belief(params: BelieveParams, project: Project) -> tuple[str, NoteFile]:
    """Writes a belief; returns its path from the root and what it says.

    Raises BadRequest naming the parameter: for evidence that is not there, and for an id that is taken.
    """
    statement = " ".join(escape_unencodable(params.statement).split())
    if not statement:
        raise BadRequest("statement", "is empty; say what you believe")
    for written in params.evidence:
        _require_evidence(written, project)
    name = params.id or make_belief_id(statement)
    if not NOTE_ID_PATTERN.fullmatch(name):
        raise BadRequest("id", "is one word of letters, digits, dots, dashes and underscores, at most 120")
    path, text = f"{_FOLDER}{name}.md", _format_belief(statement, name, params)
    note = parse_note(path, "belief", text)
    if isinstance(note, MalformedNote):
        field = _malformed_field(note)
        raise BadRequest(field, note.problem.removeprefix(f"{field} "))
    _create_file(project.root / path, text, project.root)
    return path, note


def make_belief_id(statement: str) -> str:
    """An id of a statement's first words that say something."""
    words = [word for word in dict.fromkeys(tokenize(statement)) if word not in STOP_WORDS and word.isascii()]
    return "-".join(words[:_MAX_ID_WORDS])[:100] or "belief"


def _format_belief(statement: str, name: str, params: BelieveParams) -> str:
    import yaml  # late: a find needs none of it

    lists = {
        "evidence": params.evidence,
        "supports": params.supports,
        "attacks": params.attacks,
        "domains": params.domains,
    }
    values: dict[str, object] = {"id": name, "statement": statement, "entrenchment": params.entrenchment}
    values |= {key: [escape_unencodable(value) for value in found] for key, found in lists.items() if found}
    matter = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=10_000)
    return f"---\n{matter}---\n"


def _create_file(place: Path, text: str, root: Path) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.parent.resolve().is_relative_to(root.resolve()):
            raise BadRequest("id", f"{place.parent} leads out of the project; the belief was not written")
        with place.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError as error:
        raise BadRequest("id", f"{place} exists; choose another id, or edit that file") from error
    except OSError as error:
        raise IndexUnavailable(f"{place} can't be written: {error.strerror or error}") from error


def _require_evidence(written: str, project: Project) -> None:
    """Raises BadRequest for evidence that is no evidence, or a place that is not there."""
    try:
        evidence = parse_citation(written)
    except ValueError as error:
        raise BadRequest("evidence", str(error)) from error
    if not evidence.path:
        return
    place = project.root / evidence.path
    if not place.is_file():
        raise BadRequest("evidence", f"{written}: there is no file {evidence.path} in {project.root}")
    if evidence.lines and evidence.lines[0] > (count := place.read_bytes().count(b"\n") + 1):
        raise BadRequest("evidence", f"{written}: {evidence.path} has only {count} lines")


def _malformed_field(malformed: MalformedNote) -> str:
    word = malformed.problem.partition(" ")[0]
    return word if re.fullmatch("entrenchment|supports|attacks", word) else "statement"


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
    problems = sorted(
        (*_malformed_notes(store), *_list_note_problems(notes)), key=lambda problem: (problem.path, problem.problem)
    )
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
    for path, file in store.files.all_files().items() if store is not None else ():
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
            yield BeliefProblem(
                replace_surrogates(path), f"{paths[0]} has the id {doc_id} already; give this one another"
            )
