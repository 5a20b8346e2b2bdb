"""List the files that belong to a file, by co-change or dependency, or the targets of a belief (neighbors).

Neighbors searches nothing: it reads neither words nor vectors. A belief reaches the documents that it cites and those
near to it (N2).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from scry.core.doc_id import commit_sha_of, file_doc_id, new_query_id, parse_doc_id
from scry.core.errors import BadRequest, IndexUnavailable
from scry.core.knowledge import knowledge_type
from scry.core.notices import Notice
from scry.core.text import format_count
from scry.core.types import Answer, Candidate, Document, DocumentHeader, Hit, NeighborRelation, OracleFault, OracleMatch
from scry.engine.browse.files import file_document, file_header, file_structures, file_summary, raise_unknown_path
from scry.engine.browse.paths import file_of_doc_id, parse_project_path
from scry.engine.context import NeighborKind, NeighborsRequest, RequestContext
from scry.engine.index_view import UNFUSED_SCORING, IndexView
from scry.engine.notices import (
    BeliefWarning,
    FileOfDocument,
    GraphPending,
    NoCoChange,
    NoCoChangeHistory,
    NothingSimilar,
    ReachesNothing,
)
from scry.engine.search.query import browse_question
from scry.engine.search.results import make_snippet, truncate
from scry.index.notes.belief_evaluation import BeliefSnapshot
from scry.store.graph import Confidence, Neighbors
from scry.store.history.reader import HistoryReader
from scry.store.index.files import IndexedFileInfo
from scry.store.index.store import IndexStore
from scry.store.notes.project_notes import BeliefTarget

_EXTRA_CANDIDATES = 200
"""Co-changed files read beyond the limit, because some no longer exist or are not indexed."""

_MAX_LINKS = 10_000
"""Calls and imports read in each direction; a file with more of them is related to everything."""

MIN_SIMILARITY = 0.3
"""The cosine below which two places do not resemble each other: that of unrelated functions of one project."""

_RelationsByPath = dict[str, list[NeighborRelation]]


def list_neighbors(request: NeighborsRequest, root: Path, reading: IndexView, context: RequestContext) -> Answer:
    """Return the files with the most relations to a file, itself excluded.

    The request's file may be the doc_id of a document in it. Raises BadRequest for an unknown file, Cancelled.
    """
    by, limit = request.by, request.limit
    if request.line is not None and by != "similar":
        raise BadRequest("line", "is asked about by similar alone; by the other relations a file is asked about")
    if by == "similar":
        return _list_similar(request, root, reading)
    file, notices = _resolve_file(request.file, root, reading)
    faults = reading.faults
    try:
        relations = _co_changes(file.path, limit, reading) if by == "cochange" else _dependencies(file.path, reading)
    except IndexUnavailable as error:
        relations, faults = {}, (*faults, OracleFault("history", str(error)))
    context.raise_if_cancelled()
    notices += _gap_notices(by, bool(relations), reading)
    hits = tuple(_make_neighbor_hits(relations, by, limit, reading))
    question = browse_question(file_doc_id(file.path), limit)
    return Answer(question, new_query_id(), UNFUSED_SCORING, reading.state, hits, faults, tuple(notices))


def _list_similar(request: NeighborsRequest, root: Path, reading: IndexView) -> Answer:
    """Return the documents nearest in meaning to the one that the request names, or that holds its line; for a whole
    file the nearest files.
    """
    store = reading.store
    file, file_notices = _resolve_file(request.file, root, reading)
    document = _resolve_place(request, file, root, store)
    if document is None:
        return _list_similar_files(file, request.limit, reading, file_notices)
    near = store.vectors.similar(document.doc_key, request.limit + _EXTRA_CANDIDATES)
    headers = store.documents.headers([doc_key for doc_key, _ in near])
    documents = store.documents.get_documents(list(headers))
    others = [
        (documents[doc_key], min(1.0, cosine))
        for doc_key, cosine in near
        if doc_key in documents and cosine >= MIN_SIMILARITY and not _overlap(documents[doc_key], document)
    ][: request.limit]
    files = [known for path in {each.path for each, _ in others} if (known := store.files.get_file(path))]
    structures = file_structures(files, reading.history)
    hits = [
        Hit(
            rank,
            Candidate(
                headers[each.doc_key], {"semantic": OracleMatch(each.doc_key, rank, cosine, "cosine")}, 0.0, (), cosine
            ),
            each,
            structures.get(each.path),
            make_snippet(each, store.files.get_text(each.path)),
        )
        for rank, (each, cosine) in enumerate(others, 1)
    ]
    notices = () if hits else (NothingSimilar(document.doc_id),)
    question = browse_question(document.doc_id, request.limit)
    return Answer(question, new_query_id(), UNFUSED_SCORING, reading.state, tuple(hits), reading.faults, notices)


def _list_similar_files(
    file: IndexedFileInfo, limit: int, reading: IndexView, file_notices: Sequence[Notice]
) -> Answer:
    """Return the files whose vectors are nearest to that of a file. file_notices: about the file that was asked for."""
    store = reading.store
    near = [each for each in store.vectors.similar_files(file.path)[:limit] if each[1] >= MIN_SIMILARITY]
    cosines = {known: cosine for path, cosine in near if (known := store.files.get_file(path))}
    structures = file_structures(list(cosines), reading.history)
    hits = [
        Hit(
            rank,
            Candidate(file_header(each), {"semantic": OracleMatch(0, rank, cosine, "cosine")}, 0.0, (), cosine),
            file_document(each),
            structures[each.path],
            file_summary(each.path, store),
        )
        for rank, (each, cosine) in enumerate(cosines.items(), 1)
    ]
    doc_id = file_doc_id(file.path)
    notices = (*file_notices, *(() if hits else (NothingSimilar(doc_id),)))
    question = browse_question(doc_id, limit)
    return Answer(question, new_query_id(), UNFUSED_SCORING, reading.state, tuple(hits), reading.faults, notices)


def _resolve_place(request: NeighborsRequest, file: IndexedFileInfo, root: Path, store: IndexStore) -> Document | None:
    """Return the document that a doc_id names, else the smallest one that holds the line; None for a whole file."""
    if request.line is None:
        named = store.documents.find_by_doc_id(f"./{parse_project_path('file', request.file, root)}")
        return named[0] if named else None
    doc_keys = [doc_key for doc_key, _ in store.documents.doc_keys_in_file(file.path)[1]]
    inside = sorted(store.documents.get_documents(doc_keys).values(), key=lambda each: each.symbol.span.start.line)
    holding = [each for each in inside if _first_line(each) <= request.line - 1 <= each.symbol.span.end.line]
    before = [each for each in inside if _first_line(each) <= request.line - 1]
    return min(holding, key=_line_count, default=before[-1] if before else (inside[0] if inside else None))


def _first_line(document: Document) -> int:
    return document.symbol.span.start.line


def _line_count(document: Document) -> int:
    return document.symbol.span.end.line - document.symbol.span.start.line


def _overlap(one: Document, other: Document | None) -> bool:
    """Return whether two documents share a line: a method resembles its class."""
    if other is None or one.path != other.path:
        return False
    return _first_line(one) <= other.symbol.span.end.line and _first_line(other) <= one.symbol.span.end.line


def _resolve_file(path_input: str, root: Path, reading: IndexView) -> tuple[IndexedFileInfo, list[Notice]]:
    """Return the file, with a notice if the request names a document in it. Raises BadRequest."""
    path = parse_project_path("file", path_input, root)
    file = reading.store.files.get_file(path)
    if file is not None:
        return file, []
    inside = file_of_doc_id(path) or _decode_path(path)
    file = reading.store.files.get_file(inside)
    if file is None:
        if path == "" or reading.store.files.files_in_folder(path):
            raise BadRequest("file", f"{path or '.'} is a folder; name a file in it, or ask orient about it")
        raise_unknown_path("file", path, reading.store, reading.state)
        raise AssertionError  # the line above always raises
    return file, [FileOfDocument(path_input, file.path)]


def _decode_path(path: str) -> str:
    try:
        return parse_doc_id(path).path
    except ValueError:
        return path


def _co_changes(path: str, limit: int, reading: IndexView) -> _RelationsByPath:
    if reading.history is None:
        return {}
    co_changed = reading.history.co_changed_files(path, limit + _EXTRA_CANDIDATES)
    return {other: [NeighborRelation("changes_with", commits)] for other, commits in co_changed}


def _dependencies(path: str, reading: IndexView) -> _RelationsByPath:
    """Return the relations of each other file to this one, in words about the other file."""
    graph = reading.store.graph
    relations: _RelationsByPath = defaultdict(list)
    for other in graph.imported_files(path, _MAX_LINKS).paths:
        relations[other].append(NeighborRelation("imported_by", 1, Confidence.EXACT.label))
    for other in graph.importing_files(path, _MAX_LINKS).paths:
        relations[other].append(NeighborRelation("imports", 1, Confidence.EXACT.label))
    doc_keys = [doc_key for doc_key, _ in reading.store.documents.doc_keys_in_file(path)[1]]
    if doc_keys:
        _add_calls(relations, "called_by", graph.callees(doc_keys, _MAX_LINKS))
        _add_calls(relations, "calls", graph.callers(doc_keys, _MAX_LINKS))
    relations.pop(path, None)
    return dict(relations)


def _add_calls(relations: _RelationsByPath, kind: str, links: Neighbors) -> None:
    """Add the calls, grouped by the file of their other end, with their number and the highest confidence."""
    counts: dict[str, int] = defaultdict(int)
    surest: dict[str, Confidence] = {}
    for link in links.items:
        path = parse_doc_id(link.doc_id).path
        counts[path] += 1
        surest[path] = min(surest.get(path, link.edge.confidence), link.edge.confidence)
    for path, count in counts.items():
        relations[path].append(NeighborRelation(kind, count, surest[path].label))


def _gap_notices(by: NeighborKind, has_neighbors: bool, reading: IndexView) -> list[Notice]:
    if by == "dependency":
        return [] if reading.store.graph.is_current else [GraphPending("calls")]
    if reading.history is None and not reading.faults:
        return [NoCoChangeHistory()]
    return [] if has_neighbors else [NoCoChange()]


def _make_neighbor_hits(
    relations_by_path: _RelationsByPath, by: NeighborKind, limit: int, reading: IndexView
) -> list[Hit]:
    totals = {path: sum(relation.count for relation in relations) for path, relations in relations_by_path.items()}
    ordered = sorted(totals, key=lambda path: (-totals[path], path))
    files = [file for path in ordered[: limit + _EXTRA_CANDIDATES] if (file := reading.store.files.get_file(path))][
        :limit
    ]
    highest = max((totals[file.path] for file in files), default=1)
    structures = file_structures(files, reading.history)
    hits: list[Hit] = []
    for rank, file in enumerate(files, 1):
        total, relations = totals[file.path], relations_by_path[file.path]
        matches = {"temporal": OracleMatch(0, rank, total, "co_change_count")} if by == "cochange" else {}
        candidate = Candidate(file_header(file), matches, 0.0, (), total / highest)
        snippet = truncate(f"{_describe_relations(relations)} — {file_summary(file.path, reading.store)}".rstrip(" —"))
        hit = Hit(rank, candidate, file_document(file), structures[file.path], snippet, relations=tuple(relations))
        hits.append(hit)
    return hits


_RELATION_PHRASES: Mapping[str, Callable[[int], str]] = {
    "changes_with": lambda number: f"changed with it in {format_count(number, 'commit')}",
    "imports": lambda _: "imports it",
    "imported_by": lambda _: "is imported by it",
    "calls": lambda number: f"calls it from {format_count(number, 'place')}",
    "called_by": lambda number: f"{format_count(number, 'definition')} called by it",
}


def _describe_relations(relations: Sequence[NeighborRelation]) -> str:
    return ", ".join(_RELATION_PHRASES[relation.kind](relation.count) for relation in relations)


def list_belief_neighbors(
    belief: str, request: NeighborsRequest, reading: IndexView, snapshot: BeliefSnapshot | None
) -> Answer:
    """Return the targets of a belief, the highest score first. Raises BadRequest for an unknown belief."""
    types, limit = request.types, request.limit
    doc_id = f"belief:{belief.strip().removeprefix('belief:')}"
    if snapshot is None or doc_id not in snapshot.file.notes_by_doc_id([doc_id]):
        raise BadRequest("belief", f"this project holds no {doc_id}; scry belief list names those it holds")
    reached_hits = [
        hit for target in snapshot.reach(doc_id) if (hit := _make_reached_hit(target, reading, snapshot)) is not None
    ]
    wanted = [hit for hit in reached_hits if not types or hit.document.content_type in types]
    hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(wanted[:limit], 1))
    notices: list[Notice] = [BeliefWarning(warning) for warning in snapshot.warnings([doc_id]).get(doc_id, ())]
    if not hits:
        notices.append(ReachesNothing(tuple(types) if reached_hits else ()))
    question = browse_question(doc_id, limit)
    return Answer(question, new_query_id(), UNFUSED_SCORING, reading.state, hits, reading.faults, tuple(notices))


def _make_reached_hit(target: BeliefTarget, reading: IndexView, snapshot: BeliefSnapshot) -> Hit | None:
    """Return a target of a belief as a result; None for one that no longer exists."""
    if target.target.startswith("./"):
        return _make_file_hit(target, reading)
    sha = commit_sha_of(target.target)
    document = _read_commit(sha, reading.history) if sha else _read_note(target.target, snapshot)
    if document is None:
        return None
    header = DocumentHeader(document.doc_key, document.doc_id, document.content_type, "", document.symbol.name, "", "")
    return _make_hit(target, header, document, document.symbol.signature)


def _make_file_hit(target: BeliefTarget, reading: IndexView) -> Hit | None:
    file = reading.store.files.get_file(parse_doc_id(target.target).path)
    if file is None:
        return None
    hit = _make_hit(target, file_header(file), file_document(file), file_summary(file.path, reading.store))
    return replace(hit, structure=file_structures([file], reading.history)[file.path])


def _read_commit(sha: str, history: HistoryReader | None) -> Document | None:
    commit = history.commit_by_sha(sha) if history is not None else None
    return history.get_documents([commit.doc_key]).get(commit.doc_key) if commit and history else None


def _read_note(doc_id: str, snapshot: BeliefSnapshot) -> Document | None:
    if knowledge_type(doc_id) is None:
        return None
    doc_key = snapshot.file.notes.doc_keys_by_id([doc_id]).get(doc_id)
    return None if doc_key is None else snapshot.file.notes.get_documents([doc_key]).get(doc_key)


def _make_hit(target: BeliefTarget, header: DocumentHeader, document: Document, description: str) -> Hit:
    candidate = Candidate(header, {}, 0.0, (), target.score)
    snippet = truncate(f"{target.reason} — {description}".rstrip(" —"))
    return Hit(0, candidate, document, None, snippet, evidence=(f"reach {target.score:.2f}",))
