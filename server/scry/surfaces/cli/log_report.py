"""The log as `scry log` shows it."""

from __future__ import annotations

import os
from contextlib import closing

import msgspec

from scry.core.events import StoredEvent
from scry.core.settings import load_settings
from scry.core.sizes import format_size
from scry.core.text import escape_unencodable
from scry.index.project import Project
from scry.store.event_reader import EventReader, SqlResult
from scry.store.events import EVENTS_FILE, warn_of_network_folder, warn_of_log_size
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.text.line import StyledLine, styled_line
from scry.surfaces.text.log import render_event, format_utc_timestamp
from scry.surfaces.text.table import render_table


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


def to_event_report(logged: StoredEvent) -> EventReport:
    """The event as JSON has it."""
    event = logged.event
    body = msgspec.Raw(event.body.encode())
    return EventReport(logged.sequence, format_utc_timestamp(event.time_ms), event.kind, event.query_id, event.act_id, body)


def print_events(project: Project, limit: int, *, as_json: bool) -> None:
    """Prints the last events. Raises LogUnavailable."""
    path = project.data / EVENTS_FILE
    size = path.stat().st_size if path.exists() else 0
    is_on = load_settings(None, os.environ).log
    note = "; ".join(part for part in (warn_of_log_size(size), warn_of_network_folder(project.data)) if part)
    events = _recent_events(project, limit)
    if as_json:
        reports = [to_event_report(logged) for logged in events]
        print_json(LogReport(escape_unencodable(str(path)), size, is_on, note, reports))
    else:
        print_lines([*_header_lines(str(path), size, note, is_on=is_on), *(render_event(logged) for logged in events)])


def print_table(project: Project, sql: str, *, as_json: bool) -> None:
    """Prints what a SELECT answers. Raises LogUnavailable, BadRequest."""
    reader = EventReader.open(project.data)
    if reader is None:
        table = SqlResult([], [])
    else:
        with closing(reader):
            table = reader.run_select(escape_unencodable(sql))
    if as_json:
        print_json(TableReport(list(table.columns), [list(row) for row in table.rows]))
    elif reader is None:
        print_lines([styled_line("Nothing has been logged in this project yet.")])
    else:
        print_lines(render_table(table.columns, table.rows))


def _recent_events(project: Project, limit: int) -> list[StoredEvent]:
    reader = EventReader.open(project.data)
    if reader is None:
        return []
    with closing(reader):
        return reader.recent_events(limit)


def _header_lines(path: str, size: int, note: str, *, is_on: bool) -> list[StyledLine]:
    state = "on" if is_on else "off: nothing is being logged (scry log on)"
    lines = [styled_line((path, "place"), f": {format_size(size) if size else 'nothing yet'}; logging is {state}")]
    return [*lines, styled_line((note, "warning"))] if note else lines
