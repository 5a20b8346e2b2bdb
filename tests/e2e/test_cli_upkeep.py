"""`scry settings`, `scry cache` and `scry purge` as a person runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scry.core import SETTING_DEFINITIONS
from tests.live_files import walk_live
from tests.polling import PATIENCE_S, eventually
from tests.processes import is_running

pytestmark = pytest.mark.slow

_PROGRAM = "import sys; from scry.main import main; sys.exit(main())"


@dataclass(frozen=True)
class Shell:
    """Runs scry in a project, with places of its own."""

    root: Path
    environ: Mapping[str, str]

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", _PROGRAM, *words],
            cwd=self.root,
            env={**self.environ, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def json(self, *words: str, **variables: str) -> dict[str, Any]:
        """Return what `--json` prints, which is one line and nothing else."""
        done = self.run(*words, "--json", **variables)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("\n") == 1
        return json.loads(done.stdout)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    root = tmp_path / "shop"
    (root / ".scry").mkdir(parents=True)
    (root / "cart.py").write_text("def add_to_cart(item):\n    return item\n")
    places = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("CACHE", "DATA", "CONFIG")}
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return Shell(root, {**os.environ, **places, "PYTHONPATH": path, "PYTHONUTF8": "1"})


@pytest.mark.acceptance("S1", "J7")
def test_settings_tell_value_source_and_meaning(shell: Shell, tmp_path: Path) -> None:
    mine = tmp_path / "config" / "scry" / "config.toml"
    mine.parent.mkdir(parents=True)
    mine.write_text('languages = ["python"]\n')
    (shell.root / ".scry" / "config.toml").write_text('ignore = ["*.log"]\nmodel = "https://x.invalid"\n')
    report = shell.json("settings", SCRY_MAX_FILE_BYTES="5000")
    rows = {row["name"]: (row["value"], row["source"]) for row in report["settings"]}
    assert rows == {
        "ignore": (["*.log"], ".scry/config.toml"),
        "languages": (["python"], str(mine)),
        "max_file_bytes": (5000, "SCRY_MAX_FILE_BYTES"),
        "max_parse_seconds": (2.0, "default"),
    } | {name: (each.default, "default") for name, each in SETTING_DEFINITIONS.items() if not each.allowed_in_project}
    assert "a project's file may not set this" in report["warnings"][0]
    text = shell.run("settings", SCRY_MAX_FILE_BYTES="5000").stdout
    for name, definition in SETTING_DEFINITIONS.items():
        assert f"{name} = " in text
        assert definition.meaning in text
    assert "(SCRY_MAX_FILE_BYTES)" in text


@pytest.mark.acceptance("S1")
def test_invalid_person_setting_prints_one_error_line(shell: Shell) -> None:
    done = shell.run("settings", SCRY_MAX_FILE_BYTES="lots")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == 'scry: SCRY_MAX_FILE_BYTES: expected a whole number from 1 to 100,000,000, got "lots"\n'


@pytest.mark.acceptance("S2", "J7")
def test_cache_is_shown_cleared_and_rebuilt(shell: Shell, tmp_path: Path) -> None:
    assert shell.json("cache")["entries"] == []
    shell.run("find", "cart")
    shown = shell.json("cache")
    assert shown["place"] == str(tmp_path / "cache" / "scry")
    assert shown["bytes"] == sum(entry["bytes"] for entry in shown["entries"]) > 0
    assert str(shell.root) in {entry["project"] for entry in shown["entries"]}
    assert str(shell.root) in shell.run("cache").stdout
    cleared = shell.json("cache", "clear")
    assert cleared["removed"] is True
    assert {entry["project"] for entry in cleared["entries"]} == {str(shell.root)}
    assert str(shell.root) not in {entry["project"] for entry in shell.json("cache")["entries"]}
    assert "add_to_cart" in shell.run("find", "cart").stdout
    shell.json("cache", "clear", "--all")
    assert not (tmp_path / "cache" / "scry").exists()


@pytest.mark.acceptance("S2", "J7")
def test_purge_shows_then_removes_all_and_the_indexer_ends(shell: Shell, tmp_path: Path) -> None:
    shell.run("find", "cart")
    pids = [json.loads(path.read_bytes())["pid"] for path, _ in walk_live(tmp_path) if path.name == "indexer.json"]
    assert len(pids) == 1
    shown = shell.json("purge")
    assert shown["removed"] is False
    refused = shell.run("purge")
    assert refused.returncode == 2
    assert str(tmp_path / "cache" / "scry") in refused.stdout
    assert "--yes" in refused.stderr
    assert (tmp_path / "cache" / "scry").exists()
    done = shell.run("purge", "--yes")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].startswith(str(shell.root))
    assert done.stdout.splitlines()[-1].startswith("Removed ")
    assert (shell.root / "cart.py").exists()
    eventually(lambda: not is_running(pids[0]), "the indexer of the purged project has ended")
    assert [path for path, _ in walk_live(tmp_path) if "scry" in path.parts] == []
    assert shell.json("purge")["entries"] == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such terminal")
@pytest.mark.acceptance("S2")
@pytest.mark.parametrize(("answer", "left"), [("n", True), ("", True), ("y", False)])
def test_purge_asks_for_confirmation_on_a_terminal(shell: Shell, tmp_path: Path, answer: str, left: bool) -> None:
    import pty

    settings = tmp_path / "config" / "scry" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("")
    terminal, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, "purge", "--all"], cwd=shell.root, env=shell.environ, stdin=theirs,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    os.write(terminal, f"{answer}\n".encode())
    shown, prompt = process.communicate(timeout=PATIENCE_S)
    os.close(terminal)
    os.close(theirs)
    assert str(settings) in shown
    assert "[y/N]" in prompt
    assert settings.exists() == left
    assert process.returncode == (1 if left else 0)
