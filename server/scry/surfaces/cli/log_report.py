"""The log as `scry log` shows it."""

from __future__ import annotations

import os
from contextlib import closing

import msgspec

from scry.core.events import LoggedEvent
from scry.core.settings import load_settings
from scry.core.sizes import format_size
from scry.core.text import encodable
from scry.index.project import Project
from scry.store.event_reader import EventReader, Table
from scry.store.events import FILE, describe_place, describe_size
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.text.line import Line, line
from scry.surfaces.text.log import show_event, timestamp
from scry.surfaces.text.table import show_table


class EventReport(msgspec.Struct, frozen=True):
    """An event. sequence: its place in the order. time: by the clock of then, in UTC. body: see docs/events.md."""

    sequence: int
    time: str
    kind: str
    query_id: str | None
    act_id: str | None
    body: msgspec.Raw


class LogReport(msgspec.Struct, frozen=True):
    """The last events, the newest first. is_on: whether events are logged now. note: words for a person."""

    path: str
    bytes: int
    is_on: bool
    note: str
    events: list[EventReport]


class TableReport(msgspec.Struct, frozen=True):
    """What a SELECT answered. rows: values in the order of the columns; bytes as base64."""

    columns: list[str]
    rows: list[list[str | int | float | bytes | None]]


def event_report(logged: LoggedEvent) -> EventReport:
    """The event as JSON has it."""
    event = logged.event
    body = msgspec.Raw(event.body.encode())
    return EventReport(logged.sequence, timestamp(event.time_ms), event.kind, event.query_id, event.act_id, body)


def report_events(project: Project, limit: int, *, as_json: bool) -> None:
    """Prints the last events. Raises LogUnavailable."""
    path = project.data / FILE
    size = path.stat().st_size if path.exists() else 0
    is_on = load_settings(None, os.environ).log
    note = "; ".join(part for part in (describe_size(size), describe_place(project.data)) if part)
    events = _recent(project, limit)
    if as_json:
        reports = [event_report(logged) for logged in events]
        print_json(LogReport(encodable(str(path)), size, is_on, note, reports))
    else:
        print_lines([*_head(str(path), size, note, is_on=is_on), *(show_event(logged) for logged in events)])


def report_table(project: Project, sql: str, *, as_json: bool) -> None:
    """Prints what a SELECT answers. Raises LogUnavailable, BadRequest."""
    reader = EventReader.open(project.data)
    if reader is None:
        table = Table([], [])
    else:
        with closing(reader):
            table = reader.select(encodable(sql))
    if as_json:
        print_json(TableReport(list(table.columns), [list(row) for row in table.rows]))
    elif reader is None:
        print_lines([line("Nothing has been logged in this project yet.")])
    else:
        print_lines(show_table(table.columns, table.rows))


def _recent(project: Project, limit: int) -> list[LoggedEvent]:
    reader = EventReader.open(project.data)
    if reader is None:
        return []
    with closing(reader):
        return reader.recent(limit)


def _head(path: str, size: int, note: str, *, is_on: bool) -> list[Line]:
    state = "on" if is_on else "off: nothing is being logged (scry log on)"
    lines = [line((path, "place"), f": {format_size(size) if size else 'nothing yet'}; logging is {state}")]
    return [*lines, line((note, "warning"))] if note else lines
