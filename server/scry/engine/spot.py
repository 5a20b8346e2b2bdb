"""Where a result of an earlier answer is now."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import UNSET

from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest
from scry.core.types import Document
from scry.engine.answers import StoredAnswer
from scry.engine.present import present_location
from scry.index.project import Project
from scry.store.index_store import IndexStore
from scry_protocol.messages import Location, ResultItem


class ResultLocation(msgspec.Struct, frozen=True):
    """A place to jump to. line, column: 1-based; columns count UTF-16 units. result: with its location as it is now."""

    result: ResultItem
    path: Path
    line: int
    column: int


def locate_result(stored: StoredAnswer, rank: int, store: IndexStore | None, project: Project) -> ResultLocation:
    """Where that result is, by what is indexed now, else as it was answered.

    Raises BadRequest for a result that has no place in a file, and for one whose file is gone or leaves the project.
    """
    result = stored.result(rank)
    if result.location is UNSET:
        raise BadRequest("rank", f"result {rank}, {result.doc_id}, has no place in a file")
    found = store.find_by_doc_id(split_off_project(result.doc_id)[1]) if store else []
    if found:
        now = present_location(found[0], project.root, "utf-16")
        start = found[0].symbol.name_span.start
        result = msgspec.structs.replace(result, location=now)
        return ResultLocation(result, _indexed_path(found[0], project), start.line + 1, start.utf16 + 1)
    start = result.location.range.start
    return ResultLocation(result, _path_of_location(result.location, rank), start.line + 1, start.character + 1)


def _indexed_path(document: Document, project: Project) -> Path:
    path = project.root / document.path
    if not path.resolve().is_relative_to(project.root):
        raise BadRequest("rank", f"{path} leads out of the project now")
    return _require_file(path)


def _path_of_location(location: Location, rank: int) -> Path:
    """The file of a document that is not indexed here (any more)."""
    from urllib.parse import unquote_to_bytes, urlsplit
    from urllib.request import url2pathname

    place = urlsplit(location.uri)
    if place.scheme != "file":
        raise BadRequest("rank", f"result {rank} is no file on this machine")
    raw = unquote_to_bytes(place.path).decode("utf-8", "surrogateescape")
    return _require_file(Path(url2pathname(raw.replace("%", "%25"))))


def _require_file(path: Path) -> Path:
    if not path.is_file():
        raise BadRequest("rank", f"{path} is gone since this was answered")
    return path
