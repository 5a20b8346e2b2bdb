"""Where a grammar gives up in the middle of a file: what follows is parsed again from the next paragraph on.

A grammar that does not know some syntax can take all the rest of a file for one error, and every definition in it would
be lost. Top-level definitions stand in paragraphs that begin in the first column, so that is where reading starts anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise

from tree_sitter import Node, Tree

_MIN_ERROR_LINES = 15
"""An error over fewer lines has lost little, and is mostly right about the rest."""

_MAX_RESTARTS = 8
_MAX_RECOVERABLE_BYTES = 1 << 19
"""Each restart parses all that is left: a larger file would take seconds."""

_PARAGRAPH_START = re.compile(rb"\n[ \t]*\r?\n(?=[^\s)\]}])")
_NOT_LINE_END = re.compile(rb"[^\n]")

ParseFunction = Callable[[bytes], "Tree | None"]
Captures = Mapping[str, list[Node]]


def recover_captures(first: Tree, data: bytes, parse: ParseFunction, query: Callable[[Node], Captures]) -> Captures:
    """What the query captures, also behind wide errors; places are as in `data`. parse: None when it took too long."""
    found = query(first.root_node)
    if not first.root_node.has_error or len(data) > _MAX_RECOVERABLE_BYTES:
        return found
    starts, trees = [0], [first]
    while len(trees) <= _MAX_RESTARTS:
        place = _find_restart(trees[-1].root_node, data, starts[-1])
        tree = parse(_NOT_LINE_END.sub(b" ", data[:place]) + data[place:]) if place else None
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
    return again if _count_definitions(again) > _count_definitions(found) else found


def _find_restart(root: Node, data: bytes, after: int) -> int:
    """Where to read on: the first paragraph in the first wide error behind a place; 0 where there is none."""
    for node in [root] if root.is_error else root.children:
        if node.is_error and node.end_byte > after and node.end_point[0] - node.start_point[0] >= _MIN_ERROR_LINES:
            paragraph = _PARAGRAPH_START.search(data, max(node.start_byte, after + 1), node.end_byte)
            if paragraph:
                return paragraph.end()
    return 0


def _count_definitions(captures: Captures) -> int:
    return sum(len(nodes) for label, nodes in captures.items() if label.startswith("definition."))
