"""Makes docs/images: what a terminal shows when Scry is asked about its own repository, and what Neovim shows.

    .venv/bin/python docs/make_images.py        or `make images`

The pictures are drawn from what the real command printed, and from the screen of the real editor, colours included.
Neovim's needs tmux and the Neovim of `make try-neovim`; without them that picture stays as it is.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
NEOVIM = ROOT / ".cache" / "neovim" / "0.12"
QUESTION = "where are malformed frames handled"
COLUMNS = 112

_NORMAL = [
    (36, 41, 47),
    (180, 35, 24),
    (26, 127, 55),
    (138, 94, 0),
    (9, 105, 218),
    (130, 80, 223),
    (0, 110, 125),
    (87, 96, 106),
]
_BRIGHT = [
    (87, 96, 106),
    (207, 34, 46),
    (26, 127, 55),
    (154, 103, 0),
    (9, 105, 218),
    (130, 80, 223),
    (0, 110, 125),
    (36, 41, 47),
]

LIGHT = TerminalTheme((250, 250, 252), (36, 41, 47), _NORMAL, _BRIGHT)
"""Dark on light, readable on light and dark pages."""

NEOVIM_THEMES = {
    "light": TerminalTheme((224, 226, 234), (20, 22, 27), _NORMAL, _BRIGHT),
    "dark": TerminalTheme((20, 22, 27), (224, 226, 234), _NORMAL, _BRIGHT),
}
"""Background and text of Neovim's own colour scheme; it tells every other colour by its value."""

FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="A terminal: scry find">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""rich's frame without its web font: a picture in a README must load nothing."""


def printed(command: Sequence[str | Path]) -> str:
    """Return what a command prints to a terminal that is COLUMNS wide."""
    ours, its = os.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("4H", 50, COLUMNS, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm-256color"}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=its)
    os.close(its)
    parts: list[bytes] = []
    with contextlib.suppress(OSError):  # how Linux says that the other end was closed
        while part := os.read(ours, 65536):
            parts.append(part)
    os.close(ours)
    if process.wait():
        raise SystemExit(f"{command} failed")
    return b"".join(parts).decode().replace("\r\n", "\n")


def screen_of_neovim(background: str) -> str:
    """Return what Neovim shows, with telescope, while the question is typed; as `make try-neovim` opens it.

    `background`: light or dark.
    """
    with tempfile.TemporaryDirectory() as folder:
        tmux = ["tmux", "-S", f"{folder}/tmux", "-f", os.devnull]

        def run(*arguments: str | Path) -> str:
            return subprocess.run(
                [*tmux, *arguments], cwd=ROOT, check=True, capture_output=True, encoding="utf-8"
            ).stdout

        def wait(words: str) -> None:
            end = time.monotonic() + 60
            while words not in run("capture-pane", "-p"):
                if time.monotonic() > end:
                    raise SystemExit(f"Neovim never showed {words!r}")
                time.sleep(0.1)

        start = ["editor/neovim/tools/try.sh", NEOVIM, "--cmd", f"set background={background}"]
        run("new-session", "-d", "-x", str(COLUMNS + 28), "-y", "32", *start, ";", "set", "-g", "status", "off")
        try:
            wait("Space f")
            run("send-keys", "q", ":Scry find", "Enter")
            wait("Scry find")
            run("send-keys", QUESTION)
            wait(QUESTION)
            wait("30 / 30")
            return still(lambda: run("capture-pane", "-p", "-e"))
        finally:
            run("kill-server")


def still(look: Callable[[], str]) -> str:
    """Return what is seen once it has not changed for two seconds: the last key's answer and its preview are drawn."""
    seen, since = look(), time.monotonic()
    while time.monotonic() - since < 2:
        time.sleep(0.1)
        now = look()
        if now != seen:
            seen, since = now, time.monotonic()
    return seen


def draw(picture: Path, title: str, columns: int, *texts: Text, theme: TerminalTheme = LIGHT) -> None:
    """Write these texts as a picture of a terminal."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=columns, file=nowhere, force_terminal=True, color_system="truecolor")
        for text in texts:
            console.print(text, no_wrap=True, crop=True)
        svg = console.export_svg(title=title, theme=theme, code_format=FRAME, unique_id=picture.stem)
    picture.parent.mkdir(exist_ok=True)
    svg = svg.replace('aria-label="A terminal: scry find"', f'aria-label="A terminal: {title}"')
    picture.write_text("\n".join(line.strip() for line in svg.splitlines() if line.strip()) + "\n", encoding="utf-8")


def main() -> None:
    """Draws the pictures."""
    options = ["--limit", "3", "--explain"]
    answer = printed([Path(sys.executable).parent / "scry", QUESTION, *options])
    asked = Text.assemble(("$ ", "bold green"), f'scry "{QUESTION}" {" ".join(options)}')
    draw(IMAGES / "find.svg", "scry", COLUMNS, asked, Text.from_ansi(answer.rstrip()))
    if shutil.which("tmux") and (NEOVIM / "bin" / "nvim").exists():
        for background, theme in NEOVIM_THEMES.items():
            screen = Text.from_ansi(screen_of_neovim(background).rstrip())
            draw(IMAGES / f"neovim-{background}.svg", "Neovim", COLUMNS + 28, screen, theme=theme)


if __name__ == "__main__":
    main()
