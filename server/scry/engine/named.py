"""What a name in a relational question means: documents and files, all that are called so."""

from __future__ import annotations

import posixpath
from difflib import get_close_matches

from scry.core.doc_id import file_doc_id, parse_doc_id
from scry.core.errors import BadRequest
from scry.core.text import normalize_name
from scry.core.types import DocumentHeader
from scry.engine.near_names import similar_files
from scry.store.index_store import IndexStore

_FOLDER_INDEX_STEMS = frozenset(("__init__", "index", "mod"))
"""Files that a folder's name stands for when it is imported."""

_PASSIVE_KINDS = frozenset(("field", "variable", "constant", "text", "section"))
"""Kinds that call nothing and are not called; meant only where nothing else has the name."""


def resolve_name(name: str, store: IndexStore, *, files_first: bool) -> tuple[str, ...]:
    """Their doc_ids: of a path or doc_id that one, else of everything with this name. Raises BadRequest for none.

    files_first: for relations between files, such as imports.
    """
    exact = _resolve_exact(name, store)
    if exact:
        return (exact,)
    ways = (_resolve_files, _resolve_symbols) if files_first else (_resolve_symbols, _resolve_files)
    found = next((found for way in ways if (found := way(name, store))), ())
    if not found:
        near = _suggest_names(name, store)
        meant = f"; did you mean {' or '.join(near)}?" if near else ""
        raise BadRequest("query", f"nothing in this project is called {name}{meant}")
    return found


def _resolve_exact(name: str, store: IndexStore) -> str:
    plain = "./" + name.removeprefix("./")
    if store.find_by_doc_id(plain):
        return plain
    path = posixpath.normpath(name)
    return file_doc_id(path) if "/" in name and store.get_file(path) else ""


def _resolve_symbols(asked: str, store: IndexStore) -> tuple[str, ...]:
    """Those written the same before those of the same key; what does something before fields and sections."""
    path, _, name = asked.rpartition("::")
    if "/" not in path and "." not in path:  # as in Rust: Cart::add
        path, name = "", asked
    last = name.replace("::", ".").rpartition(".")[2]
    key = normalize_name(last)
    named = [each for each in store.headers_by_name([key]) if _matches_qualified_name(each, path, name)] if key else []
    same = [each for each in named if each.name == last] or named
    doing = [each for each in same if each.content_type == "code" and each.kind not in _PASSIVE_KINDS] or same
    return tuple(sorted(each.doc_id for each in doing))


def _matches_qualified_name(document: DocumentHeader, path: str, name: str) -> bool:
    """Whether the path and the qualified name end in the parts asked for."""
    if path and not f"/{document.path}".endswith("/" + path.removeprefix("./")):
        return False
    wanted = [normalize_name(part) for part in name.replace("::", ".").split(".")]
    parts = [normalize_name(part) for part in parse_doc_id(document.doc_id).name.split(".")]
    return len(wanted) == 1 or parts[-len(wanted) :] == wanted


def _resolve_files(name: str, store: IndexStore) -> tuple[str, ...]:
    """Files of this name, with or without their ending, or of this dotted module."""
    ends = {f"/{name}", f"/{name.replace('.', '/')}"}
    return tuple(sorted(file_doc_id(path) for _, path, _, _ in store.indexed_files() if not ends.isdisjoint(_file_name_forms(path))))


def _file_name_forms(path: str) -> set[str]:
    """All that a file may be called by, each after a slash."""
    stem = posixpath.splitext(path)[0]
    folder, _, last = stem.rpartition("/")
    whole = [path, stem, folder] if last in _FOLDER_INDEX_STEMS else [path, stem]
    parts = [each.split("/") for each in whole]
    return {"/" + "/".join(each[start:]) for each in parts for start in range(len(each))}


def _suggest_names(name: str, store: IndexStore) -> tuple[str, ...]:
    last = name.rpartition("/")[2].replace("::", ".").rpartition(".")[2]
    close = get_close_matches(last[:200], store.symbol_names_with_prefix(normalize_name(last)[:2]), 3)
    return tuple(close) or similar_files(name, store)
