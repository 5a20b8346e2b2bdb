"""Write a belief of the team to a file of the project, for review like code; list and check the existing ones."""

from __future__ import annotations

import os
import re
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from msgspec import Struct

from scry.core.errors import BadRequest, IndexUnavailable, ProjectMissing
from scry.core.files import replace_file_text
from scry.core.knowledge import (
    NOTE_FOLDERS,
    NOTE_ID_PATTERN,
    MalformedNote,
    NoteFile,
    note_kind_of_path,
    parse_citation,
)
from scry.core.text import STOP_WORDS, escape_unencodable, find_identifiers
from scry.core.types import SkipReason
from scry.engine.search.results import truncate
from scry.index.notes.belief_evaluation import BeliefSnapshot
from scry.index.notes.note_file import parse_note
from scry.projects.project import Project
from scry.store.index.store import IndexStore

_MAX_ID_WORDS = 7
_NEGATIONS = frozenset({"no", "nor", "not"})
_FOLDER = next(folder for folder, kind in NOTE_FOLDERS.items() if kind == "belief")


class NewBelief(Struct, frozen=True):
    """A belief to be written. evidence: citations. supports, attacks: ids of beliefs. name: its own id; made if None.

    entrenchment: how firmly it is held, by name or as a number from 0 to 1.
    """

    statement: str
    name: str | None = None
    evidence: Sequence[str] = ()
    supports: Sequence[str] = ()
    attacks: Sequence[str] = ()
    domains: Sequence[str] = ()
    entrenchment: str = "medium"


def write_belief(belief: NewBelief, project: Project) -> tuple[str, NoteFile]:
    """Write a belief to a file of its own; return the file's path from the root, and its content.

    Raises BadRequest naming the parameter, also for evidence that is not there and for an id that is taken;
    ProjectMissing where the project's folder is gone.
    """
    if not project.root.is_dir():
        raise ProjectMissing(
            f"{escape_unencodable(str(project.root))} is not there: it was moved, or is on a disk that is not mounted;"
            " the belief was not written"
        )
    statement = " ".join(escape_unencodable(belief.statement).split())
    if not statement:
        raise BadRequest("statement", "is empty; say what you believe")
    for citation in belief.evidence:
        _require_evidence(citation, project)
    name = belief.name or make_belief_id(statement)
    if not NOTE_ID_PATTERN.fullmatch(name):
        raise BadRequest("id", "is one word of letters, digits, dots, dashes and underscores, at most 120")
    path, text = f"{_FOLDER}{name}.md", _format_belief(statement, name, belief)
    note = parse_note(path, "belief", text)
    if isinstance(note, MalformedNote):
        field = _malformed_field(note)
        raise BadRequest(field, note.problem.removeprefix(f"{field} "))
    _create_file(project.root / path, text, project.root)
    return path, note


def make_belief_id(statement: str) -> str:
    """Return an id made of the statement's first words: stop words are left out, negations stay."""
    plain = statement.replace("’", "'").replace("n't", " not").lower()
    words = [word.strip("_") for word in find_identifiers(plain)]
    left_out = STOP_WORDS - _NEGATIONS
    kept = [word for word in dict.fromkeys(words) if word and word not in left_out and word.isascii()]
    return "-".join(kept[:_MAX_ID_WORDS])[:100].rstrip("-") or "belief"


def _format_belief(statement: str, name: str, belief: NewBelief) -> str:
    from ruamel.yaml import YAML  # late: a find needs none of it

    lists = {
        "evidence": belief.evidence,
        "supports": belief.supports,
        "attacks": belief.attacks,
        "domains": belief.domains,
    }
    values: dict[str, object] = {"id": name, "statement": statement, "entrenchment": belief.entrenchment}
    values |= {key: [escape_unencodable(value) for value in items] for key, items in lists.items() if items}
    writer: Any = YAML(typ="safe", pure=True)  # which has no types
    writer.default_flow_style = False
    writer.sort_base_mapping_type_on_output = False
    writer.width = 10_000
    front_matter = StringIO()
    writer.dump(values, front_matter)
    return f"---\n{front_matter.getvalue()}---\n"


def _create_file(path: Path, text: str, root: Path) -> None:
    try:
        if not _is_inside(path.parent, root):
            raise BadRequest("id", f"{path.parent} leads out of the project; the belief was not written")
        path.parent.mkdir(parents=True, exist_ok=True)
        _create_whole(path, text)
    except FileExistsError as error:
        raise BadRequest("id", f"{path} exists; choose another id, or edit that file") from error
    except OSError as error:
        raise IndexUnavailable(f"{path} can't be written: {error.strerror or error}") from error


def _is_inside(path: Path, root: Path) -> bool:
    """Return whether a path, its links followed, is in the project. The path need not exist."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _create_whole(path: Path, text: str) -> None:
    """Create a file with its whole text, or not at all if the process ends meanwhile. Raises OSError."""
    draft = path.with_name(f".{path.name}-{os.getpid()}-{threading.get_ident()}")
    try:
        draft.write_text(text, "utf-8", newline="\n")
        try:
            os.link(draft, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
    finally:
        draft.unlink(missing_ok=True)


def _require_evidence(citation: str, project: Project) -> None:
    """Raise BadRequest for a citation that can't be read, or of a place that is not there."""
    try:
        evidence = parse_citation(citation)
    except ValueError as error:
        raise BadRequest("evidence", str(error)) from error
    if not evidence.path:
        return
    path = project.root / evidence.path
    try:
        if not _is_inside(path, project.root) or not path.is_file():
            raise BadRequest("evidence", f"{citation}: there is no file {evidence.path} in {project.root}")
        count = path.read_bytes().count(b"\n") + 1 if evidence.lines else 0
    except (OSError, ValueError) as error:  # a name that is too long, or holds a NUL
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadRequest("evidence", f"{citation}: {evidence.path} can't be read: {reason}") from error
    if evidence.lines and evidence.lines[0] > count:
        raise BadRequest("evidence", f"{citation}: {evidence.path} has only {count} lines")


def _malformed_field(malformed: MalformedNote) -> str:
    word = malformed.problem.partition(" ")[0]
    return word if re.fullmatch("entrenchment|supports|attacks", word) else "statement"


def rename_belief(notes: Mapping[str, NoteFile], old: str, new: str | None, root: Path) -> tuple[list[str], NoteFile]:
    """Give a belief another id, in its file's front matter and name and in the beliefs that name it.

    new: the new id; made of the statement if None. Returns the changed paths, the belief's own new one first and its
    old one last, and its content. Raises BadRequest naming the parameter, IndexUnavailable.
    """
    if not old:
        raise BadRequest("id", "is missing; scry belief list names the beliefs")
    old_name = old.removeprefix("belief:")
    path, note = next(iter(_select_belief(notes, f"belief:{old_name}").items()))
    new_name = (new or make_belief_id(note.title)).removeprefix("belief:")
    if not NOTE_ID_PATTERN.fullmatch(new_name):
        raise BadRequest("new_id", "is one word of letters, digits, dots, dashes and underscores, at most 120")
    new_path = f"{_FOLDER}{new_name}.md" if path == f"{_FOLDER}{old_name}.md" else path
    if any(other.doc_id == f"belief:{new_name}" for other in notes.values()) or (
        new_path != path and (root / new_path).exists()
    ):
        raise BadRequest("new_id", f"belief:{new_name} is taken; choose another id")
    naming = [other for other, each in notes.items() if other != path and old_name in _named_beliefs(each)]
    try:
        for each in (path, *naming):
            text = (root / each).read_text("utf-8")
            replace_file_text(root / each, _replace_in_front_matter(text, old_name, new_name, own=each == path))
        (root / path).rename(root / new_path)
    except (OSError, UnicodeDecodeError) as error:
        raise IndexUnavailable(f"{path} can't be renamed: {error}") from error
    renamed = parse_note(new_path, "belief", (root / new_path).read_text("utf-8"))
    assert not isinstance(renamed, MalformedNote), renamed
    return [new_path, *naming, path], renamed


def _named_beliefs(note: NoteFile) -> set[str]:
    return {name.removeprefix("belief:") for name in (*note.supports, *note.attacks)}


def _replace_in_front_matter(text: str, old: str, new: str, *, own: bool) -> str:
    """Return the text with an id replaced in its `id` (own), or in its `supports` and `attacks`."""
    lines = text.split("\n")
    keys, within = (("id",) if own else ("supports", "attacks")), False
    for at, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            break
        if line[:1].strip() and not line.startswith(("-", "#")):
            within = line.partition(":")[0].strip() in keys
        if within:
            lines[at] = _ID_WORD.sub(lambda word: new if word.group() == old else word.group(), line)
    return "\n".join(lines)


_ID_WORD = re.compile(r"[A-Za-z0-9._-]+")


class NoteProblem(Struct, frozen=True):
    """A problem of a note's file. path: from the root."""

    path: str
    problem: str


def list_beliefs(
    root: Path, store: IndexStore | None, beliefs: BeliefSnapshot | None, name: str | None = None
) -> dict[str, NoteFile]:
    """Return the project's beliefs by path: all, or the one of this name. Raises BadRequest, IndexUnavailable.

    Beliefs that the indexer has not read yet are read from their files: one that was written is listed at once.
    """
    notes = beliefs.file.all_notes() if beliefs is not None else {}
    notes = dict(sorted({**_unindexed_beliefs(root, store, notes), **notes}.items()))
    if name is not None:
        notes = _select_belief(notes, f"belief:{name.removeprefix('belief:')}")
    return {path: note for path, note in notes.items() if note.kind == "belief"}


def _unindexed_beliefs(root: Path, store: IndexStore | None, known: Mapping[str, NoteFile]) -> dict[str, NoteFile]:
    found: dict[str, NoteFile] = {}
    folder = root / _FOLDER
    for file in sorted(folder.glob("*.md")) if folder.is_dir() else ():
        path = f"{_FOLDER}{file.name}"
        if path in known or (store is not None and store.files.get_file(path) is not None):
            continue  # the indexer has read it; one that is ignored or malformed has its reason there
        try:
            if not file.resolve().is_relative_to(root.resolve()) or file.stat().st_size > _MAX_BELIEF_BYTES:
                continue
            note = parse_note(path, "belief", file.read_text("utf-8"))
        except (OSError, UnicodeDecodeError):
            continue
        if not isinstance(note, MalformedNote):
            found[path] = note
    return found


_MAX_BELIEF_BYTES = 100_000
"""Size of a belief's file above which it is left to the indexer."""


def _select_belief(notes: Mapping[str, NoteFile], doc_id: str) -> dict[str, NoteFile]:
    selected = {path: note for path, note in notes.items() if note.doc_id == doc_id}
    if not selected:
        raise BadRequest("id", f"this project holds no {truncate(doc_id, 100)}; scry belief list names those it holds")
    return selected


def list_note_problems(store: IndexStore | None, beliefs: BeliefSnapshot | None) -> list[NoteProblem]:
    """Return the problems of all notes' files, by path: malformed files, and entries that have no effect."""
    notes = beliefs.file.all_notes() if beliefs is not None else {}
    problems = (*_malformed_notes(store), *_ineffective_entries(notes))
    return sorted(problems, key=lambda problem: (problem.path, problem.problem))


def _malformed_notes(store: IndexStore | None) -> Iterator[NoteProblem]:
    for path, file in store.files.all_files().items() if store is not None else ():
        if note_kind_of_path(path) and file.skip is not None and file.skip.reason is SkipReason.MALFORMED:
            yield NoteProblem(path, file.skip.detail)


def _ineffective_entries(notes: Mapping[str, NoteFile]) -> Iterator[NoteProblem]:
    """Yield unknown keys, names of beliefs that are not there, and ids that another file has already."""
    paths_by_id: dict[str, list[str]] = defaultdict(list)
    for path, note in notes.items():
        paths_by_id[note.doc_id].append(path)
        for key, line in note.unknown:
            yield NoteProblem(path, f"line {line}: {key} means nothing here and is passed over")
        for name in (*note.supports, *note.attacks):
            doc_id = f"belief:{name.removeprefix('belief:')}"
            if not any(other.doc_id == doc_id for other in notes.values()):
                yield NoteProblem(path, f"it names {doc_id}, which is not there")
    for doc_id, paths in paths_by_id.items():
        for path in paths[1:]:
            yield NoteProblem(path, f"{paths[0]} has the id {doc_id} already; give this one another")
