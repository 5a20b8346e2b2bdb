"""Map result locations to the client's folder spelling and through unsaved edits.

The engine answers with resolved paths (links followed) and with ranges of the saved text. An editor that opened the
folder through a link would otherwise show a second copy of the file, and a jump into an edited file would miss.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from scry.surfaces.lsp.documents import EditMapping
from scry.surfaces.lsp.uris import NotAFileUri, path_to_uri, uri_to_path
from scry.surfaces.lsp.workspace import WorkspaceFolder
from scry_protocol.messages import Location, ResultItem

GRAPH_LINK_FIELDS = ("imports", "imported_by", "callers", "callees", "inherits", "inherited_by", "co_changes")


def unsaved_in_folder(folder: WorkspaceFolder, unsaved: Mapping[str, EditMapping]) -> dict[str, EditMapping]:
    """Return the edits of this folder's unsaved files, by their path within it. unsaved: by absolute path."""
    inside: dict[str, EditMapping] = {}
    for path, edits in unsaved.items():
        relative = folder.relative_path(path) or folder.relative_path(os.path.realpath(path))
        if relative:
            inside[relative] = edits
    return inside


def map_result_to_editor(result: ResultItem, folder: WorkspaceFolder, unsaved: Mapping[str, EditMapping]) -> ResultItem:
    """Return a result with its locations, and those of its links, as the editor needs them.

    unsaved: edits by path within the folder.
    """

    def mapped(location: Location | UnsetType) -> Location | UnsetType:
        return UNSET if location is UNSET else _map_location(location, folder, unsaved)

    full = result.full
    if full is not UNSET and full.graph is not UNSET:
        lists = {name: getattr(full.graph, name) for name in GRAPH_LINK_FIELDS}
        links = {
            name: [msgspec.structs.replace(link, location=mapped(link.location)) for link in own_links]
            for name, own_links in lists.items()
        }
        full = msgspec.structs.replace(full, graph=msgspec.structs.replace(full.graph, **links))
    further = [
        msgspec.structs.replace(place, location=_map_location(place.location, folder, unsaved))
        for place in result.further
    ]
    return msgspec.structs.replace(result, location=mapped(result.location), full=full, further=further)


def _map_location(location: Location, folder: WorkspaceFolder, unsaved: Mapping[str, EditMapping]) -> Location:
    try:
        inside = folder.relative_path(uri_to_path(location.uri))
    except NotAFileUri:
        inside = None
    if inside is None:
        return location
    edits = unsaved.get(inside)
    return Location(
        uri=path_to_uri(str(Path(folder.path, inside))),
        range=edits.map_range(location.range) if edits else location.range,
        name=edits.map_position(location.name) if edits and location.name is not UNSET else location.name,
    )
