"""Removes what Scry wrote and says so."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from scry.core.sizes import format_size
from scry.index.traces import DiskItem, remove_items
from scry.surfaces.cli.output import print_lines
from scry.surfaces.cli.traces import print_disk_usage_json
from scry.surfaces.text.line import styled_line
from scry.surfaces.text.printable import make_printable


def remove_and_report(written: Sequence[DiskItem], place: str, *, as_json: bool) -> int:
    """Removes them; returns the exit status: 1 when something could not be removed."""
    failures = remove_items(written)
    if as_json:
        print_disk_usage_json(written, place, removed=not failures, failures=failures)
    else:
        size = format_size(sum(trace.size for trace in written))
        print_lines([styled_line((f"Removed {size}." if written else "There was nothing to remove.", "strong"))])
    for failure in failures:
        print(f"scry: not removed: {make_printable(failure)}", file=sys.stderr)
    return 1 if failures else 0
