"""The code graph after any edits is that of a fresh index, whatever order they came in and wherever they were cut."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from scry.core import Cancelled
from scry.index.graph import GraphMemory, update_graph
from tests.sample.graph import GraphProject

_FILES = [
    "app.py",
    "pkg/__init__.py",
    "pkg/a.py",
    "pkg/b.py",
    "pkg/sub/__init__.py",
    "pkg/sub/c.py",
    "web/d.ts",
    "web/e.ts",
]
_NAMES = ["load", "save", "run", "Store", "Base", "helper", "walk"]


def _text(path: str, chance: random.Random) -> str:
    return _typescript(chance) if path.endswith(".ts") else _python(chance)


def _python(chance: random.Random) -> str:
    modules = ["pkg", "pkg.a", "pkg.b", "pkg.sub", "pkg.sub.c", ".a", ".b", ".sub.c", "json"]
    lines: list[str] = []
    for _ in range(chance.randrange(4)):
        name, other = chance.choice(_NAMES), chance.choice(_NAMES)
        module = chance.choice(modules)
        what = [f"from {module} import {name}", f"from {module} import {name} as {other}", f"from {module} import *"]
        lines.append(chance.choice([*what, f"import {module.lstrip('.')} as m"]))
    for _ in range(chance.randrange(1, 4)):
        name = chance.choice(_NAMES)
        if name[0].isupper():
            lines += [f"class {name}({chance.choice(['', 'Base', 'Store', 'm.Base'])}):"]
            lines += [f"    def {each}(self):\n        {_call(chance)}" for each in chance.sample(_NAMES[:3], 2)]
        else:
            lines += [f"def {name}(x):\n    {_call(chance)}\n    {_call(chance)}"]
    return "\n".join(lines) + "\n"


def _call(chance: random.Random) -> str:
    name = chance.choice(_NAMES)
    return chance.choice(["{}()", "self.{}()", "super().{}()", "m.{}()", "x.{}()", "Store.{}()"]).format(name)


def _typescript(chance: random.Random) -> str:
    name, other = chance.choice(_NAMES), chance.choice(_NAMES)
    module = chance.choice(["./d", "./e", "lodash"])
    first = [f"import {{ {name} as {other} }} from '{module}';", f"export * from '{module}';"]
    body = f"export function {chance.choice(_NAMES)}(x: any) {{\n  {_call(chance)};\n  {_call(chance)};\n}}"
    kept = f"export class Store extends Base {{\n  load() {{ this.{chance.choice(_NAMES)}(); }}\n}}"
    return "\n".join([chance.choice(first), body, *([kept] if chance.random() < 0.5 else [])]) + "\n"


def _edit(sample: GraphProject, chance: random.Random) -> set[str]:
    """Write, removes or renames a file; returns the paths that this touched."""
    path, other = chance.sample(_FILES, 2)
    if not (sample.root / path).exists() or chance.random() < 0.6:
        sample.write_file(path, _text(path, chance))
        return {path}
    if chance.random() < 0.5:
        sample.remove(path)
        return {path}
    (sample.root / other).parent.mkdir(parents=True, exist_ok=True)
    (sample.root / path).replace(sample.root / other)
    return {path, other}


def _restart_sometimes(sample: GraphProject, chance: random.Random) -> None:
    """Begin with nothing in memory, as after a restart of the indexer."""
    if chance.random() < 0.3:
        sample.memory = GraphMemory()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_edits_give_the_edges_of_a_fresh_index(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    sample = GraphProject(tmp_path / "one", {path: _text(path, chance) for path in _FILES})
    for step in range(6):
        _restart_sometimes(sample, chance)
        paths = {path for _ in range(chance.randrange(1, 4)) for path in _edit(sample, chance)}
        sample.update(*paths)
        sample.assert_like_fresh(tmp_path / f"fresh-{step}")
    sample.store.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_interrupted_graph_update_is_resumed(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    sample = GraphProject(tmp_path / "one", {path: _text(path, chance) for path in _FILES})
    for step in range(6):
        _restart_sometimes(sample, chance)
        paths = {path for _ in range(3) for path in _edit(sample, chance)}
        sample.index(*paths)
        left = chance.randrange(4)

        def cut() -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Cancelled("enough")

        try:
            update_graph(sample.store, cut, sample.memory)
        except Cancelled:
            assert not sample.store.graph.is_current
        sample.update(*_edit(sample, chance))
        assert sample.store.graph.is_current
        sample.assert_like_fresh(tmp_path / f"fresh-{step}")
    sample.store.close()


_CHAIN = {
    "a.py": "class A:\n    def run(self): ...\n",
    "b.py": "from a import A\n\n\nclass B(A):\n    pass\n",
    "d.py": "from b import B\n\n\nclass D(B):\n    pass\n",
    "e.py": "from d import D\n\n\nclass E(D):\n    def go(self):\n        self.run()\n",
}


def _assert_edges(sample: GraphProject, files: dict[str, str], folder: Path) -> None:
    fresh = GraphProject(folder, files)
    assert sample.edges() == fresh.edges()
    fresh.store.close()
    sample.store.close()


def test_calls_through_a_removed_base_are_linked_again(tmp_path: Path) -> None:
    sample = GraphProject(tmp_path / "one", _CHAIN)
    assert "e.py::E.go > a.py::A.run (exact)" in sample.calls()
    sample.remove("b.py")
    sample.update()
    assert sample.calls() == set()
    _assert_edges(sample, {path: text for path, text in _CHAIN.items() if path != "b.py"}, tmp_path / "fresh")


def test_calls_through_a_base_that_becomes_a_function_are_linked_again(tmp_path: Path) -> None:
    sample = GraphProject(tmp_path / "one", _CHAIN)
    sample.write_file("b.py", "def B(): ...\n")
    sample.update()
    _assert_edges(sample, {**_CHAIN, "b.py": "def B(): ...\n"}, tmp_path / "fresh")


def test_order_of_edits_decides_between_no_bases(tmp_path: Path) -> None:
    files = {
        "a.py": "class A:\n    def run(self): ...\n",
        "b.py": "class B:\n    def run(self): ...\n",
        "c.py": "from a import A\nfrom b import B\n\n\nclass C(A, B):\n    def go(self):\n        self.run()\n",
    }
    sample = GraphProject(tmp_path / "one", files)
    edited = {path: f"# edited\n{text}" if path != "b.py" else text for path, text in files.items()}
    sample.write(edited)
    sample.update()
    assert "c.py::C.go > a.py::A.run (exact)" in sample.calls()
    _assert_edges(sample, edited, tmp_path / "fresh")


def test_file_that_is_back_after_an_interrupted_removal_is_imported_again(tmp_path: Path) -> None:
    files = {
        "a.py": "def run(): ...\n",
        "b.py": "def run(): ...\n",
        "user.py": "import a\n\n\ndef go():\n    a.run()\n",
        "other.py": "def other(): ...\n",
    }
    sample = GraphProject(tmp_path / "one", files)
    sample.remove("a.py")
    sample.write_file("other.py", "def another(): ...\n")
    sample.index()
    left = 5  # the files that imported the removed one are saved, the removed one is still known

    def cut() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        update_graph(sample.store, cut, sample.memory)
    assert "a.py" in sample.store.graph_store.graph_files()
    assert sample.imports() == set()
    sample.write_file("a.py", files["a.py"])
    sample.update()
    assert sample.imports() == {"user.py > a.py"}
    _assert_edges(sample, {**files, "other.py": "def another(): ...\n"}, tmp_path / "fresh")


def test_restart_resolves_only_what_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = GraphProject(tmp_path / "one", {f"m{number}.py": f"import m{number + 1}\n" for number in range(30)})
    sample.memory = GraphMemory()
    sample.write({"m3.py": "import m9\n", "m30.py": "A = 1\n"})
    sample.index("m3.py", "m30.py")
    read, resolved = sample.store.graph_store.packed_imports, list[int]()

    def noted(file_ids: Sequence[int]) -> dict[int, bytes]:
        resolved.extend(file_ids)
        return read(file_ids)

    monkeypatch.setattr(sample.store.graph_store, "packed_imports", noted)
    update_graph(sample.store, lambda: None, sample.memory)
    paths = {file: path for path, file in sample.store.files.indexed_file_ids().items()}
    assert {paths[file] for file in resolved} == {"m3.py", "m29.py", "m30.py"}
    assert {"m3.py > m9.py", "m29.py > m30.py"} <= sample.imports()
    sample.store.close()


def test_many_definitions_are_removed_at_once(tmp_path: Path) -> None:
    """Check that the number of removed definitions is not limited by that of terms in a statement of SQLite."""
    many = "".join(f"class C{number}:\n    pass\n\n\n" for number in range(700))
    user = "from a import C699\n\n\nclass D(C699):\n    pass\n"
    sample = GraphProject(tmp_path / "one", {"a.py": many, "user.py": user})
    sample.remove("a.py")
    sample.update()
    _assert_edges(sample, {"user.py": user}, tmp_path / "fresh")
