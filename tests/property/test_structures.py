"""Stored structure after any edits equals that of a fresh index: files edited, added, removed and renamed in any
order, manifests, too, and passes cut short.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from scry.core import Cancelled, FileStructure
from scry.index.graph import (
    MANIFEST_NAMES,
    FileImports,
    GraphMemory,
    StructureUpdater,
    compute_structures,
    resolve_imports,
    structure,
    update_graph,
)
from scry.store.index import IndexStore
from tests.sample.graph import GraphProject

_FILES = [
    "app.py",
    "pkg/__init__.py",
    "pkg/a.py",
    "pkg/sub/__init__.py",
    "pkg/sub/a.py",
    "tests/test_a.py",
    "src/pkg/b.py",
    "web/package.json",
    "web/d.ts",
    "web/e.ts",
    "web/e/index.ts",
    "go.mod",
    "store/store.go",
    "store/more.go",
    "main.go",
    "lib/path.ml",
    "lib/cart.ml",
    "other/path.ml",
    "bin/run.pl",
    "bin/Cart.pm",
    "bin/cart.pl",
    "README.md",
]
_TEXTS = {
    ".py": ["import pkg.a", "from pkg import sub", "from . import a", "from .sub import a", "import b", "import a"],
    ".ts": ["import './e';", "import './d';", "import 'web';", "import 'web/e';", "export {};"],
    ".go": ['package x\nimport "example.com/shop/store"', 'package x\nimport "other.org/store"', "package x"],
    ".json": ['{"name": "web"}', '{"name": "shop"}', "{}"],
    ".mod": ["module example.com/shop", "module other.org"],
    ".ml": ["let x = Path.y", "let z = Cart.total", "let n = 1"],
    ".pl": ["use Cart;\nsub run {}", ":- use_module(cart).", "sub other {}"],
    ".pm": ["package Cart;", "require './cart.pl';"],
    ".md": ["[a](./web/d.ts)", "nothing"],
}
_unpack = msgspec.msgpack.Decoder(FileImports).decode


def _text(path: str, chance: random.Random) -> str:
    lines = _TEXTS[Path(path).suffix]
    return "\n".join(chance.sample(lines, chance.randrange(1, min(3, len(lines)) + 1))) + "\n"


def _edit(sample: GraphProject, chance: random.Random) -> set[str]:
    """Edits, adds, removes or renames; returns what was touched."""
    path = chance.choice(_FILES)
    if not (sample.root / path).exists() or chance.random() < 0.5:
        sample.write_file(path, _text(path, chance))
        return {path}
    if chance.random() < 0.5:
        sample.remove(path)
        return {path}
    same_kind = chance.choice([name for name in _FILES if Path(name).suffix == Path(path).suffix])
    (sample.root / same_kind).parent.mkdir(parents=True, exist_ok=True)
    (sample.root / path).replace(sample.root / same_kind)
    return {path, same_kind}


def _expected(store: IndexStore) -> Mapping[str, FileStructure]:
    files = {path: _unpack(packed) for path, packed in store.files.packed_imports().items()}
    manifests = {path: store.files.get_text(path) or "" for path in files if Path(path).name in MANIFEST_NAMES}
    return compute_structures(files, resolve_imports(files, manifests=manifests))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_edits_give_the_structure_of_a_fresh_index(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    sample = GraphProject(tmp_path / "project", {path: _text(path, chance) for path in chance.sample(_FILES, 16)})
    structures = StructureUpdater()
    for step in range(25):
        for _ in range(chance.randrange(1, 4)):
            sample.index(*_edit(sample, chance))
        if step % 4 == 3:
            _cut_short(structures, sample.store, chance.randrange(6))
        if chance.random() < 0.5:
            _link(sample, chance)
        if chance.random() < 0.3:
            structures = StructureUpdater()  # as after a restart
        structures.update(sample.store, lambda: None)
        expected = _expected(sample.store)
        assert sample.store.files.get_structures(list(expected)) == expected
    assert not structures.update(sample.store, lambda: None), "no structure is outdated"
    sample.store.close()


def _link(sample: GraphProject, chance: random.Random) -> None:
    """Update the code graph, of which a restart takes over what it has stored; now and then not to the end."""
    left = chance.choice([1, 3, 5, 1000])

    def checkpoint() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Cancelled("enough")

    if chance.random() < 0.3:
        sample.memory = GraphMemory()
    with suppress(Cancelled):
        update_graph(sample.store, checkpoint, sample.memory)


def _cut_short(structures: StructureUpdater, store: IndexStore, steps: int) -> None:
    left = steps

    def checkpoint() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Cancelled("enough")

    try:
        structures.update(store, checkpoint)
    except Cancelled:
        assert store.files.is_structure_outdated


def test_saved_file_goes_first_after_each_few_files_that_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = GraphProject(tmp_path / "project", {f"m{number}.py": f"import m{number + 1}\n" for number in range(30)})
    monkeypatch.setattr(structure, "FILES_READ_AT_ONCE", 7)
    read, acts = sample.store.files.packed_imports, list[int]()

    def noted(paths: Sequence[str] | None = None) -> dict[str, bytes]:
        acts.append(len(paths or ()))
        return read(paths)

    monkeypatch.setattr(sample.store.files, "packed_imports", noted)
    structures = StructureUpdater()
    assert structures.update(sample.store, lambda: acts.append(0))
    assert acts == [act for count in (7, 7, 7, 7, 2) for act in (count, *[0] * count)], "a checkpoint for each file"
    monkeypatch.undo()
    expected = _expected(sample.store)
    assert sample.store.files.get_structures(list(expected)) == expected
    sample.store.close()


def test_edit_resolves_only_that_file(tmp_path: Path) -> None:
    files = {f"m{number}.py": f"import m{number + 1}\n" for number in range(30)}
    sample = GraphProject(tmp_path / "project", files)
    structures = StructureUpdater()
    steps: list[int] = []
    structures.update(sample.store, lambda: steps.append(1))
    assert len(steps) == 30
    steps.clear()
    sample.write_file("m3.py", "import m9\n")
    sample.index("m3.py")
    assert structures.update(sample.store, lambda: steps.append(1))
    assert len(steps) == 1
    found = sample.store.files.get_structures(["m4.py", "m9.py"])
    assert [found["m4.py"].importers, found["m9.py"].importers] == [0, 2]
    sample.store.close()


def test_restart_resolves_only_what_has_changed(tmp_path: Path) -> None:
    files = {f"m{number}.py": f"import m{number + 1}\n" for number in range(30)}
    sample = GraphProject(tmp_path / "project", {**files, "run": "#!/usr/bin/env python3\nimport m4\n"})
    StructureUpdater().update(sample.store, lambda: None)
    sample.write({"m3.py": "import m9\n", "m30.py": "A = 1\n"})
    sample.index("m3.py", "m30.py")
    steps: list[int] = []
    assert StructureUpdater().update(sample.store, lambda: steps.append(1))
    assert len(steps) == 3, "the edited file, the new one, and the one that imports it"
    expected = _expected(sample.store)
    assert expected["m4.py"].importers == 1, "the script without an ending imports it"
    assert sample.store.files.get_structures(list(expected)) == expected
    sample.store.close()
