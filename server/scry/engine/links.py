"""One step of a relation over the code graph: from some documents and files to those tied to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scry.core.doc_id import file_id, parse_doc_id, symbol_id
from scry.core.structural import Step
from scry.engine.reading import Reading
from scry.engine.relation import Kind
from scry.store.graph_reader import Confidence, EdgeKind
from scry.store.index_store import IndexStore

MOST = 10_000
"""What is tied to more than so many things in one step is read so far; the answer says so."""

OF_FILES = frozenset((Kind.IMPORTS, Kind.CHANGES_WITH))
"""Relations between files; a symbol stands for its file in them."""

_EDGES = {Kind.CALLS: EdgeKind.CALLS, Kind.INHERITS: EdgeKind.INHERITS}


def links(kind: Kind, doc_ids: Sequence[str], reading: Reading, *, is_source: bool) -> dict[str, Step]:
    """What is one step away, each with the surest step there. is_source: those that do it to `doc_ids`."""
    if kind in _EDGES:
        return _edges(_EDGES[kind], kind, doc_ids, reading.store, is_source)
    if kind is Kind.DEFINES:
        ways = _definers(doc_ids, reading.store) if is_source else _members(doc_ids, reading.store)
    elif kind is Kind.IMPORTS:
        ways = _imports(doc_ids, reading.store, is_source)
    else:
        ways = _together(doc_ids, reading)
    found: dict[str, Step] = {}
    for here, there, line, count in ways:
        source, target = (there, here) if is_source else (here, there)
        found.setdefault(there, Step(source, kind.value, target, Confidence.EXACT.words, line, count))
    return found


_Way = tuple[str, str, int | None, int]
"""From where, to where, the line that shows it, how often."""


def with_members(doc_ids: Iterable[str], store: IndexStore, *, of_types: bool) -> list[str]:
    """These, with all that is in those that are files; of_types: also in those that are types and the like."""
    found = dict.fromkeys(doc_ids)
    for doc_id in list(found):
        named = parse_doc_id(doc_id)
        if named.lines is None and (of_types or not named.name):
            others = (other for _, other in store.numbers_of(named.path)[1])
            found |= dict.fromkeys(other for other in others if not named.name or other.startswith(f"{doc_id}."))
    return list(found)


def _edges(edge: EdgeKind, kind: Kind, doc_ids: Sequence[str], store: IndexStore, is_source: bool) -> dict[str, Step]:
    numbers = store.numbers_named(doc_ids)
    names = {number: doc_id for doc_id, number in numbers.items()}
    found: dict[str, Step] = {}
    for item in store.graph.neighbors(list(names), edge, MOST, backward=is_source).items:
        here = names[item.edge.target if is_source else item.edge.source]
        source, target = (item.doc_id, here) if is_source else (here, item.doc_id)
        found[item.doc_id] = Step(source, kind.value, target, item.edge.confidence.words, item.edge.line)
    return found


def _imports(doc_ids: Sequence[str], store: IndexStore, is_source: bool) -> Iterable[_Way]:
    for path in _paths(doc_ids):
        files = store.graph.imported_by(path, MOST) if is_source else store.graph.imports(path, MOST)
        yield from ((file_id(path), file_id(other), None, 1) for other in files.paths)


def _together(doc_ids: Sequence[str], reading: Reading) -> Iterable[_Way]:
    if reading.history is None:
        return
    for path in _paths(doc_ids):
        for other, commits in reading.history.changed_together(path, MOST):
            if reading.store.file_named(other):
                yield file_id(path), file_id(other), None, commits


def _definers(doc_ids: Sequence[str], store: IndexStore) -> Iterable[_Way]:
    """What encloses each: a symbol, else its file."""
    for doc_id in doc_ids:
        for document in store.documents_of_id(doc_id):
            around = symbol_id(document.path, document.symbol.container, 0) if document.symbol.container else ""
            there = around if around and store.documents_of_id(around) else file_id(document.path)
            yield doc_id, there, document.symbol.name_span.start.line, 1


def _members(doc_ids: Sequence[str], store: IndexStore) -> Iterable[_Way]:
    for doc_id in doc_ids:
        named = parse_doc_id(doc_id)
        documents = store.documents([number for number, _ in store.numbers_of(named.path)[1]]).values()
        for document in documents:
            if document.symbol.name and document.symbol.container == named.name:
                yield doc_id, document.doc_id, document.symbol.name_span.start.line, 1


def _paths(doc_ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(parse_doc_id(doc_id).path for doc_id in doc_ids))
