"""The plugin is a small part of Neovim's start. `make bench` reports the figures."""

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
MAX_SHARE = 0.1
"""Of the plugin's own file in the start of a bare Neovim, which takes some 8 ms."""
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
def test_plugin_is_a_small_part_of_the_start(tmp_path: Path) -> None:
    starts = [start(tmp_path, *WITH_SCRY) for _ in range(ROUNDS)]
    assert 0 < min(each.own for each in starts) < MAX_SHARE * min(each.whole for each in starts)


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
