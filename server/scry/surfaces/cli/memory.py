"""`scry memory`: what was done, what failed, what was decided, and what the person does with that."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from scry.surfaces.cli.memory_export import export
from scry.surfaces.cli.memory_forget import forget
from scry.surfaces.cli.memory_import import import_reports
from scry.surfaces.cli.memory_keep import pin, summarize, unpin
from scry.surfaces.cli.memory_list import MemoryKindOption, list_memories, show
from scry.surfaces.cli.memory_search import search
from scry.surfaces.cli.memory_switch import switch_off, switch_on
from scry.surfaces.cli.options import JsonOption, RootOption

memory = App(
    name="memory",
    help="Shows what was done, what failed and what was decided in this project. It is kept on this machine alone.",
    default_parameter=Parameter(negative=(), show_default=False),
)
memory.command(list_memories, name="list")
memory.command(search)
memory.command(show)
memory.command(pin)
memory.command(unpin)
memory.command(summarize)
memory.command(import_reports, name="import")
memory.command(export)
memory.command(forget)
memory.command(switch_on, name="on")
memory.command(switch_off, name="off")


@memory.default
def list_by_default(
    *,
    kind: MemoryKindOption = (),
    session: Annotated[str | None, Parameter(help="Of this session alone.")] = None,
    limit: Annotated[int | None, Parameter(help="How many of the last ones.")] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Shows what was noted last, the newest first. It is kept on this machine alone."""
    return list_memories(kind=kind, session=session, limit=limit, root=root, as_json=as_json)
