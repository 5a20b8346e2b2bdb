"""`scry memory pin`, `unpin` and `summarize`: what the person says of memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.text import encodable
from scry.surfaces.cli.options import Json, Root
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.cli.remembering import Agent, open_memory, report_of

if TYPE_CHECKING:
    from scry.core.memory.types import Memory

Name = Annotated[str, Parameter(name="ID", help="Which one; with or without memory: in front.")]


def pin(name: Name, /, *, root: Root = None, as_json: Json = False) -> int:
    """Keeps a memory as if it were of today."""
    return _pin(name, root, is_pinned=True, as_json=as_json)


def unpin(name: Name, /, *, root: Root = None, as_json: Json = False) -> int:
    """Lets a memory age again."""
    return _pin(name, root, is_pinned=False, as_json=as_json)


def summarize(
    text: Annotated[str, Parameter(help="Your words; without them a summary is made of what was noted.")] = "",
    /,
    *,
    of: Annotated[
        str | None, Parameter(help="Which piece of work (scry session list); the last when left out.")
    ] = None,
    agent: Agent = "",
    root: Root = None,
    as_json: Json = False,
) -> int:
    """Summarizes a piece of work, in your words or by what was decided, failed and touched in it."""
    with open_memory(root) as memory:
        capsule = encodable(of) if of is not None else None
        if capsule is None:
            last = memory.last_capsule(encodable(agent))
            if last is None:
                raise BadRequest("of", "nothing was noted yet that could be summarized")
            capsule = last.id
        written = memory.summarize(capsule, encodable(text))
    _show(written, as_json=as_json)
    return 0


def _pin(name: str, root: Root, *, is_pinned: bool, as_json: bool) -> int:
    with open_memory(root) as memory:
        pinned = memory.pin(encodable(name).removeprefix("memory:"), is_pinned=is_pinned)
    _show(pinned, as_json=as_json)
    return 0


def _show(memory: Memory, *, as_json: bool) -> None:
    from scry.surfaces.text.memory import show_memory

    if as_json:
        print_json(report_of(memory))
    else:
        print_lines(show_memory(memory))
