"""Limits on the sizes of files, functions and folders: larger ones have seams that nobody has looked for.

Python, TypeScript and Lua that are written by hand are measured; folders and the median only in server/scry.
"""

from __future__ import annotations

import ast
import os
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path

MAX_FILE_LINES = 500
"""Maximum lines of a file."""

MAX_FUNCTION_LINES = 60
"""Maximum lines of a function with its signature and docstring. The median is 7."""

MIN_MEDIAN_FILE_LINES = 90
"""Minimum median of the source files of server/scry: a file is a whole idea."""

MAX_FOLDER_FILES = 16
"""Source files in one folder of server/scry, `__init__.py` not counted."""

LONGER: Mapping[str, str] = {}
"""Exceptions to the limits on lines -> the reason: a file, or a function in one."""

LARGER: Mapping[str, str] = {
    "index/parse/languages": "one file a grammar",
    "oracles": "one file an oracle",
}
"""Folders of server/scry that hold files of one kind -> that kind: their number has no limit."""

_FOLDERS = ("server", "protocol", "tests", "docs", "editor/vscode/src", "editor/neovim")
_ENDINGS = frozenset({".py", ".ts", ".lua"})
_NOT_OURS = frozenset({"node_modules", "generated", "golden", "__pycache__"})
"""Folders of what is installed, generated, or written to be read by the indexer."""


def too_long(root: Path, longer: Mapping[str, str] = LONGER) -> list[str]:
    """Return a line for each file and function over its limit, and for each exception that is none."""
    found = {name: lines for path in _files(root) for name, lines in _long(path, path.relative_to(root).as_posix())}
    over = [f"{name} has {lines} lines" for name, lines in found.items() if name not in longer]
    return over + [f"{name} is no longer too long: take it out of LONGER" for name in longer if name not in found]


def too_crowded(package: Path, larger: Mapping[str, str] = LARGER) -> list[str]:
    """Return a line for each folder below `package` that holds more than MAX_FOLDER_FILES source files."""
    counts: dict[str, int] = {}
    for path in source_files(package):
        folder = path.parent.relative_to(package).as_posix()
        counts[folder] = counts.get(folder, 0) + 1
    return [
        f"{folder} has {count} files, more than {MAX_FOLDER_FILES}"
        for folder, count in counts.items()
        if count > MAX_FOLDER_FILES and folder not in larger
    ]


def median_lines(package: Path) -> float:
    """Return the median length in lines of the source files below `package`."""
    return statistics.median(path.read_text(encoding="utf-8").count("\n") for path in source_files(package))


def source_files(package: Path) -> list[Path]:
    """Return the Python files below `package`, without `__init__.py`, in order."""
    return sorted(path for path in package.rglob("*.py") if path.name != "__init__.py")


def _files(root: Path) -> Iterator[Path]:
    for top in _FOLDERS:
        for folder, inner, names in os.walk(root / top):
            inner[:] = sorted(name for name in inner if name not in _NOT_OURS and not name.startswith("."))
            yield from (Path(folder, name) for name in sorted(names) if Path(name).suffix in _ENDINGS)


def _long(path: Path, name: str) -> Iterator[tuple[str, int]]:
    text = path.read_text(encoding="utf-8")
    if (lines := text.count("\n")) > MAX_FILE_LINES:
        yield name, lines
    if path.suffix != ".py" or lines <= MAX_FUNCTION_LINES:
        return
    nodes = ast.walk(ast.parse(text))
    functions = [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    yield from ((f"{name}::{each.name}", _lines(each)) for each in functions if _lines(each) > MAX_FUNCTION_LINES)


def _lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1
