"""`scry memory forget`: removes what was noted for good."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.events import EventFilter
from scry.core.text import escape_unencodable
from scry.engine.words import format_count
from scry.surfaces.cli.agreement import confirm_removal
from scry.surfaces.cli.log_forget import SinceOption, UntilOption, YesOption, parse_time, select_events, check_search_text
from scry.surfaces.cli.memory_list import MemoryKindOption
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines, print_text
from scry.surfaces.cli.remembering import open_memory
from scry.surfaces.text.line import styled_line

if TYPE_CHECKING:
    from scry.core.memory.types import Memory
    from scry.engine.memory import MemoryService
    from scry.store.memory.reader import MemoryFilter

_MAX_MEMORIES_SHOWN = 20


class MemoryForgetReport(msgspec.Struct, frozen=True):
    """What is meant, or was removed. sessions: those that went as a whole. is_clean: whether no journal holds any."""

    memories: int
    sessions: int
    removed: bool
    is_clean: bool


def forget(
    ids: Annotated[tuple[str, ...], Parameter(help="Which ones; with or without memory: in front.")] = (),
    /,
    *,
    everything: Annotated[bool, Parameter(name="--all", help="All of it, the sessions too.")] = False,
    session: Annotated[str | None, Parameter(help="A whole session.")] = None,
    kind: MemoryKindOption = (),
    since: SinceOption = None,
    until: UntilOption = None,
    text: Annotated[str | None, Parameter(help="Where this text occurs, also in what it was done for.")] = None,
    yes: YesOption = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Shows what it would remove, asks, and removes it for good, with the answers that are kept of it.

    What is named has to hold together. Summaries that were made of it are made anew without it. With --json it is only
    shown, unless --yes is given too.
    """
    from scry.store.memory.reader import MemoryFilter

    names = tuple(escape_unencodable(each).removeprefix("memory:") for each in ids)
    wanted = MemoryFilter(names, kind, session, parse_time("since", since), parse_time("until", until), check_search_text(text))
    if everything == (wanted != MemoryFilter()):
        raise BadRequest(
            "all", "say what to forget: --all, or ids, or any of --session, --kind, --since, --until, --text"
        )
    with open_memory(root) as memory:
        found = memory.memories(wanted)
        if as_json and not yes:
            print_json(MemoryForgetReport(len(found), 0, removed=False, is_clean=False))
            return 0
        if not as_json:
            _print_selection(found)
        if not yes and not confirm_removal("Forget this, and the answers that are kept of it? It can't be brought back."):
            return 1
        return _forget_and_report(memory, wanted, as_json=as_json)


def _log_reminder(memory: MemoryService, text: str) -> str:
    """What is to be said where the log holds the text too: what was asked is not memory."""
    if not select_events(memory.project, EventFilter(text=text)):
        return ""
    return f"What you asked holds it too, in the log: scry log forget --text {shlex.quote(text)}\n"


def _print_selection(found: list[Memory]) -> None:
    from scry.surfaces.text.memory import render_memory

    lines = [styled_line((_count_memories(len(found)), "strong"))]
    lines += [each for memory in found[:_MAX_MEMORIES_SHOWN] for each in render_memory(memory)]
    print_lines([*lines, styled_line(f"… and {len(found) - _MAX_MEMORIES_SHOWN} older ones")] if len(found) > _MAX_MEMORIES_SHOWN else lines)


def _forget_and_report(memory: MemoryService, wanted: MemoryFilter, *, as_json: bool) -> int:
    done = memory.forget(wanted)
    if as_json:
        print_json(MemoryForgetReport(len(done.ids), done.sessions, removed=True, is_clean=done.is_clean))
        return 0
    sessions = f" and {format_count(done.sessions, 'session')}" if done.sessions else ""
    print_text(f"Forgot {_count_memories(len(done.ids))}{sessions}.\n")
    if wanted.text:
        print_text(_log_reminder(memory, wanted.text))
    if not done.is_clean:
        print_text("Another process reads memory: its journal holds some of it until that has ended.\n")
    return 0


def _count_memories(number: int) -> str:
    return f"{number} memor{'y' if number == 1 else 'ies'}"
