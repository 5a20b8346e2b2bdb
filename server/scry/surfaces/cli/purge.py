"""`scry purge`: removes all that Scry ever wrote, for a project or for the person, after showing it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from scry.core.errors import RegistryUnavailable
from scry.surfaces.cli.agreement import ask_person
from scry.surfaces.cli.options import Json, Root
from scry.surfaces.cli.output import print_lines
from scry.surfaces.text.line import line
from scry.surfaces.text.printable import printable

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
    if not everything:
        _unregister(root, as_json=as_json)
    return remove_and_report(traces, place, as_json=as_json) if traces or as_json else 0


def _unregister(root: Root, *, as_json: bool) -> None:
    """The registry of projects is the person's, not the project's: only its line there goes."""
    from scry.index.registration import forget
    from scry.surfaces.cli.opening import project_folder

    try:
        name = forget(project_folder(root))
    except RegistryUnavailable as error:
        print(f"scry: {printable(str(error))}", file=sys.stderr)
        return
    if name and not as_json:
        print_lines([line(f"{name} is no longer registered.")])


def _traces(root: Root, *, everything: bool) -> tuple[Sequence[Trace], str]:
    from scry.index.traces import person_traces, project_traces
    from scry.surfaces.cli.opening import project_folder

    if everything:
        return person_traces(), "All projects"
    folder = project_folder(root)
    return project_traces(folder), str(folder)
