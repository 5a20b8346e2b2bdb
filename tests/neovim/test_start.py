"""What the plugin costs at Neovim's start, measured against a bare start in the same run."""

from __future__ import annotations

import re
import statistics
import subprocess
from pathlib import Path

import pytest

from tests.neovim.prefixes import NEWEST, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.needs("neovim")]

PLUGIN = ROOT / "editor" / "neovim"
ROUNDS = 9
LIMIT_MS = 1.0

_LINE = re.compile(r"^(?P<clock>[\d.]+)  (?P<times>[\d. ]+): (?P<what>.*)$", re.MULTILINE)


def start(folder: Path, *arguments: str) -> tuple[float, float]:
    """(milliseconds of the whole start, milliseconds of the plugin's own file; 0 where it is not there)."""
    times = folder / "times"
    times.unlink(missing_ok=True)
    command = [NEWEST.program, "--headless", "-u", "NORC", "-i", "NONE", *arguments, "--startuptime", times, "+qa!"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    lines = list(_LINE.finditer(times.read_text(encoding="utf-8")))
    own = [float(line["times"].split()[-1]) for line in lines if line["what"].endswith("neovim/plugin/scry.lua")]
    return float(lines[-1]["clock"]), sum(own)


@pytest.mark.acceptance("C2")
def test_the_start_costs_under_a_millisecond(tmp_path: Path) -> None:
    with_it = ("--cmd", f"set runtimepath+={PLUGIN}")
    pairs = [(start(tmp_path), start(tmp_path, *with_it)) for _ in range(ROUNDS)]
    own = min(plugin for _, (_, plugin) in pairs)
    bare = statistics.median(whole for (whole, _), _ in pairs)
    whole = statistics.median(whole for _, (whole, _) in pairs)
    print(f"bare start {bare:.1f} ms, with Scry {whole:.1f} ms, of which its file {own:.2f} ms")
    assert all(plugin == 0 for (_, plugin), _ in pairs)
    assert 0 < own < LIMIT_MS


@pytest.mark.acceptance("C2")
def test_nothing_of_it_is_loaded_before_it_is_used(tmp_path: Path) -> None:
    ours = "function(name) return vim.startswith(name, 'scry') end"
    loaded = f"lua print(#vim.tbl_filter({ours}, vim.tbl_keys(package.loaded)))"
    command = [NEWEST.program, "--headless", "-u", "NORC", "-i", "NONE", "--cmd", f"set runtimepath+={PLUGIN}"]
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
