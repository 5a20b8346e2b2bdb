"""`scry memory pin`, `unpin` and `summarize`: what the person says of memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.text import escape_unencodable
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.cli.remembering import AgentOption, open_memory, to_memory_report

if TYPE_CHECKING:
    from scry.core.memory.types import Memory

MemoryIdArgument = Annotated[str, Parameter(name="ID", help="Which one; with or without memory: in front.")]


def pin(name: MemoryIdArgument, /, *, root: RootOption = None, as_json: JsonOption = False) -> int:
    """Keeps a memory as if it were of today."""
    return _set_pinned(name, root, is_pinned=True, as_json=as_json)


def unpin(name: MemoryIdArgument, /, *, root: RootOption = None, as_json: JsonOption = False) -> int:
    """Lets a memory age again."""
    return _set_pinned(name, root, is_pinned=False, as_json=as_json)


def summarize(
    text: Annotated[str, Parameter(help="Your words; without them a summary is made of what was noted.")] = "",
    /,
    *,
    of: Annotated[
        str | None, Parameter(help="Which piece of work (scry session list); the last when left out.")
    ] = None,
    agent: AgentOption = "",
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Summarizes a piece of work, in your words or by what was decided, failed and touched in it."""
    with open_memory(root) as memory:
        capsule = escape_unencodable(of) if of is not None else None
        if capsule is None:
            last = memory.last_capsule(escape_unencodable(agent))
            if last is None:
                raise BadRequest("of", "nothing was noted yet that could be summarized")
            capsule = last.id
        written = memory.summarize(capsule, escape_unencodable(text))
    _print_memory(written, as_json=as_json)
    return 0


def _set_pinned(name: str, root: RootOption, *, is_pinned: bool, as_json: bool) -> int:
    with open_memory(root) as memory:
        pinned = memory.pin(escape_unencodable(name).removeprefix("memory:"), is_pinned=is_pinned)
    _print_memory(pinned, as_json=as_json)
    return 0


def _print_memory(memory: Memory, *, as_json: bool) -> None:
    from scry.surfaces.text.memory import render_memory

    if as_json:
        print_json(to_memory_report(memory))
    else:
        print_lines(render_memory(memory))
