"""`scry memory export`: everything that was noted, as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from scry.surfaces.cli.exporting import NewFileArgument, write_json_lines
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_text
from scry.surfaces.cli.remembering import MemoryReport, open_memory, to_memory_report

if TYPE_CHECKING:
    from scry.engine.memory import MemoryService


class MemoryExportReport(msgspec.Struct, frozen=True):
    """What was exported. file: where it is."""

    file: str
    memories: int


def export(file: NewFileArgument = None, /, *, root: RootOption = None, as_json: JsonOption = False) -> int:
    """Writes everything that was noted, in order, as JSON lines. With a file, --json reports on it."""
    with open_memory(root) as memory:
        done = write_json_lines(_all_memories(memory), file)
    if done is not None and as_json:
        print_json(MemoryExportReport(done.file, done.count))
    elif done is not None:
        print_text(f"{done.count} memories in {done.file}\n")
    return 0


def _all_memories(memory: MemoryService) -> Iterator[MemoryReport]:
    reader = memory.reader()
    if reader is not None:
        with closing(reader):
            yield from map(to_memory_report, reader.iter_memories())
