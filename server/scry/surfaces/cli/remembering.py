"""What the commands on memory have in common: the memory of the project that is meant, and how it is reported."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from cyclopts import Parameter

from scry.surfaces.cli.options import RootOption
from scry.surfaces.text.printable import make_printable

if TYPE_CHECKING:
    from scry.core.memory.types import Memory
    from scry.engine.memory import MemoryService

AgentOption = Annotated[str, Parameter(help="The agent whose memory it is; yours when left out.")]


class MemoryReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """A memory. time: in UTC. why: what brought it here, where something was asked."""

    id: str
    kind: str
    time: str
    session: str
    capsule: str
    scope: str
    text: str
    intent: str = ""
    agent: str = ""
    detail: str = ""
    status: int | None = None
    outcome: str = ""
    refs: Sequence[str] = ()
    times: int = 1
    pinned: bool = False
    score: float | None = None
    signals: dict[str, Any] | None = None
    why: str = ""


@contextmanager
def open_memory(root: RootOption) -> Generator[MemoryService]:
    """The memory of the project that is meant, closed at the end of the `with`. Raises ScryError."""
    from scry.core.settings import load_settings
    from scry.engine.memory import MemoryService
    from scry.surfaces.cli.opening import resolve_project

    project = resolve_project(root)
    settings = load_settings(project.root, os.environ)
    for warning in settings.warnings:
        print(f"scry: {make_printable(warning)}", file=sys.stderr)
    with closing(MemoryService(project, settings)) as memory:
        yield memory


def to_memory_report(memory: Memory) -> MemoryReport:
    """A memory as JSON has it."""
    from scry.surfaces.text.log import format_utc_timestamp

    return MemoryReport(
        memory.id,
        memory.kind,
        format_utc_timestamp(memory.time),
        memory.session,
        memory.capsule,
        memory.scope,
        memory.text,
        memory.capsule_intent,
        memory.agent,
        memory.detail,
        memory.status,
        memory.outcome,
        memory.refs,
        memory.times,
        memory.pinned,
    )
