"""Convert results in full to the wire, and locate results of earlier answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest
from scry.core.files import path_of_url
from scry.core.settings import Settings
from scry.core.types import Document, Hit
from scry.engine.explain.changed_file import ChangedDocument, read_changed
from scry.engine.explain.detail import (
    MAX_BODY_CHARACTERS_IN_LIST,
    DocumentRelations,
    FullDocument,
    RelatedDocument,
    read_document,
    read_full_document,
)
from scry.engine.explain.resolve_id import ProjectSnapshot
from scry.engine.response.answer import file_uri, present_location, present_range, replace_surrogates
from scry.projects.project import Project
from scry.store.index.store import IndexStore
from scry_protocol import messages

OptionalImpact = messages.BeliefImpact | UnsetType
"""The beliefs that bear on a document; absent for none."""


def add_full_results(
    answer: messages.Answer,
    hits: Sequence[Hit],
    snapshot: ProjectSnapshot,
    impact: Callable[[str, str], OptionalImpact],
    encoding: str,
) -> messages.Answer:
    """Return the answer with every result in full (D2). hits: of its results. impact: of a doc_id and content type."""
    project, results = snapshot.project, list[messages.ResultItem]()
    for result, hit in zip(answer.results, hits, strict=True):
        full = read_full_document(hit.document, project, snapshot.store, snapshot.history, MAX_BODY_CHARACTERS_IN_LIST)
        presented = present_full(full, impact(result.doc_id, result.content_type), project.root, encoding)
        results.append(msgspec.structs.replace(result, full=presented))
    return msgspec.structs.replace(answer, results=results)


def present_full(full: FullDocument, impact: OptionalImpact, root: Path, encoding: str) -> messages.Full:
    """Return a result in full. encoding: of positions, utf-8 or utf-16."""
    return messages.Full(
        language=full.language,
        signature=replace_surrogates(full.signature),
        doc=replace_surrogates(full.doc),
        body=replace_surrogates(full.body),
        truncated=full.truncated,
        graph=_present_relations(full.graph, root, encoding) if full.graph else UNSET,
        impact=impact,
    )


def _present_relations(graph: DocumentRelations, root: Path, encoding: str) -> messages.Graph:
    lists = {name: [_present_link(link, root, encoding) for link in links] for name, links in graph.lists.items()}
    return messages.Graph(**lists, totals=graph.totals, note=graph.note)


def _present_link(link: RelatedDocument, root: Path, encoding: str) -> messages.Link:
    start = messages.Position(line=link.line or 0, character=0)
    range_ = messages.Range(start=start, end=start)
    if link.span is not None and link.line is None:
        range_ = present_range(link.span, encoding)
    return messages.Link(
        doc_id=replace_surrogates(link.doc_id),
        count=link.count,
        confidence=link.confidence or UNSET,
        location=messages.Location(uri=file_uri(root, link.path), range=range_),
    )


class ResultLocation(msgspec.Struct, frozen=True):
    """The location to jump to. result: with its current location. line, column: 1-based; columns in UTF-16 units."""

    result: messages.ResultItem
    path: Path
    line: int
    column: int


def locate_result(
    result: messages.ResultItem, store: IndexStore | None, project: Project, settings: Settings
) -> ResultLocation:
    """Return where a result is in its file as it is now, else where it was when it was answered.

    Raises BadRequest for a result that has no place in a file, and for one whose file is gone or leaves the project.
    """
    rank = result.rank
    if result.location is UNSET:
        raise BadRequest("rank", f"result {rank}, {result.doc_id}, has no place in a file")
    documents = store.documents.find_by_doc_id(split_off_project(result.doc_id)[1]) if store else []
    if documents and store is not None:
        changed = read_changed(documents[0], project.root, settings, store)
        document = changed.document if isinstance(changed, ChangedDocument) else documents[0]
        now = present_location(document, project.root, "utf-16")
        start = document.symbol.name_span.start
        result = msgspec.structs.replace(result, location=now)
        return ResultLocation(result, _indexed_path(document, project), start.line + 1, start.utf16 + 1)
    start = result.location.range.start
    return ResultLocation(result, _path_of_location(result.location, rank), start.line + 1, start.character + 1)


def place_now(result: messages.ResultItem, snapshot: ProjectSnapshot, encoding: str) -> messages.ResultItem:
    """Return a result of an earlier answer with its location in its file as it is now; commits and notes as they were.

    Raises BadRequest for one that is gone.
    """
    doc_id = split_off_project(result.doc_id)[1]
    if result.location is UNSET or not doc_id.startswith("./"):
        return result
    target = snapshot.resolve(doc_id)
    document = read_document(snapshot, target)
    if document is None or snapshot.store is None:
        if target.status == "missing":
            raise BadRequest("rank", f"{result.doc_id} is gone since this was answered: {target.reason}")
        _path_of_location(result.location, result.rank)
        return result
    now = read_changed(document, snapshot.project.root, snapshot.settings, snapshot.store)
    if isinstance(now, str):
        raise BadRequest("rank", f"{result.doc_id} is gone since this was answered: {now}")
    location = present_location(now.document if now else document, snapshot.project.root, encoding)
    return msgspec.structs.replace(result, location=location)


def _indexed_path(document: Document, project: Project) -> Path:
    path = project.root / document.path
    if not path.resolve().is_relative_to(project.root):
        raise BadRequest("rank", f"{path} leads out of the project now")
    return _require_file(path)


def _path_of_location(location: messages.Location, rank: int) -> Path:
    """Return the file of a document that is not indexed here (any more)."""
    from urllib.parse import unquote_to_bytes, urlsplit

    uri = urlsplit(location.uri)
    if uri.scheme != "file":
        raise BadRequest("rank", f"result {rank} is no file on this machine")
    raw = unquote_to_bytes(uri.path).decode("utf-8", "surrogateescape")
    return _require_file(Path(path_of_url(raw.replace("%", "%25"))))


def _require_file(path: Path) -> Path:
    if not path.is_file():
        raise BadRequest("rank", f"{path} is gone since this was answered")
    return path
