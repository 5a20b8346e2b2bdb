"""What has a similar name to one that names nothing: a hint, not an answer."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import PurePosixPath
from posixpath import commonpath

from scry.core.doc_id import file_id
from scry.core.text import name_key
from scry.store.index_store import IndexStore

MOST = 3
_CLOSE = 0.7
_COMPARED = 5000
"""Comparing takes some 10 us a name: beyond this only names that begin alike are compared."""


def near_files(path: str, store: IndexStore) -> tuple[str, ...]:
    """Files of the same name elsewhere, else those whose name is close."""
    paths = [known for _, known, _, _ in store.file_ids()]
    name = PurePosixPath(path).name
    by_name: dict[str, list[str]] = {}
    for known in paths:
        by_name.setdefault(known.rpartition("/")[2], []).append(known)
    names = [name] if name in by_name else _close(name, by_name)
    found = [known for close in names for known in sorted(by_name[close], key=lambda known: _distance(known, path))]
    return tuple(file_id(known) for known in found[:MOST])


def near_symbols(name: str, path: str, store: IndexStore) -> tuple[str, ...]:
    """Documents of the same name in the file, those of a close one there, then those of the same name elsewhere."""
    last = name.rpartition(" > ")[2] if " > " in name else name.rpartition(".")[2]
    key = name_key(last)
    named = store.outlines_named([key]) if key else []
    named.sort(key=lambda document: (document.path != path, _distance(document.path, path), document.doc_id))
    here = [doc_id for _, doc_id in store.numbers_of(path)[1]]
    by_name = {doc_id.partition("::")[2]: doc_id for doc_id in here if "::" in doc_id}
    found = [document.doc_id for document in named if document.path == path]
    found += [by_name[close] for close in _close(name, by_name)]
    found += [document.doc_id for document in named if document.path != path]
    return tuple(dict.fromkeys(found))[:MOST]


def _close(name: str, known: Iterable[str]) -> list[str]:
    names = list(known)
    if len(names) > _COMPARED:
        names = [other for other in names if other[:1].lower() == name[:1].lower()][:_COMPARED]
    return get_close_matches(name[:200], names, MOST, _CLOSE)


def _distance(path: str, wanted: str) -> tuple[int, str]:
    """Nearer the more folders, from the top, are the same."""
    return -len(commonpath(["/" + path, "/" + wanted]).split("/")), path
