"""The parts of the VS Code extension that need no editor, by Node.js's own test runner."""

from __future__ import annotations

import subprocess

import pytest

from tests.contract.samples import ROOT

CLIENT = ROOT / "editor" / "vscode"

pytestmark = [pytest.mark.slow, pytest.mark.needs("node", "typescript")]


def test_vscode_modules_pass_their_node_tests() -> None:
    build = ["node", "scripts/build.mjs", "--test"]
    subprocess.run(build, cwd=CLIENT, check=True, capture_output=True)
    tests = sorted(str(file) for file in (CLIENT / ".test" / "units").glob("*.js"))
    assert tests
    run = subprocess.run(
        ["node", "--test", *tests], cwd=CLIENT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
