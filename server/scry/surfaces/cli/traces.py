"""What Scry wrote, as `scry cache` and `scry purge` show it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scry.core.sizes import format_size
from scry.core.text import escape_unencodable
from scry.index.traces import DiskItem
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.text.line import StyledLine, styled_line


class WrittenFileReport(msgspec.Struct, frozen=True):
    """A file or folder of Scry's. project: the folder that it was written for; absent for no single one."""

    path: str
    bytes: int
    what: str
    project: str | None = None


class DiskUsageReport(msgspec.Struct, frozen=True):
    """What is there, or was. removed: whether it has been removed. failures: what could not be, and why."""

    place: str
    bytes: int
    entries: list[WrittenFileReport]
    removed: bool = False
    failures: list[str] = []


def print_disk_usage(written: Sequence[DiskItem], place: str) -> None:
    """Shows on standard output what there is, with sizes."""
    total = format_size(sum(trace.size for trace in written))
    print_lines([styled_line((place, "strong"), f": {total if written else 'nothing'}"), *(_file_line(trace) for trace in written)])


def print_disk_usage_json(written: Sequence[DiskItem], place: str, *, removed: bool = False, failures: Sequence[str] = ()) -> None:
    """Prints the same as JSON."""
    entries = [_to_file_report(trace) for trace in written]
    clean = [escape_unencodable(failure) for failure in failures]
    print_json(DiskUsageReport(escape_unencodable(place), sum(trace.size for trace in written), entries, removed, clean))


def _to_file_report(trace: DiskItem) -> WrittenFileReport:
    project = None if trace.project is None else escape_unencodable(str(trace.project))
    return WrittenFileReport(escape_unencodable(str(trace.path)), trace.size, trace.kind.value, project)


def _file_line(trace: DiskItem) -> StyledLine:
    of = "" if trace.project is None else f" of {trace.project}"
    return styled_line(f"{format_size(trace.size):>12}  ", (str(trace.path), "place"), (f"  {trace.kind.value}{of}", "quiet"))
