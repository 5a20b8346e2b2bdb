"""`scry memory search`: asks memory alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.text import encodable
from scry.surfaces.cli.memory_list import Kinds
from scry.surfaces.cli.options import Json, Root
from scry.surfaces.cli.output import print_json, print_lines, print_text
from scry.surfaces.cli.remembering import Agent, MemoryReport, open_memory, report_of

if TYPE_CHECKING:
    from scry.engine.memory import Found

FOUND = 10
"""Memories that are shown unless told otherwise."""


class SearchReport(msgspec.Struct, frozen=True):
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
    kind: Kinds = (),
    limit: Annotated[int, Parameter(show_default=True, help="How many at most.")] = FOUND,
    agent: Agent = "",
    root: Root = None,
    as_json: Json = False,
) -> int:
    """Finds what was noted: by words, how new it is, in which session, and what it was for. Says why for each."""
    from scry.core.memory.purpose import Purpose

    if not query.strip():
        raise BadRequest("query", "is empty; say what to look for")
    if limit < 1:
        raise BadRequest("limit", "is a number from 1 on")
    with open_memory(root) as memory:
        found = memory.search(
            encodable(query),
            limit,
            purpose=Purpose(purpose) if purpose else None,
            intent=encodable(intent),
            kinds=kind,
            agent=encodable(agent),
        )
    if as_json:
        print_json(_report(encodable(query), found))
    else:
        _show(found)
    return 0


def _show(found: list[Found]) -> None:
    from scry.surfaces.text.memory import show_memory

    if found:
        print_lines([line for each in found for line in show_memory(each.recalled.memory, each.why)])
    else:
        print_text("Nothing of that was noted.\n")


def _report(query: str, found: list[Found]) -> SearchReport:
    from scry.core.memory.ranking import WEIGHTS

    reports = [
        msgspec.structs.replace(
            report_of(each.recalled.memory),
            score=each.recalled.score,
            signals=msgspec.to_builtins(each.recalled.signals),
            why=each.why,
        )
        for each in found
    ]
    return SearchReport(query, msgspec.to_builtins(WEIGHTS), reports)
