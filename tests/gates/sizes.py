"""How long a file and a function may be: what is longer has seams that nobody has looked for.

Of Python all files are held to it, of TypeScript and Lua those that are written by hand.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

MOST_LINES = 500
"""Of a file. Nine in ten have under 200."""

MOST_LINES_OF_FUNCTION = 60
"""With its signature and docstring. The median is 7."""

LONGER: Mapping[str, str] = {}
"""What may be longer -> why: a file, or a function in one."""

_FOLDERS = ("server", "protocol", "tests", "docs", "editor/vscode/src", "editor/neovim")
_ENDINGS = frozenset({".py", ".ts", ".lua"})
_NOT_OURS = frozenset({"node_modules", "generated", "golden", "__pycache__"})
"""Folders of what is installed, generated, or written to be read by the indexer."""


def too_long(root: Path, longer: Mapping[str, str] = LONGER) -> list[str]:
    """What is longer than it may be, a line each; and what is named as longer and is not."""
    found = {name: lines for path in _files(root) for name, lines in _long(path, path.relative_to(root).as_posix())}
    over = [f"{name} has {lines} lines" for name, lines in found.items() if name not in longer]
    return over + [f"{name} is no longer too long: take it out of LONGER" for name in longer if name not in found]


def _files(root: Path) -> Iterator[Path]:
    for top in _FOLDERS:
        for folder, inner, names in os.walk(root / top):
            inner[:] = sorted(name for name in inner if name not in _NOT_OURS and not name.startswith("."))
            yield from (Path(folder, name) for name in sorted(names) if Path(name).suffix in _ENDINGS)


def _long(path: Path, name: str) -> Iterator[tuple[str, int]]:
    text = path.read_text(encoding="utf-8")
    if (lines := text.count("\n")) > MOST_LINES:
        yield name, lines
    if path.suffix != ".py" or lines <= MOST_LINES_OF_FUNCTION:
        return
    nodes = ast.walk(ast.parse(text))
    functions = [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    yield from ((f"{name}::{each.name}", _lines(each)) for each in functions if _lines(each) > MOST_LINES_OF_FUNCTION)


def _lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1
