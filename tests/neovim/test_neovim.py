"""The Neovim plugin in real Neovims, with the real sidecar on a real repository.

Each file of tests/neovim/cases holds cases of mini.test, which drives a child Neovim for each. Screens that a case
compares lie in tests/neovim/screens; one that is missing is written, and the case then fails once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.lsp_client import make_repository
from tests.neovim.prefixes import NEWEST, OLDEST, Prefix, plugin
from tests.neovim.project import FILES

HERE = Path(__file__).parent
COMMAND = [sys.executable, "-m", "scry"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small repository, indexed."""
    root = make_repository(tmp_path_factory.mktemp("project") / "shop", FILES)
    subprocess.run([*COMMAND, "index"], cwd=root, check=True, capture_output=True)
    return root


def run_cases(name: str, prefix: Prefix, project: Path, *plugins: str) -> None:
    """Run the cases of one file in a Neovim. Fails with what mini.test printed."""
    environment = {
        **os.environ,
        "SCRY_COMMAND": json.dumps(COMMAND),
        "SCRY_PROJECT": str(project),
        "NEOVIM_PLUGINS": ":".join(str(plugin(one)) for one in ("mini.test", *plugins)),
    }
    run = subprocess.run(
        [prefix.program, "--headless", "-i", "NONE", "-u", HERE / "init.lua", "-l", HERE / "run.lua", name],
        cwd=HERE / "cases",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.slow
@pytest.mark.needs("neovim")
@pytest.mark.acceptance("C2", "E2")
@pytest.mark.parametrize("cases", ["select", "telescope"])
def test_newest(cases: str, project: Path) -> None:
    run_cases(f"{cases}.lua", NEWEST, project, "telescope", "plenary")


@pytest.mark.slow
@pytest.mark.needs("neovim-0.10")
@pytest.mark.acceptance("C2")
@pytest.mark.parametrize("cases", ["select"])
def test_oldest(cases: str, project: Path) -> None:
    run_cases(f"{cases}.lua", OLDEST, project)
