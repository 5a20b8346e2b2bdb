"""`scry cache`: the indexes, which can be made again at any time."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from scry.surfaces.cli.options import Json, Root


def cache(
    action: Annotated[Literal["show", "clear"], Parameter(help="clear removes it.")] = "show",
    /,
    *,
    everything: Annotated[
        bool, Parameter(name="--all", help="Clear the indexes of all projects and what they share.")
    ] = False,
    root: Root = None,
    as_json: Json = False,
) -> int:
    """Shows where the indexes are and how large they are, or clears the one of this project.

    The next question makes it again. Nothing else is touched; for that there is scry purge.
    """
    from scry.core.places import cache_home
    from scry.index.traces import cache_traces
    from scry.surfaces.cli.traces import report_traces, show_traces

    if action == "clear":
        return _clear(root, everything=everything, as_json=as_json)
    traces, place = cache_traces(), str(cache_home())
    if as_json:
        report_traces(traces, place)
    else:
        show_traces(traces, place)
    return 0


def _clear(root: Root, *, everything: bool, as_json: bool) -> int:
    from scry.core.places import cache_home
    from scry.index.traces import cache_traces, index_traces
    from scry.surfaces.cli.opening import project_folder
    from scry.surfaces.cli.removal import remove_and_report

    folder = None if everything else project_folder(root)
    traces = cache_traces() if folder is None else index_traces(folder)
    return remove_and_report(traces, str(cache_home() if folder is None else folder), as_json=as_json)
