"""Sets one member in a JSON file that people write: comments, trailing commas and the form of all else stay."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import reduce

from scry.surfaces.cli.clients.client import UnwritableConfig
from scry.surfaces.cli.clients.jsonc_parse import JsonNode, parse_jsonc

_DEFAULT_INDENT = "  "


def read_jsonc(text: str) -> object:
    """What a file says; an empty one is an empty object. Raises Unwritable."""
    return parse_jsonc(text).value if text.strip("\ufeff \t\r\n") else {}


def set_member(text: str, path: Sequence[str], value: str | Mapping[str, object]) -> str:
    """The text with this value at a path of objects. Where an object is there already, its other members stay.

    Raises Unwritable for what is no JSON, and for a path that leads through something else than objects.
    """
    text = text if text.strip("\ufeff \t\r\n") else "{}\n"
    node = parse_jsonc(text)
    for depth, name in enumerate(path):
        if node.members is None:
            raise UnwritableConfig(f"{'.'.join(path[:depth]) or 'the file'} is no object")
        if name not in node.members:
            return _insert_member(text, node, depth, name, reduce(lambda inner, outer: {outer: inner}, path[:depth:-1], value))
        node = node.members[name]
    wanted = value if isinstance(value, str) or node.members is None else {**node.value, **value}
    if wanted == node.value:
        return text
    shown = _dump_indented(wanted, _line_indent(text, node.start, len(path)), _indent_unit(text))
    return text[: node.start] + _match_line_ends(shown, text) + text[node.end :]


def _insert_member(text: str, node: JsonNode, depth: int, name: str, value: object) -> str:
    """A new last member of an object, on a line of its own."""
    unit = _indent_unit(text)
    members = list((node.members or {}).values())
    indent = _line_indent(text, members[-1].start, depth + 1) if members else unit * (depth + 1)
    comma = "," if members and not node.has_trailing_comma else ""
    shown = f"\n{indent}{json.dumps(name)}: {_dump_indented(value, indent, unit)}"
    tail = text[node.content_end : node.end - 1]
    close = "" if "\n" in tail else f"\n{unit * depth}"
    before = text[: node.last_member_end] + comma + text[node.last_member_end : node.content_end]
    return before + _match_line_ends(shown + close, text) + text[node.content_end :]


def _dump_indented(value: object, indent: str, unit: str) -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"\n{indent}")


def _line_indent(text: str, at: int, depth: int) -> str:
    """The blanks that the line begins with, where nothing but a name stands before a value in it."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    blanks = line[: len(line) - len(line.lstrip())]
    return blanks if line.lstrip().startswith('"') else _indent_unit(text) * depth


def _indent_unit(text: str) -> str:
    """What one level is indented by in this file."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else _DEFAULT_INDENT


def _match_line_ends(shown: str, text: str) -> str:
    return shown.replace("\n", "\r\n") if "\r\n" in text else shown
