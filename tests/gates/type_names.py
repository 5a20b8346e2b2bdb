"""The rule that a type name of server/scry means one thing: classes and CamelCase aliases are defined once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.gates.sizes import source_files

_TYPE_NAME = re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")


def defined_twice(package: Path) -> list[str]:
    """Return a line for each type name that more than one place below `package` defines."""
    places: dict[str, list[str]] = {}
    for path in source_files(package):
        for name in _defined(ast.parse(path.read_text(encoding="utf-8"))):
            places.setdefault(name, []).append(path.relative_to(package).as_posix())
    return [f"{name} is defined in {', '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1]


def _defined(tree: ast.Module) -> Iterator[str]:
    """Yield the names of all classes, private ones left out, and of the module's CamelCase aliases."""
    yield from (n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and not n.name.startswith("_"))
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        yield from (each.id for each in targets if isinstance(each, ast.Name) and _TYPE_NAME.fullmatch(each.id))
