"""`scry memory list`, `show` and `search`, and how commands open and report memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.memory.types import Memory, MemoryKind
from scry.core.text import escape_unencodable
from scry.surfaces.cli.options import AgentOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines, print_text
from scry.surfaces.cli.retention import check_limit
from scry.surfaces.render.styled_text import StyledLine, make_printable, styled_line

if TYPE_CHECKING:
    from scry.engine.knowledge.memory import MemoryMatch, MemoryService
    from scry.projects.project import Project


class MemoryReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """A memory. time: in UTC. score, signals, why: of a search, how well it matched and by which signals."""

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
    """Open the memory of the project that `root` names, or of the current one, for a `with`. Raises ScryError."""
    from scry.core.settings import load_settings
    from scry.engine.knowledge.memory import MemoryService
    from scry.surfaces.cli.engines import resolve_project

    project = resolve_project(root)
    settings = load_settings(project.root, os.environ)
    for warning in settings.warnings:
        print(f"scry: {make_printable(warning)}", file=sys.stderr)
    with closing(MemoryService(project, settings)) as memory:
        yield memory


def to_memory_report(memory: Memory) -> MemoryReport:
    """Return a memory in the form that JSON output has."""
    from scry.surfaces.render.activity import format_utc_timestamp

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


MemoryKindOption = Annotated[tuple[MemoryKind, ...], Parameter(help="Only this; may be repeated.")]

DEFAULT_MEMORY_COUNT = 20
"""Memories shown unless `--limit` is given."""


class MemoryListReport(msgspec.Struct, frozen=True):
    """The last memories, the newest first. path: the file. is_on: whether memory is recorded now."""

    path: str
    is_on: bool
    memories: list[MemoryReport]


def list_memories(
    *,
    kind: MemoryKindOption = (),
    session: Annotated[str | None, Parameter(help="Of this session alone.")] = None,
    pinned: Annotated[bool, Parameter(help="Only what is pinned.")] = False,
    limit: Annotated[
        int | None, Parameter(alias="-n", help=f"How many of the last ones; {DEFAULT_MEMORY_COUNT} by default.")
    ] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Lists what was noted, the newest first."""
    from scry.store.memory.reader import MemoryFilter
    from scry.surfaces.render.activity import render_memory

    count = DEFAULT_MEMORY_COUNT if limit is None else check_limit(limit)
    selection = MemoryFilter(kinds=kind, session=session, pinned=pinned)
    with open_memory(root) as memory:
        memories = memory.memories(selection, count)
        project, is_on = memory.project, memory.is_on()
    if as_json:
        print_json(MemoryListReport(_memory_path(project), is_on, [to_memory_report(each) for each in memories]))
    else:
        print_lines(
            [_header_line(project, is_on=is_on), *(each for memory in memories for each in render_memory(memory))]
        )
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
    from scry.surfaces.render.activity import render_full_memory

    with open_memory(root) as memory:
        memories = memory.memories(MemoryFilter(ids=(escape_unencodable(name).removeprefix("memory:"),)))
    if not memories:
        raise BadRequest("id", f"no memory is named {name}; scry memory list names them")
    if as_json:
        print_json(to_memory_report(memories[0]))
    else:
        print_lines(render_full_memory(memories[0]))
    return 0


def _memory_path(project: Project) -> str:
    from scry.store.memory.schema import MEMORY_FILE

    return escape_unencodable(str(project.data / MEMORY_FILE))


def _header_line(project: Project, *, is_on: bool) -> StyledLine:
    from scry.core.files import format_size

    path = _memory_path(project)
    size = format_size(os.path.getsize(path)) if os.path.exists(path) else "nothing yet"  # noqa: PTH110, PTH202
    state = "on" if is_on else "off: nothing is being noted (scry memory on)"
    return styled_line((path, "place"), f": {size}; memory is {state}")


DEFAULT_SEARCH_LIMIT = 10
"""Memories shown unless `--limit` is given."""


class MemorySearchReport(msgspec.Struct, frozen=True):
    """Memories that match a query, best first. weights: the weight of each signal in their scores."""

    query: str
    weights: dict[str, float]
    memories: list[MemoryReport]


def search(
    query: Annotated[
        str, Parameter(help='What to look for, or "resume work", "what was decided", "why did tests fail".')
    ],
    /,
    *,
    purpose: Annotated[
        Literal["resume", "decisions", "failures"] | None,
        Parameter(help="What you are after; read out of the question when left out."),
    ] = None,
    intent: Annotated[str, Parameter(help="What you are working on; that of the open session when left out.")] = "",
    kind: MemoryKindOption = (),
    limit: Annotated[int, Parameter(alias="-n", show_default=True, help="How many at most.")] = DEFAULT_SEARCH_LIMIT,
    agent: AgentOption = "",
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Finds what was noted: by words, how new it is, in which session, and what it was for. Says why for each."""
    from scry.core.memory.purpose import RecallPurpose

    if not query.strip():
        raise BadRequest("query", "is empty; say what to look for")
    check_limit(limit)
    with open_memory(root) as memory:
        matches = memory.search(
            escape_unencodable(query),
            limit,
            purpose=RecallPurpose(purpose) if purpose else None,
            intent=escape_unencodable(intent),
            kinds=kind,
            agent=escape_unencodable(agent),
        )
    if as_json:
        print_json(_to_search_report(escape_unencodable(query), matches))
    else:
        _print_found(matches)
    return 0


def _print_found(matches: list[MemoryMatch]) -> None:
    from scry.surfaces.render.activity import render_memory

    if matches:
        print_lines([line for each in matches for line in render_memory(each.recalled.memory, each.why)])
    else:
        print_text("Nothing of that was noted.\n")


def _to_search_report(query: str, matches: list[MemoryMatch]) -> MemorySearchReport:
    from scry.core.memory.ranking import DEFAULT_SIGNAL_WEIGHTS

    reports = [
        msgspec.structs.replace(
            to_memory_report(each.recalled.memory),
            score=each.recalled.score,
            signals=msgspec.to_builtins(each.recalled.signals),
            why=each.why,
        )
        for each in matches
    ]
    return MemorySearchReport(query, msgspec.to_builtins(DEFAULT_SIGNAL_WEIGHTS), reports)
