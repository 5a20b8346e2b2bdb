"""`scry memory export`: everything that was noted, as JSON lines."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import msgspec
from cyclopts import Parameter

from scry.core.text import encodable
from scry.surfaces.cli.log_export import new_file
from scry.surfaces.cli.options import Json, Root
from scry.surfaces.cli.output import print_json, print_text
from scry.surfaces.cli.remembering import open_memory, report_of

if TYPE_CHECKING:
    from scry.engine.memory import MemoryKeeper


class MemoryExportReport(msgspec.Struct, frozen=True):
    """What was exported. file: where it is."""

    file: str
    memories: int


def export(
    file: Annotated[
        Path | None, Parameter(help="A new file for them; standard output when left out.", allow_leading_hyphen=False)
    ] = None,
    /,
    *,
    root: Root = None,
    as_json: Json = False,
) -> int:
    """Writes everything that was noted, in order, as JSON lines. With a file, --json reports on it."""
    with open_memory(root) as memory:
        if file is None:
            sys.stdout.flush()
            _write(memory, sys.stdout.buffer)
            return 0
        with os.fdopen(new_file(file), "wb") as sink:
            count = _write(memory, sink)
    if as_json:
        print_json(MemoryExportReport(encodable(str(file)), count))
    else:
        print_text(f"{count} memories in {encodable(str(file))}\n")
    return 0


def _write(memory: MemoryKeeper, sink: IO[bytes]) -> int:
    reader = memory.reader()
    if reader is None:
        return 0
    count = 0
    with closing(reader):
        for count, each in enumerate(reader.all(), 1):  # noqa: B007
            sink.write(msgspec.json.encode(report_of(each)) + b"\n")
    sink.flush()
    return count
