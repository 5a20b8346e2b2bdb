"""The plugin as a person has it: a Neovim in a terminal (tmux), keys typed, the screen read."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.neovim.cases_run import COMMAND, HERE
from tests.neovim.prefixes import NEWEST, plugin

pytestmark = [pytest.mark.slow, pytest.mark.needs("neovim", "tmux")]

PATIENCE_S = 40.0


class Terminal:
    """A terminal of its own server, so that nothing of a person's tmux is touched."""

    def __init__(self, folder: Path, socket: Path, columns: int, environment: dict[str, str]) -> None:
        self._tmux = ["tmux", "-S", str(socket), "-f", os.devnull]
        nvim = [str(NEWEST.program), "-i", "NONE", "-u", str(HERE / "init.lua"), "README.md"]
        size = ["-x", str(columns), "-y", "30"]
        command = [*self._tmux, "new-session", "-d", "-s", "scry", *size, *nvim]
        subprocess.run(command, cwd=folder, env={**os.environ, **environment, "TERM": "screen-256color"}, check=True)

    def type(self, *keys: str) -> None:
        """Type these keys, by tmux' names for them, or as text."""
        subprocess.run([*self._tmux, "send-keys", "-t", "scry", *keys], check=True)

    def screen(self) -> str:
        """What is shown now."""
        command = [*self._tmux, "capture-pane", "-p", "-t", "scry"]
        return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout

    def wait(self, pattern: str) -> str:
        """The screen, once it shows this."""
        end = time.monotonic() + PATIENCE_S
        while not re.search(pattern, screen := self.screen()):
            assert time.monotonic() < end, f"{pattern} is not on the screen:\n{screen}"
            time.sleep(0.05)
        return screen

    def close(self) -> None:
        """End Neovim and the terminal."""
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)


@pytest.fixture
def terminal(projects: tuple[Path, Path], tmp_path: Path) -> Iterator[Terminal]:
    environment = {
        "TEST_COMMAND": json.dumps(COMMAND),
        "NEOVIM_PLUGINS": ":".join(str(plugin(one)) for one in ("telescope", "plenary")),
    }
    opened = Terminal(projects[0], tmp_path / "tmux", 130, environment)
    yield opened
    opened.close()


@pytest.mark.acceptance("C2", "X1", "E2")
def test_find_jump_and_rate_in_a_terminal(terminal: Terminal) -> None:
    terminal.wait("# Shop")
    terminal.type(":Scry find", "Enter")
    terminal.wait("Scry find")
    terminal.type("sum of all prices")
    terminal.wait(r"1\. \[code\] +\S*compute_total +\(sem #\d")
    terminal.wait("def compute_total")  # the preview
    terminal.type("Enter")
    terminal.wait(r"cart\.py +11,5")
    terminal.type(":Scry good", "Enter")
    terminal.wait("Scry: noted: good")
    terminal.type(":Scry why", "Enter")
    terminal.wait("Question: sum of all prices")
