"""One step of a relation over the code graph: from some documents and files to those tied to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scry.core.doc_id import file_doc_id, parse_doc_id, symbol_doc_id
from scry.core.structural import ProofStep
from scry.engine.reading import IndexView
from scry.engine.relation import RelationKind
from scry.store.graph_reader import Confidence, EdgeKind
from scry.store.index_store import IndexStore

MAX_STEP_RESULTS = 10_000
"""What is tied to more than so many things in one step is read so far; the answer says so."""

FILE_RELATIONS = frozenset((RelationKind.IMPORTS, RelationKind.CHANGES_WITH))
"""Relations between files; a symbol stands for its file in them."""

_EDGES = {RelationKind.CALLS: EdgeKind.CALLS, RelationKind.INHERITS: EdgeKind.INHERITS}


def follow_relation(kind: RelationKind, doc_ids: Sequence[str], reading: IndexView, *, is_source: bool) -> dict[str, ProofStep]:
    """What is one step away, each with the surest step there. is_source: those that do it to `doc_ids`."""
    if kind in _EDGES:
        return _follow_edges(_EDGES[kind], kind, doc_ids, reading.store, is_source)
    if kind is RelationKind.DEFINES:
        ways = _follow_definers(doc_ids, reading.store) if is_source else _follow_members(doc_ids, reading.store)
    elif kind is RelationKind.IMPORTS:
        ways = _follow_imports(doc_ids, reading.store, is_source)
    else:
        ways = _follow_co_changes(doc_ids, reading)
    found: dict[str, ProofStep] = {}
    for here, there, line, count in ways:
        source, target = (there, here) if is_source else (here, there)
        found.setdefault(there, ProofStep(source, kind.value, target, Confidence.EXACT.label, line, count))
    return found


_RelationRow = tuple[str, str, int | None, int]
"""From where, to where, the line that shows it, how often."""


def include_members(doc_ids: Iterable[str], store: IndexStore, *, of_types: bool) -> list[str]:
    """These, with all that is in those that are files; of_types: also in those that are types and the like."""
    found = dict.fromkeys(doc_ids)
    for doc_id in list(found):
        named = parse_doc_id(doc_id)
        if named.lines is None and (of_types or not named.name):
            others = (other for _, other in store.doc_keys_in_file(named.path)[1])
            found |= dict.fromkeys(other for other in others if not named.name or other.startswith(f"{doc_id}."))
    return list(found)


def _follow_edges(edge: EdgeKind, kind: RelationKind, doc_ids: Sequence[str], store: IndexStore, is_source: bool) -> dict[str, ProofStep]:
    numbers = store.doc_keys_by_id(doc_ids)
    names = {number: doc_id for doc_id, number in numbers.items()}
    found: dict[str, ProofStep] = {}
    for item in store.graph.neighbors(list(names), edge, MAX_STEP_RESULTS, backward=is_source).items:
        here = names[item.edge.target_key if is_source else item.edge.source_key]
        source, target = (item.doc_id, here) if is_source else (here, item.doc_id)
        found[item.doc_id] = ProofStep(source, kind.value, target, item.edge.confidence.label, item.edge.line)
    return found


def _follow_imports(doc_ids: Sequence[str], store: IndexStore, is_source: bool) -> Iterable[_RelationRow]:
    for path in _unique_paths(doc_ids):
        files = store.graph.importing_files(path, MAX_STEP_RESULTS) if is_source else store.graph.imported_files(path, MAX_STEP_RESULTS)
        yield from ((file_doc_id(path), file_doc_id(other), None, 1) for other in files.paths)


def _follow_co_changes(doc_ids: Sequence[str], reading: IndexView) -> Iterable[_RelationRow]:
    if reading.history is None:
        return
    for path in _unique_paths(doc_ids):
        for other, commits in reading.history.co_changed_files(path, MAX_STEP_RESULTS):
            if reading.store.get_file(other):
                yield file_doc_id(path), file_doc_id(other), None, commits


def _follow_definers(doc_ids: Sequence[str], store: IndexStore) -> Iterable[_RelationRow]:
    """What encloses each: a symbol, else its file."""
    for doc_id in doc_ids:
        for document in store.find_by_doc_id(doc_id):
            around = symbol_doc_id(document.path, document.symbol.container, 0) if document.symbol.container else ""
            there = around if around and store.find_by_doc_id(around) else file_doc_id(document.path)
            yield doc_id, there, document.symbol.name_span.start.line, 1


def _follow_members(doc_ids: Sequence[str], store: IndexStore) -> Iterable[_RelationRow]:
    for doc_id in doc_ids:
        named = parse_doc_id(doc_id)
        documents = store.get_documents([number for number, _ in store.doc_keys_in_file(named.path)[1]]).values()
        for document in documents:
            if document.symbol.name and document.symbol.container == named.name:
                yield doc_id, document.doc_id, document.symbol.name_span.start.line, 1


def _unique_paths(doc_ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(parse_doc_id(doc_id).path for doc_id in doc_ids))
