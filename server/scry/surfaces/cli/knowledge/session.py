"""`scry session`: start, end and list sessions of work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from cyclopts import App, Parameter

from scry.core.errors import BadRequest
from scry.core.text import escape_unencodable
from scry.surfaces.cli.options import AgentOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines, print_text

if TYPE_CHECKING:
    from scry.core.memory.types import Capsule, WorkSession

session = App(
    name="session",
    help="Says what you work on, so that what was done for it can be found together. It is kept on this machine alone.",
    default_parameter=Parameter(negative=(), show_default=False),
)

DEFAULT_SESSION_COUNT = 10
"""Sessions listed unless `--limit` is given."""


class CapsuleReport(msgspec.Struct, frozen=True):
    """A capsule: a piece of work within a session. Times are in UTC; ended is None while it is open."""

    id: str
    intent: str
    started: str
    ended: str | None


class SessionReport(msgspec.Struct, frozen=True):
    """A session. memories: how many were recorded in it. capsules: its pieces of work, in order."""

    id: str
    agent: str
    started: str
    ended: str | None
    memories: int
    capsules: list[CapsuleReport]


class SessionListReport(msgspec.Struct, frozen=True):
    """The last sessions, the newest first."""

    sessions: list[SessionReport]


@session.command
def start(
    intent: Annotated[str, Parameter(help="What you are about to do.")],
    /,
    *,
    agent: AgentOption = "",
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Begins a piece of work. One that is going on ends, with a summary of what was done."""
    from scry.surfaces.cli.knowledge.memory_view import open_memory

    if not intent.strip():
        raise BadRequest("intent", "is empty; say what you are about to do")
    with open_memory(root) as memory:
        started = memory.start(escape_unencodable(intent), escape_unencodable(agent))
        if as_json:
            print_json(_to_session_report(*memory.session(started.id)))
        else:
            print_text(f"Session {started.id}.\n")
    return 0


@session.command
def end(*, agent: AgentOption = "", root: RootOption = None, as_json: JsonOption = False) -> int:
    """Ends the session, with a summary of what was done in it."""
    from scry.store.memory.reader import MemoryFilter
    from scry.surfaces.cli.knowledge.memory_view import open_memory
    from scry.surfaces.render.activity import render_memory

    with open_memory(root) as memory:
        ended = memory.end(escape_unencodable(agent))
        if ended is None:
            raise BadRequest("session", 'none is open; scry session start "…" begins one')
        if as_json:
            print_json(_to_session_report(*memory.session(ended.id)))
            return 0
        summaries = memory.memories(MemoryFilter(kinds=("summary",), session=ended.id))
        print_text(f"Session {ended.id} has ended; {ended.memories} noted.\n")
        print_lines([line for summary in summaries[::-1] for line in render_memory(summary)])
    return 0


@session.command(name="list")
def list_sessions(
    *,
    limit: Annotated[int, Parameter(alias="-n", show_default=True, help="How many at most.")] = DEFAULT_SESSION_COUNT,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Lists the last sessions with their pieces of work, the newest first."""
    from scry.surfaces.cli.knowledge.memory_view import open_memory
    from scry.surfaces.cli.retention import check_limit
    from scry.surfaces.render.activity import render_session

    check_limit(limit)
    with open_memory(root) as memory:
        sessions = memory.sessions(limit)
    if as_json:
        print_json(SessionListReport([_to_session_report(*each) for each in sessions]))
    elif sessions:
        print_lines([line for each in sessions for line in render_session(*each)])
    else:
        print_text('There was no session yet; scry session start "…" begins one.\n')
    return 0


@session.default
def list_by_default(*, root: RootOption = None, as_json: JsonOption = False) -> int:
    """Lists the last sessions with their pieces of work, the newest first."""
    return list_sessions(root=root, as_json=as_json)


def _to_session_report(session: WorkSession, capsules: list[Capsule]) -> SessionReport:
    from scry.surfaces.render.activity import format_utc_timestamp

    def timestamp(time_ms: int | None) -> str | None:
        return None if time_ms is None else format_utc_timestamp(time_ms)

    works = [
        CapsuleReport(each.id, each.intent, format_utc_timestamp(each.started), timestamp(each.ended))
        for each in capsules
    ]
    started, ended = format_utc_timestamp(session.started), timestamp(session.ended)
    return SessionReport(session.id, session.agent, started, ended, session.memories, works)
