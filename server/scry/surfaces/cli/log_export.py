"""`scry log export`: all events as JSON lines."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from pathlib import Path
from typing import IO, Annotated

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.text import encodable
from scry.index.project import Project
from scry.surfaces.cli.options import Json, Root
from scry.surfaces.cli.output import print_json, print_text


class ExportReport(msgspec.Struct, frozen=True):
    """What was exported. file: where it is."""

    file: str
    events: int


def export(
    file: Annotated[
        Path | None, Parameter(help="A new file for them; standard output when left out.", allow_leading_hyphen=False)
    ] = None,
    /,
    *,
    root: Root = None,
    as_json: Json = False,
) -> int:
    """Writes all events, in order, as JSON lines. With a file, --json reports on it."""
    from scry.surfaces.cli.opening import project_of

    if file is None:
        sys.stdout.flush()
        _write(project_of(root), sys.stdout.buffer)
        return 0
    count = _export_to(file, project_of(root))
    if as_json:
        print_json(ExportReport(encodable(str(file)), count))
    else:
        print_text(f"{count} events in {encodable(str(file))}\n")
    return 0


def _export_to(file: Path, project: Project) -> int:
    with os.fdopen(new_file(file), "wb") as sink:
        return _write(project, sink)


def new_file(file: Path) -> int:
    """The handle of a new file, for this person alone to read. One that is there is left alone. Raises BadRequest."""
    try:
        return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise BadRequest("file", f"{file} exists already; name a new one") from error
    except OSError as error:
        raise BadRequest("file", f"{file} can't be made: {error.strerror}") from error


def _write(project: Project, sink: IO[bytes]) -> int:
    from scry.store.event_reader import EventReader
    from scry.surfaces.cli.log_report import event_report

    reader = EventReader.open(project.data)
    if reader is None:
        return 0
    count = 0
    with closing(reader):
        for count, logged in enumerate(reader.all(), 1):  # noqa: B007
            sink.write(msgspec.json.encode(event_report(logged)) + b"\n")
    sink.flush()
    return count
