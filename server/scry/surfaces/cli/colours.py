"""Whether text is coloured, and how. Rich is imported only where it is."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TextIO

from scry.surfaces.text.line import StyledLine, TextStyle

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
