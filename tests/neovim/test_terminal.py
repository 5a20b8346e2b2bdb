"""The plugin as a person has it: a Neovim in a terminal (tmux), keys typed, the screen read."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.neovim.cases_run import COMMAND, HERE, WITHOUT_MEMORY
from tests.neovim.prefixes import NEWEST, ROOT, plugin
from tests.polling import eventually

pytestmark = [pytest.mark.slow, pytest.mark.needs("neovim", "tmux")]

Event = dict[str, Any]


class Terminal:
    """A terminal of its own server, so that nothing of a person's tmux is touched."""

    def __init__(self, folder: Path, socket: Path, environment: dict[str, str], program: Sequence[str]) -> None:
        self._tmux = ["tmux", "-S", str(socket), "-f", os.devnull]
        command = [*self._tmux, "new-session", "-d", "-s", "scry", "-x", "130", "-y", "30", *program]
        subprocess.run(command, cwd=folder, env={**os.environ, **environment, "TERM": "screen-256color"}, check=True)

    def type(self, *keys: str) -> None:
        """Type these keys, by tmux' names for them, or as text."""
        subprocess.run([*self._tmux, "send-keys", "-t", "scry", *keys], check=True)

    def screen(self) -> str:
        """Return what is shown now."""
        command = [*self._tmux, "capture-pane", "-p", "-t", "scry"]
        return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout

    def wait(self, pattern: str) -> str:
        """Return the screen, once it shows this."""
        screens: list[str] = []

        def shows() -> bool:
            screens[:] = [self.screen()]
            return re.search(pattern, screens[0]) is not None

        try:
            eventually(shows, f"{pattern} is on the screen", interval_s=0.05)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{screens[0]}") from None
        return screens[0]

    def close(self) -> None:
        """End Neovim and the terminal."""
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)


Opener = Callable[..., Terminal]


@pytest.fixture
def open_terminal(projects: tuple[Path, Path], tmp_path: Path) -> Iterator[Opener]:
    """Open a Neovim with these plugins, in the project."""
    opened: list[Terminal] = []

    def start(*plugins: str) -> Terminal:
        environment = {
            **WITHOUT_MEMORY,
            "TEST_COMMAND": json.dumps(COMMAND),
            "NEOVIM_PLUGINS": ":".join(str(plugin(one)) for one in plugins),
        }
        nvim = [str(NEWEST.program), "-i", "NONE", "-u", str(HERE / "init.lua"), "README.md"]
        opened.append(Terminal(projects[0], tmp_path / "tmux", environment, nvim))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def events(project: Path) -> list[Event]:
    """Return the log, in order."""
    run = subprocess.run([*COMMAND, "log", "export"], cwd=project, check=True, capture_output=True, encoding="utf-8")
    return [json.loads(line) for line in run.stdout.splitlines()]


def acts(project: Path, typed: str, since: int) -> list[tuple[str, str, int]]:
    """(kind, how or signal, rank) of all that was done with the answers to what was typed, or to its beginning.

    `since`: how many events there were before.
    """
    log = events(project)[since:]
    finds = [one for one in log if one["kind"] == "scry.query" and one["body"]["mode"] == "find"]
    answers = {one["query_id"] for one in finds if typed.startswith(one["body"]["query"])}
    return [
        (one["kind"], one["body"].get("how") or one["body"]["signal"], one["body"]["rank"])
        for one in log
        if one["kind"] in {"scry.use", "scry.feedback"} and one["query_id"] in answers
    ]


@pytest.mark.acceptance("C2", "X1", "E2")
def test_find_jump_why_and_rate_by_telescope(projects: tuple[Path, Path], open_terminal: Opener) -> None:
    before = len(events(projects[0]))
    terminal = open_terminal("telescope", "plenary")
    terminal.wait("# Shop")
    terminal.type(":Scry find", "Enter")
    terminal.wait("Scry find")
    terminal.type("sum of all prices")
    terminal.wait(r"1\. \[code\] +Cart\.comp\S+ +\S*cart\.py:11 +\(sem #\d")
    terminal.wait("def compute_total")  # the preview
    terminal.type("Enter")
    terminal.wait(r"cart\.py +11,9")
    jump = ("scry.use", "jump", 1)
    eventually(lambda: acts(projects[0], "sum of all prices", before) == [jump], "the jump in the log")
    terminal.type(":Scry good", "Enter")
    terminal.wait("Scry: noted: good")
    terminal.type(":Scry why", "Enter")
    terminal.wait("╭.* why .*╮")
    terminal.wait("sum of all prices")
    assert acts(projects[0], "sum of all prices", before) == [jump, ("scry.feedback", "good", 1)]


@pytest.mark.acceptance("C2", "X1", "E2")
def test_find_and_jump_by_built_in_select(projects: tuple[Path, Path], open_terminal: Opener) -> None:
    before = len(events(projects[0]))
    terminal = open_terminal()
    terminal.wait("# Shop")
    terminal.type(":Scry find mail the receipt", "Enter")
    terminal.wait(r"Scry find: mail the receipt")
    terminal.wait(r"1: +1\. \[code\] +send_receipt +\S*mail\.py:1 +\(sem #\d")
    terminal.type("1", "Enter")
    terminal.wait(r"mail\.py +1,5")
    terminal.type(":Scry copy", "Enter")
    terminal.wait("Scry: copied")
    assert acts(projects[0], "mail the receipt", before) == [("scry.use", "jump", 1), ("scry.use", "copy", 1)]


@pytest.mark.acceptance("C2")
def test_make_try_neovim_starts_a_session_with_scry(tmp_path: Path) -> None:
    prefix = NEWEST.program.parent.parent
    terminal = Terminal(ROOT, tmp_path / "tmux", {}, ["editor/neovim/tools/try.sh", str(prefix)])
    try:
        terminal.wait("Space f +find: type a question")
        terminal.type("Space", "f")
        terminal.wait("Scry find")
        terminal.wait(r"(?s)\A(?!.*Space f).*Preview")  # telescope's, and the note no longer covers it
        terminal.type("Escape", "Escape")
        terminal.type(":help scry", "Enter")
        terminal.wait(r"scry\.txt")
    finally:
        terminal.close()
