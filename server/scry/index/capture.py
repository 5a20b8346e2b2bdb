"""A text through tree-sitter: what a language's query captures in it, within a time limit.

Nothing here or after it calls itself on nested nodes, so that a megabyte of brackets is only slow, never fatal.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Mapping

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor, Tree

from scry.index.languages.language import Language
from scry.index.recover import recover_captures

_READ_BYTES = 1 << 16
_MAX_ERROR_CHILDREN = 10_000
"""A query over an error of 10,000 pieces takes 0.2 s, over one of 100,000 some 15 s (a megabyte of `[`)."""
_MIN_BYTES_TO_CHECK = 4_000
_MAX_COMPRESSION_RATIO = 40
"""A text that compresses better than this is not parsed. 20 KB of `a=>` keep the grammar of Java busy for 70 s,
whatever the time limit says, and 300 KB of `{a:` overrun the C stack of that of JavaScript."""

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


def _load_parser(language: Language) -> tuple[Parser, Query]:
    """The parser and compiled query of a language, made once in a process (3 to 400 ms)."""
    if language.grammar is None:
        raise ValueError(f"{language.name} has no grammar")
    key = (language.grammar, language.query)
    known = _loaded_parsers.get(key)
    if known is None:
        grammar = Grammar(language.grammar())
        known = _loaded_parsers[key] = (Parser(grammar), Query(grammar, language.query))
    return known
