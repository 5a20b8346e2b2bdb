"""Makes docs/images/neovim-<state>-<theme>.svg: what Neovim shows, with telescope, in a light and a dark theme.

    .venv/bin/python -m docs.make_neovim_images        or `make images`

They are screens of the real editor in a real terminal, colours included, on this repository, as `make try-neovim` opens
it. The script needs tmux and that Neovim; without them the pictures stay as they are.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.terminal_theme import TerminalTheme
from rich.text import Text

from docs.make_images import BRIGHT, IMAGES, NORMAL, QUESTION, ROOT, draw

PROGRAM = ROOT / ".cache" / "neovim" / "0.12" / "bin" / "nvim"
COLUMNS, LINES = 140, 32
PATIENCE_S = 60

THEMES: Mapping[str, TerminalTheme] = {
    "light": TerminalTheme((224, 226, 234), (20, 22, 27), NORMAL, BRIGHT),
    "dark": TerminalTheme((20, 22, 27), (224, 226, 234), NORMAL, BRIGHT),
}
"""Background and text of Neovim's own colour scheme; it tells every other colour by its value."""

STATES: Mapping[str, tuple[Sequence[str], str]] = {
    "": ((), r"1\. \["),
    "legend": (["M-h"], "weak match"),
    "why": (["M-w"], "Question: "),
    "related": (["M-r"], "Scry relations of"),
    "detail": (["M-d"], "### "),
    "quickfix": (["C-q"], r"1\. \[\w+\]"),
}
"""State -> the keys that lead to it from the list of answers, and a pattern of the text that then appears."""


class Screen:
    """A Neovim in a terminal of its own."""

    def __init__(self, place: Path, background: str, folder: Path) -> None:
        """Start it in a folder with the configuration of `make try-neovim`.

        `place`: for its socket and its data, so that nothing that was asked before shows.
        """
        self._tmux = ["tmux", "-S", str(place / "tmux"), "-f", os.devnull]
        start = [PROGRAM, "-u", ROOT / "editor/neovim/tools/try.lua", "-i", "NONE"]
        start += ["--cmd", f"set background={background}", "README.md"]
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        environment = os.environ | {"NVIM_APPNAME": "scry-try", "PATH": path, "TERM": "screen-256color"}
        environment["XDG_DATA_HOME"] = str(place / "data")
        size = ["-x", str(COLUMNS), "-y", str(LINES)]
        self._run("new-session", "-d", *size, *start, ";", "set", "-g", "status", "off", folder=folder, env=environment)

    def _run(self, *arguments: str | Path, folder: Path = ROOT, env: Mapping[str, str] | None = None) -> str:
        command = [*self._tmux, *arguments]
        return subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, encoding="utf-8").stdout

    def type(self, *keys: str) -> None:
        """Type keys, by tmux' names for them, or as text."""
        self._run("send-keys", *keys)

    def wait(self, pattern: str) -> None:
        """Wait until a text appears."""
        end = time.monotonic() + PATIENCE_S
        while not re.search(pattern, shown := self._run("capture-pane", "-p")):
            if time.monotonic() > end:
                raise SystemExit(f"Neovim never showed {pattern}:\n{shown}")
            time.sleep(0.1)

    def still(self) -> str:
        """Return the screen with its colours, once it has not changed for two seconds."""
        return still(lambda: self._run("capture-pane", "-p", "-e"))

    def close(self) -> None:
        """End it."""
        self._run("kill-server")


@contextmanager
def screen(background: str, folder: Path) -> Generator[Screen]:
    """Open a screen for a while."""
    with tempfile.TemporaryDirectory() as place:
        opened = Screen(Path(place), background, folder)
        try:
            yield opened
        finally:
            opened.close()


def still(look: Callable[[], str]) -> str:
    """Return what is seen once it has not changed for two seconds: the last key's answer and its preview are drawn."""
    seen, since = look(), time.monotonic()
    while time.monotonic() - since < 2:
        time.sleep(0.1)
        now = look()
        if now != seen:
            seen, since = now, time.monotonic()
    return seen


def take(state: str, background: str, folder: Path, question: str) -> Text:
    """Return what Neovim shows in a state after a question about the project in a folder."""
    keys, pattern = STATES[state]
    with screen(background, folder) as neovim:
        neovim.wait("Space f")
        neovim.type("q", ":Scry find", "Enter")
        neovim.wait("Scry find")
        neovim.type(question)
        neovim.wait(question)
        neovim.wait(r"[1-9]\d* / [1-9]")
        if keys:
            neovim.still()
            neovim.type(*keys)
        neovim.wait(pattern)
        return Text.from_ansi(neovim.still().rstrip())


def write(state: str, background: str, shown: Text, images: Path = IMAGES) -> Path:
    """Draw a screen as a picture."""
    picture = images / f"{'-'.join(part for part in ('neovim', state, background) if part)}.svg"
    draw(picture, "Neovim", COLUMNS, shown, theme=THEMES[background])
    return picture


def wait_for_history() -> None:
    """Wait until the index of this repository has its history, which is read last, after a command has ended."""
    scry = Path(sys.executable).parent / "scry"
    while '"history":"pending"' in _printed([scry, "status", "--json"]):
        _printed([scry, "index"])
        time.sleep(1)


def _printed(command: Sequence[str | Path]) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, encoding="utf-8").stdout


def main() -> None:
    """Draw every state in every theme."""
    if not (shutil.which("tmux") and PROGRAM.exists()):
        return
    wait_for_history()
    for background in THEMES:
        for state in STATES:
            write(state, background, take(state, background, ROOT, QUESTION))


if __name__ == "__main__":
    main()
