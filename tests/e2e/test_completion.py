"""Completion in real shells, as a person sees it who presses Tab."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.polling import PATIENCE_S

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ZSH = "autoload -Uz compinit; compinit -u -D"
STARTS = {
    "bash": (("bash", "--noprofile", "--norc", "-i"), 'eval "$(scry completion bash)"'),
    "zsh eval": (("zsh", "-f", "-i"), f'{ZSH}; eval "$(scry completion zsh)"'),
    "zsh fpath": (("zsh", "-f", "-i"), f"scry completion zsh > _scry; fpath=($PWD $fpath); {ZSH}"),
}
SHELLS = [
    "bash",
    pytest.param("zsh eval", marks=pytest.mark.needs("zsh")),
    pytest.param("zsh fpath", marks=pytest.mark.needs("zsh")),
]


class Terminal:
    """A shell at a terminal of its own."""

    def __init__(self, shell: str, folder: Path) -> None:
        arguments, self._start = STARTS[shell]
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environ = {**os.environ, "PATH": path, "HOME": str(folder), "TERM": "dumb", "PS1": "> ", "INPUTRC": "/dev/null"}
        self._master, end = pty.openpty()
        self._process = subprocess.Popen(
            arguments, stdin=end, stdout=end, stderr=end, cwd=folder, env=environ, start_new_session=True
        )
        os.close(end)

    def __enter__(self) -> Terminal:
        self.type(f"PS1=; {self._start}; echo rea''dy\n")
        self.read_until("ready")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def read_until(self, text: str) -> str:
        seen, end = "", time.monotonic() + PATIENCE_S
        while text not in seen:
            assert time.monotonic() < end, f"{text!r} does not come: {seen!r}"
            if select.select([self._master], [], [], 0.1)[0]:
                seen += os.read(self._master, 65536).decode("utf-8", "replace")
        return seen


@pytest.mark.parametrize("shell", SHELLS)
def test_commands_options_and_paths_are_completed(shell: str, tmp_path: Path) -> None:
    (tmp_path / "quokkas").mkdir()
    (tmp_path / "quokkas" / "wombat.py").write_text("")
    with Terminal(shell, tmp_path) as terminal:
        for typed, completed in (
            ("scry stat\t", "scry status"),
            ("scry neighbors --fi\t", "--file"),
            ("scry orient quo\t", "quokkas/"),
            ("scry neighbors quokkas/wo\t", "quokkas/wombat.py"),
        ):
            terminal.type(typed)
            terminal.read_until(completed)
            terminal.type("\x15")  # clears the line
