"""`scry log`: show, query, export, forget, compact and switch off the log of events."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from typing import Annotated

import msgspec
from cyclopts import App, Parameter

from scry.core.errors import BadRequest
from scry.core.events import EventFilter, StoredEvent
from scry.core.files import format_size
from scry.core.settings import load_settings
from scry.core.text import escape_unencodable, format_count
from scry.projects.project import Project
from scry.store.events.log import EVENTS_FILE, EventReader, SqlResult, warn_of_log_size, warn_of_network_folder
from scry.surfaces.cli.options import JsonOption, NewFileArgument, RootOption, SinceOption, UntilOption, YesOption
from scry.surfaces.cli.output import print_json, print_lines, print_text
from scry.surfaces.cli.retention import (
    check_limit,
    check_search_text,
    confirm_removal,
    export_records,
    parse_time,
    select_events,
    set_recording,
)
from scry.surfaces.render.activity import format_utc_timestamp, render_event
from scry.surfaces.render.page import render_table
from scry.surfaces.render.styled_text import StyledLine, styled_line


def switch_on(*, as_json: JsonOption = False) -> int:
    """Logs from now on, in all projects; editors that are open heed it at once."""
    return set_recording("log", "Logging", as_json=as_json, is_on=True)


def switch_off(*, as_json: JsonOption = False) -> int:
    """Logs nothing from now on, in all projects; editors that are open heed it at once. The log itself stays."""
    return set_recording("log", "Logging", as_json=as_json, is_on=False)


class EventReport(msgspec.Struct, frozen=True):
    """An event. sequence: its number in the order of logging. time: in UTC. body: see docs/events.md."""

    sequence: int
    time: str
    kind: str
    query_id: str | None
    act_id: str | None
    body: msgspec.Raw


class LogReport(msgspec.Struct, frozen=True):
    """The last events, the newest first. is_on: whether events are logged now. note: warnings about the log file."""

    path: str
    bytes: int
    is_on: bool
    note: str
    events: list[EventReport]


class TableReport(msgspec.Struct, frozen=True):
    """Rows of a SELECT. rows: values in the order of the columns; bytes as base64."""

    columns: list[str]
    rows: list[list[str | int | float | bytes | None]]


def to_event_report(logged: StoredEvent) -> EventReport:
    """Return an event in the form that JSON output has."""
    event = logged.event
    body = msgspec.Raw(event.body.encode())
    return EventReport(
        logged.sequence, format_utc_timestamp(event.time_ms), event.kind, event.query_id, event.act_id, body
    )


def print_events(project: Project, limit: int, *, as_json: bool) -> None:
    """Print the last events, the newest first. Raises LogUnavailable."""
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
    """Run a SELECT on the views of the log and print its rows. Raises LogUnavailable, BadRequest."""
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


class LogExportReport(msgspec.Struct, frozen=True):
    """Outcome of an export. file: the new file. events: how many it holds."""

    file: str
    events: int


def export(file: NewFileArgument = None, /, *, root: RootOption = None, as_json: JsonOption = False) -> int:
    """Writes all events, in order, as JSON lines. With a file, --json reports on it."""
    from scry.surfaces.cli.engines import resolve_project

    return export_records(_iter_events(resolve_project(root)), file, LogExportReport, "events", as_json=as_json)


def _iter_events(project: Project) -> Iterator[EventReport]:
    reader = EventReader.open(project.data)
    if reader is not None:
        with closing(reader):
            yield from map(to_event_report, reader.iter_events())


_MAX_EVENTS_SHOWN = 20


class LogForgetReport(msgspec.Struct, frozen=True):
    """Events selected, or removed.

    answers: how many stored answers were removed with them; None before. is_clean: whether no journal file holds them.
    """

    events: int
    answers: int | None
    removed: bool
    is_clean: bool


def forget(
    *,
    everything: Annotated[bool, Parameter(name="--all", help="All of it.")] = False,
    query_id: Annotated[str | None, Parameter(help="One question, and what was done with its answer.")] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    text: Annotated[str | None, Parameter(help="Where this text occurs, in the question or in what it found.")] = None,
    yes: YesOption = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Shows what it would remove from the log, asks, and removes it for good, with the answers that are kept of it.

    All conditions have to hold together: --since 7d --text budget removes records of the last 7 days with "budget". A
    forgotten record is logged as such, without its words. With --json it is only shown, unless --yes is given too.
    """
    from scry.surfaces.cli.engines import resolve_project

    selection = _build_selection(query_id, since, until, text)
    if everything == (selection != EventFilter()):
        raise BadRequest("all", "say what to forget: --all, or any of --query-id, --since, --until and --text")
    project = resolve_project(root)
    events = select_events(project, selection)
    if as_json and not yes:
        print_json(LogForgetReport(len(events), None, removed=False, is_clean=False))
        return 0
    if not as_json:
        _print_selection(events)
    if not yes and not confirm_removal("Forget this, and the answers that are kept of it? It can't be brought back."):
        return 1
    return _forget_and_report(project, selection, as_json=as_json)


def _build_selection(query_id: str | None, since: str | None, until: str | None, text: str | None) -> EventFilter:
    return EventFilter(query_id, parse_time("since", since), parse_time("until", until), check_search_text(text))


def _print_selection(events: list[StoredEvent]) -> None:
    lines = [styled_line((f"{len(events)} event{'' if len(events) == 1 else 's'}", "strong"))]
    lines += [render_event(logged) for logged in events[-_MAX_EVENTS_SHOWN:]]
    if len(events) > _MAX_EVENTS_SHOWN:
        lines.insert(1, styled_line((f"… and {len(events) - _MAX_EVENTS_SHOWN} earlier ones", "quiet")))
    print_lines(lines)


def _forget_and_report(project: Project, selection: EventFilter, *, as_json: bool) -> int:
    from scry.store.events.log import now_ms
    from scry.store.events.maintenance import forget_events

    outcome = forget_events(project.data, selection, now_ms())
    if selection != EventFilter() and load_settings(None, os.environ).learn:
        from scry.engine.activity.learning import learn_from_log  # anew, from what is left

        learn_from_log(project.data, until_done=True)
    if as_json:
        print_json(LogForgetReport(outcome.events, outcome.answers, removed=True, is_clean=outcome.is_clean))
        return 0
    print_text(f"Forgot {format_count(outcome.events, 'event')} and {format_count(outcome.answers, 'kept answer')}.\n")
    if not outcome.is_clean:
        print_text("Another process reads the log: its journal holds some of it until that has ended.\n")
    return 0


DEFAULT_UNCOMPACTED_DAYS = 90
"""Days whose questions keep their results: the last three months."""

_DAY_MS = 86_400_000


class LogCompactReport(msgspec.Struct, frozen=True):
    """Outcome of compacting. queries: questions made smaller. before, after: bytes of the log."""

    queries: int
    before: int
    after: int


def compact(
    *,
    days: Annotated[
        int, Parameter(show_default=True, help="Leave questions of the last so many days alone.")
    ] = DEFAULT_UNCOMPACTED_DAYS,
    yes: YesOption = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Removes from older questions what they found, unless it was used or rated. Questions, uses and ratings stay.

    That the log was made smaller is logged too.
    """
    from scry.store.events.log import now_ms
    from scry.store.events.maintenance import compact_log
    from scry.surfaces.cli.engines import resolve_project

    if days < 0:
        raise BadRequest("days", "is a number of days from 0 on")
    path = resolve_project(root).data / EVENTS_FILE
    before = path.stat().st_size if path.exists() else 0
    if not yes and not confirm_removal(f"Remove what unused questions older than {days} days found ({path})?"):
        return 1
    outcome = compact_log(path.parent, now_ms() - days * _DAY_MS, now_ms())
    after = path.stat().st_size if path.exists() else 0
    if as_json:
        print_json(LogCompactReport(outcome.events, before, after))
    else:
        print_text(
            f"{outcome.events} questions made smaller: {format_size(before)} before, {format_size(after)} now.\n"
        )
    return 0


log = App(
    name="log",
    help="Shows what was asked, used and rated in this project. It is kept on this machine alone.",
    default_parameter=Parameter(negative=(), show_default=False),
)
log.command(export)
log.command(forget)
log.command(compact)
log.command(switch_on, name="on")
log.command(switch_off, name="off")

DEFAULT_EVENT_COUNT = 20
"""Events shown unless `--limit` is given."""


@log.default
def show_log(
    *,
    limit: Annotated[
        int | None, Parameter(alias="-n", help=f"How many of the last events; {DEFAULT_EVENT_COUNT} by default.")
    ] = None,
    sql: Annotated[
        str | None, Parameter(help="Answer this SELECT instead; docs/events.md lists the views and has examples.")
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Shows what was asked, used and rated in this project, the newest first. It is kept on this machine alone."""
    from scry.surfaces.cli.engines import resolve_project

    if limit is not None and sql is not None:
        raise BadRequest("limit", "has no meaning with --sql: write LIMIT into it")
    count = DEFAULT_EVENT_COUNT if limit is None else check_limit(limit)
    project = resolve_project(root)
    if sql is None:
        print_events(project, count, as_json=as_json)
    else:
        print_table(project, sql, as_json=as_json)
    return 0
