"""Files came and went: what looked up one of them, in any language, is found; all else resolves as before."""

from __future__ import annotations

import random
import string
from collections.abc import Mapping

import numpy as np
import pytest

from scry.index.graph import FileImports, resolve_imports
from scry.index.graph.import_graph import is_manifest, resolve_file_imports
from scry.index.graph.occurrences import Occurrences, ProjectImports

_FOLDERS = ["", "a", "a/b", "b", "b/a", "src", "src/a", "lib", "lib/b", "include", "Sources/a", "crates/a-b/src", "a.b"]
_NAMES = ["a", "b", "c", "__init__", "index", "init", "mod", "lib", "main", "a.b"]
_MANIFESTS = {"package.json": ['{"name": "a"}', '{"name": "b"}', "{}"], "go.mod": ["module a.org/a", "module b.org/b"]}
_IMPORTS = {
    ".py": ["a", "a.b", "a.b.c", ".a", "..a", ".", "..b.c", "src.a", "c"],
    ".ts": ["./a", "../a", ".", "a", "a/b", "b", "./b/a.js", "../a/index"],
    ".go": ["a.org/a", "a.org/a/b", "b.org/b/a", "x.org/a/b", "x.org/src/a"],
    ".c": ['"a.h"', '"b/a.h"', "<a.h>", "<a/b.h>", '"../c.h"'],
    ".h": ['"a.h"', "<b/a.h>"],
    ".rs": ["crate::a", "self::b", "super::a::b", "a_b::c", "a", "b::a"],
    ".rb": ["./a", "../b", "a", "a/b", "b/c"],
    ".java": ["a.b.c", "src.a.b", "b.a", "lib.b.c"],
    ".kt": ["a.b.c", "src.a.b", "b.a"],
    ".scala": ["a.b.c", "b.a"],
    ".cs": ["a.b", "a.b.c", "a", "src.a.b"],
    ".php": ["a\\b", "a\\b\\c", "./a.php", "b"],
    ".lua": ["a", "a.b", "a.lua", "b.a"],
    ".ex": ["a", "a/b", "b/c"],
    ".hs": ["a.b", "b.c"],
    ".swift": ["a", "b"],
    ".zig": ["./a.zig", "a", "b.zig"],
    ".sh": ["./a.sh", "a.sh", "../b.sh"],
    ".adb": ["A", "A.B", "b"],
    ".clj": ["a", "a.b", "b.c"],
    ".cr": ["./a", "b", "./b/*", "a/b"],
    ".dart": ["a.dart", "../b.dart", "package:a/b.dart", "package:b/a/c.dart"],
    ".ml": ["A", "B.A", "List", "C"],
    ".nim": ["a", "a/b", "./b"],
    ".nix": ["./a.nix", "../b.nix", "./a"],
    ".odin": ["./a", "../b", "a"],
    ".pl": ["a::b", "b"],
    ".proto": ["a.proto", "a/b.proto", "c.proto"],
    ".sol": ["./a.sol", "@a/b/c.sol", "a.sol"],
    ".vim": ["a#b", "b", "a/b.vim"],
}


def _random_file(chance: random.Random) -> tuple[str, str]:
    """Return a path, and a manifest's text."""
    folder = chance.choice(_FOLDERS)
    if chance.random() < 0.1:
        name = chance.choice(sorted(_MANIFESTS))
        text = chance.choice(_MANIFESTS[name])
    else:
        name, text = chance.choice(_NAMES) + chance.choice(sorted(_IMPORTS)), ""
    return (f"{folder}/{name}" if folder else name), text


def _random_imports(path: str, chance: random.Random) -> FileImports:
    names = _IMPORTS.get(path[path.rfind(".") :], ["a"])
    return FileImports("", tuple(chance.sample(names, min(len(names), 3))))


def _resolve(project: ProjectImports, path: str, imports: FileImports) -> frozenset[str]:
    with project.recording(path):
        return resolve_file_imports(path, imports, project.files)


@pytest.mark.parametrize("seed", range(40))
def test_files_that_looked_up_what_changed_are_all_that_resolve_otherwise(seed: int) -> None:
    chance = random.Random(seed)
    texts = dict(_random_file(chance) for _ in range(chance.randrange(1, 120)))
    files = {path: _random_imports(path, chance) for path in texts}
    project = ProjectImports(files, {path: text for path, text in texts.items() if is_manifest(path)})
    found = {path: _resolve(project, path, imports) for path, imports in files.items()}
    for _ in range(30):
        added = dict(_random_file(chance) for _ in range(chance.randrange(3)))
        removed = set(chance.sample(sorted(files), min(len(files), chance.randrange(3)))) - added.keys()
        texts = {path: text for path, text in texts.items() if path not in removed} | added
        files = {path: files.get(path) or _random_imports(path, chance) for path in texts}
        manifests = {path: text for path, text in texts.items() if is_manifest(path)}
        words = project.change(added, removed, {path: manifests[path] for path in added if path in manifests})
        stale = (project.files_that_looked_up(words) | added.keys()) & files.keys()
        found = {path: found.get(path, frozenset()) for path in files}
        found |= {path: _resolve(project, path, files[path]) for path in stale}
        expected: Mapping[str, frozenset[str]] = resolve_imports(files, manifests=manifests)
        assert {path: targets for path, targets in found.items() if targets} == expected


def test_a_new_file_concerns_only_files_that_name_it() -> None:
    paths = [f"pkg/m{number}.py" for number in range(50)]
    project = ProjectImports([*paths, "pkg/__init__.py"], {})
    for number, path in enumerate(paths):
        _resolve(project, path, FileImports("", (f"pkg.m{number + 1}", "os", ".other" if number == 7 else ".")))
    words = project.change(["pkg/other.py"], (), {})
    assert project.files_that_looked_up(words) == {"pkg/m7.py"}
    assert project.files_that_looked_up(project.change(["saved.py"], (), {})) == set()


def test_a_new_package_root_concerns_only_files_that_name_what_it_holds() -> None:
    project = ProjectImports(["app.py", "pkg/__init__.py", "pkg/a.py", "tools/run.py", "tools/x/b.py"], {})
    for path, imports in {"app.py": ("x.b", "os"), "pkg/a.py": ("pkg", "json"), "tools/run.py": ("run",)}.items():
        _resolve(project, path, FileImports("", imports))
    assert project.files_that_looked_up(project.change(["tools/x/__init__.py"], (), {})) == {"app.py", "tools/run.py"}
    assert _resolve(project, "app.py", FileImports("", ("x.b", "os"))) == {"tools/x/b.py"}
    assert project.files_that_looked_up(project.change((), ["tools/x/__init__.py"], {})) >= {"app.py"}


@pytest.mark.parametrize("seed", range(10))
def test_occurrences_are_those_of_the_last_replacement(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scry.index.graph.occurrences._FEWEST_SORTED", 20)
    chance = random.Random(seed)
    occurrences, expected = Occurrences[str](), dict[str, set[int]]()
    for _ in range(300):
        holder = chance.choice(string.ascii_letters)
        if chance.random() < 0.2:
            occurrences.remove(holder)
            expected.pop(holder, None)
        else:
            expected[holder] = {chance.randrange(30) for _ in range(chance.randrange(6))}
            occurrences.replace(holder, np.array(sorted(expected[holder]), np.uint32))
        if chance.random() < 0.5:
            wanted = {chance.randrange(30) for _ in range(chance.randrange(4))}
            assert occurrences.find(wanted) == {each for each, held in expected.items() if held & wanted}
