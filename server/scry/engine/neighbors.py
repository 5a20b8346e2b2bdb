"""Neighbors: what belongs to a file? Those that changed with it, or that it is tied to by imports and calls.

Nothing is searched for: neither words nor vectors are read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from scry.core.doc_id import file_id, parse_doc_id
from scry.core.errors import BadRequest, Cancelled, IndexUnavailable
from scry.core.structural import Relation
from scry.core.types import Answer, Candidate, Fault, Hit, Vote
from scry.engine.asked_path import file_of_doc_id, project_path
from scry.engine.files import file_document, file_outline, file_structures, refuse_unknown, summary_of
from scry.engine.plan import without_words
from scry.engine.query_id import new_query_id
from scry.engine.reading import UNFUSED, Reading
from scry.engine.snippet import cut
from scry.engine.words import count
from scry.store.file_reader import FileFacts
from scry.store.graph_reader import Confidence, Neighbors

By = Literal["cochange", "dependency"]

_SPARE = 200
"""So many more co-changed files are read than asked for: some are gone by now, or are not indexed."""

_MOST_LINKS = 10_000
"""Calls and imports that are read in each direction; what is behind them belongs to everything."""

_Ties = dict[str, list[Relation]]


def neighbors(asked: str, by: By, limit: int, root: Path, reading: Reading, cancelled: Callable[[], bool]) -> Answer:
    """The files that most ties lead to, itself excluded.

    asked: a file, or the doc_id of something in one. Raises BadRequest for a file that is not there, Cancelled.
    """
    file, said = _file_asked_about(asked, root, reading)
    faults = reading.faults
    try:
        ties = _cochanged(file.path, limit, reading) if by == "cochange" else _dependent(file.path, reading)
    except IndexUnavailable as error:
        ties, faults = {}, (*faults, Fault("history", str(error)))
    if cancelled():
        raise Cancelled("the question was withdrawn")
    said += _lacks(by, bool(ties), reading)
    hits = tuple(_hits(ties, by, limit, reading))
    question = without_words(file_id(file.path), limit)
    return Answer(question, new_query_id(), UNFUSED, reading.state, hits, faults, "; ".join(said))


def _file_asked_about(asked: str, root: Path, reading: Reading) -> tuple[FileFacts, list[str]]:
    """The file, and what is to be said of how it was found. Raises BadRequest."""
    path = project_path("file", asked, root)
    file = reading.store.file_named(path)
    if file is not None:
        return file, []
    inside = file_of_doc_id(path) or _unescaped(path)
    file = reading.store.file_named(inside)
    if file is None:
        if path == "" or reading.store.files_in(path):
            raise BadRequest("file", f"{path or '.'} is a folder; name a file in it, or ask orient about it")
        refuse_unknown("file", path, reading.store, reading.state)
        raise AssertionError  # the line above always raises
    return file, [f"the file of {asked} was taken, {file.path}"]


def _unescaped(path: str) -> str:
    try:
        return parse_doc_id(path).path
    except ValueError:
        return path


def _cochanged(path: str, limit: int, reading: Reading) -> _Ties:
    if reading.history is None:
        return {}
    together = reading.history.changed_together(path, limit + _SPARE)
    return {other: [Relation("changes_with", commits)] for other, commits in together}


def _dependent(path: str, reading: Reading) -> _Ties:
    """How each other file is tied to this one, as said of the other."""
    graph = reading.store.graph
    found: _Ties = defaultdict(list)
    for other in graph.imports(path, _MOST_LINKS).paths:
        found[other].append(Relation("imported_by", 1, Confidence.EXACT.words))
    for other in graph.imported_by(path, _MOST_LINKS).paths:
        found[other].append(Relation("imports", 1, Confidence.EXACT.words))
    numbers = [number for number, _ in reading.store.numbers_of(path)[1]]
    if numbers:
        _add_calls(found, "called_by", graph.callees(numbers, _MOST_LINKS))
        _add_calls(found, "calls", graph.callers(numbers, _MOST_LINKS))
    found.pop(path, None)
    return dict(found)


def _add_calls(found: _Ties, kind: str, links: Neighbors) -> None:
    """Counts by file what is at the other end of calls; as sure as the surest of them."""
    counted: dict[str, int] = defaultdict(int)
    surest: dict[str, Confidence] = {}
    for link in links.items:
        path = parse_doc_id(link.doc_id).path
        counted[path] += 1
        surest[path] = min(surest.get(path, link.edge.confidence), link.edge.confidence)
    for path, number in counted.items():
        found[path].append(Relation(kind, number, surest[path].words))


def _lacks(by: By, found: bool, reading: Reading) -> list[str]:
    if by == "dependency":
        return [] if reading.store.graph.is_current else ["the code graph is still being made: calls may be missing"]
    if reading.history is None and not reading.faults:
        return ["no history is known here; by dependency, the code is asked instead"]
    return [] if found else ["no commit of 50 files or fewer changed it together with another file"]


def _hits(ties: _Ties, by: By, limit: int, reading: Reading) -> list[Hit]:
    totals = {path: sum(relation.count for relation in relations) for path, relations in ties.items()}
    ordered = sorted(totals, key=lambda path: (-totals[path], path))
    files = [file for path in ordered[: limit + _SPARE] if (file := reading.store.file_named(path))][:limit]
    highest = max((totals[file.path] for file in files), default=1)
    structures = file_structures(files, reading.history)
    hits: list[Hit] = []
    for rank, file in enumerate(files, 1):
        total, relations = totals[file.path], ties[file.path]
        votes = {"temporal": Vote(0, rank, total, "co_change_count")} if by == "cochange" else {}
        candidate = Candidate(file_outline(file), votes, 0.0, (), total / highest)
        snippet = cut(f"{_in_words(relations)} — {summary_of(file.path, reading.store)}".rstrip(" —"))
        hit = Hit(rank, candidate, file_document(file), structures[file.path], snippet, relations=tuple(relations))
        hits.append(hit)
    return hits


_WORDS: Mapping[str, Callable[[int], str]] = {
    "changes_with": lambda number: f"changed with it in {count(number, 'commit')}",
    "imports": lambda _: "imports it",
    "imported_by": lambda _: "is imported by it",
    "calls": lambda number: f"calls it from {count(number, 'place')}",
    "called_by": lambda number: f"{count(number, 'definition')} called by it",
}


def _in_words(relations: Sequence[Relation]) -> str:
    return ", ".join(_WORDS[relation.kind](relation.count) for relation in relations)
