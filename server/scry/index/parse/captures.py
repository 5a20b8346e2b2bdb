"""Run a language's tree-sitter query over a text, with a time limit and recovery after syntax errors.

Where a grammar gives up in the middle of a file: what follows is parsed again from the next paragraph on.

A grammar that does not know some syntax can take all the rest of a file for one error, and every definition in it would
be lost. Top-level definitions stand in paragraphs that begin in the first column, so that is where reading starts anew.

A text through tree-sitter: what a language's query captures in it, within a time limit.

Nothing here or after it calls itself on nested nodes, so that a megabyte of brackets is only slow, never fatal.
"""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Callable, Mapping
from itertools import pairwise

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor, Tree

from scry.index.parse.languages.language import Language

_READ_BYTES = 1 << 16
_MAX_ERROR_CHILDREN = 10_000
"""A query over an error of 10,000 pieces takes 0.2 s, over one of 100,000 some 15 s (a megabyte of `[`)."""
_MIN_BYTES_TO_CHECK = 4_000
_MAX_COMPRESSION_RATIO = 40
"""A text that compresses better than this is not parsed. 20 KB of `a=>` keep the grammar of Java busy for 70 s,
whatever the time limit says, and 300 KB of `{a:` overrun the C stack of that of JavaScript."""
Captures = Mapping[str, list[Node]]

_loaded_parsers: dict[tuple[Callable[[], object], str], tuple[Parser, Query]] = {}


def run_query(language: Language, data: bytes, timeout_s: float) -> Mapping[str, list[Node]] | None:
    """What the query of `language` captures, by capture name, in no order.

    None when that takes longer than `seconds`, or when the text is no program but a heap of pieces.
    """
    if _is_repetitive(data):
        return None
    parser, query = _load_parser(language)
    deadline = time.monotonic() + timeout_s

    def parse(text: bytes) -> Tree | None:
        try:
            tree = parser.parse(
                lambda offset, _: text[offset : offset + _READ_BYTES],
                progress_callback=lambda _, __: time.monotonic() > deadline,
            )
        except ValueError:  # the callback said stop
            parser.reset()
            return None
        return None if tree.root_node.has_error and _has_oversized_error(tree.root_node) else tree

    tree = parse(data)
    if tree is None:
        return None
    # The cursor's own progress callback crashes in py-tree-sitter 0.26.1.
    return recover_captures(tree, data, parse, lambda root: QueryCursor(query).captures(root))


def _load_parser(language: Language) -> tuple[Parser, Query]:
    """The parser and compiled query of a language, made once in a process (3 to 400 ms)."""
    if language.grammar is None:
        raise ValueError(f"{language.name} has no grammar")
    key = (language.grammar, language.query)
    loaded = _loaded_parsers.get(key)
    if loaded is None:
        grammar = Grammar(language.grammar())
        loaded = _loaded_parsers[key] = (Parser(grammar), Query(grammar, language.query))
    return loaded


def _is_repetitive(data: bytes) -> bool:
    """Whether a text says the same over and over, as no program does (those stay below 18)."""
    return len(data) > _MIN_BYTES_TO_CHECK and len(data) > _MAX_COMPRESSION_RATIO * len(zlib.compress(data, 1))


def _has_oversized_error(root: Node) -> bool:
    """Whether an error holds so many pieces that a query, which takes quadratic time there, would not come back."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error and node.child_count > _MAX_ERROR_CHILDREN:
            return True
        waiting += [child for child in node.children if child.has_error and child.child_count]
    return False


_MIN_ERROR_LINES = 15
"""An error over fewer lines has lost little, and is mostly right about the rest."""

_MAX_RESTARTS = 8
_MAX_RECOVERABLE_BYTES = 1 << 19
"""Each restart parses all that is left: a larger file would take seconds."""

_PARAGRAPH_START = re.compile(rb"\n[ \t]*\r?\n(?=[^\s)\]}])")
_NOT_LINE_END = re.compile(rb"[^\n]")

ParseFunction = Callable[[bytes], "Tree | None"]


def recover_captures(
    first_tree: Tree, data: bytes, parse: ParseFunction, query: Callable[[Node], Captures]
) -> Captures:
    """What the query captures, also behind wide errors; places are as in `data`. parse: None when it took too long."""
    found = query(first_tree.root_node)
    if not first_tree.root_node.has_error or len(data) > _MAX_RECOVERABLE_BYTES:
        return found
    starts, trees = [0], [first_tree]
    while len(trees) <= _MAX_RESTARTS:
        place = _find_restart(trees[-1].root_node, data, starts[-1])
        tree = parse(_NOT_LINE_END.sub(b" ", data[:place]) + data[place:]) if place else None
        if tree is None:
            break
        starts.append(place)
        trees.append(tree)
    if len(trees) == 1:
        return found
    recovered: dict[str, list[Node]] = {}
    for (start, end), tree in zip(pairwise([*starts, len(data) + 1]), trees, strict=True):
        for label, nodes in query(tree.root_node).items():
            recovered.setdefault(label, []).extend(n for n in nodes if start <= n.start_byte and n.end_byte <= end)
    return recovered if _count_definitions(recovered) > _count_definitions(found) else found


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
