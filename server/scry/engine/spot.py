"""Where a result of an earlier answer is now."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import UNSET

from scry.core.doc_id import split_project
from scry.core.errors import BadRequest
from scry.core.types import Document
from scry.engine.answers import Kept
from scry.engine.present import present_location
from scry.index.project import Project
from scry.store.index_store import IndexStore
from scry_protocol.messages import Location, ResultItem


class Spot(msgspec.Struct, frozen=True):
    """A place to jump to. line, column: 1-based; columns count UTF-16 units. result: with its location as it is now."""

    result: ResultItem
    path: Path
    line: int
    column: int


def find_spot(kept: Kept, rank: int, store: IndexStore | None, project: Project) -> Spot:
    """Where that result is, by what is indexed now, else as it was answered.

    Raises BadRequest for a result that has no place in a file, and for one whose file is gone or leaves the project.
    """
    result = kept.result(rank)
    if result.location is UNSET:
        raise BadRequest("rank", f"result {rank}, {result.doc_id}, has no place in a file")
    found = store.documents_of_id(split_project(result.doc_id)[1]) if store else []
    if found:
        now = present_location(found[0], project.root, "utf-16")
        start = found[0].symbol.name_span.start
        result = msgspec.structs.replace(result, location=now)
        return Spot(result, _path_of(found[0], project), start.line + 1, start.utf16 + 1)
    start = result.location.range.start
    return Spot(result, _path_at(result.location, rank), start.line + 1, start.character + 1)


def _path_of(document: Document, project: Project) -> Path:
    path = project.root / document.path
    if not path.resolve().is_relative_to(project.root):
        raise BadRequest("rank", f"{path} leads out of the project now")
    return _existing(path)


def _path_at(location: Location, rank: int) -> Path:
    """The file of a document that is not indexed here (any more)."""
    from urllib.parse import unquote_to_bytes, urlsplit
    from urllib.request import url2pathname

    place = urlsplit(location.uri)
    if place.scheme != "file":
        raise BadRequest("rank", f"result {rank} is no file on this machine")
    raw = unquote_to_bytes(place.path).decode("utf-8", "surrogateescape")
    return _existing(Path(url2pathname(raw.replace("%", "%25"))))


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise BadRequest("rank", f"{path} is gone since this was answered")
    return path
