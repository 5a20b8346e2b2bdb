"""Read one result of an earlier answer in full: text, relations and whether it changed (D1, D2).

Detail does not search. Relations are imports, calls, inheritance, and the files that change with its file.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scry.core.decoding import decode_json
from scry.core.doc_id import commit_sha_of, file_doc_id
from scry.core.errors import IndexUnavailable
from scry.core.notices import Notice
from scry.core.types import Document, Span
from scry.engine.browse.files import file_document
from scry.engine.explain.changed_file import ChangedDocument, read_changed
from scry.engine.explain.resolve_id import ProjectSnapshot, ResolvedDocument
from scry.engine.notices import NoIndexToRead, ResultGone, TextChanged
from scry.index.git.stream import read_patch
from scry.oracles.reader import CommitCorpus, NoteCorpus
from scry.projects.project import Project
from scry.store.graph import Neighbors, PathList
from scry.store.history.reader import HistoryReader
from scry.store.index.store import IndexStore

MAX_RELATED = 20
"""Largest number of links in a list; `totals` counts all of them."""

_MAX_SCANNED = 2000
"""Links of a type or file that are read to find those of its own members."""

_GRAPH_PENDING = "the code graph is still being made, so that calls and imports may be missing"


class RelatedDocument(Struct, frozen=True):
    """A document that is related to another one.

    count: of a co-change, the number of common commits. confidence: empty where nothing had to be resolved. path, span:
    the target of a jump; no span for a file's start. line: of a call, 0-based, to jump to instead.
    """

    doc_id: str
    path: str
    span: Span | None = None
    line: int | None = None
    count: int = 1
    confidence: str = ""


class DocumentRelations(Struct, frozen=True):
    """The relations of a document.

    lists: by the name of a list on the wire, its links, best first. totals: by the same names, the number of all links.
    note: the relations that are not known yet, in words for a person.
    """

    lists: dict[str, tuple[RelatedDocument, ...]]
    totals: dict[str, int]
    note: str = ""


def read_relations(document: Document, store: IndexStore, history: HistoryReader | None) -> DocumentRelations:
    """Return all relations of a document in a file; of a whole file, those of every document in it."""
    graph, path, doc_keys = store.graph, document.path, [document.doc_key]
    inside = [*doc_keys, *_member_doc_keys(document, store)]
    own: Sequence[int] = ()
    if document.symbol.kind == "file":
        own = doc_keys = inside = [doc_keys for doc_keys, _ in store.documents.doc_keys_in_file(path)[1]]
    most = _MAX_SCANNED if own else MAX_RELATED
    lists: dict[str, tuple[RelatedDocument, ...]] = {}
    totals: dict[str, int] = {}
    for name, files in (
        ("imports", graph.imported_files(path, MAX_RELATED)),
        ("imported_by", graph.importing_files(path, MAX_RELATED)),
    ):
        lists[name], totals[name] = _relate_files(files), files.total
    for name, links in (
        ("callers", _exclude_own(graph.callers(doc_keys, most), own)),
        ("callees", _exclude_own(graph.callees(inside, _MAX_SCANNED), inside)),
        ("inherits", _exclude_own(graph.base_types(doc_keys, most), own)),
        ("inherited_by", _exclude_own(graph.derived_types(doc_keys, most), own)),
    ):
        lists[name], totals[name] = _relate_documents(links, store, at_call=name == "callers"), links.total
    lists["co_changes"] = _relate_co_changes(path, history)
    return DocumentRelations(lists, totals, "" if graph.is_current else _GRAPH_PENDING)


def _member_doc_keys(document: Document, store: IndexStore) -> list[int]:
    """Return the doc_keys of a type's members: a type calls what its members call."""
    prefix = document.doc_id + "."
    return [
        doc_key for doc_key, doc_id in store.documents.doc_keys_in_file(document.path)[1] if doc_id.startswith(prefix)
    ]


def _exclude_own(links: Neighbors, inside: Sequence[int]) -> Neighbors:
    """Return the links that lead to none of these documents."""
    own = frozenset(inside)
    others = tuple(item for item in links.items if item.doc_key not in own)
    return Neighbors(others[:MAX_RELATED], links.total - len(links.items) + len(others))


def _relate_files(files: PathList) -> tuple[RelatedDocument, ...]:
    return tuple(RelatedDocument(file_doc_id(path), path) for path in files.paths)


def _relate_documents(links: Neighbors, store: IndexStore, *, at_call: bool) -> tuple[RelatedDocument, ...]:
    documents = store.documents.get_documents([item.doc_key for item in links.items], with_descriptions=False)
    return tuple(
        RelatedDocument(
            item.doc_id,
            documents[item.doc_key].path,
            documents[item.doc_key].symbol.span,
            item.edge.line if at_call else None,
            confidence=item.edge.confidence.label,
        )
        for item in links.items
        if item.doc_key in documents
    )


def _relate_co_changes(path: str, history: HistoryReader | None) -> tuple[RelatedDocument, ...]:
    try:
        co_changed: Sequence[tuple[str, int]] = history.co_changed_files(path, MAX_RELATED) if history else ()
    except IndexUnavailable:
        return ()
    return tuple(RelatedDocument(file_doc_id(other), other, count=count) for other, count in co_changed)


MAX_BODY_CHARACTERS = 40_000
"""Length at which `detail` cuts a body: some 1,000 lines."""

MAX_BODY_CHARACTERS_IN_LIST = 8_000
"""Length at which a body is cut when every result of an answer is given in full: some 200 lines."""


class FullDocument(Struct, frozen=True):
    """A document in full. The fields are those of the wire's struct of this name."""

    language: str
    signature: str
    doc: str
    body: str
    truncated: bool
    graph: DocumentRelations | None


def read_full_document(
    document: Document, project: Project, store: IndexStore | None, history: HistoryReader | None, max_characters: int
) -> FullDocument:
    """Return a document in full; its body is cut at the last line's end within `max_characters`."""
    symbol = document.symbol
    if CommitCorpus.owns(document.doc_key):
        sha = commit_sha_of(document.doc_id)
        patch = read_patch(project.root, sha, max_characters) if sha else None
        body, cut = patch or ("", False)
        return FullDocument("diff", symbol.signature, symbol.doc, body, cut, None)
    if NoteCorpus.owns(document.doc_key):
        body, cut = truncate_at_line(symbol.doc, max_characters)
        return FullDocument("markdown", symbol.name, "", body, cut, None)
    text = store.files.get_text(document.path) if store else None
    body, cut = truncate_at_line(text_of_document(document, text or ""), max_characters)
    graph = read_relations(document, store, history) if store else None
    return FullDocument(document.language, symbol.signature, symbol.doc, body, cut, graph)


def text_of_document(document: Document, text: str) -> str:
    """Return the document's part of its file's text; of a notebook the lines of a cell, not their form in JSON."""
    if document.symbol.kind == "file":
        return text.rstrip("\n")
    body = text_in_span(text, document.symbol.span)
    if not document.path.endswith(".ipynb"):
        return body
    try:
        return "".join(decode_json(f"[{body.strip().rstrip(',')}]", list[str])).rstrip("\n")
    except msgspec.MsgspecError:  # no part of a list of lines
        return body


def text_in_span(text: str, span: Span) -> str:
    """Return the span's text, from the start of its first line where only blanks stand before it."""
    lines = text.split("\n")[span.start.line : span.end.line + 1]
    if not lines:
        return ""
    if len(lines) == span.end.line - span.start.line + 1:
        lines[-1] = lines[-1].encode("utf-8", "surrogatepass")[: span.end.utf8].decode("utf-8", "replace")
    head = lines[0].encode("utf-8", "surrogatepass")[: span.start.utf8].decode("utf-8", "replace")
    if head.strip():
        lines[0] = lines[0][len(head) :]
    return "\n".join(lines).rstrip("\n")


def truncate_at_line(text: str, max_characters: int) -> tuple[str, bool]:
    """Return at most so many characters, cut at a line's end where there is one, and whether the text was cut."""
    if len(text) <= max_characters:
        return text, False
    end = text.rfind("\n", 0, max_characters)
    return text[: end if end > 0 else max_characters], True


CURRENT, CHANGED, GONE = "current", "changed", "gone"


class DocumentDetail(Struct, frozen=True):
    """A result in full, as it is now.

    state: current, changed or gone, with a notice unless it is current. full: None for a document that is gone.
    document: the document with its place in a file that changed since it was indexed; else None.
    """

    state: str
    notice: Notice | None
    full: FullDocument | None
    document: Document | None = None


def read_detail(snapshot: ProjectSnapshot, doc_id: str, doc_key: int | None) -> DocumentDetail:
    """Return a result in full as it is now. doc_key: the key at the time of the answer; None for unknown."""
    target = snapshot.resolve(doc_id)
    document = read_document(snapshot, target)
    if document is None:
        return DocumentDetail(GONE, _gone_notice(snapshot, target), None)
    full = read_full_document(document, snapshot.project, snapshot.store, snapshot.history, MAX_BODY_CHARACTERS)
    if document.path and snapshot.store is not None and not NoteCorpus.owns(document.doc_key):
        now = read_changed(document, snapshot.project.root, snapshot.settings, snapshot.store)
        if isinstance(now, str):
            return DocumentDetail(GONE, ResultGone(now), None)
        if now is not None:
            return DocumentDetail(CHANGED, TextChanged(), _replace_text(full, now), now.document)
    # A whole file, as orient answers with it, has no number of its own, and showed nothing that could differ.
    is_whole_file = doc_key is None and target.doc_id == file_doc_id(target.path)
    if document.doc_key == doc_key or CommitCorpus.owns(document.doc_key) or is_whole_file:
        return DocumentDetail(CURRENT, None, full)
    return DocumentDetail(CHANGED, TextChanged(), full)


def _replace_text(full: FullDocument, now: ChangedDocument) -> FullDocument:
    """Return a result in full with the text of its changed file; its relations are those of the index."""
    symbol = now.document.symbol
    body, cut = truncate_at_line(text_of_document(now.document, now.text), MAX_BODY_CHARACTERS)
    return replace(full, signature=symbol.signature, doc=symbol.doc, body=body, truncated=cut)


def read_document(snapshot: ProjectSnapshot, target: ResolvedDocument) -> Document | None:
    """Return the document that a doc_id names, as it is indexed; None where it is not."""
    if target.status != "indexed" or not target.doc_keys:
        return None
    file = (
        snapshot.store.files.get_file(target.path)
        if snapshot.store and target.doc_id == file_doc_id(target.path)
        else None
    )
    if file is not None:
        return file_document(file)
    doc_key = target.doc_keys[0]
    if NoteCorpus.owns(doc_key):
        return NoteCorpus(snapshot.knowledge).get_documents([doc_key]).get(doc_key)
    if CommitCorpus.owns(doc_key):
        return snapshot.history.get_documents([doc_key]).get(doc_key) if snapshot.history else None
    return snapshot.store.documents.get_documents([doc_key]).get(doc_key) if snapshot.store else None


def _gone_notice(snapshot: ProjectSnapshot, target: ResolvedDocument) -> Notice:
    if snapshot.store is None:
        return NoIndexToRead()
    return ResultGone(target.reason or "it is no longer indexed", tuple(target.similar))
