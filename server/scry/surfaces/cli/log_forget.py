"""`scry log forget`: removes events, and the answers that are kept of them, for good."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.events import EventFilter
from scry.core.text import escape_unencodable
from scry.engine.words import format_count
from scry.surfaces.cli.agreement import confirm_removal
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines, print_text
from scry.surfaces.text.line import styled_line

if TYPE_CHECKING:
    from scry.core.events import StoredEvent
    from scry.index.project import Project

SinceOption = Annotated[str | None, Parameter(help="From then on: 2026-11-21, 2026-11-21T09:30, or 90m, 3h, 7d ago.")]
UntilOption = Annotated[str | None, Parameter(help="Before then; a day is not included.")]
YesOption = Annotated[bool, Parameter(name="--yes", alias="-y", help="Do not ask.")]

_MAX_EVENTS_SHOWN = 20


class LogForgetReport(msgspec.Struct, frozen=True):
    """What is meant, or was removed. answers: how many kept ones went too. is_clean: whether no journal holds any."""

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

    What is named has to hold together: --since 7d --text budget is what holds "budget" and is of the last 7 days. That
    something was forgotten is logged, without its words. With --json it is only shown, unless --yes is given too.
    """
    from scry.surfaces.cli.opening import resolve_project

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


def check_search_text(text: str | None) -> str | None:
    """The text that is to occur. Raises BadRequest for an empty one, which occurs everywhere."""
    if text == "":
        raise BadRequest("text", "is empty; to forget everything there is --all")
    return None if text is None else escape_unencodable(text)


def parse_time(field: str, text: str | None) -> int | None:
    """Milliseconds since the epoch, of local time where no zone is named. Raises BadRequest, naming the field."""
    if text is None:
        return None
    units = {"m": "minutes", "h": "hours", "d": "days"}
    try:
        if text[:-1].isdecimal() and text[-1:] in units:
            moment = datetime.now().astimezone() - timedelta(**{units[text[-1]]: int(text[:-1])})
        else:
            moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
        return int(moment.timestamp() * 1000)
    except (ValueError, OverflowError, OSError) as error:
        raise BadRequest(field, f"{text!r} is no time; try 2026-11-21, 2026-11-21T09:30, 90m, 3h or 7d") from error


def select_events(project: Project, selection: EventFilter) -> list[StoredEvent]:
    """The events that are meant."""
    from scry.store.event_reader import EventReader

    reader = EventReader.open(project.data)
    if reader is None:
        return []
    with closing(reader):
        return reader.select_events(selection)


def _print_selection(events: list[StoredEvent]) -> None:
    from scry.surfaces.text.log import render_event

    lines = [styled_line((f"{len(events)} event{'' if len(events) == 1 else 's'}", "strong"))]
    lines += [render_event(logged) for logged in events[-_MAX_EVENTS_SHOWN:]]
    if len(events) > _MAX_EVENTS_SHOWN:
        lines.insert(1, styled_line((f"… and {len(events) - _MAX_EVENTS_SHOWN} earlier ones", "quiet")))
    print_lines(lines)


def _forget_and_report(project: Project, selection: EventFilter, *, as_json: bool) -> int:
    from scry.engine.answers import now_ms
    from scry.store.event_upkeep import forget_events as forget_events

    outcome = forget_events(project.data, selection, now_ms())
    if as_json:
        print_json(LogForgetReport(outcome.events, outcome.answers, removed=True, is_clean=outcome.is_clean))
        return 0
    print_text(f"Forgot {format_count(outcome.events, 'event')} and {format_count(outcome.answers, 'kept answer')}.\n")
    if not outcome.is_clean:
        print_text("Another process reads the log: its journal holds some of it until that has ended.\n")
    return 0
