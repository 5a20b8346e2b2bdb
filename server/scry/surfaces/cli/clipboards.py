"""The platform's clipboard, or the terminal's by OSC 52."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_CLIPBOARD_TIMEOUT_S = 5.0

_TERMINAL_DEVICE = Path("/dev/tty")


def copy_to_clipboard(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Puts a text on the clipboard; returns by what, or "" where there is none."""
    for command in clipboard_commands(environ):
        program = shutil.which(command[0], path=environ.get("PATH"))
        if program is not None and _pipe_to_program((program, *command[1:]), text):
            return command[0]
    return "the terminal" if _copy_via_terminal(text) else ""


def clipboard_commands(environ: Mapping[str, str]) -> list[tuple[str, ...]]:
    """The programs that may take a text for the clipboard here, the best first."""
    if sys.platform == "darwin":
        return [("pbcopy",)]
    if sys.platform == "win32":
        return [("clip.exe",)]
    commands: list[tuple[str, ...]] = []
    if environ.get("WAYLAND_DISPLAY"):
        commands.append(("wl-copy",))
    if environ.get("DISPLAY"):
        commands += [("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")]
    if environ.get("WSL_DISTRO_NAME"):
        commands.append(("clip.exe",))
    if environ.get("TERMUX_VERSION"):
        commands.append(("termux-clipboard-set",))
    return commands


def osc52_sequence(text: str) -> bytes:
    """The sequence by which a terminal, near or far, takes a text for its clipboard."""
    return b"\x1b]52;c;" + base64.b64encode(text.encode("utf-8", "replace")) + b"\x07"


def _pipe_to_program(command: tuple[str, ...], text: str) -> bool:
    """Xclip and wl-copy stay to serve the clipboard, with our output open unless it is another."""
    with suppress(OSError, subprocess.TimeoutExpired):
        data = text.encode("utf-16-le" if command[0].endswith("clip.exe") else "utf-8", "replace")
        done = subprocess.run(
            command, input=data, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=_CLIPBOARD_TIMEOUT_S, check=False
        )
        return done.returncode == 0
    return False


def _copy_via_terminal(text: str) -> bool:
    with suppress(OSError), _TERMINAL_DEVICE.open("wb", buffering=0) as terminal:
        terminal.write(osc52_sequence(text))
        return True
    return False
