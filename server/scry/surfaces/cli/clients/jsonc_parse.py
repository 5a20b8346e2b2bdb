"""Reads JSON with comments and trailing commas, as people write it, and where each value stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from scry.surfaces.cli.clients.client import Unwritable

_TOKEN = re.compile(
    r"""(?P<blank>[\s\ufeff]+|//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")
    |(?P<mark>[{}\[\],:])
    |(?P<literal>true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))""",
    re.DOTALL | re.VERBOSE,
)


class _Token(Struct):
    """kind: string, mark, literal, end, or wrong. start, end: in the text. comment_end: where the last comment ends."""

    kind: str
    text: str
    start: int
    end: int
    comment_end: int


class Node(Struct):
    """A value with its place in the text.

    members: of an object, by name; else None. last_member_end: where the last of them ends, its comma included. last:
    the same, or where the last comment behind it ends.
    """

    start: int
    end: int
    value: Any
    members: dict[str, Node] | None = None
    last: int = 0
    has_trailing_comma: bool = False
    last_member_end: int = 0


def parse(text: str) -> Node:
    """The value of a whole text. Raises Unwritable that names the line where it is no JSON."""
    tokens = _Tokens(text)
    node = _value(tokens)
    if tokens.next.kind != "end":
        raise tokens.unexpected("the end")
    return node


class _Tokens:
    """The tokens of a text, one ahead."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._all = _scan(text)
        self.next = next(self._all)

    def is_at(self, mark: str) -> bool:
        """Whether the next one is this mark."""
        return self.next.kind == "mark" and self.next.text == mark

    def take(self) -> _Token:
        taken = self.next
        if taken.kind != "end":
            self.next = next(self._all)
        return taken

    def unexpected(self, wanted: str) -> Unwritable:
        line = self._text.count("\n", 0, self.next.start) + 1
        found = repr(self.next.text) if self.next.text else "nothing more"
        return Unwritable(f"line {line}: there is {found}, where {wanted} belongs")


def _scan(text: str) -> Iterator[_Token]:
    at = comment_end = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        kind = match.lastgroup if match else None
        if match is None or kind is None:
            yield _Token("wrong", text[at : at + 20].partition("\n")[0], at, at, comment_end)
            return
        at = match.end()
        if kind == "blank":
            comment_end = at if match.group().startswith("/") else comment_end
            continue
        yield _Token(kind, match.group(), match.start(), at, comment_end)
    yield _Token("end", "", at, at, comment_end)


def _value(tokens: _Tokens) -> Node:
    if tokens.next.kind in ("string", "literal"):
        token = tokens.take()
        return Node(token.start, token.end, json.loads(token.text))
    if tokens.is_at("{"):
        return _object(tokens)
    if tokens.is_at("["):
        return _array(tokens)
    raise tokens.unexpected("a value")


def _object(tokens: _Tokens) -> Node:
    opening = tokens.take()
    node = Node(opening.start, opening.end, {}, {}, opening.end, last_member_end=opening.end)
    assert node.members is not None
    while not tokens.is_at("}"):
        if tokens.next.kind != "string":
            raise tokens.unexpected("a name in double quotes or }")
        name: str = json.loads(tokens.take().text)
        if not tokens.is_at(":"):
            raise tokens.unexpected(":")
        tokens.take()
        member = _value(tokens)
        node.members[name] = member
        node.value[name] = member.value
        node.last = node.last_member_end = member.end
        node.has_trailing_comma = tokens.is_at(",")
        if node.has_trailing_comma:
            node.last = node.last_member_end = tokens.take().end
        elif not tokens.is_at("}"):
            raise tokens.unexpected(", or }")
    closing = tokens.take()
    node.last = max(node.last, closing.comment_end)
    node.end = closing.end
    return node


def _array(tokens: _Tokens) -> Node:
    opening = tokens.take()
    values: list[Any] = []
    while not tokens.is_at("]"):
        values.append(_value(tokens).value)
        if tokens.is_at(","):
            tokens.take()
        elif not tokens.is_at("]"):
            raise tokens.unexpected(", or ]")
    return Node(opening.start, tokens.take().end, values)
