"""Makes docs/images/find.svg: what a terminal shows when Scry is asked about its own repository.

    .venv/bin/python docs/make_images.py        or `make images`

The picture is drawn from what the real command printed, colours included.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
QUESTION = "where are malformed frames handled"
COLUMNS = 112

NORMAL = [
    (36, 41, 47),
    (180, 35, 24),
    (26, 127, 55),
    (138, 94, 0),
    (9, 105, 218),
    (130, 80, 223),
    (0, 110, 125),
    (87, 96, 106),
]
BRIGHT = [
    (87, 96, 106),
    (207, 34, 46),
    (26, 127, 55),
    (154, 103, 0),
    (9, 105, 218),
    (130, 80, 223),
    (0, 110, 125),
    (36, 41, 47),
]

LIGHT = TerminalTheme((250, 250, 252), (36, 41, 47), NORMAL, BRIGHT)
"""Dark on light, readable on light and dark pages."""

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
    """Draws the picture."""
    options = ["--limit", "3", "--explain"]
    answer = printed([Path(sys.executable).parent / "scry", QUESTION, *options])
    asked = Text.assemble(("$ ", "bold green"), f'scry "{QUESTION}" {" ".join(options)}')
    draw(IMAGES / "find.svg", "scry", COLUMNS, asked, Text.from_ansi(answer.rstrip()))


if __name__ == "__main__":
    main()
