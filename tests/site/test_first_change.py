"""The steps of docs/first-change.md work: they are followed in a copy of the tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "first-change.md"

_BLOCK = re.compile(r'^```(?P<kind>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<body>.*?)^```$', re.MULTILINE | re.DOTALL)
STEPS = [match.groupdict(default="") for match in _BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]

pytestmark = pytest.mark.slow


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of all that the steps read, without the files that only tests of other things read."""
    copied = (
        "server/scry",
        "protocol/scry_protocol",
        "tests/golden",
        "tests/sample",
        "tests/gates",
        "tests/unit/oracles",
    )
    for folder in copied:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "tests/__init__.py", "tests/conftest.py", "tests/polling.py", "tests/processes.py"):
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def apply(text: str, diff: str) -> str:
    """Return a text with a change applied at the one place where its unchanged and removed lines stand."""
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] in " -")
    after = "".join(line[1:] for line in lines if line[0] in " +")
    assert text.count(before) == 1, f"{before!r} does not stand there once"
    return text.replace(before, after)


def run(command: str, tree: Path) -> str:
    """Run a command of the page with the packages of the copy; it has to succeed. Return what it prints."""
    folder = Path(sys.executable).parent
    command = command.replace(".venv/bin/", f"{folder}/").replace("/tmp/first-change", str(tree / "project"))
    paths = os.pathsep.join(str(tree / part) for part in ("server", "protocol"))
    environ = {**os.environ, "PYTHONPATH": paths, "PYTEST_ADDOPTS": "-p no:cacheprovider", "NO_COLOR": "1"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tree,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_a_reader_who_follows_the_page_has_a_language_and_an_oracle(tree: Path) -> None:
    assert len(STEPS) > 10
    printed: list[str] = []
    for step in STEPS:
        if step["kind"] == "console":
            for line in step["body"].splitlines():
                printed.append(run(line.removeprefix("$ "), tree))
            continue
        file = tree / step["file"]
        assert file.exists() == (step["kind"] == "diff"), step["file"]
        file.parent.mkdir(parents=True, exist_ok=True)
        text = apply(file.read_text(encoding="utf-8"), step["body"]) if step["kind"] == "diff" else step["body"]
        file.write_text(text, encoding="utf-8")
    assert all(f'"{name}"' in printed[2] for name in ("Curve", "double", "baby_steps"))
    assert re.search(r"curve\.sage::baby_steps  \(.*sem #1 \| lex #1 .*name #1", printed[-1]), printed[-1]


def test_change_that_does_not_fit_is_refused() -> None:
    assert apply("a\nb\nc\n", " a\n-b\n+d\n") == "a\nd\nc\n"
    with pytest.raises(AssertionError, match="does not stand there once"):
        apply("a\nc\n", " a\n-b\n+d\n")
