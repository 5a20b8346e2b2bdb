"""What a document is tied to in code and history: imports, calls, inheritance, and what changes with its file."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from scry.core.doc_id import file_doc_id
from scry.core.errors import IndexUnavailable
from scry.core.types import Document, Span
from scry.store.graph_reader import PathList, Neighbors
from scry.store.history_reader import HistoryReader
from scry.store.index_store import IndexStore

MAX_RELATED = 20
"""Links in each list; how many there are in all is said besides."""

_MAX_SCANNED = 2000
"""What a type or a file is tied to is looked through so far for its own members."""

_GRAPH_PENDING = "the code graph is still being made, so that calls and imports may be missing"


class RelatedDocument(Struct, frozen=True):
    """Something that a document is tied to. count: how many commits tie them, for a co-change.

    confidence: empty where nothing had to be resolved. path, span: where a jump leads; no span for a file's start.
    line: the line of the call instead, 0-based, where that is what shows the tie.
    """

    doc_id: str
    path: str
    span: Span | None = None
    line: int | None = None
    count: int = 1
    confidence: str = ""


class DocumentRelations(Struct, frozen=True):
    """lists: by the name of a list on the wire, its links, best first. totals: by the same names, how many there are.

    note: what is not known yet, in words for a person.
    """

    lists: dict[str, tuple[RelatedDocument, ...]]
    totals: dict[str, int]
    note: str = ""


def read_relations(document: Document, store: IndexStore, history: HistoryReader | None) -> DocumentRelations:
    """All that a document of a file is tied to; of a whole file, all that is tied to anything in it."""
    graph, path, number = store.graph, document.path, [document.doc_key]
    inside = [*number, *_member_doc_keys(document, store)]
    own: Sequence[int] = ()
    if document.symbol.kind == "file":
        own = number = inside = [number for number, _ in store.doc_keys_in_file(path)[1]]
    most = _MAX_SCANNED if own else MAX_RELATED
    lists: dict[str, tuple[RelatedDocument, ...]] = {}
    totals: dict[str, int] = {}
    for name, files in (("imports", graph.imported_files(path, MAX_RELATED)), ("imported_by", graph.importing_files(path, MAX_RELATED))):
        lists[name], totals[name] = _relate_files(files), files.total
    for name, found in (
        ("callers", _exclude_own(graph.callers(number, most), own)),
        ("callees", _exclude_own(graph.callees(inside, _MAX_SCANNED), inside)),
        ("inherits", _exclude_own(graph.base_types(number, most), own)),
        ("inherited_by", _exclude_own(graph.derived_types(number, most), own)),
    ):
        lists[name], totals[name] = _relate_documents(found, store, at_call=name == "callers"), found.total
    lists["co_changes"] = _relate_co_changes(path, history)
    return DocumentRelations(lists, totals, "" if graph.is_current else _GRAPH_PENDING)


def _member_doc_keys(document: Document, store: IndexStore) -> list[int]:
    """What is defined in a type: a type calls what its members call."""
    prefix = document.doc_id + "."
    return [number for number, doc_id in store.doc_keys_in_file(document.path)[1] if doc_id.startswith(prefix)]


def _exclude_own(found: Neighbors, inside: Sequence[int]) -> Neighbors:
    """Those that are not among these documents themselves."""
    own = frozenset(inside)
    others = tuple(item for item in found.items if item.doc_key not in own)
    return Neighbors(others[:MAX_RELATED], found.total - len(found.items) + len(others))


def _relate_files(files: PathList) -> tuple[RelatedDocument, ...]:
    return tuple(RelatedDocument(file_doc_id(path), path) for path in files.paths)


def _relate_documents(found: Neighbors, store: IndexStore, *, at_call: bool) -> tuple[RelatedDocument, ...]:
    documents = store.get_documents([item.doc_key for item in found.items])
    return tuple(
        RelatedDocument(
            item.doc_id,
            documents[item.doc_key].path,
            documents[item.doc_key].symbol.span,
            item.edge.line if at_call else None,
            confidence=item.edge.confidence.label,
        )
        for item in found.items
        if item.doc_key in documents
    )


def _relate_co_changes(path: str, history: HistoryReader | None) -> tuple[RelatedDocument, ...]:
    try:
        together: Sequence[tuple[str, int]] = history.co_changed_files(path, MAX_RELATED) if history else ()
    except IndexUnavailable:
        return ()
    return tuple(RelatedDocument(file_doc_id(other), other, count=count) for other, count in together)
