"""Where a grammar gives up in the middle of a file: what follows is parsed again from the next paragraph on.

A grammar that does not know some syntax can take all the rest of a file for one error, and every definition in it would
be lost. Top-level definitions stand in paragraphs that begin in the first column, so that is where reading starts anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise

from tree_sitter import Node, Tree

_WIDE_LINES = 15
"""An error over fewer lines has lost little, and is mostly right about the rest."""

_MOST_RESTARTS = 8
_MOST_BYTES = 1 << 19
"""Each restart parses all that is left: a larger file would take seconds."""

_PARAGRAPH = re.compile(rb"\n[ \t]*\r?\n(?=[^\s)\]}])")
_INK = re.compile(rb"[^\n]")

Parse = Callable[[bytes], "Tree | None"]
Captures = Mapping[str, list[Node]]


def recover(first: Tree, data: bytes, parse: Parse, query: Callable[[Node], Captures]) -> Captures:
    """What the query captures, also behind wide errors; places are as in `data`. parse: None when it took too long."""
    found = query(first.root_node)
    if not first.root_node.has_error or len(data) > _MOST_BYTES:
        return found
    starts, trees = [0], [first]
    while len(trees) <= _MOST_RESTARTS:
        place = _restart(trees[-1].root_node, data, starts[-1])
        tree = parse(_INK.sub(b" ", data[:place]) + data[place:]) if place else None
        if tree is None:
            break
        starts.append(place)
        trees.append(tree)
    if len(trees) == 1:
        return found
    again: dict[str, list[Node]] = {}
    for (start, end), tree in zip(pairwise([*starts, len(data) + 1]), trees, strict=True):
        for label, nodes in query(tree.root_node).items():
            again.setdefault(label, []).extend(n for n in nodes if start <= n.start_byte and n.end_byte <= end)
    return again if _definitions(again) > _definitions(found) else found


def _restart(root: Node, data: bytes, after: int) -> int:
    """Where to read on: the first paragraph in the first wide error behind a place; 0 where there is none."""
    for node in [root] if root.is_error else root.children:
        if node.is_error and node.end_byte > after and node.end_point[0] - node.start_point[0] >= _WIDE_LINES:
            paragraph = _PARAGRAPH.search(data, max(node.start_byte, after + 1), node.end_byte)
            if paragraph:
                return paragraph.end()
    return 0


def _definitions(captures: Captures) -> int:
    return sum(len(nodes) for label, nodes in captures.items() if label.startswith("definition."))
