"""Parse a note file of `.scry`, or report its error with the line.

The front matter of such a Markdown file is YAML between two lines of `---`, read with the line of each value. YAML is
only composed, never constructed: every scalar is the text that was written, so that a date or a `no` stays text, and
nothing of an untrusted file becomes an object.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import PurePosixPath
from typing import Any, Protocol, cast

from msgspec import Struct

from scry.core.knowledge import (
    ACTIVE,
    BELIEF,
    BELIEF_STATUSES,
    ENTRENCHMENT_LEVELS,
    NOTE_ID_PATTERN,
    KnowledgeDocument,
    MalformedNote,
    NoteFile,
    NoteKind,
    parse_citation,
)
from scry.core.text import tokenize

_DELIMITER = "---"
_MAX_VALUES = 200
"""Entries of a front-matter list: lists are written by hand; a longer one is data."""

_YAML_ERROR_HINTS = {"mapping values are not allowed here": "put a text that holds a colon and a blank in quotes"}
"""Advice by YAML's own message, where that does not say how to mend the file."""


class _Mark(Protocol):
    line: int


class _Node(Protocol):
    """A node of ruamel.yaml, which has no types. id: scalar, sequence or mapping. value: a text, nodes or pairs."""

    id: str
    value: Any
    start_mark: _Mark


class FrontMatterField(Struct, frozen=True):
    """A key's value. values: one for a scalar. line: of the key, 1-based; lines: of each value."""

    values: tuple[str, ...]
    line: int
    lines: tuple[int, ...]
    is_list: bool


class FrontMatter(Struct, frozen=True):
    """Fields by key. body: the text below, with its first line's 0-based number."""

    fields: dict[str, FrontMatterField]
    body: str
    body_line: int


def read_front_matter(text: str) -> FrontMatter | MalformedNote:
    """Return the front matter of a text; a text without one has no fields and is all body."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != _DELIMITER:
        return FrontMatter({}, "\n".join(lines), 0)
    end = next((row for row in range(1, len(lines)) if lines[row].rstrip() == _DELIMITER), None)
    if end is None:
        return MalformedNote(1, "the front matter has no end; close it with a line of ---")
    fields = _read_fields("\n".join(lines[1:end]))
    return fields if isinstance(fields, MalformedNote) else FrontMatter(fields, "\n".join(lines[end + 1 :]), end + 1)


def _read_fields(text: str) -> dict[str, FrontMatterField] | MalformedNote:
    from ruamel.yaml import YAML  # late: most projects have no notes
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    reader: Any = YAML(typ="safe", pure=True)
    try:
        root: _Node | None = reader.compose(text)
    except MarkedYAMLError as error:
        marked: Any = error
        mark: _Mark | None = marked.problem_mark or marked.context_mark
        problem = str(marked.problem or marked.context or "unreadable")
        problem = _YAML_ERROR_HINTS.get(problem, problem)
        return MalformedNote(mark.line + 2 if mark else 1, f"no YAML: {problem}")
    except (YAMLError, RecursionError) as error:
        return MalformedNote(1, f"no YAML: {str(error).splitlines()[0]}")
    if root is None:
        return {}
    if root.id != "mapping":
        return MalformedNote(2, "the front matter is no list of `key: value`")
    return _read_mapping(root.value)


def _read_mapping(pairs: list[tuple[_Node, _Node]]) -> dict[str, FrontMatterField] | MalformedNote:
    fields: dict[str, FrontMatterField] = {}
    for key, value in pairs:
        line = key.start_mark.line + 2
        name = _scalar_text(key)
        if name is None:
            return MalformedNote(line, "a key that is no word")
        if name in fields:
            return MalformedNote(line, f"{name} stands there twice")
        field = _read_value(name, value, line)
        if isinstance(field, MalformedNote):
            return field
        fields[name] = field
    return fields


def _read_value(name: str, node: _Node, line: int) -> FrontMatterField | MalformedNote:
    alone = _scalar_text(node)
    if alone is not None:
        return FrontMatterField((alone,), line, (line,), is_list=False)
    if node.id != "sequence":
        return MalformedNote(line, f"{name} is neither a text nor a list of texts")
    values: list[str] = []
    lines: list[int] = []
    for item in cast("list[_Node]", node.value):
        text = _scalar_text(item)
        at = item.start_mark.line + 2
        if text is None or len(values) == _MAX_VALUES:
            return MalformedNote(
                at, f"an entry of {name} is no text" if text is None else f"{name} has too many entries"
            )
        values.append(text)
        lines.append(at)
    return FrontMatterField(tuple(values), line, tuple(lines), is_list=True)


def _scalar_text(node: _Node) -> str | None:
    return " ".join(str(node.value).split()) if node.id == "scalar" else None


NOTE_PARSER_VERSION = 3
"""Raised when the same file is read otherwise, so that all note files are read again."""

TITLE_WEIGHT = 2
"""Repetitions of the terms of a note's title: the title says most, and stands in the text besides."""

_KNOWN_KEYS = frozenset(
    {
        "id",
        "statement",
        "title",
        "entrenchment",
        "evidence",
        "supports",
        "attacks",
        "status",
        "domains",
        "session",
        "date",
    }
)
_HEADING = re.compile(r"#{1,6}\s+(?=\S)(.+)$")
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？])", re.DOTALL)
_INVALID_NAME_CHARACTERS = re.compile(r"[^A-Za-z0-9._-]+")


class _InvalidNote(Exception):
    """Ends the parsing of a file with the line and the problem."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.malformed = MalformedNote(line, problem)


def parse_note(path: str, kind: NoteKind, text: str) -> NoteFile | MalformedNote:
    """Return the note in a file. path: from the project's root; its stem is the note's id where the file gives none."""
    front_matter = read_front_matter(text)
    if isinstance(front_matter, MalformedNote):
        return front_matter
    try:
        return _build_note(path, kind, front_matter)
    except _InvalidNote as wrong:
        return wrong.malformed


def _build_note(path: str, kind: NoteKind, front_matter: FrontMatter) -> NoteFile:
    fields = front_matter.fields
    title, line = _note_title(path, kind, front_matter)
    return NoteFile(
        kind=kind,
        id=_note_id(path, fields.get("id")),
        title=title,
        body=front_matter.body.strip("\n"),
        line=line,
        entrenchment=_parse_entrenchment(fields.get("entrenchment")) if kind == BELIEF else None,
        status=_choice_value(fields, "status", BELIEF_STATUSES, ACTIVE),
        evidence=_checked_values(fields.get("evidence"), _check_evidence),
        supports=_checked_values(fields.get("supports"), _check_name),
        attacks=_checked_values(fields.get("attacks"), _check_name),
        domains=_checked_values(fields.get("domains"), lambda _: None),
        session=_text_value(fields, "session"),
        date=_parse_date(fields.get("date")),
        unknown=tuple((name, field.line) for name, field in fields.items() if name not in _KNOWN_KEYS),
    )


def make_note_entry(note: NoteFile, path: str) -> KnowledgeDocument:
    """Return the note as a document of a note store."""
    text = f"{note.title}\n{note.body}" if note.title not in note.body else note.body
    citations = [parse_citation(written) for written in note.evidence]
    words = (*tokenize(note.title) * TITLE_WEIGHT, *tokenize(text))
    return KnowledgeDocument(
        doc_id=note.doc_id,
        content_type=note.kind,
        title=note.title,
        text=text,
        snippet=_note_snippet(note),
        terms=words,
        time=note.date,
        path=path,
        line=note.line,
        code_refs=tuple(evidence.code_ref for evidence in citations if evidence.code_ref),
        session_id=note.session or (note.id if note.kind == "session" else ""),
        domains=note.domains,
        kind=note.kind,
    )


def first_sentence(text: str) -> str:
    """Return the first sentence of a Markdown text, skipping headings and blank lines."""
    lines: list[str] = []
    for line in text.split("\n"):
        if not line.strip() or _HEADING.match(line):
            if lines:
                break
            continue
        lines.append(line.strip())
    paragraph = " ".join(lines)
    match = _SENTENCE.match(paragraph)
    return match[0] if match else paragraph


def _note_snippet(note: NoteFile) -> str:
    """Return a belief's whole statement, quoted, with its entrenchment; for other notes the first sentence (J6)."""
    if note.kind != BELIEF:
        return first_sentence(note.body) or note.title
    entrenchment = "" if note.entrenchment is None else f" (entrenchment {note.entrenchment:g})"
    return f'"{note.title}"{entrenchment}' + ("" if note.status == ACTIVE else f" — {note.status}")


def _note_title(path: str, kind: NoteKind, front_matter: FrontMatter) -> tuple[str, int]:
    """Return a belief's statement, or a note's title, and its 0-based line."""
    for name in ("statement", "title"):
        field = front_matter.fields.get(name)
        if field is not None:
            if field.is_list or not field.values[0]:
                raise _InvalidNote(field.line, f"{name} is no text")
            return field.values[0], field.line - 1
    for row, line in enumerate(front_matter.body.split("\n")):
        if line.strip():
            heading = _HEADING.match(line)
            if heading:
                return heading[1].strip().rstrip("#").rstrip() or heading[1].strip(), front_matter.body_line + row
            title = first_sentence("\n".join(front_matter.body.split("\n")[row:]))
            return title, front_matter.body_line + row
    if kind == BELIEF:
        raise _InvalidNote(1, "it states nothing; give it a `statement:` or a text")
    return PurePosixPath(path).stem, 0


def _note_id(path: str, field: FrontMatterField | None) -> str:
    if field is None:
        return _INVALID_NAME_CHARACTERS.sub("-", PurePosixPath(path).stem).strip("-._") or "note"
    if field.is_list or not NOTE_ID_PATTERN.fullmatch(field.values[0]):
        raise _InvalidNote(
            field.line, "an id is one word of letters, digits, dots, dashes and underscores, at most 120"
        )
    return field.values[0]


def _parse_entrenchment(field: FrontMatterField | None) -> float | None:
    if field is None:
        return None
    written = field.values[0].lower() if not field.is_list else ""
    if written in ENTRENCHMENT_LEVELS:
        return ENTRENCHMENT_LEVELS[written]
    try:
        number = float(written)
    except ValueError:
        number = -1.0
    if not 0.0 <= number <= 1.0:
        words = ", ".join(ENTRENCHMENT_LEVELS)
        raise _InvalidNote(field.line, f"entrenchment is a number from 0 to 1, or one of {words}")
    return number


def _choice_value(fields: dict[str, FrontMatterField], name: str, allowed: tuple[str, ...], default: str) -> str:
    field = fields.get(name)
    if field is None:
        return default
    if field.is_list or field.values[0].lower() not in allowed:
        raise _InvalidNote(field.line, f"{name} is one of {', '.join(allowed)}")
    return field.values[0].lower()


def _text_value(fields: dict[str, FrontMatterField], name: str) -> str:
    field = fields.get(name)
    if field is not None and field.is_list:
        raise _InvalidNote(field.line, f"{name} is no text")
    return field.values[0] if field else ""


def _checked_values(field: FrontMatterField | None, check: Callable[[str], None]) -> tuple[str, ...]:
    """Return the values of a list, or of a single text. check: raises ValueError for an invalid value."""
    if field is None:
        return ()
    for value, line in zip(field.values, field.lines, strict=True):
        try:
            check(value)
        except ValueError as error:
            raise _InvalidNote(line, str(error)) from error
    return tuple(dict.fromkeys(value for value in field.values if value))


def _check_evidence(value: str) -> None:
    parse_citation(value)


def _check_name(value: str) -> None:
    if not NOTE_ID_PATTERN.fullmatch(value.removeprefix("belief:")):
        raise ValueError(f"{value!r} is no belief's id")


def _parse_date(field: FrontMatterField | None) -> int | None:
    if field is None:
        return None
    try:
        read = datetime.fromisoformat(field.values[0].replace("Z", "+00:00"))
        return int((read if read.tzinfo else read.replace(tzinfo=timezone.utc)).timestamp())
    except (ValueError, OverflowError) as error:
        raise _InvalidNote(field.line, "date is not of the form 2026-11-21") from error
