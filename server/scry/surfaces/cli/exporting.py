"""What the commands that export have in common: records as JSON lines, to standard output or a new file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Annotated

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.text import escape_unencodable

NewFileArgument = Annotated[
    Path | None, Parameter(help="A new file for them; standard output when left out.", allow_leading_hyphen=False)
]


class ExportSummary(msgspec.Struct, frozen=True):
    """Where they are, and how many."""

    file: str
    count: int


def write_json_lines(records: Iterable[msgspec.Struct], file: Path | None) -> ExportSummary | None:
    """Writes the records, a line each. None where they went to standard output. Raises BadRequest for the file."""
    if file is None:
        sys.stdout.flush()
        _write_records(records, sys.stdout.buffer)
        return None
    with os.fdopen(_create_private_file(file), "wb") as sink:
        return ExportSummary(escape_unencodable(str(file)), _write_records(records, sink))


def _write_records(records: Iterable[msgspec.Struct], sink: IO[bytes]) -> int:
    count = 0
    for count, record in enumerate(records, 1):  # noqa: B007
        sink.write(msgspec.json.encode(record) + b"\n")
    sink.flush()
    return count


def _create_private_file(file: Path) -> int:
    """The handle of a new file, for this person alone to read. One that is there is left alone. Raises BadRequest."""
    try:
        return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise BadRequest("file", f"{file} exists already; name a new one") from error
    except OSError as error:
        raise BadRequest("file", f"{file} can't be made: {error.strerror}") from error
