"""Write JSON, text and errors to standard output and error, coloured on a terminal; only colours import rich."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
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
    """Tell whether to colour a stream: a terminal, unless NO_COLOR is set; any stream if FORCE_COLOR is."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def print_coloured(lines: Iterable[StyledLine], stream: TextIO) -> None:
    """Print the lines in colours, without wrapping them."""
    from rich.console import Console
    from rich.segment import Segment, Segments

    console = Console(file=stream, force_terminal=True, highlight=False, markup=False, emoji=False)
    for line in lines:  # as segments: rich turns the tabs of its texts into spaces
        segments = [Segment(span.text, console.get_style(RICH_STYLES[span.style])) for span in line]
        console.print(Segments([*segments, Segment.line()]), soft_wrap=True, end="")


def terminal_width(stream: TextIO) -> int | None:
    """Return the terminal's width in cells; None for a stream that is no terminal."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except (OSError, ValueError):
        return None


@contextmanager
def reporting_failed_writes(name: str = "standard output") -> Generator[None]:
    """Raise a ScryError where a file takes no more, such as one on a full disk. A BrokenPipeError stays as it is."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ScryError(f"{name} can't be written: {error.strerror}") from error


def print_json(value: msgspec.Struct) -> None:
    """Print a value as one line of JSON in UTF-8, whatever the terminal's encoding is."""
    with reporting_failed_writes():
        sys.stdout.flush()
        sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
        sys.stdout.buffer.flush()


def print_lines(lines: Sequence[StyledLine]) -> None:
    """Print lines for a person, in colours on a terminal."""
    if wants_colours(sys.stdout):
        with reporting_failed_writes():
            print_coloured(lines, sys.stdout)
    else:
        print_text(to_plain_text(lines))


def print_text(text: str) -> None:
    """Print text as it is; characters outside the terminal's encoding are written as escapes."""
    with reporting_failed_writes():
        sys.stdout.write(text)
        sys.stdout.flush()


def report_error(error: ScryError, *, as_json: bool) -> None:
    """Print an error as one line on standard error and, with `as_json`, as an object on standard output."""
    print(f"scry: {make_printable(str(error))}", file=sys.stderr)
    if as_json:
        print_json(error_report(error))
