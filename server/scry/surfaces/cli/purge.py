"""`scry purge`: removes all that Scry ever wrote, for a project or for the person, after showing it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from scry.core.errors import RegistryUnavailable
from scry.surfaces.cli.agreement import confirm_removal
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_lines
from scry.surfaces.text.line import styled_line
from scry.surfaces.text.printable import make_printable

if TYPE_CHECKING:
    from scry.index.traces import DiskItem


def purge(
    *,
    everything: Annotated[
        bool, Parameter(name="--all", help="For all projects, with your own settings, instead of for this one.")
    ] = False,
    yes: Annotated[bool, Parameter(name="--yes", alias="-y", help="Do not ask.")] = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Shows all that Scry ever wrote for this project, asks, and removes it. It can't be brought back.

    A project's folder itself is not touched; its .scry folder is part of it. With --json it is only shown, unless --yes
    is given too.
    """
    from scry.surfaces.cli.removal import remove_and_report
    from scry.surfaces.cli.traces import print_disk_usage_json, print_disk_usage

    traces, place = _find_written_files(root, everything=everything)
    if as_json and not yes:
        print_disk_usage_json(traces, place)
        return 0
    if not as_json:
        print_disk_usage(traces, place)
        if traces and not yes and not confirm_removal("Remove all of this? It can't be brought back."):
            return 1
    if not everything:
        _unregister_project(root, as_json=as_json)
    return remove_and_report(traces, place, as_json=as_json) if traces or as_json else 0


def _unregister_project(root: RootOption, *, as_json: bool) -> None:
    """The registry of projects is the person's, not the project's: only its line there goes."""
    from scry.index.registration import unregister_folder
    from scry.surfaces.cli.opening import resolve_project_folder

    try:
        name = unregister_folder(resolve_project_folder(root))
    except RegistryUnavailable as error:
        print(f"scry: {make_printable(str(error))}", file=sys.stderr)
        return
    if name and not as_json:
        print_lines([styled_line(f"{name} is no longer registered.")])


def _find_written_files(root: RootOption, *, everything: bool) -> tuple[Sequence[DiskItem], str]:
    from scry.index.traces import list_all_items, list_project_items
    from scry.surfaces.cli.opening import resolve_project_folder

    if everything:
        return list_all_items(), "All projects"
    folder = resolve_project_folder(root)
    return list_project_items(folder), str(folder)
