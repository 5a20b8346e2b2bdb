"""`scry memory list` and `scry memory show`: what was noted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.text import encodable
from scry.surfaces.cli.options import Json, Root
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.cli.remembering import MemoryReport, open_memory, report_of
from scry.surfaces.text.line import line

if TYPE_CHECKING:
    from scry.index.project import Project

Kind = Literal["command", "error", "test", "edit", "jump", "commit", "decision", "note", "message", "summary"]
Kinds = Annotated[tuple[Kind, ...], Parameter(help="Only this; may be repeated.")]

RECENT = 20
"""Memories that are shown unless told otherwise."""


class MemoriesReport(msgspec.Struct, frozen=True):
    """The last memories, the newest first. path: the file. is_on: whether anything is noted now."""

    path: str
    is_on: bool
    memories: list[MemoryReport]


def list_memories(
    *,
    kind: Kinds = (),
    session: Annotated[str | None, Parameter(help="Of this session alone.")] = None,
    pinned: Annotated[bool, Parameter(help="Only what is pinned.")] = False,
    limit: Annotated[int | None, Parameter(help=f"How many of the last ones; {RECENT} by default.")] = None,
    root: Root = None,
    as_json: Json = False,
) -> int:
    """Lists what was noted, the newest first."""
    from scry.store.memory.reader import Filter
    from scry.surfaces.text.memory import show_memory

    if limit is not None and limit < 1:
        raise BadRequest("limit", "is a number from 1 on")
    wanted = Filter(kinds=kind, session=session, pinned=pinned)
    with open_memory(root) as memory:
        found = memory.memories(wanted, limit or RECENT)
        project, is_on = memory.project, memory.is_on()
    if as_json:
        print_json(MemoriesReport(_path(project), is_on, [report_of(each) for each in found]))
    else:
        print_lines([_head(project, is_on=is_on), *(each for memory in found for each in show_memory(memory))])
    return 0


def show(
    name: Annotated[str, Parameter(name="ID", help="Which one; with or without memory: in front.")],
    /,
    *,
    root: Root = None,
    as_json: Json = False,
) -> int:
    """Shows one memory in full, with its output."""
    from scry.store.memory.reader import Filter
    from scry.surfaces.text.memory import show_whole

    with open_memory(root) as memory:
        found = memory.memories(Filter(ids=(encodable(name).removeprefix("memory:"),)))
    if not found:
        raise BadRequest("id", f"no memory is named {name}; scry memory list names them")
    if as_json:
        print_json(report_of(found[0]))
    else:
        print_lines(show_whole(found[0]))
    return 0


def _path(project: Project) -> str:
    from scry.store.memory.migrations import FILE

    return encodable(str(project.data / FILE))


def _head(project: Project, *, is_on: bool):  # noqa: ANN202
    from scry.core.sizes import format_size

    path = _path(project)
    size = format_size(os.path.getsize(path)) if os.path.exists(path) else "nothing yet"  # noqa: PTH110, PTH202
    state = "on" if is_on else "off: nothing is being noted (scry memory on)"
    return line((path, "place"), f": {size}; memory is {state}")
