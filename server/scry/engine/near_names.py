"""What has a similar name to one that names nothing: a hint, not an answer."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import PurePosixPath
from posixpath import commonpath

from scry.core.doc_id import file_doc_id
from scry.core.text import normalize_name
from scry.store.index_store import IndexStore

MAX_SUGGESTIONS = 3
_MIN_NAME_SIMILARITY = 0.7
_MAX_COMPARED_NAMES = 5000
"""Comparing takes some 10 us a name: beyond this only names that begin alike are compared."""


def similar_files(path: str, store: IndexStore) -> tuple[str, ...]:
    """Files of the same name elsewhere, else those whose name is close."""
    paths = [known for _, known, _, _ in store.indexed_files()]
    name = PurePosixPath(path).name
    by_name: dict[str, list[str]] = {}
    for known in paths:
        by_name.setdefault(known.rpartition("/")[2], []).append(known)
    names = [name] if name in by_name else _close_matches(name, by_name)
    found = [known for close in names for known in sorted(by_name[close], key=lambda known: _folder_distance(known, path))]
    return tuple(file_doc_id(known) for known in found[:MAX_SUGGESTIONS])


def similar_symbols(name: str, path: str, store: IndexStore) -> tuple[str, ...]:
    """Documents of the same name in the file, those of a close one there, then those of the same name elsewhere."""
    last = name.rpartition(" > ")[2] if " > " in name else name.rpartition(".")[2]
    key = normalize_name(last)
    named = store.headers_by_name([key]) if key else []
    named.sort(key=lambda document: (document.path != path, _folder_distance(document.path, path), document.doc_id))
    here = [doc_id for _, doc_id in store.doc_keys_in_file(path)[1]]
    by_name = {doc_id.partition("::")[2]: doc_id for doc_id in here if "::" in doc_id}
    found = [document.doc_id for document in named if document.path == path]
    found += [by_name[close] for close in _close_matches(name, by_name)]
    found += [document.doc_id for document in named if document.path != path]
    return tuple(dict.fromkeys(found))[:MAX_SUGGESTIONS]


def _close_matches(name: str, known: Iterable[str]) -> list[str]:
    names = list(known)
    if len(names) > _MAX_COMPARED_NAMES:
        names = [other for other in names if other[:1].lower() == name[:1].lower()][:_MAX_COMPARED_NAMES]
    return get_close_matches(name[:200], names, MAX_SUGGESTIONS, _MIN_NAME_SIMILARITY)


def _folder_distance(path: str, wanted: str) -> tuple[int, str]:
    """Nearer the more folders, from the top, are the same."""
    return -len(commonpath(["/" + path, "/" + wanted]).split("/")), path
