"""Judge whether a text, or its syntax tree, has the shape of a program.

A parser in C can overrun its stack, and a query can take minutes, on what no person wrote: thousands of nested brackets
or type arguments. Neither can be interrupted. So a text of such a shape is parsed in a process of its own, with limits
(`scry.index.parse.isolation`). The checks take 4 % of the time that parsing takes, and their limits are several times
what was measured in 60,000 files of 25 repositories and of system headers.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from tree_sitter import Node

_MIN_BYTES_TO_CHECK = 4_000
_MAX_COMPRESSION_RATIO = 40
"""Compression ratio above which a text is not parsed at all. 20 KB of `a=>` keep the grammar of Java busy for 70 s, and
300 KB of `{a:` overrun the C stack of that of JavaScript.
"""

_MAX_OPEN_BRACKETS = 1_000
"""Open brackets at one place; 257 were measured, counted without regard to strings and comments."""

_MAX_OPEN_TYPE_ARGUMENTS = 100
"""Open `<` at one place with nothing but names between them; 14 were measured. Some thousands overrun the C stack of
the grammars of Java and C#.
"""

_MAX_TREE_DEPTH = 500
"""Levels of a tree; 60 were measured. A query over 20,000 levels takes 9 s, and is quadratic in them."""

_MAX_CHILDREN = 20_000
"""Children of a node; 13,000 were measured. A query over 70,000 takes 16 s, and is quadratic in them."""

MAX_NODES = 4_000_000
"""Nodes of a tree; a megabyte of dense code has 700,000. Each takes some 100 bytes while the tree lives."""

_BRACKETS = b"([{)]}"
_NOT_BRACKETS = bytes(sorted(set(range(256)) - set(_BRACKETS)))
_ENDS_TYPE_ARGUMENTS = b";{}()=+-/!|\"'"
_TO_SEMICOLONS = bytes.maketrans(_ENDS_TYPE_ARGUMENTS, b";" * len(_ENDS_TYPE_ARGUMENTS))
_NOT_TYPE_ARGUMENTS = bytes(sorted(set(range(256)) - set(b"<>;")))
_SHIFT = b"<<"
"""A shift or an append: no list of type arguments begins with another one. 401 files of the Linux kernel have over 100
shifts with nothing but names and numbers between them.
"""


class UnusualShape(Exception):
    """The text is to be parsed in a process of its own; the message says why."""


def is_repetitive(data: bytes) -> bool:
    """Return whether a text repeats itself as no program does (programs compress at most 18 times)."""
    dense = data.translate(None, b" \t\r\n")  # a component's markup is blanked, and blanks keep no grammar busy
    return len(dense) > _MIN_BYTES_TO_CHECK and len(dense) > _MAX_COMPRESSION_RATIO * len(zlib.compress(dense, 1))


def check_text(data: bytes) -> None:
    """Raise UnusualShape for more nested brackets or type arguments than a program has. Linear in the text."""
    brackets = data.translate(None, _NOT_BRACKETS)
    if len(brackets) > _MAX_OPEN_BRACKETS and _max_depth(brackets, b"([{") > _MAX_OPEN_BRACKETS:
        raise UnusualShape(f"over {_MAX_OPEN_BRACKETS:,} open brackets")
    for part in data.replace(_SHIFT, b";").translate(_TO_SEMICOLONS, _NOT_TYPE_ARGUMENTS).split(b";"):
        if len(part) > _MAX_OPEN_TYPE_ARGUMENTS and _max_depth(part, b"<") > _MAX_OPEN_TYPE_ARGUMENTS:
            raise UnusualShape(f"over {_MAX_OPEN_TYPE_ARGUMENTS:,} open type arguments")


def _max_depth(brackets: bytes, opening: bytes) -> int:
    depth = deepest = 0
    for bracket in brackets:
        if bracket in opening:
            depth += 1
            if depth > deepest:
                deepest = depth
        elif depth:
            depth -= 1
    return deepest


def check_tree(root: Node) -> None:
    """Raise UnusualShape for a tree that is deeper or wider than that of a program.

    Only nodes with many descendants are visited: no other can lie above so many levels.
    """
    waiting: list[tuple[Node, int]] = [(root, 1)]
    while waiting:
        node, depth = waiting.pop()
        if depth > _MAX_TREE_DEPTH:
            raise UnusualShape(f"over {_MAX_TREE_DEPTH:,} levels of syntax")
        if node.child_count > _MAX_CHILDREN:
            raise UnusualShape(f"over {_MAX_CHILDREN:,} parts at one level of syntax")
        waiting += [(child, depth + 1) for child in _large_children(node, _MAX_TREE_DEPTH - depth)]


def _large_children(node: Node, descendants: int) -> Sequence[Node]:
    if node.descendant_count <= descendants:
        return ()
    return [child for child in node.children if child.descendant_count > descendants]
