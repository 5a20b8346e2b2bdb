"""The command that shows a place in an editor: in the one that runs around this terminal, else in the person's own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from scry.core.errors import BadRequest

_PLUS_LINE_EDITORS = frozenset(
    {"vi", "vim", "nvim", "view", "gvim", "mvim", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe", "jed"}
    | {"mg", "ne", "gedit", "xed", "pluma", "mcedit", "vis"}
)
_GOTO_EDITORS = frozenset({"code", "code-insiders", "codium", "vscodium", "code-oss", "code-server", "cursor", "windsurf"})
_COLON_EDITORS = frozenset({"hx", "helix", "subl", "sublime_text", "zed", "zeditor", "lapce"})
_LINE_OPTION_EDITORS = frozenset(
    {"idea", "pycharm", "webstorm", "goland", "clion", "rubymine", "phpstorm", "rustrover", "studio"}
)
_DASH_L_EDITORS = frozenset({"kate", "kwrite", "mate"})

_VSCODE_COMMANDS = ("code", "code-insiders", "codium", "cursor", "windsurf", "code-server")


class EditorCommand(Struct, frozen=True):
    """How to show a place. words: the command line. stays: whether it takes this terminal until the person ends it."""

    arguments: tuple[str, ...]
    runs_in_terminal: bool


def editor_command(path: Path, line: int, column: int, environ: Mapping[str, str] = os.environ) -> EditorCommand:
    """The command for a place; line and column are 1-based. Raises BadRequest where no editor is known."""
    place = str(path)
    if address := environ.get("NVIM"):
        return EditorCommand(
            ("nvim", "--server", address, "--remote-expr", _vim_jump_expression(place, line, column)), runs_in_terminal=False
        )
    if environ.get("TERM_PROGRAM") == "vscode":
        for name in _VSCODE_COMMANDS:
            if shutil.which(name, path=environ.get("PATH")):
                return EditorCommand((name, "--reuse-window", "--goto", f"{place}:{line}:{column}"), runs_in_terminal=False)
    chosen = environ.get("VISUAL") or environ.get("EDITOR") or ""
    try:
        words = shlex.split(chosen)
    except ValueError as error:
        raise BadRequest("editor", f"$VISUAL or $EDITOR can't be read ({error}): {chosen}") from error
    if not words:
        raise BadRequest("editor", f"no editor is known; set EDITOR, then ask again. The place is {place}:{line}")
    return EditorCommand((*words, *_position_arguments(words[0], place, line, column)), runs_in_terminal=True)


def _vim_jump_expression(place: str, line: int, column: int) -> str:
    """A Vimscript expression; in its texts only single quotes need care, and fnameescape sees to the rest."""
    quoted = "'" + place.replace("'", "''") + "'"
    jump = f"'call cursor({line}, {column})'"
    return f"execute(['drop ' .. fnameescape({quoted}), {jump}, 'normal! zvzz'])"


def _position_arguments(program: str, place: str, line: int, column: int) -> tuple[str, ...]:
    """How the usual editors want to be told a line; another one gets the file alone."""
    name = re.sub(r"\.(exe|cmd|bat|sh)$", "", Path(program).name.lower())
    name = name if name in _GOTO_EDITORS else re.split(r"[-.]", name)[0]  # vim.basic, emacs-29.1
    if name in _PLUS_LINE_EDITORS:
        return (f"+{line}", place)
    if name in _GOTO_EDITORS:
        return ("--goto", f"{place}:{line}:{column}")
    if name in _COLON_EDITORS:
        return (f"{place}:{line}:{column}",)
    if name in _LINE_OPTION_EDITORS:
        return ("--line", str(line), place)
    return ("-l", str(line), place) if name in _DASH_L_EDITORS else (place,)
