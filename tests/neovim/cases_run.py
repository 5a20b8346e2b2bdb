"""Runs the cases of one file of tests/neovim/cases in a Neovim.

The files are for mini.test, which drives a child Neovim for each case. Screens that a case compares lie in
tests/neovim/screens; one that is missing is written, and the case then fails once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.neovim.prefixes import Prefix, plugin

HERE = Path(__file__).parent
COMMAND = [sys.executable, "-m", "scry"]

WITHOUT_MEMORY = {"SCRY_MEMORY": "false"}
"""Cases share no state: the next one would find changes of this one."""

CASES_TIMEOUT_S = 400
"""For the cases of one file, of which the longest takes twenty seconds where nothing else runs."""


def run_cases(name: str, prefix: Prefix, projects: tuple[Path, Path], *plugins: str | Path) -> None:
    """Run the cases of `cases/NAME.lua`, with plugins by name or folder. Fails with what mini.test printed."""
    folders = [plugin(one) if isinstance(one, str) else one for one in ("mini.test", *plugins)]
    environment = {
        **os.environ,
        **WITHOUT_MEMORY,
        "TEST_COMMAND": json.dumps(COMMAND),
        "TEST_PROJECT": str(projects[0]),
        "TEST_OTHER": str(projects[1]),
        "NEOVIM_PLUGINS": ":".join(str(folder) for folder in folders),
    }
    run = subprocess.run(
        [prefix.program, "--headless", "-i", "NONE", "-u", HERE / "init.lua", "-l", HERE / "run.lua", f"{name}.lua"],
        cwd=HERE / "cases",
        env=environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
