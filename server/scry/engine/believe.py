"""A belief written to a file of its own in the project, for review like code."""

from __future__ import annotations

import re
from pathlib import Path

from scry.core.errors import BadRequest, IndexUnavailable
from scry.core.evidence import parse_citation
from scry.core.notes import NOTE_FOLDERS, NOTE_ID_PATTERN, MalformedNote, NoteFile
from scry.core.text import STOP_WORDS, escape_unencodable, tokenize
from scry.index.notes import parse_note
from scry.index.project import Project
from scry_protocol.messages import BelieveParams

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
