"""The plugin costs under a millisecond at Neovim's start. `make bench` reports the figures."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.neovim.prefixes import NEWEST, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.needs("neovim")]

PLUGIN = ROOT / "editor" / "neovim"
ROUNDS = 9
LIMIT_MS = 1.0
WITH_SCRY = ("--cmd", f"set runtimepath+={PLUGIN}")

_LINE = re.compile(r"^(?P<clock>[\d.]+)  (?P<times>[\d. ]+): (?P<what>.*)$", re.MULTILINE)


class Start(NamedTuple):
    """Milliseconds of a start: of all of it, and of the plugin's own file (0 where it is not there)."""

    whole: float
    own: float


def start(folder: Path, *arguments: str) -> Start:
    """Start Neovim and end it."""
    times = folder / "times"
    times.unlink(missing_ok=True)
    command = [NEWEST.program, "--headless", "-u", "NORC", "-i", "NONE", *arguments, "--startuptime", times, "+qa!"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    lines = list(_LINE.finditer(times.read_text(encoding="utf-8")))
    own = [float(line["times"].split()[-1]) for line in lines if line["what"].endswith("neovim/plugin/scry.lua")]
    return Start(float(lines[-1]["clock"]), sum(own))


@pytest.mark.acceptance("C2")
def test_plugin_start_costs_under_a_millisecond(tmp_path: Path) -> None:
    own = min(start(tmp_path, *WITH_SCRY).own for _ in range(ROUNDS))
    assert 0 < own < LIMIT_MS


@pytest.mark.acceptance("C2")
def test_plugin_loads_no_module_before_use(tmp_path: Path) -> None:
    ours = "function(name) return vim.startswith(name, 'scry') end"
    loaded = f"lua print(#vim.tbl_filter({ours}, vim.tbl_keys(package.loaded)))"
    command = [NEWEST.program, "--headless", "-u", "NORC", "-i", "NONE", *WITH_SCRY]
    run = subprocess.run(
        [*command, f"+{loaded}", "+lua require('scry')", f"+{loaded}", "+qa!"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    before, after = run.stderr.split()
    assert before == "0"
    assert int(after) > 0
