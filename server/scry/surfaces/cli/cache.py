"""`scry cache`: the indexes, which can be made again at any time."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from scry.surfaces.cli.options import JsonOption, RootOption


def cache(
    action: Annotated[Literal["show", "clear"], Parameter(help="clear removes it.")] = "show",
    /,
    *,
    everything: Annotated[
        bool, Parameter(name="--all", help="Clear the indexes of all projects and what they share.")
    ] = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Shows where the indexes are and how large they are, or clears the one of this project.

    The next question makes it again. Nothing else is touched; for that there is scry purge.
    """
    from scry.core.places import cache_home
    from scry.index.traces import list_cache_items
    from scry.surfaces.cli.traces import print_disk_usage_json, print_disk_usage

    if action == "clear":
        return _clear_cache(root, everything=everything, as_json=as_json)
    traces, place = list_cache_items(), str(cache_home())
    if as_json:
        print_disk_usage_json(traces, place)
    else:
        print_disk_usage(traces, place)
    return 0


def _clear_cache(root: RootOption, *, everything: bool, as_json: bool) -> int:
    from scry.core.places import cache_home
    from scry.index.traces import list_cache_items, list_index_items
    from scry.surfaces.cli.opening import resolve_project_folder
    from scry.surfaces.cli.removal import remove_and_report

    folder = None if everything else resolve_project_folder(root)
    traces = list_cache_items() if folder is None else list_index_items(folder)
    return remove_and_report(traces, str(cache_home() if folder is None else folder), as_json=as_json)
