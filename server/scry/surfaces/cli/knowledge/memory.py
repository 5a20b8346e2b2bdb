"""`scry memory`: the command group, with pin, summarize, import, export, forget and the switch."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from cyclopts import App, Parameter

from scry.core.errors import BadRequest
from scry.core.events import EventFilter
from scry.core.text import escape_unencodable, format_count
from scry.surfaces.cli.knowledge.memory_view import (
    MemoryKindOption,
    MemoryReport,
    list_memories,
    open_memory,
    search,
    show,
    to_memory_report,
)
from scry.surfaces.cli.options import (
    AgentOption,
    JsonOption,
    NewFileArgument,
    RootOption,
    SinceOption,
    UntilOption,
    YesOption,
)
from scry.surfaces.cli.output import print_json, print_lines, print_text
from scry.surfaces.cli.retention import (
    check_search_text,
    confirm_removal,
    export_records,
    parse_time,
    select_events,
    set_recording,
)
from scry.surfaces.render.styled_text import styled_line

if TYPE_CHECKING:
    from scry.core.memory.types import Memory
    from scry.engine.knowledge.memory import MemoryService
    from scry.store.memory.reader import MemoryFilter


def switch_on(*, as_json: JsonOption = False) -> int:
    """Notes what is done from now on, in all projects; editors that are open heed it at once."""
    return set_recording("memory", "Memory", as_json=as_json, is_on=True)


def switch_off(*, as_json: JsonOption = False) -> int:
    """Notes nothing from now on, in all projects; editors that are open heed it at once. Earlier notes stay."""
    return set_recording("memory", "Memory", as_json=as_json, is_on=False)


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
        summary = memory.summarize(capsule, escape_unencodable(text))
    _print_memory(summary, as_json=as_json)
    return 0


def _set_pinned(name: str, root: RootOption, *, is_pinned: bool, as_json: bool) -> int:
    with open_memory(root) as memory:
        pinned = memory.pin(escape_unencodable(name).removeprefix("memory:"), is_pinned=is_pinned)
    _print_memory(pinned, as_json=as_json)
    return 0


def _print_memory(memory: Memory, *, as_json: bool) -> None:
    from scry.surfaces.render.activity import render_memory

    if as_json:
        print_json(to_memory_report(memory))
    else:
        print_lines(render_memory(memory))


class MemoryImportReport(msgspec.Struct, frozen=True):
    """Outcome of an import. noted: new observations. known: those recorded before. masked: secrets masked."""

    noted: int
    known: int
    masked: int


def import_reports(
    files: Annotated[tuple[Path, ...], Parameter(help="Reports in JUnit's XML, as pytest --junitxml writes them.")],
    /,
    *,
    agent: AgentOption = "",
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Notes the tests that failed, and how many passed, out of JUnit XML reports."""
    from scry.index.notes.junit import read_junit_report
    from scry.store.events.log import now_ms

    observations = [observation for file in files for observation in read_junit_report(file, now_ms())]
    with open_memory(root) as memory:
        recorded = [memory.note(observation, agent) for observation in observations]
    report = MemoryImportReport(
        sum(each.is_new for each in recorded),
        sum(not each.is_new for each in recorded),
        sum(each.masked_secrets for each in recorded),
    )
    if as_json:
        print_json(report)
    else:
        known = f"; {report.known} were known" if report.known else ""
        masked = f"; {format_count(report.masked, 'secret')} masked" if report.masked else ""
        print_text(f"{report.noted} noted{known}{masked}.\n")
    return 0


class MemoryExportReport(msgspec.Struct, frozen=True):
    """Outcome of an export. file: the new file. memories: how many it holds."""

    file: str
    memories: int


def export(file: NewFileArgument = None, /, *, root: RootOption = None, as_json: JsonOption = False) -> int:
    """Writes everything that was noted, in order, as JSON lines. With a file, --json reports on it."""
    with open_memory(root) as memory:
        return export_records(_iter_memories(memory), file, MemoryExportReport, "memories", as_json=as_json)


def _iter_memories(memory: MemoryService) -> Iterator[MemoryReport]:
    reader = memory.reader()
    if reader is not None:
        with closing(reader):
            yield from map(to_memory_report, reader.iter_memories())


_MAX_MEMORIES_SHOWN = 20


class MemoryForgetReport(msgspec.Struct, frozen=True):
    """Memories selected, or removed. sessions: removed as a whole. is_clean: whether no journal file holds any."""

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

    All conditions have to hold together. Summaries that were made of it are made anew without it. With --json it is
    only shown, unless --yes is given too.
    """
    from scry.store.memory.reader import MemoryFilter

    names = tuple(escape_unencodable(each).removeprefix("memory:") for each in ids)
    selection = MemoryFilter(
        names, kind, session, parse_time("since", since), parse_time("until", until), check_search_text(text)
    )
    if everything == (selection != MemoryFilter()):
        raise BadRequest(
            "all", "say what to forget: --all, or ids, or any of --session, --kind, --since, --until, --text"
        )
    with open_memory(root) as memory:
        memories = memory.memories(selection)
        if names and not memories and not yes:
            raise _unknown_memories(names)
        if as_json and not yes:
            print_json(MemoryForgetReport(len(memories), 0, removed=False, is_clean=False))
            return 0
        if not as_json:
            _print_selection(memories)
        if not yes and not confirm_removal(
            "Forget this, and the answers that are kept of it? It can't be brought back."
        ):
            return 1
        return _forget_and_report(memory, selection, as_json=as_json)


def _unknown_memories(ids: Sequence[str]) -> BadRequest:
    return BadRequest("ids", f"no memory is named {', '.join(ids)}; scry memory list names them")


def _log_reminder(memory: MemoryService, text: str) -> str:
    """Return a reminder where the log of questions, which is not memory, also holds the text; else nothing."""
    if not select_events(memory.project, EventFilter(text=text)):
        return ""
    return f"What you asked holds it too, in the log: scry log forget --text {shlex.quote(text)}\n"


def _print_selection(memories: list[Memory]) -> None:
    from scry.surfaces.render.activity import render_memory

    lines = [styled_line((_count_memories(len(memories)), "strong"))]
    lines += [line for memory in memories[:_MAX_MEMORIES_SHOWN] for line in render_memory(memory)]
    print_lines(
        [*lines, styled_line(f"… and {len(memories) - _MAX_MEMORIES_SHOWN} older ones")]
        if len(memories) > _MAX_MEMORIES_SHOWN
        else lines
    )


def _forget_and_report(memory: MemoryService, selection: MemoryFilter, *, as_json: bool) -> int:
    forgotten = memory.forget(selection)
    if selection.ids and not forgotten.ids:
        raise _unknown_memories(selection.ids)
    if as_json:
        print_json(
            MemoryForgetReport(len(forgotten.ids), forgotten.sessions, removed=True, is_clean=forgotten.is_clean)
        )
        return 0
    sessions = f" and {format_count(forgotten.sessions, 'session')}" if forgotten.sessions else ""
    print_text(f"Forgot {_count_memories(len(forgotten.ids))}{sessions}.\n")
    if selection.text:
        print_text(_log_reminder(memory, selection.text))
    if not forgotten.is_clean:
        print_text("Another process reads memory: its journal holds some of it until that has ended.\n")
    return 0


def _count_memories(count: int) -> str:
    return f"{count} memor{'y' if count == 1 else 'ies'}"


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
    limit: Annotated[int | None, Parameter(alias="-n", help="How many of the last ones.")] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Shows what was noted last, the newest first. It is kept on this machine alone."""
    return list_memories(kind=kind, session=session, limit=limit, root=root, as_json=as_json)
