"""Export, select, remove and switch off stored records: helpers shared by log, memory and purge."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

import msgspec

from scry.core.errors import BadRequest
from scry.core.events import EventFilter
from scry.core.text import escape_unencodable
from scry.surfaces.cli.output import print_json, print_text, reporting_failed_writes
from scry.surfaces.serving.params import MAX_INTEGER

if TYPE_CHECKING:
    from scry.core.events import StoredEvent
    from scry.projects.project import Project


def confirm_removal(question: str) -> bool:
    """Ask a question on standard error and return whether the person agreed. Raises BadRequest without a terminal."""
    if not sys.stdin.isatty():
        raise BadRequest("yes", "nothing was removed: there is nobody here to ask; to remove all this, add --yes")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    agreed = sys.stdin.readline().strip().lower() in ("y", "yes")
    if not agreed:
        print("Nothing was removed.", file=sys.stderr)
    return agreed


def check_limit(limit: int) -> int:
    """Return a number of entries to show. Raises BadRequest for one that is out of range."""
    if not 1 <= limit <= MAX_INTEGER:
        raise BadRequest("limit", f"is a number from 1 on, at most {MAX_INTEGER}")
    return limit


def export_records(
    records: Iterable[msgspec.Struct],
    file: Path | None,
    make_report: Callable[[str, int], msgspec.Struct],
    noun: str,
    *,
    as_json: bool,
) -> int:
    """Write records as lines of JSON to a new file, and print the outcome; return the exit status.

    file: None for standard output, where nothing else is printed. make_report: returns the outcome for JSON, given the
    file and how many records it holds. noun: names the records in the printed outcome. Raises BadRequest where the file
    exists or can't be created, and ScryError where it takes no more.
    """
    if file is None:
        with reporting_failed_writes():
            sys.stdout.flush()
            _write_records(records, sys.stdout.buffer)
        return 0
    name = escape_unencodable(str(file))
    with reporting_failed_writes(name), os.fdopen(_create_private_file(file), "wb") as sink:
        count = _write_records(records, sink)
    if as_json:
        print_json(make_report(name, count))
    else:
        print_text(f"{count} {noun} in {name}\n")
    return 0


def _write_records(records: Iterable[msgspec.Struct], sink: IO[bytes]) -> int:
    count = 0
    for count, record in enumerate(records, 1):  # noqa: B007
        sink.write(msgspec.json.encode(record) + b"\n")
    sink.flush()
    return count


def _create_private_file(file: Path) -> int:
    """Create a file that only this person can read and return its handle. Raises BadRequest where it exists."""
    try:
        return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise BadRequest("file", f"{file} exists already; name a new one") from error
    except OSError as error:
        raise BadRequest("file", f"{file} can't be made: {error.strerror}") from error


class SwitchReport(msgspec.Struct, frozen=True):
    """State of a switch. is_on: whether anything is recorded. source: what decides. file: the person's settings."""

    is_on: bool
    source: str
    file: str


def set_recording(name: Literal["log", "memory"], title: str, *, is_on: bool, as_json: bool) -> int:
    """Set a boolean setting in the person's file, and print the value that is in effect then.

    name: the setting. title: its name in the printed sentence. Returns the exit status.
    """
    from scry.core.platform import config_home
    from scry.core.settings import SETTINGS_FILE_NAME, load_settings, write_setting

    file = config_home() / SETTINGS_FILE_NAME
    write_setting(file, name, is_on)
    settings = load_settings(None, os.environ)
    effective = settings.log if name == "log" else settings.memory
    source = dict(settings.sources).get(name, str(file))
    if as_json:
        print_json(SwitchReport(effective, escape_unencodable(source), escape_unencodable(str(file))))
    else:
        print_text(f"{title} is {'on' if effective else 'off'} ({escape_unencodable(source)}).\n")
    if effective != is_on:
        print(f"scry: {source} decides otherwise where it is set", file=sys.stderr)
    return 0


def check_search_text(text: str | None) -> str | None:
    """Return the text to search records for. Raises BadRequest for an empty one, which occurs in every record."""
    if text == "":
        raise BadRequest("text", "is empty; to forget everything there is --all")
    return None if text is None else escape_unencodable(text)


def parse_time(field: str, text: str | None) -> int | None:
    """Parse a time, local where it names no zone, or an age such as `90m`; return milliseconds since the epoch.

    Raises BadRequest with the name of the field.
    """
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
    """Return the events of a project's log that the filter selects."""
    from scry.store.events.log import EventReader

    reader = EventReader.open(project.data)
    if reader is None:
        return []
    with closing(reader):
        return reader.select_events(selection)
