"""A belief written to a file of its own in the project, for review like code."""

from __future__ import annotations

import re
from pathlib import Path

from scry.core.errors import BadRequest, IndexUnavailable
from scry.core.evidence import parse_evidence
from scry.core.notes import FOLDERS, NAME, Malformed, Note
from scry.core.text import STOP_WORDS, encodable, terms
from scry.index.notes import read_note
from scry.index.project import Project
from scry_protocol.messages import BelieveParams

_WORDS_OF_ID = 7
_FOLDER = next(folder for folder, kind in FOLDERS.items() if kind == "belief")


def believe(params: BelieveParams, project: Project) -> tuple[str, Note]:
    """Writes a belief; returns its path from the root and what it says.

    Raises BadRequest naming the parameter: for evidence that is not there, and for an id that is taken.
    """
    statement = " ".join(encodable(params.statement).split())
    if not statement:
        raise BadRequest("statement", "is empty; say what you believe")
    for written in params.evidence:
        _require(written, project)
    name = params.id or make_id(statement)
    if not NAME.fullmatch(name):
        raise BadRequest("id", "is one word of letters, digits, dots, dashes and underscores, at most 120")
    path, text = f"{_FOLDER}{name}.md", _write(statement, name, params)
    note = read_note(path, "belief", text)
    if isinstance(note, Malformed):
        field = _field_of(note)
        raise BadRequest(field, note.problem.removeprefix(f"{field} "))
    _save(project.root / path, text, project.root)
    return path, note


def make_id(statement: str) -> str:
    """An id of a statement's first words that say something."""
    words = [word for word in dict.fromkeys(terms(statement)) if word not in STOP_WORDS and word.isascii()]
    return "-".join(words[:_WORDS_OF_ID])[:100] or "belief"


def _write(statement: str, name: str, params: BelieveParams) -> str:
    import yaml  # late: a find needs none of it

    lists = {
        "evidence": params.evidence,
        "supports": params.supports,
        "attacks": params.attacks,
        "domains": params.domains,
    }
    values: dict[str, object] = {"id": name, "statement": statement, "entrenchment": params.entrenchment}
    values |= {key: [encodable(value) for value in found] for key, found in lists.items() if found}
    matter = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=10_000)
    return f"---\n{matter}---\n"


def _save(place: Path, text: str, root: Path) -> None:
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


def _require(written: str, project: Project) -> None:
    """Raises BadRequest for evidence that is no evidence, or a place that is not there."""
    try:
        evidence = parse_evidence(written)
    except ValueError as error:
        raise BadRequest("evidence", str(error)) from error
    if not evidence.path:
        return
    place = project.root / evidence.path
    if not place.is_file():
        raise BadRequest("evidence", f"{written}: there is no file {evidence.path} in {project.root}")
    if evidence.lines and evidence.lines[0] > (count := place.read_bytes().count(b"\n") + 1):
        raise BadRequest("evidence", f"{written}: {evidence.path} has only {count} lines")


def _field_of(malformed: Malformed) -> str:
    word = malformed.problem.partition(" ")[0]
    return word if re.fullmatch("entrenchment|supports|attacks", word) else "statement"
