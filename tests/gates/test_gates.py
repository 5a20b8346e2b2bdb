"""The gates themselves: each import contract, the acceptance markers and the parts really stop what they are for."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import tomli

from tests.gates import acceptance, faces
from tests.gates.items import CHAPTERS, IDS, Chapter, Item
from tests.gates.sizes import MAX_FOLDER_FILES, MIN_MEDIAN_FILE_LINES, median_lines, too_crowded, too_long
from tests.gates.type_names import defined_twice

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "server" / "scry"
STANDARD = sys.stdlib_module_names | {"compression"}
"""Standard library of every Python that Scry runs on; compression came with 3.14."""

PLANTS = {
    "Layers: main > surfaces > lab > engine | team > oracles | indexer > index > projects > embedding | store > core": (
        "server/scry/core/files.py",
        "import scry.embedding",
    ),
    "The wire's words are known only where it ends": (
        "server/scry/engine/search/pipeline.py",
        "import scry_protocol.messages",
    ),
    "Only the store speaks SQL and tantivy": ("server/scry/engine/search/pipeline.py", "import sqlite3"),
    "Only the language server knows pygls": ("server/scry/index/__init__.py", "import lsprotocol.types"),
    "Pure values and pure ranking do no I/O": ("server/scry/engine/search/fusion.py", "import os"),
    "The protocol imports nothing of ours": ("protocol/scry_protocol/messages/base.py", "import scry.core.types"),
    "Only the servers know starlette, uvicorn and the MCP SDK": ("server/scry/surfaces/cli/app.py", "import starlette"),
    "Surfaces do not know each other, but for the commands that start a server": (
        "server/scry/surfaces/cli/__init__.py",
        "import scry.surfaces.lsp",
    ),
    "Oracles do not know each other": ("server/scry/oracles/planted.py", "import scry.oracles.lexical"),
}
"""Contract -> a file, and the line in it that breaks this contract and no other."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of all that the contracts speak of."""
    for package in ("server/scry", "protocol/scry_protocol"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__", "*.npz"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def broken_contracts(tree: Path) -> set[str]:
    paths = os.pathsep.join(str(tree / folder) for folder in ("server", "protocol"))
    run = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": paths, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    verdicts = re.findall(r"^(.+) (KEPT|BROKEN)(?: \(.*\))?$", run.stdout, re.MULTILINE)
    assert len(verdicts) == len(PLANTS), run.stdout + run.stderr
    return {name for name, verdict in verdicts if verdict == "BROKEN"}


@pytest.mark.slow
@pytest.mark.parametrize("contract", PLANTS)
def test_each_import_contract_breaks_on_its_violation_alone(tree: Path, contract: str) -> None:
    file, line = PLANTS[contract]
    with (tree / file).open("a", encoding="utf-8") as planted:
        planted.write(f"\n{line}\n")
    assert broken_contracts(tree) == {contract}


def test_every_import_contract_has_a_planted_violation() -> None:
    contracts = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("[[tool.importlinter.contracts]]")[1:]
    assert {contract.split('"')[1] for contract in contracts} == set(PLANTS)


def test_imported_packages_are_declared_dependencies() -> None:
    """An undeclared package that happens to be installed here would be missing for users."""
    project, _, _ = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[dependency-groups]")
    declared = {name.lower() for name in re.findall(r'"([A-Za-z0-9][\w.-]*)[><=]', project)}
    known = metadata.packages_distributions()
    missing = {
        module
        for path in (*(ROOT / "server" / "scry").rglob("*.py"), *(ROOT / "protocol" / "scry_protocol").rglob("*.py"))
        for module in imported_modules(path) - {"scry", "scry_protocol"} - STANDARD
        if not {name.lower() for name in known.get(module, [module])} & declared
    }
    assert not missing


def imported_modules(path: Path) -> set[str]:
    """Return the first names of all modules that a file imports, wherever in it."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.partition(".")[0] for name in plain | named} - {""}


def _settings() -> dict[str, Any]:
    return tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_types_and_style_are_checked_for_the_oldest_python() -> None:
    oldest = _settings()["project"]["requires-python"].removeprefix(">=")
    tools = _settings()["tool"]
    assert tools["pyright"]["pythonVersion"] == oldest
    assert tools["ruff"]["target-version"] == "py" + oldest.replace(".", "")


NEWER_NAMES = (
    "from datetime import UTC",
    "from typing import Self",
    "from itertools import batched",
    "from enum import StrEnum",
    "raise ExceptionGroup('', [])",
)
"""Lines that need a Python of 3.11 or newer."""


@pytest.mark.slow
def test_names_of_newer_pythons_fail_the_check_of_types(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text("\n".join(NEWER_NAMES))
    oldest: str = _settings()["tool"]["pyright"]["pythonVersion"]
    command = [Path(sys.executable).parent / "pyright", "--pythonversion", oldest, tmp_path / "planted.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert set(re.findall(r"planted\.py:(\d+):\d+ - error", done.stdout)) == {
        str(line) for line in range(1, len(NEWER_NAMES) + 1)
    }


NEWER_MODULES = {"tomllib", "compression", "annotationlib"}
"""Of the standard library since 3.11, 3.14 and 3.14: the check of types finds them in the Python that it runs with."""


def _unguarded_imports(source: str) -> list[str]:
    """Return the imports of NEWER_MODULES that do not depend on the version of Python."""
    tree = ast.parse(source)
    guarded = {
        id(node)
        for choice in ast.walk(tree)
        if isinstance(choice, ast.If) and "version_info" in ast.dump(choice.test)
        for node in ast.walk(choice)
    }
    imports = [
        node for node in ast.walk(tree) if id(node) not in guarded and isinstance(node, ast.Import | ast.ImportFrom)
    ]
    names = [
        name
        for node in imports
        for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""])
    ]
    return [name for name in names if name.partition(".")[0] in NEWER_MODULES]


def test_modules_of_newer_pythons_are_imported_by_version_alone() -> None:
    files = [path for folder in (SERVER, ROOT / "protocol") for path in folder.rglob("*.py")]
    assert {path.name: found for path in files if (found := _unguarded_imports(path.read_text(encoding="utf-8")))} == {}
    assert _unguarded_imports("def f():\n    import tomllib\n") == ["tomllib"]
    assert _unguarded_imports("import sys\nif sys.version_info >= (3, 11):\n    import tomllib\n") == []


@pytest.mark.parametrize("newer", ["try: pass\nexcept* OSError: pass", "type A = int", "def f[T](x: T): pass"])
def test_syntax_of_newer_pythons_fails_the_check_of_style(newer: str, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(newer + "\n")
    target: str = _settings()["tool"]["ruff"]["target-version"]
    command = [
        Path(sys.executable).parent / "ruff",
        "check",
        "--isolated",
        "--target-version",
        target,
        "--select",
        "E9",
    ]
    done = subprocess.run([*command, tmp_path / "planted.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "invalid-syntax" in done.stdout


def test_files_and_functions_are_within_size_limits() -> None:
    assert too_long(ROOT) == []


def test_oversized_files_and_functions_are_named(tmp_path: Path) -> None:
    planted = tmp_path / "server" / "scry"
    planted.mkdir(parents=True)
    (planted / "long.py").write_text("x = 1\n" * 600, encoding="utf-8")
    body = "    pass\n" * 60
    (planted / "deep.py").write_text(f"class A:\n  def f(self):\n{body}  async def g(self):\n{body}", encoding="utf-8")
    (planted / "short.py").write_text("def f():\n    pass\n", encoding="utf-8")
    assert too_long(tmp_path, {"server/scry/deep.py::g": "because", "server/scry/short.py": "because"}) == [
        "server/scry/deep.py::f has 61 lines",
        "server/scry/long.py has 600 lines",
        "server/scry/short.py is no longer too long: take it out of LONGER",
    ]


def test_server_folders_are_within_the_file_limit() -> None:
    assert too_crowded(SERVER) == []


def test_server_files_have_the_required_median_length() -> None:
    assert median_lines(SERVER) >= MIN_MEDIAN_FILE_LINES


def test_crowded_folder_and_short_files_are_named(tmp_path: Path) -> None:
    for folder, count in (("engine", MAX_FOLDER_FILES + 1), ("oracles", MAX_FOLDER_FILES + 1), ("store", 3)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
        for number in range(count):
            (tmp_path / folder / f"part_{number}.py").write_text("x = 1\n" * 40, encoding="utf-8")
    assert too_crowded(tmp_path) == ["engine has 17 files, more than 16"]
    assert median_lines(tmp_path) == 40


def test_each_type_name_is_defined_once() -> None:
    assert defined_twice(SERVER) == []


def test_type_name_defined_twice_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class Place: ...\nAsked = str\nLIMIT = 3\nclass _Own: ...\n", encoding="utf-8")
    (tmp_path / "b.py").write_text(
        "class Asked: ...\nLIMIT = 4\nclass _Own: ...\nPlace: object = int\n", encoding="utf-8"
    )
    assert defined_twice(tmp_path) == ["Asked is defined in a.py, b.py", "Place is defined in a.py, b.py"]


def test_faces_of_the_packages_are_current() -> None:
    assert faces.main(["--check"]) == 0


def test_face_names_the_module_that_defines_a_name(tmp_path: Path) -> None:
    room = tmp_path / "server" / "scry" / "store"
    room.mkdir(parents=True)
    (room / "__init__.py").write_text('"""The store."""\n', encoding="utf-8")
    (room / "rows.py").write_text("class Row: ...\ndef pack(): ...\ndef rows(): ...\n", encoding="utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_rows.py").write_text("from scry.store import Row, rows\n", encoding="utf-8")
    rooms = faces.Rooms(tmp_path)
    assert rooms.faces() == {"scry.store": {"Row": "rows"}}
    text = faces.written('"""The store."""\n', "scry.store", rooms.faces()["scry.store"])
    assert "from scry.store.rows import Row as Row" in text
    assert faces.written(text, "scry.store", {}) == '"""The store."""\n'


def run_gate(pytester: pytest.Pytester, plugin: str, test: str, *, ci: bool = False) -> pytest.RunResult:
    pytester.makepyfile(test_planted=f"import pytest\n\n{test}\ndef test_planted(): pass\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CI", "true" if ci else "")
        return pytester.runpytest_inprocess("-p", plugin, "-p", "no:cacheprovider")


def test_a_marker_with_an_unknown_item_stops_the_run(pytester: pytest.Pytester) -> None:
    result = run_gate(pytester, "tests.gates.acceptance", '@pytest.mark.acceptance("F1", "F99")')
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*test_planted: no acceptance item 'F99'*"])


def test_a_marker_with_known_items_runs(pytester: pytest.Pytester) -> None:
    result = run_gate(pytester, "tests.gates.acceptance", '@pytest.mark.acceptance("F1", "F8a")')
    result.assert_outcomes(passed=1)


def test_test_with_a_missing_part_is_named_and_skipped(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_node(monkeypatch)
    result = run_gate(pytester, "tests.gates.parts", '@pytest.mark.needs("node")')
    result.assert_outcomes(skipped=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*not run: a part is missing*", "*::test_planted  (node is missing: Node.js*"])


def test_missing_part_fails_a_run_that_requires_all(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    without_node(monkeypatch)
    result = run_gate(pytester, "tests.gates.parts", '@pytest.mark.needs("node")', ci=True)
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*::test_planted  (node is missing: Node.js*"])


def test_an_unknown_part_stops_the_run(pytester: pytest.Pytester) -> None:
    result = run_gate(pytester, "tests.gates.parts", '@pytest.mark.needs("a moon")')
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def without_node(patch: pytest.MonkeyPatch) -> None:
    """Take node off the PATH; what is known of parts is forgotten before and after."""
    from tests.gates import parts

    patch.setenv("PATH", os.devnull)
    patch.setattr(parts, "why_missing", parts.why_missing.__wrapped__)


def test_tests_are_skipped_only_by_the_needs_marker() -> None:
    """A test skipped in any other way is not listed at the end, and passes where everything must run."""
    others = ("importorskip(", "pytest.skip(", "mark.skip(", "skipif(shutil", "skipif(not shutil")
    found = [
        f"{path.relative_to(ROOT)}: {other}"
        for path in (ROOT / "tests").rglob("*.py")
        if path not in (Path(__file__), ROOT / "tests" / "gates" / "parts.py")
        for other in others
        if other in path.read_text(encoding="utf-8")
    ]
    assert not found


def test_page_shows_partly_and_not_proved_items(monkeypatch: pytest.MonkeyPatch) -> None:
    items = (Item("A1", "all of it"), Item("A2", "some of it", "the rest"), Item("A3", "nothing of it"))
    monkeypatch.setattr(acceptance, "CHAPTERS", (Chapter("Work", items),))
    text = acceptance.page({"A1": ["tests/unit/test_a.py::test_a"], "A2": ["tests/unit/test_b.py::test_b"]})
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in text.splitlines() if line.startswith("| ")}
    assert set(rows) - {"Item"} == {"A1", "A2", "A3"}
    assert "| proved | `unit/test_a.py::test_a` |" in rows["A1"]
    assert "| in part; not yet: the rest |" in rows["A2"]
    assert "| not yet |" in rows["A3"]


def test_items_have_unique_ids_and_no_bars_in_titles() -> None:
    items = [item for chapter in CHAPTERS for item in chapter.items]
    assert len(items) == len(IDS)
    assert not [item for item in items if "|" in item.title + item.missing]


def test_item_without_a_test_fails_the_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    proved = {name: ["tests/unit/test_a.py::test_a"] for name in IDS}
    monkeypatch.setattr(acceptance, "collect", lambda: proved)
    assert acceptance.main(["--check"]) == 0
    del proved["F1"]
    assert acceptance.main(["--check"]) == 1
    assert "no test proves the acceptance item F1" in capsys.readouterr().err


def test_page_is_written_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptance, "PAGE", tmp_path / "acceptance.md")
    monkeypatch.setattr(acceptance, "collect", dict)
    assert acceptance.main([]) == 0
    assert "| F1 |" in (tmp_path / "acceptance.md").read_text(encoding="utf-8")
