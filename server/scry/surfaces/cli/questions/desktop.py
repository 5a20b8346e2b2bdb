"""Open a file location in an editor and copy text to the clipboard.

The editor is the one that runs around this terminal, or else the person's own. The clipboard is the platform's, or else
the terminal's, by the escape sequence OSC 52.
"""

from __future__ import annotations

import base64
import os
import re
import shlex
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from scry.core.errors import BadRequest
from scry.core.platform import SYSTEM
from scry.projects.programs import find_program

_PLUS_LINE_EDITORS = frozenset(
    {"vi", "vim", "nvim", "view", "gvim", "mvim", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe", "jed"}
    | {"mg", "ne", "gedit", "xed", "pluma", "mcedit", "vis"}
)
_GOTO_EDITORS = frozenset(
    {"code", "code-insiders", "codium", "vscodium", "code-oss", "code-server", "cursor", "windsurf"}
)
_COLON_EDITORS = frozenset({"hx", "helix", "subl", "sublime_text", "zed", "zeditor", "lapce"})
_LINE_OPTION_EDITORS = frozenset(
    {"idea", "pycharm", "webstorm", "goland", "clion", "rubymine", "phpstorm", "rustrover", "studio"}
)
_DASH_L_EDITORS = frozenset({"kate", "kwrite", "mate"})

_VSCODE_COMMANDS = ("code", "code-insiders", "codium", "cursor", "windsurf", "code-server")


class EditorCommand(Struct, frozen=True):
    """Command that opens a location. runs_in_terminal: whether the editor takes this terminal until it is ended."""

    arguments: tuple[str, ...]
    runs_in_terminal: bool


def editor_command(path: Path, line: int, column: int, environ: Mapping[str, str] = os.environ) -> EditorCommand:
    """Return the command that opens a location; line and column are 1-based. Raises BadRequest without an editor."""
    file = str(path)
    if address := environ.get("NVIM"):
        return EditorCommand(
            ("nvim", "--server", address, "--remote-expr", _vim_jump_expression(file, line, column)),
            runs_in_terminal=False,
        )
    if environ.get("TERM_PROGRAM") == "vscode":
        for name in _VSCODE_COMMANDS:
            if find_program(name, environ.get("PATH")):
                return EditorCommand(
                    (name, "--reuse-window", "--goto", f"{file}:{line}:{column}"), runs_in_terminal=False
                )
    chosen = environ.get("VISUAL") or environ.get("EDITOR") or ""
    try:
        arguments = shlex.split(chosen)
    except ValueError as error:
        raise BadRequest("editor", f"$VISUAL or $EDITOR can't be read ({error}): {chosen}") from error
    if not arguments:
        raise BadRequest("editor", f"no editor is known; set EDITOR, then ask again. The place is {file}:{line}")
    return EditorCommand((*arguments, *_position_arguments(arguments[0], file, line, column)), runs_in_terminal=True)


def _vim_jump_expression(path: str, line: int, column: int) -> str:
    """Return the Vimscript expression that jumps to a place; in its strings only single quotes need escaping.

    `fnameescape` escapes the file's name for `:drop`.
    """
    quoted = "'" + path.replace("'", "''") + "'"
    jump = f"'call cursor({line}, {column})'"
    return f"execute(['drop ' .. fnameescape({quoted}), {jump}, 'normal! zvzz'])"


def _position_arguments(program: str, path: str, line: int, column: int) -> tuple[str, ...]:
    """Return the arguments by which an editor opens a file at a line; an unknown editor gets the file alone."""
    name = re.sub(r"\.(exe|cmd|bat|sh)$", "", Path(program).name.lower())
    name = name if name in _GOTO_EDITORS else re.split(r"[-.]", name)[0]  # vim.basic, emacs-29.1
    if name in _PLUS_LINE_EDITORS:
        return (f"+{line}", path)
    if name in _GOTO_EDITORS:
        return ("--goto", f"{path}:{line}:{column}")
    if name in _COLON_EDITORS:
        return (f"{path}:{line}:{column}",)
    if name in _LINE_OPTION_EDITORS:
        return ("--line", str(line), path)
    return ("-l", str(line), path) if name in _DASH_L_EDITORS else (path,)


_CLIPBOARD_TIMEOUT_S = 5.0

_TERMINAL_DEVICE = Path("/dev/tty")


def copy_to_clipboard(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Copy a text to the clipboard; return what took it, or "" where nothing did."""
    for command in clipboard_commands(environ):
        program = find_program(command[0], environ.get("PATH"))
        if program is not None and _pipe_to_program((program, *command[1:]), text):
            return command[0]
    return "the terminal" if _copy_via_terminal(text) else ""


def clipboard_commands(environ: Mapping[str, str], system: str = SYSTEM) -> list[tuple[str, ...]]:
    """Return the programs that may copy to the clipboard in this environment, the best first."""
    if system == "darwin":
        return [("pbcopy",)]
    if system == "win32":
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
    """Return the OSC 52 sequence, by which a terminal, also over ssh, takes a text for its clipboard."""
    return b"\x1b]52;c;" + base64.b64encode(text.encode("utf-8", "replace")) + b"\x07"


def _pipe_to_program(command: tuple[str, ...], text: str) -> bool:
    """Pipe a text to a program and return whether it succeeded.

    xclip and wl-copy stay in the background to serve the clipboard. Their output goes to the null device: they would
    keep ours open.
    """
    with suppress(OSError, subprocess.TimeoutExpired):
        data = text.encode("utf-16-le" if command[0].endswith("clip.exe") else "utf-8", "replace")
        completed = subprocess.run(
            command,
            input=data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_CLIPBOARD_TIMEOUT_S,
            check=False,
        )
        return completed.returncode == 0
    return False


def _copy_via_terminal(text: str) -> bool:
    with suppress(OSError), _TERMINAL_DEVICE.open("wb", buffering=0) as terminal:
        terminal.write(osc52_sequence(text))
        return True
    return False
