"""Resolve the names of a relational question to documents and files, and follow a relation by one step."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from contextlib import suppress

from scry.core.doc_id import file_doc_id, parse_doc_id, symbol_doc_id
from scry.core.errors import BadRequest
from scry.core.text import normalize_name
from scry.core.types import DocumentHeader, ProofStep
from scry.engine.browse.paths import similar_files, similar_names
from scry.engine.graph_query.parse import RelationKind
from scry.engine.index_view import IndexView
from scry.store.graph import Confidence, EdgeKind
from scry.store.index.store import IndexStore

_FOLDER_INDEX_STEMS = frozenset(("__init__", "index", "mod"))
"""Stems of the files that an import of their folder loads."""

_PASSIVE_KINDS = frozenset(("field", "variable", "constant", "text", "section"))
"""Kinds that neither call nor are called; used only where no other document has the name."""


def resolve_name(name: str, store: IndexStore, *, files_first: bool) -> tuple[str, ...]:
    """Return the doc_ids that a name means: of a path or doc_id itself, else of every document with this name.

    files_first: for relations between files, such as imports. Raises BadRequest for an unknown name.
    """
    exact = _resolve_exact(name, store)
    if exact:
        return (exact,)
    resolvers = (_resolve_files, _resolve_symbols) if files_first else (_resolve_symbols, _resolve_files)
    doc_ids = next((doc_ids for resolve in resolvers if (doc_ids := resolve(name, store))), ())
    if not doc_ids:
        similar = _suggest_names(name, store)
        hint = f"; did you mean {' or '.join(similar)}?" if similar else ""
        raise BadRequest("query", f"nothing in this project is called {name}{hint}")
    return doc_ids


def _resolve_exact(name: str, store: IndexStore) -> str:
    plain = "./" + name.removeprefix("./")
    if store.documents.find_by_doc_id(plain):
        return plain
    paths = [posixpath.normpath(name)] if "/" in name else []
    with suppress(ValueError):
        paths.append(parse_doc_id(plain).path if "::" not in plain else "")  # as in ./C%23/stove.cs
    return next((file_doc_id(path) for path in paths if store.files.get_file(path)), "")


def _resolve_symbols(name_input: str, store: IndexStore) -> tuple[str, ...]:
    """Return the symbols with a name: exact spellings before equal keys, callable kinds before fields and sections."""
    path, name = _split_off_path(name_input)
    last = last_part(name)
    key = normalize_name(last)
    named = (
        [each for each in store.documents.headers_by_name([key]) if _matches_qualified_name(each, path, name)]
        if key
        else []
    )
    same = [each for each in named if each.name == last] or named
    active = [each for each in same if each.content_type == "code" and each.kind not in _PASSIVE_KINDS] or same
    return tuple(sorted(each.doc_id for each in active))


def _split_off_path(name: str) -> tuple[str, str]:
    """Return the path before the name of a symbol, empty for none, and the name."""
    path, _, symbol = name.rpartition("::")
    if "/" not in path and "." not in path:  # as in Rust: Cart::add
        return "", name
    return path, symbol


def last_part(name: str) -> str:
    """Return the last part of the qualified name of a symbol, that of its path left out."""
    return _split_off_path(name)[1].replace("::", ".").rpartition(".")[2]


def _matches_qualified_name(document: DocumentHeader, path: str, name: str) -> bool:
    """Return whether the path and the qualified name end in the requested parts."""
    if path and not f"/{document.path}".endswith("/" + path.removeprefix("./")):
        return False
    wanted = [normalize_name(part) for part in name.replace("::", ".").split(".")]
    parts = [normalize_name(part) for part in parse_doc_id(document.doc_id).name.split(".")]
    return len(wanted) == 1 or parts[-len(wanted) :] == wanted


def _resolve_files(name: str, store: IndexStore) -> tuple[str, ...]:
    """Return the files of this name, with or without extension, or of this dotted module."""
    ends = {f"/{name}", f"/{name.replace('.', '/')}"}
    return tuple(
        sorted(
            file_doc_id(path)
            for _, path, _, _ in store.files.indexed_files()
            if not ends.isdisjoint(_file_name_forms(path))
        )
    )


def _file_name_forms(path: str) -> set[str]:
    """Return all names that a file may be given, each after a slash."""
    stem = posixpath.splitext(path)[0]
    folder, _, last = stem.rpartition("/")
    whole = [path, stem, folder] if last in _FOLDER_INDEX_STEMS else [path, stem]
    parts = [each.split("/") for each in whole]
    return {"/" + "/".join(each[start:]) for each in parts for start in range(len(each))}


def _suggest_names(name: str, store: IndexStore) -> tuple[str, ...]:
    last = name.rpartition("/")[2].replace("::", ".").rpartition(".")[2]
    return similar_names(last, store) or similar_files(name, store)


MAX_STEP_RESULTS = 10_000
"""Largest number of links that one step reads; the answer says when there are more."""

FILE_RELATIONS = frozenset((RelationKind.IMPORTS, RelationKind.CHANGES_WITH))
"""Relations between files; in them a symbol stands for its file."""

_EDGES = {RelationKind.CALLS: EdgeKind.CALLS, RelationKind.INHERITS: EdgeKind.INHERITS}


def follow_relation(
    kind: RelationKind, doc_ids: Sequence[str], reading: IndexView, *, is_source: bool
) -> dict[str, ProofStep]:
    """Return the documents one step away, each with its surest step. is_source: those that relate to `doc_ids`.

    What uses a document calls it, or inherits from it where it does not.
    """
    if kind is RelationKind.USES:
        inheriting = follow_relation(RelationKind.INHERITS, doc_ids, reading, is_source=is_source)
        return inheriting | follow_relation(RelationKind.CALLS, doc_ids, reading, is_source=is_source)
    if kind in _EDGES:
        return _follow_edges(_EDGES[kind], kind, doc_ids, reading.store, is_source)
    if kind is RelationKind.DEFINES:
        rows = _follow_definers(doc_ids, reading.store) if is_source else _follow_members(doc_ids, reading.store)
    elif kind is RelationKind.IMPORTS:
        rows = _follow_imports(doc_ids, reading.store, is_source)
    else:
        rows = _follow_co_changes(doc_ids, reading)
    steps: dict[str, ProofStep] = {}
    for start, end, line, count in rows:
        source, target = (end, start) if is_source else (start, end)
        steps.setdefault(end, ProofStep(source, kind.value, target, Confidence.EXACT.label, line, count))
    return steps


_RelationRow = tuple[str, str, int | None, int]
"""The doc_ids at both ends, the line that shows the relation, and its count."""


def include_members(doc_ids: Iterable[str], store: IndexStore, *, of_types: bool) -> list[str]:
    """Return the doc_ids, and those of all documents in files among them. of_types: also of the members of types."""
    members = dict.fromkeys(doc_ids)
    for doc_id in list(members):
        named = parse_doc_id(doc_id)
        if named.lines is None and (of_types or not named.name):
            others = (other for _, other in store.documents.doc_keys_in_file(named.path)[1])
            members |= dict.fromkeys(other for other in others if not named.name or other.startswith(f"{doc_id}."))
    return list(members)


def _follow_edges(
    edge: EdgeKind, kind: RelationKind, doc_ids: Sequence[str], store: IndexStore, is_source: bool
) -> dict[str, ProofStep]:
    doc_keys = store.documents.doc_keys_by_id(doc_ids)
    names = {doc_key: doc_id for doc_id, doc_key in doc_keys.items()}
    steps: dict[str, ProofStep] = {}
    for item in store.graph.neighbors(list(names), edge, MAX_STEP_RESULTS, backward=is_source).items:
        start = names[item.edge.target_key if is_source else item.edge.source_key]
        source, target = (item.doc_id, start) if is_source else (start, item.doc_id)
        steps[item.doc_id] = ProofStep(source, kind.value, target, item.edge.confidence.label, item.edge.line)
    return steps


def _follow_imports(doc_ids: Sequence[str], store: IndexStore, is_source: bool) -> Iterable[_RelationRow]:
    for path in _unique_paths(doc_ids):
        files = (
            store.graph.importing_files(path, MAX_STEP_RESULTS)
            if is_source
            else store.graph.imported_files(path, MAX_STEP_RESULTS)
        )
        yield from ((file_doc_id(path), file_doc_id(other), None, 1) for other in files.paths)


def _follow_co_changes(doc_ids: Sequence[str], reading: IndexView) -> Iterable[_RelationRow]:
    if reading.history is None:
        return
    for path in _unique_paths(doc_ids):
        for other, commits in reading.history.co_changed_files(path, MAX_STEP_RESULTS):
            if reading.store.files.get_file(other):
                yield file_doc_id(path), file_doc_id(other), None, commits


def _follow_definers(doc_ids: Sequence[str], store: IndexStore) -> Iterable[_RelationRow]:
    """Yield the document that encloses each document: a symbol, else its file."""
    for doc_id in doc_ids:
        for document in store.documents.find_by_doc_id(doc_id):
            container = symbol_doc_id(document.path, document.symbol.container, 0) if document.symbol.container else ""
            definer = (
                container if container and store.documents.find_by_doc_id(container) else file_doc_id(document.path)
            )
            yield doc_id, definer, document.symbol.name_span.start.line, 1


def _follow_members(doc_ids: Sequence[str], store: IndexStore) -> Iterable[_RelationRow]:
    for doc_id in doc_ids:
        named = parse_doc_id(doc_id)
        documents = store.documents.get_documents(
            [doc_key for doc_key, _ in store.documents.doc_keys_in_file(named.path)[1]]
        ).values()
        for document in documents:
            if document.symbol.name and document.symbol.container == named.name:
                yield doc_id, document.doc_id, document.symbol.name_span.start.line, 1


def _unique_paths(doc_ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(parse_doc_id(doc_id).path for doc_id in doc_ids))
