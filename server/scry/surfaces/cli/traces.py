"""What Scry wrote, as `scry cache` and `scry purge` show it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scry.core.sizes import format_size
from scry.core.text import encodable
from scry.index.traces import Trace
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.text.line import Line, line


class TraceReport(msgspec.Struct, frozen=True):
    """A file or folder of Scry's. project: the folder that it was written for; absent for no single one."""

    path: str
    bytes: int
    what: str
    project: str | None = None


class TracesReport(msgspec.Struct, frozen=True):
    """What is there, or was. removed: whether it has been removed. failures: what could not be, and why."""

    place: str
    bytes: int
    entries: list[TraceReport]
    removed: bool = False
    failures: list[str] = []


def show_traces(traces: Sequence[Trace], place: str) -> None:
    """Shows on standard output what there is, with sizes."""
    total = format_size(sum(trace.size for trace in traces))
    print_lines([line((place, "strong"), f": {total if traces else 'nothing'}"), *(_row(trace) for trace in traces)])


def report_traces(traces: Sequence[Trace], place: str, *, removed: bool = False, failures: Sequence[str] = ()) -> None:
    """Prints the same as JSON."""
    entries = [_entry(trace) for trace in traces]
    clean = [encodable(failure) for failure in failures]
    print_json(TracesReport(encodable(place), sum(trace.size for trace in traces), entries, removed, clean))


def _entry(trace: Trace) -> TraceReport:
    project = None if trace.project is None else encodable(str(trace.project))
    return TraceReport(encodable(str(trace.path)), trace.size, trace.kind.value, project)


def _row(trace: Trace) -> Line:
    of = "" if trace.project is None else f" of {trace.project}"
    return line(f"{format_size(trace.size):>12}  ", (str(trace.path), "place"), (f"  {trace.kind.value}{of}", "quiet"))
