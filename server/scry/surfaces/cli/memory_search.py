"""`scry memory search`: asks memory alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.text import escape_unencodable
from scry.surfaces.cli.memory_list import MemoryKindOption
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines, print_text
from scry.surfaces.cli.remembering import AgentOption, MemoryReport, open_memory, to_memory_report

if TYPE_CHECKING:
    from scry.engine.memory import MemoryMatch

DEFAULT_SEARCH_LIMIT = 10
"""Memories that are shown unless told otherwise."""


class MemorySearchReport(msgspec.Struct, frozen=True):
    """What was found, best first. weights: what each signal counts."""

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
    limit: Annotated[int, Parameter(show_default=True, help="How many at most.")] = DEFAULT_SEARCH_LIMIT,
    agent: AgentOption = "",
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Finds what was noted: by words, how new it is, in which session, and what it was for. Says why for each."""
    from scry.core.memory.purpose import RecallPurpose

    if not query.strip():
        raise BadRequest("query", "is empty; say what to look for")
    if limit < 1:
        raise BadRequest("limit", "is a number from 1 on")
    with open_memory(root) as memory:
        found = memory.search(
            escape_unencodable(query),
            limit,
            purpose=RecallPurpose(purpose) if purpose else None,
            intent=escape_unencodable(intent),
            kinds=kind,
            agent=escape_unencodable(agent),
        )
    if as_json:
        print_json(_to_search_report(escape_unencodable(query), found))
    else:
        _print_found(found)
    return 0


def _print_found(found: list[MemoryMatch]) -> None:
    from scry.surfaces.text.memory import render_memory

    if found:
        print_lines([line for each in found for line in render_memory(each.recalled.memory, each.why)])
    else:
        print_text("Nothing of that was noted.\n")


def _to_search_report(query: str, found: list[MemoryMatch]) -> MemorySearchReport:
    from scry.core.memory.ranking import DEFAULT_SIGNAL_WEIGHTS

    reports = [
        msgspec.structs.replace(
            to_memory_report(each.recalled.memory),
            score=each.recalled.score,
            signals=msgspec.to_builtins(each.recalled.signals),
            why=each.why,
        )
        for each in found
    ]
    return MemorySearchReport(query, msgspec.to_builtins(DEFAULT_SIGNAL_WEIGHTS), reports)
