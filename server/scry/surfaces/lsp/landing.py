"""Where a result lands in the editor: under the client's own spelling of the folder, and after the edits not yet saved.

The engine answers with resolved paths (links followed) and with ranges of the saved text. An editor that opened the
folder through a link would otherwise show a second copy of the file, and a jump into an edited file would miss.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import UNSET

from scry.surfaces.lsp.edits import Edits
from scry.surfaces.lsp.folders import Folder
from scry.surfaces.lsp.uris import NotAFile, path_to_uri, uri_to_path
from scry_protocol.messages import Answer, Location, ResultItem


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
    """One result, its location as the editor needs it."""
    if result.location is UNSET:
        return result
    try:
        inside = folder.relative(uri_to_path(result.location.uri))
    except NotAFile:
        inside = None
    if inside is None:
        return result
    edits = unsaved.get(inside)
    location = Location(
        uri=path_to_uri(str(Path(folder.path, inside))),
        range=edits.range(result.location.range) if edits else result.location.range,
    )
    return msgspec.structs.replace(result, location=location)
