"""Parse JSON with comments and trailing commas, and set one member while the form of everything else stays.

Hand-written: json-five 1.1.2 keeps comments when it writes a file back, but takes 177 ms to import, leaves the layout
of a new member to its caller and drops one that is appended; json5kit 0.4.0 keeps them, too, but rejects block
comments; commentjson 0.9.0, jsonc-parser 1.1.5 and jsoncomment 0.4.2 drop comments and reject trailing commas.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from msgspec import Struct

from scry.surfaces.cli.clients.client import UnwritableConfig

_TOKEN_PATTERN = re.compile(
    r"""(?P<blank>[\s\ufeff]+|//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")
    |(?P<mark>[{}\[\],:])
    |(?P<literal>true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))""",
    re.DOTALL | re.VERBOSE,
)


class _JsonToken(Struct):
    """A token. kind: string, mark, literal, end, or wrong. comment_end: where the last comment before it ends, or 0."""

    kind: str
    text: str
    start: int
    end: int
    comment_end: int


class JsonNode(Struct):
    """A value with its range in the text.

    members: of an object, by name; else None. last_member_end: where the last member ends, its comma included.
    content_end: the same, or where the last comment behind that member ends. has_trailing_comma: behind that member.
    name_start, comma_end: of a member, where its name starts, and where the comma behind it ends; 0 for none.
    """

    start: int
    end: int
    value: Any
    members: dict[str, JsonNode] | None = None
    content_end: int = 0
    has_trailing_comma: bool = False
    last_member_end: int = 0
    name_start: int = 0
    comma_end: int = 0


def parse_jsonc(text: str) -> JsonNode:
    """Parse a whole text. Raises UnwritableConfig with the line where the text is not JSON."""
    tokens = _TokenStream(text)
    node = _parse_value(tokens)
    if tokens.next.kind != "end":
        raise tokens.unexpected("the end")
    return node


class _TokenStream:
    """Tokens of a text with one token of lookahead, `next`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._all = _tokenize(text)
        self.next = next(self._all)

    def is_at(self, mark: str) -> bool:
        """Tell whether the next token is this punctuation mark."""
        return self.next.kind == "mark" and self.next.text == mark

    def take(self) -> _JsonToken:
        taken = self.next
        if taken.kind != "end":
            self.next = next(self._all)
        return taken

    def unexpected(self, wanted: str) -> UnwritableConfig:
        line = self._text.count("\n", 0, self.next.start) + 1
        token = repr(self.next.text) if self.next.text else "nothing more"
        return UnwritableConfig(f"line {line}: there is {token}, where {wanted} belongs")


def _tokenize(text: str) -> Iterator[_JsonToken]:
    at = comment_end = 0
    while at < len(text):
        match = _TOKEN_PATTERN.match(text, at)
        kind = match.lastgroup if match else None
        if match is None or kind is None:
            yield _JsonToken("wrong", text[at : at + 20].partition("\n")[0], at, at, comment_end)
            return
        at = match.end()
        if kind == "blank":
            comment_end = at if match.group().startswith("/") else comment_end
            continue
        yield _JsonToken(kind, match.group(), match.start(), at, comment_end)
    yield _JsonToken("end", "", at, at, comment_end)


def _parse_value(tokens: _TokenStream) -> JsonNode:
    if tokens.next.kind in ("string", "literal"):
        token = tokens.take()
        return JsonNode(token.start, token.end, json.loads(token.text))
    if tokens.is_at("{"):
        return _parse_object(tokens)
    if tokens.is_at("["):
        return _parse_array(tokens)
    raise tokens.unexpected("a value")


def _parse_object(tokens: _TokenStream) -> JsonNode:
    opening = tokens.take()
    node = JsonNode(opening.start, opening.end, {}, {}, opening.end, last_member_end=opening.end)
    assert node.members is not None
    while not tokens.is_at("}"):
        if tokens.next.kind != "string":
            raise tokens.unexpected("a name in double quotes or }")
        name_token = tokens.take()
        name: str = json.loads(name_token.text)
        if not tokens.is_at(":"):
            raise tokens.unexpected(":")
        tokens.take()
        member = _parse_value(tokens)
        member.name_start = name_token.start
        node.members[name] = member
        node.value[name] = member.value
        node.content_end = node.last_member_end = member.end
        node.has_trailing_comma = tokens.is_at(",")
        if node.has_trailing_comma:
            node.content_end = node.last_member_end = member.comma_end = tokens.take().end
        elif not tokens.is_at("}"):
            raise tokens.unexpected(", or }")
    closing = tokens.take()
    node.content_end = max(node.content_end, closing.comment_end)
    node.end = closing.end
    return node


def _parse_array(tokens: _TokenStream) -> JsonNode:
    opening = tokens.take()
    values: list[Any] = []
    while not tokens.is_at("]"):
        values.append(_parse_value(tokens).value)
        if tokens.is_at(","):
            tokens.take()
        elif not tokens.is_at("]"):
            raise tokens.unexpected(", or ]")
    return JsonNode(opening.start, tokens.take().end, values)


_DEFAULT_INDENT = "  "


def read_jsonc(text: str) -> object:
    """Return the value of a text; an empty text is an empty object. Raises UnwritableConfig."""
    return parse_jsonc(text).value if text.strip("\ufeff \t\r\n") else {}


def set_member(text: str, path: Sequence[str], value: str | Mapping[str, object]) -> str:
    """Return the text with a value at a path of objects, which are created where they are missing.

    An object at that path is merged: its other members stay. Raises UnwritableConfig for a text that is not JSON, and
    for a path through a value that is no object.
    """
    text = text if text.strip("\ufeff \t\r\n") else "{}\n"
    node = parse_jsonc(text)
    for depth, name in enumerate(path):
        if node.members is None:
            raise UnwritableConfig(f"{'.'.join(path[:depth]) or 'the file'} is no object")
        if name not in node.members:
            return _insert_member(
                text, node, depth, name, reduce(lambda inner, outer: {outer: inner}, path[:depth:-1], value)
            )
        node = node.members[name]
    merged = value if isinstance(value, str) or node.members is None else {**node.value, **value}
    if merged == node.value:
        return text
    shown = _dump_indented(merged, _line_indent(text, node.start, len(path)), _indent_unit(text))
    return text[: node.start] + _match_line_ends(shown, text) + text[node.end :]


def _insert_member(text: str, node: JsonNode, depth: int, name: str, value: object) -> str:
    """Insert a new last member of an object, on a line of its own."""
    unit = _indent_unit(text)
    members = list((node.members or {}).values())
    indent = _line_indent(text, members[-1].start, depth + 1) if members else unit * (depth + 1)
    comma = "," if members and not node.has_trailing_comma else ""
    shown = f"\n{indent}{json.dumps(name)}: {_dump_indented(value, indent, unit)}"
    tail = text[node.content_end : node.end - 1]
    close = "" if "\n" in tail else f"\n{unit * depth}"
    before = text[: node.last_member_end] + comma + text[node.last_member_end : node.content_end]
    return before + _match_line_ends(shown + close, text) + text[node.content_end :]


def remove_member(text: str, path: Sequence[str]) -> str:
    """Return the text without the member at a path; everything else stays. Raises UnwritableConfig as set_member."""
    node = parse_jsonc(text) if text.strip("\ufeff \t\r\n") else JsonNode(0, 0, {}, {})
    for name in path[:-1]:
        node = (node.members or {}).get(name) or JsonNode(0, 0, None)
    members = node.members or {}
    if path[-1] not in members:
        return text
    names = list(members)
    at, member = names.index(path[-1]), members[path[-1]]
    around = text[node.start + 1 : member.name_start] + text[member.comma_end or member.end : node.end - 1]
    if len(members) == 1 and not around.strip():
        return f"{text[: node.start]}{{}}{text[node.end :]}"
    start, end = _whole_lines(text, member.name_start, member.comma_end or member.end)
    before = text[:start]
    if at and at == len(names) - 1 and not member.comma_end:
        comma = members[names[at - 1]].comma_end
        before = before[: comma - 1] + before[comma:]
    return before + text[end:]


def _whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range widened to whole lines where nothing else stands on its lines, else to the blanks around it."""
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    stop = len(text) if line_end < 0 else line_end
    if text[line_start:start].strip() or text[end:stop].strip():
        if text[end - 1] == ",":
            return start, stop - len(text[end:stop].lstrip(" \t"))
        return len(text[:start].rstrip()), end
    return line_start, min(stop + 1, len(text))


def _dump_indented(value: object, indent: str, unit: str) -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"\n{indent}")


def _line_indent(text: str, at: int, depth: int) -> str:
    """Return the line's indentation, or the usual one where more than a name stands before the value at `at`."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    blanks = line[: len(line) - len(line.lstrip())]
    return blanks if line.lstrip().startswith('"') else _indent_unit(text) * depth


def _indent_unit(text: str) -> str:
    """Return the indentation of one level in this text: that of its first indented line."""
    match = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return match[1] if match else _DEFAULT_INDENT


def _match_line_ends(shown: str, text: str) -> str:
    return shown.replace("\n", "\r\n") if "\r\n" in text else shown
