"""Collect every regular expression of server/scry, and run each over a text."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import cast

from msgspec import Struct

FUNCTIONS = frozenset("compile search match fullmatch sub subn split findall finditer".split())
_METHODS = "|".join(sorted(FUNCTIONS - {"compile"}))


class PatternUse(Struct, frozen=True):
    """A call of `re`. key: `module.NAME`, or `module.function: literal`, or `module.function` where it has no literal.

    method: of `re`; "compile" where the pattern is kept.
    """

    key: str
    module: str
    name: str
    literal: str | bytes | None
    method: str
    flags: int


def collect(package: Path) -> Iterator[PatternUse]:
    """Yield every use of `re` below the package's folder, in order."""
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        module = ".".join(parts).removesuffix(".__init__")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for scope, name, call in _calls(tree, "", ""):
            yield _use(module, scope, name, call)


def other_imports(package: Path) -> list[str]:
    """Return the files that import `re` under another name, parts of it, or another engine."""
    pattern = re.compile(
        r"^\s*(?:from (?:re|re2|regex|fnmatch) import (?!translate$)|import (?:re2|regex|fnmatch|re as)\b)", re.M
    )
    return [path.name for path in sorted(package.rglob("*.py")) if pattern.search(path.read_text(encoding="utf-8"))]


def _calls(node: ast.AST, scope: str, name: str) -> Iterator[tuple[str, str, ast.Call]]:
    """Yield the calls of `re` with the function around them and the name of the module that their value is kept in."""
    for child in ast.iter_child_nodes(node):
        inner, kept = scope, name
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = child.name
        target = child.targets[0] if isinstance(child, ast.Assign) else getattr(child, "target", None)
        if not scope and isinstance(child, (ast.Assign, ast.AnnAssign)) and isinstance(target, ast.Name):
            kept = target.id
        if isinstance(child, ast.Call) and _is_of_re(child):
            yield inner, "" if inner else kept, child
        yield from _calls(child, inner, kept)


def _is_of_re(call: ast.Call) -> bool:
    function = call.func
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in FUNCTIONS
    )


def _use(module: str, scope: str, name: str, call: ast.Call) -> PatternUse:
    assert isinstance(call.func, ast.Attribute)
    first = call.args[0]
    value = first.value if isinstance(first, ast.Constant) else None
    literal = value if isinstance(value, (str, bytes)) else None
    written = ast.unparse(call)
    flags = sum(flag for word, flag in (("re.DOTALL", re.S), ("re.MULTILINE", re.M), ("re.I", re.I)) if word in written)
    key = f"{module}.{name}" if name else f"{module}.{scope}" + (f": {literal!s}" if literal is not None else "")
    return PatternUse(key, module, name, literal, call.func.attr, flags)


Runner = Callable[[str], object]


def runners(use: PatternUse) -> list[Runner]:
    """Return functions that run each pattern of a use over a text, as its module does; none for one made on call."""
    if use.name:
        module = importlib.import_module(use.module)
        assert module.__file__
        source = Path(module.__file__).read_text(encoding="utf-8")
        methods = set(re.findall(rf"\b{use.name}\.({_METHODS})\(", source)) or {OTHER_METHODS.get(use.key, "finditer")}
        patterns = _patterns_in(getattr(module, use.name))
        return [_runner(pattern, method) for pattern in patterns for method in sorted(methods)]
    if use.literal is None:
        return []
    return [_runner(re.compile(use.literal, use.flags), "search" if use.method == "compile" else use.method)]


OTHER_METHODS: Mapping[str, str] = MappingProxyType(
    {
        "scry.core.path_kinds._NAME_PATTERNS": "match",
        "scry.engine.browse.summaries._BLOCK_COMMENTS": "match",
        "scry.engine.search.query._INTENT_PATTERNS": "search",
        "scry.core.memory.purpose.PURPOSE_PATTERNS": "sub",
        "scry.core.memory.secret_names._ASSIGNMENT": "match",
        "scry.index.parse.headings._HEADING_LINES": "match",
        "scry.index.parse.formats._YAML_KEY": "match",
        "scry.index.parse.formats._JSON_KEY": "match",
    }
)
"""How patterns are used that their modules pass on or keep in a table; others are searched for all matches."""


def _patterns_in(value: object) -> list[re.Pattern[str] | re.Pattern[bytes]]:
    """Return the patterns in a value: itself, or those in a tuple, mapping or struct, at any depth."""
    if isinstance(value, re.Pattern):
        return [value]
    inner: list[object] = []
    if isinstance(value, (tuple, list)):
        inner = list(cast("Sequence[object]", value))
    elif isinstance(value, Mapping):
        inner = list(cast("Mapping[object, object]", value).values())
    elif isinstance(value, Struct):
        inner = [getattr(value, field) for field in value.__struct_fields__]
    return [pattern for each in inner for pattern in _patterns_in(each)]


def _unchanged(match: re.Match[str]) -> str:
    return match.group()


def _runner(pattern: re.Pattern[str] | re.Pattern[bytes], method: str) -> Runner:
    function = getattr(pattern, method)

    def run(text: str) -> object:
        written = text.encode("utf-8", "surrogatepass") if isinstance(pattern.pattern, bytes) else text
        if method in ("sub", "subn"):
            return function(_unchanged, written)
        if method == "finditer":
            return sum(1 for _ in function(written))
        return function(written)

    return run
