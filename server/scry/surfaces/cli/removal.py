"""Removes what Scry wrote and says so."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from scry.core.sizes import format_size
from scry.index.traces import Trace, remove
from scry.surfaces.cli.output import print_lines
from scry.surfaces.cli.traces import report_traces
from scry.surfaces.text.line import line
from scry.surfaces.text.printable import printable


def remove_and_report(traces: Sequence[Trace], place: str, *, as_json: bool) -> int:
    """Removes them; returns the exit status: 1 when something could not be removed."""
    failures = remove(traces)
    if as_json:
        report_traces(traces, place, removed=not failures, failures=failures)
    else:
        size = format_size(sum(trace.size for trace in traces))
        print_lines([line((f"Removed {size}." if traces else "There was nothing to remove.", "strong"))])
    for failure in failures:
        print(f"scry: not removed: {printable(failure)}", file=sys.stderr)
    return 1 if failures else 0
