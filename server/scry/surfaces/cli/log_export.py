"""`scry log export`: all events as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from scry.surfaces.cli.exporting import NewFileArgument, write_json_lines
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_text

if TYPE_CHECKING:
    from scry.index.project import Project
    from scry.surfaces.cli.log_report import EventReport


class LogExportReport(msgspec.Struct, frozen=True):
    """What was exported. file: where it is."""

    file: str
    events: int


def export(file: NewFileArgument = None, /, *, root: RootOption = None, as_json: JsonOption = False) -> int:
    """Writes all events, in order, as JSON lines. With a file, --json reports on it."""
    from scry.surfaces.cli.opening import resolve_project

    done = write_json_lines(_all_events(resolve_project(root)), file)
    if done is not None and as_json:
        print_json(LogExportReport(done.file, done.count))
    elif done is not None:
        print_text(f"{done.count} events in {done.file}\n")
    return 0


def _all_events(project: Project) -> Iterator[EventReport]:
    from scry.store.event_reader import EventReader
    from scry.surfaces.cli.log_report import to_event_report

    reader = EventReader.open(project.data)
    if reader is not None:
        with closing(reader):
            yield from map(to_event_report, reader.iter_events())
