"""`scry memory list` and `scry memory show`: what was noted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.text import escape_unencodable
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.cli.remembering import MemoryReport, open_memory, to_memory_report
from scry.surfaces.text.line import styled_line

if TYPE_CHECKING:
    from scry.index.project import Project

MemoryKindName = Literal["command", "error", "test", "edit", "jump", "commit", "decision", "note", "message", "summary"]
MemoryKindOption = Annotated[tuple[MemoryKindName, ...], Parameter(help="Only this; may be repeated.")]

DEFAULT_MEMORY_COUNT = 20
"""Memories that are shown unless told otherwise."""


class MemoryListReport(msgspec.Struct, frozen=True):
    """The last memories, the newest first. path: the file. is_on: whether anything is noted now."""

    path: str
    is_on: bool
    memories: list[MemoryReport]


def list_memories(
    *,
    kind: MemoryKindOption = (),
    session: Annotated[str | None, Parameter(help="Of this session alone.")] = None,
    pinned: Annotated[bool, Parameter(help="Only what is pinned.")] = False,
    limit: Annotated[int | None, Parameter(help=f"How many of the last ones; {DEFAULT_MEMORY_COUNT} by default.")] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Lists what was noted, the newest first."""
    from scry.store.memory.reader import MemoryFilter
    from scry.surfaces.text.memory import render_memory

    if limit is not None and limit < 1:
        raise BadRequest("limit", "is a number from 1 on")
    wanted = MemoryFilter(kinds=kind, session=session, pinned=pinned)
    with open_memory(root) as memory:
        found = memory.memories(wanted, limit or DEFAULT_MEMORY_COUNT)
        project, is_on = memory.project, memory.is_on()
    if as_json:
        print_json(MemoryListReport(_memory_path(project), is_on, [to_memory_report(each) for each in found]))
    else:
        print_lines([_header_line(project, is_on=is_on), *(each for memory in found for each in render_memory(memory))])
    return 0


def show(
    name: Annotated[str, Parameter(name="ID", help="Which one; with or without memory: in front.")],
    /,
    *,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Shows one memory in full, with its output."""
    from scry.store.memory.reader import MemoryFilter
    from scry.surfaces.text.memory import render_full_memory

    with open_memory(root) as memory:
        found = memory.memories(MemoryFilter(ids=(escape_unencodable(name).removeprefix("memory:"),)))
    if not found:
        raise BadRequest("id", f"no memory is named {name}; scry memory list names them")
    if as_json:
        print_json(to_memory_report(found[0]))
    else:
        print_lines(render_full_memory(found[0]))
    return 0


def _memory_path(project: Project) -> str:
    from scry.store.memory.migrations import MEMORY_FILE

    return escape_unencodable(str(project.data / MEMORY_FILE))


def _header_line(project: Project, *, is_on: bool):  # noqa: ANN202
    from scry.core.sizes import format_size

    path = _memory_path(project)
    size = format_size(os.path.getsize(path)) if os.path.exists(path) else "nothing yet"  # noqa: PTH110, PTH202
    state = "on" if is_on else "off: nothing is being noted (scry memory on)"
    return styled_line((path, "place"), f": {size}; memory is {state}")
