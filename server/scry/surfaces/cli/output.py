"""What goes to standard output, and errors to standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import msgspec

from scry.core.errors import ScryError
from scry.surfaces.cli.colours import print_coloured, wants_colours
from scry.surfaces.text.line import StyledLine, to_plain_text
from scry.surfaces.text.printable import make_printable
from scry.surfaces.wire.errors import error_report


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
