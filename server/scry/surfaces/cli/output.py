"""Write JSON, text and errors to standard output and error, coloured on a terminal.

Whether text is coloured, and how. Rich is imported only where it is.

What goes to standard output, and errors to standard error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

import msgspec

from scry.core.errors import ScryError
from scry.surfaces.render.styled_text import StyledLine, TextStyle, make_printable, to_plain_text
from scry.surfaces.serving.params import error_report

RICH_STYLES: dict[TextStyle, str] = {
    "plain": "",
    "strong": "bold",
    "place": "bold",
    "tag": "cyan",
    "evidence": "green",
    "quiet": "dim",
    "good": "green",
    "warning": "yellow",
    "bad": "red",
}


def wants_colours(stream: TextIO) -> bool:
    """On a terminal, unless NO_COLOR is set; anywhere if FORCE_COLOR is."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def print_coloured(lines: Iterable[StyledLine], stream: TextIO) -> None:
    """Prints the lines in colours, each as long as it is."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, force_terminal=True, highlight=False, markup=False, emoji=False)
    for each in lines:
        console.print(Text.assemble(*((piece.text, RICH_STYLES[piece.style]) for piece in each)), soft_wrap=True)


def terminal_width(stream: TextIO) -> int | None:
    """How many cells wide the terminal is; None where the stream is none."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except (OSError, ValueError):
        return None


def print_json(value: msgspec.Struct) -> None:
    """One line of JSON in UTF-8, whatever the terminal's encoding is."""
    sys.stdout.flush()
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()


def print_lines(lines: Sequence[StyledLine]) -> None:
    """Lines for a person, in colours on a terminal."""
    if wants_colours(sys.stdout):
        print_coloured(lines, sys.stdout)
    else:
        print_text(to_plain_text(lines))


def print_text(text: str) -> None:
    """Text as it is; what the terminal's encoding can't hold is written out."""
    sys.stdout.write(text)
    sys.stdout.flush()


def report_error(error: ScryError, *, as_json: bool) -> None:
    """One line on standard error and, for `--json`, an object on standard output."""
    print(f"scry: {make_printable(str(error))}", file=sys.stderr)
    if as_json:
        print_json(error_report(error))
