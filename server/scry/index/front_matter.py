"""The front matter of a Markdown file: YAML between two lines of `---`, each value with the line it stands in.

YAML is only composed, never constructed: every scalar is the text that was written, so that a date or a `no` stays one,
and nothing of a stranger's file becomes an object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from msgspec import Struct

from scry.core.notes import MalformedNote

if TYPE_CHECKING:
    from yaml.nodes import Node

_DELIMITER = "---"
_MAX_VALUES = 200
"""A list of a front matter is written by hand; a longer one is data."""

_YAML_ERROR_HINTS = {"mapping values are not allowed here": "put a text that holds a colon and a blank in quotes"}
"""What to do, where YAML's own words do not say it."""


class FrontMatterField(Struct, frozen=True):
    """A key's value. values: one for a scalar. line: where the key stands, 1-based; lines: of each value."""

    values: tuple[str, ...]
    line: int
    lines: tuple[int, ...]
    is_list: bool


class FrontMatter(Struct, frozen=True):
    """fields: by key. body: what is below, with its first line's number, 0-based."""

    fields: dict[str, FrontMatterField]
    body: str
    body_line: int


def read_front_matter(text: str) -> FrontMatter | MalformedNote:
    """The front matter of a text; one without any has no fields, and is all body."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != _DELIMITER:
        return FrontMatter({}, "\n".join(lines), 0)
    end = next((row for row in range(1, len(lines)) if lines[row].rstrip() == _DELIMITER), None)
    if end is None:
        return MalformedNote(1, "the front matter has no end; close it with a line of ---")
    fields = _read_fields("\n".join(lines[1:end]))
    return fields if isinstance(fields, MalformedNote) else FrontMatter(fields, "\n".join(lines[end + 1 :]), end + 1)


def _read_fields(text: str) -> dict[str, FrontMatterField] | MalformedNote:
    import yaml  # late: most projects have no notes

    try:
        root = cast("Node | None", yaml.compose(text, Loader=yaml.SafeLoader))  # pyright: ignore[reportUnknownMemberType]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = _YAML_ERROR_HINTS.get(error.problem or "", error.problem or error.context or "unreadable")
        return MalformedNote(mark.line + 2 if mark else 1, f"no YAML: {problem}")
    except (yaml.YAMLError, RecursionError) as error:
        return MalformedNote(1, f"no YAML: {str(error).splitlines()[0]}")
    if root is None:
        return {}
    if not isinstance(root, yaml.MappingNode):
        return MalformedNote(2, "the front matter is no list of `key: value`")
    return _read_mapping(root.value)


def _read_mapping(pairs: list[tuple[Node, Node]]) -> dict[str, FrontMatterField] | MalformedNote:
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


def _read_value(name: str, node: Node, line: int) -> FrontMatterField | MalformedNote:
    from yaml.nodes import SequenceNode

    alone = _scalar_text(node)
    if alone is not None:
        return FrontMatterField((alone,), line, (line,), is_list=False)
    if not isinstance(node, SequenceNode):
        return MalformedNote(line, f"{name} is neither a text nor a list of texts")
    values: list[str] = []
    lines: list[int] = []
    for item in node.value:
        text = _scalar_text(item)
        at = item.start_mark.line + 2
        if text is None or len(values) == _MAX_VALUES:
            return MalformedNote(at, f"an entry of {name} is no text" if text is None else f"{name} has too many entries")
        values.append(text)
        lines.append(at)
    return FrontMatterField(tuple(values), line, tuple(lines), is_list=True)


def _scalar_text(node: Node) -> str | None:
    from yaml.nodes import ScalarNode

    return " ".join(str(node.value).split()) if isinstance(node, ScalarNode) else None
