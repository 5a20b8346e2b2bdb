"""Run a language's tree-sitter query over a text, with a time limit and recovery after syntax errors.

A grammar that does not know some syntax can take all the rest of a file for one error, and every definition in it would
be lost. Top-level definitions stand in paragraphs that begin in the first column, so parsing restarts at the next
paragraph.

No function here or downstream recurses into nested nodes, so that a megabyte of brackets is only slow, never fatal.
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
"""Children of an error node above which a text is not queried. A query over an error of 10,000 children takes 0.2 s,
over one of 100,000 some 15 s (a megabyte of `[`).
"""
_MIN_BYTES_TO_CHECK = 4_000
_MAX_COMPRESSION_RATIO = 40
"""Compression ratio above which a text is not parsed. 20 KB of `a=>` keep the grammar of Java busy for 70 s, whatever
the time limit says, and 300 KB of `{a:` overrun the C stack of that of JavaScript.
"""
Captures = Mapping[str, list[Node]]

_loaded_parsers: dict[tuple[Callable[[], object], str], tuple[Parser, Query]] = {}


def run_query(language: Language, data: bytes, timeout_s: float) -> Mapping[str, list[Node]] | None:
    """Return the nodes that the query of `language` captures, by capture name, in no order.

    None when that takes longer than `timeout_s`, or when the text is too repetitive or too broken to be a program.
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
        except ValueError:  # the progress callback stopped it
            parser.reset()
            return None
        return None if tree.root_node.has_error and _has_oversized_error(tree.root_node) else tree

    tree = parse(data)
    if tree is None:
        return None
    # The cursor's own progress callback crashes in py-tree-sitter 0.26.1.
    return recover_captures(tree, data, parse, lambda root: QueryCursor(query).captures(root))


def _load_parser(language: Language) -> tuple[Parser, Query]:
    """Return the parser and compiled query of a language, made once in a process (3 to 400 ms)."""
    if language.grammar is None:
        raise ValueError(f"{language.name} has no grammar")
    key = (language.grammar, language.query)
    loaded = _loaded_parsers.get(key)
    if loaded is None:
        grammar = Grammar(language.grammar())
        loaded = _loaded_parsers[key] = (Parser(grammar), Query(grammar, language.query))
    return loaded


def _is_repetitive(data: bytes) -> bool:
    """Return whether a text repeats itself as no program does (programs compress at most 18 times)."""
    return len(data) > _MIN_BYTES_TO_CHECK and len(data) > _MAX_COMPRESSION_RATIO * len(zlib.compress(data, 1))


def _has_oversized_error(root: Node) -> bool:
    """Return whether an error has so many children that a query, quadratic in them, would not come back."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error and node.child_count > _MAX_ERROR_CHILDREN:
            return True
        waiting += [child for child in node.children if child.has_error and child.child_count]
    return False


_MIN_ERROR_LINES = 15
"""Lines of an error that is recovered from; a smaller one has lost little, and the rest is mostly parsed right."""

_MAX_RESTARTS = 8
_MAX_RECOVERABLE_BYTES = 1 << 19
"""Size of a file that is recovered: each restart parses the whole rest, so that a larger one would take seconds."""

_PARAGRAPH_START = re.compile(rb"\n[ \t]*\r?\n(?=[^\s)\]}])")
_NOT_LINE_END = re.compile(rb"[^\n]")

ParseFunction = Callable[[bytes], "Tree | None"]


def recover_captures(
    first_tree: Tree, data: bytes, parse: ParseFunction, query: Callable[[Node], Captures]
) -> Captures:
    """Return the captures of the query, including those behind wide errors; byte offsets are those in `data`.

    parse: returns None when it took too long.
    """
    captures = query(first_tree.root_node)
    if not first_tree.root_node.has_error or len(data) > _MAX_RECOVERABLE_BYTES:
        return captures
    starts, trees = [0], [first_tree]
    while len(trees) <= _MAX_RESTARTS:
        restart = _find_restart(trees[-1].root_node, data, starts[-1])
        tree = parse(_NOT_LINE_END.sub(b" ", data[:restart]) + data[restart:]) if restart else None
        if tree is None:
            break
        starts.append(restart)
        trees.append(tree)
    if len(trees) == 1:
        return captures
    recovered: dict[str, list[Node]] = {}
    for (start, end), tree in zip(pairwise([*starts, len(data) + 1]), trees, strict=True):
        for label, nodes in query(tree.root_node).items():
            recovered.setdefault(label, []).extend(n for n in nodes if start <= n.start_byte and n.end_byte <= end)
    return recovered if _count_definitions(recovered) > _count_definitions(captures) else captures


def _find_restart(root: Node, data: bytes, after: int) -> int:
    """Return the first paragraph in the first wide error behind the offset `after`; 0 where there is none."""
    for node in [root] if root.is_error else root.children:
        if node.is_error and node.end_byte > after and node.end_point[0] - node.start_point[0] >= _MIN_ERROR_LINES:
            paragraph = _PARAGRAPH_START.search(data, max(node.start_byte, after + 1), node.end_byte)
            if paragraph:
                return paragraph.end()
    return 0


def _count_definitions(captures: Captures) -> int:
    return sum(len(nodes) for label, nodes in captures.items() if label.startswith("definition."))
