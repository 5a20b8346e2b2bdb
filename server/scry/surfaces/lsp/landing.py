"""Where a result lands in the editor: under the client's own spelling of the folder, and after the edits not yet saved.

The engine answers with resolved paths (links followed) and with ranges of the saved text. An editor that opened the
folder through a link would otherwise show a second copy of the file, and a jump into an edited file would miss.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from scry.surfaces.lsp.edits import Edits
from scry.surfaces.lsp.folders import Folder
from scry.surfaces.lsp.uris import NotAFile, path_to_uri, uri_to_path
from scry_protocol.messages import Answer, Location, ResultItem

LINK_LISTS = ("imports", "imported_by", "callers", "callees", "inherits", "inherited_by", "co_changes")


def unsaved_inside(folder: Folder, unsaved: Mapping[str, Edits]) -> dict[str, Edits]:
    """The unsaved files of this folder, by their path within it."""
    inside: dict[str, Edits] = {}
    for path, edits in unsaved.items():
        relative = folder.relative(path) or folder.relative(os.path.realpath(path))
        if relative:
            inside[relative] = edits
    return inside


def land(answer: Answer, folder: Folder, unsaved: Mapping[str, Edits]) -> Answer:
    """The answer with every location as the editor needs it; `unsaved` is by path within the folder."""
    if not unsaved and len(set(folder.roots)) < 2:
        return answer
    return msgspec.structs.replace(answer, results=[land_result(result, folder, unsaved) for result in answer.results])


def land_result(result: ResultItem, folder: Folder, unsaved: Mapping[str, Edits]) -> ResultItem:
    """One result, its locations as the editor needs them."""

    def landed(location: Location | UnsetType) -> Location | UnsetType:
        return _landed(location, folder, unsaved)

    full = result.full
    if full is not UNSET and full.graph is not UNSET:
        lists = {name: getattr(full.graph, name) for name in LINK_LISTS}
        links = {
            name: [msgspec.structs.replace(link, location=landed(link.location)) for link in found]
            for name, found in lists.items()
        }
        full = msgspec.structs.replace(full, graph=msgspec.structs.replace(full.graph, **links))
    return msgspec.structs.replace(result, location=landed(result.location), full=full)


def _landed(location: Location | UnsetType, folder: Folder, unsaved: Mapping[str, Edits]) -> Location | UnsetType:
    if location is UNSET:
        return location
    try:
        inside = folder.relative(uri_to_path(location.uri))
    except NotAFile:
        inside = None
    if inside is None:
        return location
    edits = unsaved.get(inside)
    return Location(
        uri=path_to_uri(str(Path(folder.path, inside))),
        range=edits.range(location.range) if edits else location.range,
    )
