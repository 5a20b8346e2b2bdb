"""`scry purge`: removes all that Scry ever wrote, for a project or for the person, after showing it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from scry.surfaces.cli.agreement import ask_person
from scry.surfaces.cli.options import Json, Root

if TYPE_CHECKING:
    from scry.index.traces import Trace


def purge(
    *,
    everything: Annotated[
        bool, Parameter(name="--all", help="For all projects, with your own settings, instead of for this one.")
    ] = False,
    yes: Annotated[bool, Parameter(name="--yes", alias="-y", help="Do not ask.")] = False,
    root: Root = None,
    as_json: Json = False,
) -> int:
    """Shows all that Scry ever wrote for this project, asks, and removes it. It can't be brought back.

    A project's folder itself is not touched; its .scry folder is part of it. With --json it is only shown, unless --yes
    is given too.
    """
    from scry.surfaces.cli.removal import remove_and_report
    from scry.surfaces.cli.traces import report_traces, show_traces

    traces, place = _traces(root, everything=everything)
    if as_json and not yes:
        report_traces(traces, place)
        return 0
    if not as_json:
        show_traces(traces, place)
        if traces and not yes and not ask_person("Remove all of this? It can't be brought back."):
            return 1
    return remove_and_report(traces, place, as_json=as_json) if traces or as_json else 0


def _traces(root: Root, *, everything: bool) -> tuple[Sequence[Trace], str]:
    from scry.index.traces import person_traces, project_traces
    from scry.surfaces.cli.opening import project_folder

    if everything:
        return person_traces(), "All projects"
    folder = project_folder(root)
    return project_traces(folder), str(folder)
