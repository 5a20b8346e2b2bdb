"""Neighbors: what belongs to a file? Those that changed with it, or that it is tied to by imports and calls.

Nothing is searched for: neither words nor vectors are read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from scry.core.doc_id import file_doc_id, parse_doc_id
from scry.core.errors import BadRequest, Cancelled, IndexUnavailable
from scry.core.structural import NeighborRelation
from scry.core.types import Answer, Candidate, OracleFault, Hit, OracleMatch
from scry.engine.asked_path import file_of_doc_id, parse_project_path
from scry.engine.files import file_document, file_header, file_structures, raise_unknown_path, file_summary
from scry.engine.plan import browse_question
from scry.engine.query_id import new_query_id
from scry.engine.reading import UNFUSED_SCORING, IndexView
from scry.engine.snippet import truncate
from scry.engine.words import format_count
from scry.store.file_reader import IndexedFileInfo
from scry.store.graph_reader import Confidence, Neighbors

NeighborKind = Literal["cochange", "dependency"]

_EXTRA_CANDIDATES = 200
"""So many more co-changed files are read than asked for: some are gone by now, or are not indexed."""

_MAX_LINKS = 10_000
"""Calls and imports that are read in each direction; what is behind them belongs to everything."""

_RelationsByPath = dict[str, list[NeighborRelation]]


def list_neighbors(asked: str, by: NeighborKind, limit: int, root: Path, reading: IndexView, cancelled: Callable[[], bool]) -> Answer:
    """The files that most ties lead to, itself excluded.

    asked: a file, or the doc_id of something in one. Raises BadRequest for a file that is not there, Cancelled.
    """
    file, said = _resolve_file(asked, root, reading)
    faults = reading.faults
    try:
        ties = _co_changes(file.path, limit, reading) if by == "cochange" else _dependencies(file.path, reading)
    except IndexUnavailable as error:
        ties, faults = {}, (*faults, OracleFault("history", str(error)))
    if cancelled():
        raise Cancelled("the question was withdrawn")
    said += _describe_gaps(by, bool(ties), reading)
    hits = tuple(_make_neighbor_hits(ties, by, limit, reading))
    question = browse_question(file_doc_id(file.path), limit)
    return Answer(question, new_query_id(), UNFUSED_SCORING, reading.state, hits, faults, "; ".join(said))


def _resolve_file(asked: str, root: Path, reading: IndexView) -> tuple[IndexedFileInfo, list[str]]:
    """The file, and what is to be said of how it was found. Raises BadRequest."""
    path = parse_project_path("file", asked, root)
    file = reading.store.get_file(path)
    if file is not None:
        return file, []
    inside = file_of_doc_id(path) or _decode_path(path)
    file = reading.store.get_file(inside)
    if file is None:
        if path == "" or reading.store.files_in_folder(path):
            raise BadRequest("file", f"{path or '.'} is a folder; name a file in it, or ask orient about it")
        raise_unknown_path("file", path, reading.store, reading.state)
        raise AssertionError  # the line above always raises
    return file, [f"the file of {asked} was taken, {file.path}"]


def _decode_path(path: str) -> str:
    try:
        return parse_doc_id(path).path
    except ValueError:
        return path


def _co_changes(path: str, limit: int, reading: IndexView) -> _RelationsByPath:
    if reading.history is None:
        return {}
    together = reading.history.co_changed_files(path, limit + _EXTRA_CANDIDATES)
    return {other: [NeighborRelation("changes_with", commits)] for other, commits in together}


def _dependencies(path: str, reading: IndexView) -> _RelationsByPath:
    """How each other file is tied to this one, as said of the other."""
    graph = reading.store.graph
    found: _RelationsByPath = defaultdict(list)
    for other in graph.imported_files(path, _MAX_LINKS).paths:
        found[other].append(NeighborRelation("imported_by", 1, Confidence.EXACT.label))
    for other in graph.importing_files(path, _MAX_LINKS).paths:
        found[other].append(NeighborRelation("imports", 1, Confidence.EXACT.label))
    numbers = [number for number, _ in reading.store.doc_keys_in_file(path)[1]]
    if numbers:
        _add_calls(found, "called_by", graph.callees(numbers, _MAX_LINKS))
        _add_calls(found, "calls", graph.callers(numbers, _MAX_LINKS))
    found.pop(path, None)
    return dict(found)


def _add_calls(found: _RelationsByPath, kind: str, links: Neighbors) -> None:
    """Counts by file what is at the other end of calls; as sure as the surest of them."""
    counted: dict[str, int] = defaultdict(int)
    surest: dict[str, Confidence] = {}
    for link in links.items:
        path = parse_doc_id(link.doc_id).path
        counted[path] += 1
        surest[path] = min(surest.get(path, link.edge.confidence), link.edge.confidence)
    for path, number in counted.items():
        found[path].append(NeighborRelation(kind, number, surest[path].label))


def _describe_gaps(by: NeighborKind, found: bool, reading: IndexView) -> list[str]:
    if by == "dependency":
        return [] if reading.store.graph.is_current else ["the code graph is still being made: calls may be missing"]
    if reading.history is None and not reading.faults:
        return ["no history is known here; by dependency, the code is asked instead"]
    return [] if found else ["no commit of 50 files or fewer changed it together with another file"]


def _make_neighbor_hits(ties: _RelationsByPath, by: NeighborKind, limit: int, reading: IndexView) -> list[Hit]:
    totals = {path: sum(relation.count for relation in relations) for path, relations in ties.items()}
    ordered = sorted(totals, key=lambda path: (-totals[path], path))
    files = [file for path in ordered[: limit + _EXTRA_CANDIDATES] if (file := reading.store.get_file(path))][:limit]
    highest = max((totals[file.path] for file in files), default=1)
    structures = file_structures(files, reading.history)
    hits: list[Hit] = []
    for rank, file in enumerate(files, 1):
        total, relations = totals[file.path], ties[file.path]
        votes = {"temporal": OracleMatch(0, rank, total, "co_change_count")} if by == "cochange" else {}
        candidate = Candidate(file_header(file), votes, 0.0, (), total / highest)
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
