"""The commands that open a location and fill the clipboard."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import pytest

from scry.core import BadRequest
from scry.surfaces.cli.questions import clipboard_commands, copy_to_clipboard, editor_command, osc52_sequence

PLACE = Path("/w/it's here/a.py")


@pytest.mark.parametrize(
    ("editor", "words"),
    [
        ("vim", ("vim", "+12", str(PLACE))),
        ("/usr/bin/nvim -p", ("/usr/bin/nvim", "-p", "+12", str(PLACE))),
        ("emacsclient -nw", ("emacsclient", "-nw", "+12", str(PLACE))),
        ("vim.basic", ("vim.basic", "+12", str(PLACE))),
        ("code --wait", ("code", "--wait", "--goto", f"{PLACE}:12:5")),
        ("code-insiders", ("code-insiders", "--goto", f"{PLACE}:12:5")),
        ("hx", ("hx", f"{PLACE}:12:5")),
        ("'/opt/my editor/subl'", ("/opt/my editor/subl", f"{PLACE}:12:5")),
        ("pycharm.sh", ("pycharm.sh", "--line", "12", str(PLACE))),
        ("kate", ("kate", "-l", "12", str(PLACE))),
        ("emacs-29.1", ("emacs-29.1", "+12", str(PLACE))),
        ("unheard-of", ("unheard-of", str(PLACE))),
    ],
)
def test_each_editor_gets_the_line_in_its_syntax(editor: str, words: tuple[str, ...]) -> None:
    command = editor_command(PLACE, 12, 5, {"EDITOR": editor})
    assert (command.arguments, command.runs_in_terminal) == (words, True)


def test_visual_comes_before_editor() -> None:
    assert editor_command(PLACE, 1, 1, {"EDITOR": "ed", "VISUAL": "vi"}).arguments[0] == "vi"


def test_editor_of_the_terminal_comes_first(tmp_path: Path) -> None:
    code = tmp_path / "code"
    code.write_text("#!/bin/sh\n")
    code.chmod(0o755)
    inside = {"TERM_PROGRAM": "vscode", "PATH": str(tmp_path), "EDITOR": "vim"}
    assert editor_command(PLACE, 12, 5, inside).arguments == ("code", "--reuse-window", "--goto", f"{PLACE}:12:5")
    assert editor_command(PLACE, 12, 5, inside | {"PATH": "/nowhere"}).arguments[0] == "vim"
    assert editor_command(PLACE, 12, 5, inside | {"NVIM": "/run/n"}).arguments[:3] == ("nvim", "--server", "/run/n")


@pytest.mark.parametrize(("environ", "words"), [({}, "set EDITOR"), ({"EDITOR": "vim '"}, "can't be read")])
def test_missing_editor_is_reported(environ: dict[str, str], words: str) -> None:
    with pytest.raises(BadRequest, match=words):
        editor_command(PLACE, 12, 5, environ)


def test_clipboard_command_follows_the_system_and_the_display() -> None:
    assert clipboard_commands({}, "linux") == []
    assert [command[0] for command in clipboard_commands({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux")] == [
        *("wl-copy", "xclip", "xsel"),
    ]
    assert clipboard_commands({"DISPLAY": ":0"}, "darwin") == [("pbcopy",)]
    assert clipboard_commands({}, "win32") == [("clip.exe",)]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="these have one clipboard program")
def test_clipboard_program_gets_the_text(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    program = tmp_path / "wl-copy"
    program.write_text(f"#!/bin/sh\n/bin/cat > {taken}\n")
    program.chmod(0o755)
    assert copy_to_clipboard("größe", {"WAYLAND_DISPLAY": "w", "PATH": str(tmp_path)}) == "wl-copy"
    assert taken.read_text() == "größe"


def test_a_terminal_gets_the_text_encoded() -> None:
    sequence = osc52_sequence("größe\x1b")
    assert sequence.startswith(b"\x1b]52;c;")
    assert base64.b64decode(sequence[len(b"\x1b]52;c;") : -1]).decode() == "größe\x1b"
