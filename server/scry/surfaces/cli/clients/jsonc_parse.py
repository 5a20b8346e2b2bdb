"""Reads JSON with comments and trailing commas, as people write it, and where each value stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
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
    """kind: string, mark, literal, end, or wrong. start, end: in the text. comment_end: where the last comment ends."""

    kind: str
    text: str
    start: int
    end: int
    comment_end: int


class JsonNode(Struct):
    """A value with its place in the text.

    members: of an object, by name; else None. last_member_end: where the last of them ends, its comma included. last:
    the same, or where the last comment behind it ends.
    """

    start: int
    end: int
    value: Any
    members: dict[str, JsonNode] | None = None
    content_end: int = 0
    has_trailing_comma: bool = False
    last_member_end: int = 0


def parse_jsonc(text: str) -> JsonNode:
    """The value of a whole text. Raises Unwritable that names the line where it is no JSON."""
    tokens = _TokenStream(text)
    node = _parse_value(tokens)
    if tokens.next.kind != "end":
        raise tokens.unexpected("the end")
    return node


class _TokenStream:
    """The tokens of a text, one ahead."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._all = _tokenize(text)
        self.next = next(self._all)

    def is_at(self, mark: str) -> bool:
        """Whether the next one is this mark."""
        return self.next.kind == "mark" and self.next.text == mark

    def take(self) -> _JsonToken:
        taken = self.next
        if taken.kind != "end":
            self.next = next(self._all)
        return taken

    def unexpected(self, wanted: str) -> UnwritableConfig:
        line = self._text.count("\n", 0, self.next.start) + 1
        found = repr(self.next.text) if self.next.text else "nothing more"
        return UnwritableConfig(f"line {line}: there is {found}, where {wanted} belongs")


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
        name: str = json.loads(tokens.take().text)
        if not tokens.is_at(":"):
            raise tokens.unexpected(":")
        tokens.take()
        member = _parse_value(tokens)
        node.members[name] = member
        node.value[name] = member.value
        node.content_end = node.last_member_end = member.end
        node.has_trailing_comma = tokens.is_at(",")
        if node.has_trailing_comma:
            node.content_end = node.last_member_end = tokens.take().end
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
