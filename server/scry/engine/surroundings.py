"""What a document is tied to in code and history: imports, calls, inheritance, and what changes with its file."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from scry.core.doc_id import file_id
from scry.core.errors import IndexUnavailable
from scry.core.types import Document, Span
from scry.store.graph_reader import Files, Neighbors
from scry.store.history_reader import HistoryReader
from scry.store.index_store import IndexStore

MOST = 20
"""Links in each list; how many there are in all is said besides."""

_WALKED = 2000
"""What a type or a file is tied to is looked through so far for its own members."""

_PENDING = "the code graph is still being made, so that calls and imports may be missing"


class Link(Struct, frozen=True):
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


class Graph(Struct, frozen=True):
    """lists: by the name of a list on the wire, its links, best first. totals: by the same names, how many there are.

    note: what is not known yet, in words for a person.
    """

    lists: dict[str, tuple[Link, ...]]
    totals: dict[str, int]
    note: str = ""


def read_graph(document: Document, store: IndexStore, history: HistoryReader | None) -> Graph:
    """All that a document of a file is tied to; of a whole file, all that is tied to anything in it."""
    graph, path, number = store.graph, document.path, [document.number]
    inside = [*number, *_members(document, store)]
    own: Sequence[int] = ()
    if document.symbol.kind == "file":
        own = number = inside = [number for number, _ in store.numbers_of(path)[1]]
    most = _WALKED if own else MOST
    lists: dict[str, tuple[Link, ...]] = {}
    totals: dict[str, int] = {}
    for name, files in (("imports", graph.imports(path, MOST)), ("imported_by", graph.imported_by(path, MOST))):
        lists[name], totals[name] = _files(files), files.total
    for name, found in (
        ("callers", _others(graph.callers(number, most), own)),
        ("callees", _others(graph.callees(inside, _WALKED), inside)),
        ("inherits", _others(graph.bases(number, most), own)),
        ("inherited_by", _others(graph.derived(number, most), own)),
    ):
        lists[name], totals[name] = _neighbors(found, store, at_call=name == "callers"), found.total
    lists["co_changes"] = _co_changes(path, history)
    return Graph(lists, totals, "" if graph.is_current else _PENDING)


def _members(document: Document, store: IndexStore) -> list[int]:
    """What is defined in a type: a type calls what its members call."""
    prefix = document.doc_id + "."
    return [number for number, doc_id in store.numbers_of(document.path)[1] if doc_id.startswith(prefix)]


def _others(found: Neighbors, inside: Sequence[int]) -> Neighbors:
    """Those that are not among these documents themselves."""
    own = frozenset(inside)
    others = tuple(item for item in found.items if item.number not in own)
    return Neighbors(others[:MOST], found.total - len(found.items) + len(others))


def _files(files: Files) -> tuple[Link, ...]:
    return tuple(Link(file_id(path), path) for path in files.paths)


def _neighbors(found: Neighbors, store: IndexStore, *, at_call: bool) -> tuple[Link, ...]:
    documents = store.documents([item.number for item in found.items])
    return tuple(
        Link(
            item.doc_id,
            documents[item.number].path,
            documents[item.number].symbol.span,
            item.edge.line if at_call else None,
            confidence=item.edge.confidence.words,
        )
        for item in found.items
        if item.number in documents
    )


def _co_changes(path: str, history: HistoryReader | None) -> tuple[Link, ...]:
    try:
        together: Sequence[tuple[str, int]] = history.changed_together(path, MOST) if history else ()
    except IndexUnavailable:
        return ()
    return tuple(Link(file_id(other), other, count=count) for other, count in together)
