"""The faces of the rooms of server/scry: each package offers, lazily, the names that other places import from it.

python -m tests.gates.faces              writes the tables at the end of each package's `__init__.py`
python -m tests.gates.faces --check      fails where a table is stale
python -m tests.gates.faces --rewrite    first lets tests import from faces instead of modules, then writes the tables

A name is offered where something in server, tests or docs imports it by `from scry.<room> import name`; the generator
finds the module that defines it. So a module can be moved within its room, or split, without a change of any test.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
START = (
    "# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.\n"
)

_FUNCTION = """
    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
"""


class Rooms:
    """The packages below server/scry of a source tree, with the public names that their modules define."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self._homes: dict[str, dict[str, list[str]]] = {}
        for init in sorted((root / "server" / "scry").rglob("*/__init__.py")):
            package = ".".join(init.parent.relative_to(root / "server").parts)
            self._homes[package] = self._defined(init.parent)

    def _defined(self, folder: Path) -> dict[str, list[str]]:
        homes: dict[str, list[str]] = {}
        for module in sorted(folder.glob("*.py")):
            for name in _names(ast.parse(module.read_text(encoding="utf-8"))):
                homes.setdefault(name, []).append(module.stem)
        taken = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
        return {name: found for name, found in homes.items() if name not in taken and found != ["__init__"]}

    def home(self, package: str, name: str) -> str | None:
        """Return the module of `package` that defines a name; None where none or several do."""
        found = self._homes.get(package, {}).get(name, [])
        return found[0] if len(found) == 1 and found[0] != "__init__" else None

    def init_of(self, package: str) -> Path:
        """Return the path of a package's `__init__.py`."""
        return self.root / "server" / Path(*package.split(".")) / "__init__.py"

    def faces(self) -> dict[str, dict[str, str]]:
        """Return for each package its offered names and the modules that define them, in order."""
        faces: dict[str, dict[str, str]] = {package: {} for package in self._homes}
        for path in self.sources():
            for node in _imports(path):
                for alias in node.names:
                    if home := self.home(node.module or "", alias.name):
                        faces[node.module or ""][alias.name] = home
        return {package: dict(sorted(names.items())) for package, names in faces.items()}

    def sources(self) -> Iterator[Path]:
        """Yield the Python files that may import from a face, those of generated or golden content left out."""
        for top in ("server", "tests", "docs"):
            yield from (
                path for path in sorted((self.root / top).rglob("*.py")) if "golden/files" not in path.as_posix()
            )


def written(init: str, package: str, names: Mapping[str, str]) -> str:
    """Return the text of an `__init__.py` with its table of names in place of the one that it has."""
    text = init.partition(START)[0].rstrip("\n") + "\n"
    if not names:
        return text
    by_module: dict[str, list[str]] = {}
    for name, module in names.items():
        by_module.setdefault(module, []).append(name)
    lines = [
        f"    from {package}.{module} import {name} as {name}\n"
        for module, found in sorted(by_module.items())
        for name in found
    ]
    table = "".join(f'        "{name}": "{module}",\n' for name, module in names.items())
    return (
        f"{text}\n{START}TYPE_CHECKING = False\n\nif TYPE_CHECKING:\n{''.join(lines)}else:\n"
        f"    _MODULES = {{\n{table}    }}\n{_FUNCTION}"
    )


def _names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        yield from (each.id for each in targets if isinstance(each, ast.Name) and not each.id.startswith("_"))


def _imports(path: Path) -> Iterator[ast.ImportFrom]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").startswith("scry."):
            yield node


def rewrite_tests(rooms: Rooms) -> None:
    """Let tests import public names from the package instead of from its module."""
    for path in rooms.sources():
        if rooms.root / "tests" not in path.parents:
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        for node in sorted(_imports(path), key=lambda node: -node.lineno):
            package, _, module = (node.module or "").rpartition(".")
            moved = [each for each in node.names if rooms.home(package, each.name) == module]
            if not moved:
                continue
            left = [each for each in node.names if each not in moved]
            indent = " " * node.col_offset
            new = [f"{indent}from {package} import {_spelled(moved)}\n"]
            comment = re.search(r"  #.*", "".join(lines[node.lineno - 1 : node.end_lineno]))
            new += (
                [f"{indent}from {node.module} import {_spelled(left)}{comment[0] if comment else ''}\n"] if left else []
            )
            lines[node.lineno - 1 : node.end_lineno] = new
        if (changed := "".join(lines)) != text:
            path.write_text(changed, encoding="utf-8")


def _tokens(text: str) -> list[str]:
    """Return the words of a text in one order, which the formatter's sorting and splitting of lines do not change."""
    return sorted(re.findall(r"\w+", text))


def _spelled(names: Sequence[ast.alias]) -> str:
    return ", ".join(f"{each.name} as {each.asname}" if each.asname else each.name for each in names)


def main(arguments: Sequence[str]) -> int:
    """Write the tables, or with --check name the stale ones. Return the exit status."""
    rooms = Rooms()
    if "--rewrite" in arguments:
        rewrite_tests(rooms)
    stale: list[Path] = []
    for package, names in rooms.faces().items():
        path = rooms.init_of(package)
        text = path.read_text(encoding="utf-8")
        if (new := written(text, package, names)) != text and _tokens(new) != _tokens(text):
            stale.append(path)
            if "--check" not in arguments:
                path.write_text(new, encoding="utf-8")
    if "--check" not in arguments:
        return 0
    for path in stale:
        print(f"{path.relative_to(ROOT)} is stale: run `python -m tests.gates.faces`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
