"""A text through tree-sitter: what a language's query captures in it, within a time limit.

Nothing here or after it calls itself on nested nodes, so that a megabyte of brackets is only slow, never fatal.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor

from scry.index.languages.language import Language

_CHUNK = 1 << 16

_ready: dict[tuple[str, ...], tuple[Parser, Query]] = {}


def capture(language: Language, data: bytes, seconds: float) -> Mapping[str, list[Node]] | None:
    """What the query of `language` captures, by capture name, in no order; None when it takes longer than `seconds`."""
    parser, query = _load(language)
    deadline = time.monotonic() + seconds
    try:
        tree = parser.parse(
            lambda offset, _: data[offset : offset + _CHUNK],
            progress_callback=lambda _, __: time.monotonic() > deadline,
        )
    except ValueError:  # the callback said stop
        parser.reset()
        return None
    return QueryCursor(query).captures(tree.root_node)  # its own progress callback crashes in py-tree-sitter 0.26.1


def _load(language: Language) -> tuple[Parser, Query]:
    """The parser and compiled query of a language, made once in a process (some 10 ms)."""
    key = (language.name, *language.extensions)
    known = _ready.get(key)
    if known is None:
        if language.grammar is None:
            raise ValueError(f"{language.name} has no grammar")
        grammar = Grammar(language.grammar())
        known = _ready[key] = (Parser(grammar), Query(grammar, language.query))
    return known
