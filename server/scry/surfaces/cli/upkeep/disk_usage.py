"""`scry cache` and `scry purge`: list and remove the files that Scry wrote."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from cyclopts import Parameter

from scry.core.errors import RegistryUnavailable
from scry.core.files import format_size
from scry.core.text import escape_unencodable
from scry.projects.disk_usage import DiskItem, remove_items
from scry.surfaces.cli.options import JsonOption, RootOption, YesOption
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.cli.retention import confirm_removal
from scry.surfaces.render.styled_text import StyledLine, make_printable, styled_line


class WrittenFileReport(msgspec.Struct, frozen=True):
    """A file or folder that Scry wrote. what: its kind. project: the folder it was written for; None for several."""

    path: str
    bytes: int
    what: str
    project: str | None = None


class DiskUsageReport(msgspec.Struct, frozen=True):
    """Files that Scry wrote, and their size. removed: whether they are removed. failures: of the removal, in words."""

    place: str
    bytes: int
    entries: list[WrittenFileReport]
    removed: bool = False
    failures: list[str] = []


def print_disk_usage(items: Sequence[DiskItem], title: str) -> None:
    """Print the files that Scry wrote, with their sizes. title: the folder, or `All projects`."""
    total = format_size(sum(item.size for item in items))
    print_lines(
        [
            styled_line((title, "strong"), f": {total if items else 'nothing'}"),
            *(_file_line(item) for item in items),
        ]
    )


def print_disk_usage_json(
    items: Sequence[DiskItem], title: str, *, removed: bool = False, failures: Sequence[str] = ()
) -> None:
    """Print the files that Scry wrote as JSON, also after their removal."""
    entries = [_to_file_report(item) for item in items]
    clean = [escape_unencodable(failure) for failure in failures]
    print_json(DiskUsageReport(escape_unencodable(title), sum(item.size for item in items), entries, removed, clean))


def _to_file_report(item: DiskItem) -> WrittenFileReport:
    project = None if item.project is None else escape_unencodable(str(item.project))
    return WrittenFileReport(escape_unencodable(str(item.path)), item.size, item.kind.value, project)


def _file_line(item: DiskItem) -> StyledLine:
    of = "" if item.project is None else f" of {item.project}"
    return styled_line(
        f"{format_size(item.size):>12}  ", (str(item.path), "place"), (f"  {item.kind.value}{of}", "quiet")
    )


def remove_and_report(items: Sequence[DiskItem], title: str, *, as_json: bool) -> int:
    """Remove files, print the outcome, and return the exit status: 1 where a file could not be removed."""
    failures = remove_items(items)
    if as_json:
        print_disk_usage_json(items, title, removed=not failures, failures=failures)
    else:
        size = format_size(sum(item.size for item in items))
        print_lines([styled_line((f"Removed {size}." if items else "There was nothing to remove.", "strong"))])
    for failure in failures:
        print(f"scry: not removed: {make_printable(failure)}", file=sys.stderr)
    return 1 if failures else 0


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
    from scry.core.platform import cache_home
    from scry.projects.disk_usage import list_cache_items

    if action == "clear":
        return _clear_cache(root, everything=everything, as_json=as_json)
    items, title = list_cache_items(), str(cache_home())
    if as_json:
        print_disk_usage_json(items, title)
    else:
        print_disk_usage(items, title)
    return 0


def _clear_cache(root: RootOption, *, everything: bool, as_json: bool) -> int:
    from scry.core.platform import cache_home
    from scry.projects.disk_usage import list_cache_items, list_index_items
    from scry.surfaces.cli.engines import resolve_project_folder

    folder = None if everything else resolve_project_folder(root)
    items = list_cache_items() if folder is None else list_index_items(folder)
    return remove_and_report(items, str(cache_home() if folder is None else folder), as_json=as_json)


def purge(
    *,
    everything: Annotated[
        bool, Parameter(name="--all", help="For all projects, with your own settings, instead of for this one.")
    ] = False,
    yes: YesOption = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Shows all that Scry ever wrote for this project, asks, and removes it. It can't be brought back.

    A project's folder itself is not touched; its .scry folder is part of it. With --json it is only shown, unless --yes
    is given too.
    """
    items, title = _find_written_files(root, everything=everything)
    if as_json and not yes:
        print_disk_usage_json(items, title)
        return 0
    if not as_json:
        print_disk_usage(items, title)
        if items and not yes and not confirm_removal("Remove all of this? It can't be brought back."):
            return 1
    if not everything:
        _unregister_project(root, as_json=as_json)
    return remove_and_report(items, title, as_json=as_json) if items or as_json else 0


def _unregister_project(root: RootOption, *, as_json: bool) -> None:
    """Remove the project from the registry, a file of the person's that stays otherwise."""
    from scry.projects.registration import unregister_folder
    from scry.surfaces.cli.engines import resolve_project_folder

    try:
        name = unregister_folder(resolve_project_folder(root))
    except RegistryUnavailable as error:
        print(f"scry: {make_printable(str(error))}", file=sys.stderr)
        return
    if name and not as_json:
        print_lines([styled_line(f"{name} is no longer registered.")])


def _find_written_files(root: RootOption, *, everything: bool) -> tuple[Sequence[DiskItem], str]:
    from scry.projects.disk_usage import list_all_items, list_project_items
    from scry.surfaces.cli.engines import resolve_project_folder

    if everything:
        return list_all_items(), "All projects"
    folder = resolve_project_folder(root)
    return list_project_items(folder), str(folder)
