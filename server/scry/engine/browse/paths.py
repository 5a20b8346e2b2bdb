"""Parse paths as people and editors write them, and suggest similar names for unknown ones.

Accepted forms, for a project in /home/ada/harbor; the disk is not read:

    src    src/    ./src    src/../src    .    /home/ada/harbor/src    file:///home/ada/harbor/src    ./src/app.py::main
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from posixpath import commonpath
from urllib.parse import unquote_to_bytes, urlsplit

from scry.core.doc_id import file_doc_id, parse_doc_id
from scry.core.errors import BadRequest
from scry.core.platform import IS_WINDOWS
from scry.core.text import normalize_name
from scry.store.index.store import IndexStore

MAX_SUGGESTIONS = 3
_MIN_NAME_SIMILARITY = 0.7
_MAX_COMPARED_NAMES = 5000
"""Comparing takes some 10 us a name: beyond this number only names with the same beginning are compared."""


def similar_files(path: str, store: IndexStore) -> tuple[str, ...]:
    """Return files of the same name elsewhere, else files with a similar name."""
    paths = [known for _, known, _, _ in store.files.indexed_files()]
    name = PurePosixPath(path).name
    by_name: dict[str, list[str]] = {}
    for known in paths:
        by_name.setdefault(known.rpartition("/")[2], []).append(known)
    names = [name] if name in by_name else _close_matches(name, by_name)
    similar = [
        known for close in names for known in sorted(by_name[close], key=lambda known: _folder_distance(known, path))
    ]
    return tuple(file_doc_id(known) for known in similar[:MAX_SUGGESTIONS])


def similar_symbols(name: str, path: str, store: IndexStore) -> tuple[str, ...]:
    """Return documents of the same name in the file, then similar names there, then the same name elsewhere."""
    last = name.rpartition(" > ")[2] if " > " in name else name.rpartition(".")[2]
    key = normalize_name(last)
    named = store.documents.headers_by_name([key]) if key else []
    named.sort(key=lambda document: (document.path != path, _folder_distance(document.path, path), document.doc_id))
    doc_ids = [doc_id for _, doc_id in store.documents.doc_keys_in_file(path)[1]]
    by_name = {doc_id.partition("::")[2]: doc_id for doc_id in doc_ids if "::" in doc_id}
    similar = [document.doc_id for document in named if document.path == path]
    similar += [by_name[close] for close in _close_matches(name, by_name)]
    similar += [document.doc_id for document in named if document.path != path]
    return tuple(dict.fromkeys(similar))[:MAX_SUGGESTIONS]


def similar_names(name: str, store: IndexStore) -> tuple[str, ...]:
    """Return names of symbols that are spelled like this one, most similar first.

    Compared are names that begin with the same two letters; and of almost the same length those that begin so if two of
    the first three letters changed places, or one of them is too many. Capitals and underscores make no difference.
    """
    key = normalize_name(name)[:200]
    if len(key) < 2:
        return ()
    beginnings = {key[:2]: len(key) // 2}
    for mistyped in (key[1] + key[0], key[0] + key[2:3], key[1:3]):
        beginnings.setdefault(mistyped, 1)
    by_key: dict[str, str] = {}
    for beginning, most in beginnings.items():
        for known in sorted(store.documents.symbol_names_with_prefix(beginning)):
            if abs(len(known) - len(key)) <= most:
                by_key[normalize_name(known)] = known
    return tuple(by_key[close] for close in get_close_matches(key, by_key, MAX_SUGGESTIONS, _MIN_NAME_SIMILARITY))


def _close_matches(name: str, known: Iterable[str]) -> list[str]:
    names = list(known)
    if len(names) > _MAX_COMPARED_NAMES:
        names = [other for other in names if other[:1].lower() == name[:1].lower()][:_MAX_COMPARED_NAMES]
    return get_close_matches(name[:200], names, MAX_SUGGESTIONS, _MIN_NAME_SIMILARITY)


def _folder_distance(path: str, wanted: str) -> tuple[int, str]:
    """Return the distance of two folders: smaller the more folders, from the top, are the same."""
    return -len(commonpath(["/" + path, "/" + wanted]).split("/")), path


_URI_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_MAX_SUGGESTED_PATHS = 3
_MIN_PATH_SIMILARITY = 0.6


def parse_project_path(field: str, path_input: str, root: Path) -> str:
    """Return the path within the project, with slashes and without one at its end; empty for the project itself.

    Raises BadRequest naming the field for a path outside of the project, and for a text that is no path.
    """
    if "\0" in path_input:
        raise BadRequest(field, "holds a NUL character, which no path does")
    try:
        os.fsencode(path_input)
    except UnicodeEncodeError:
        raise BadRequest(field, "holds half a surrogate pair, which no path does") from None
    plain = _from_uri(field, path_input) if _URI_SCHEME.match(path_input) else path_input
    if Path(plain).is_absolute():
        plain = _relative_to_root(field, path_input, plain, root)
    normal = posixpath.normpath(plain.replace(os.sep, "/") or ".")
    if normal == ".." or normal.startswith("../"):
        raise BadRequest(field, f"{path_input} is outside of the project {root}")
    return "" if normal == "." else normal


def _from_uri(field: str, uri: str) -> str:
    try:
        parts = urlsplit(uri, allow_fragments=False)
    except ValueError as error:
        raise BadRequest(field, f"{uri} is no URI: {error}") from None
    if parts.scheme.lower() != "file" or parts.netloc not in ("", "localhost"):
        raise BadRequest(field, f"{uri} is not the URI of a file on this machine")
    path = unquote_to_bytes(parts.path + (f"?{parts.query}" if parts.query else ""))
    if b"\0" in path:
        raise BadRequest(field, "holds a NUL character, which no path does")
    decoded = path.decode("utf-8", "surrogateescape")
    return decoded[1:] if re.match(r"/[A-Za-z]:", decoded) and IS_WINDOWS else decoded


def _relative_to_root(field: str, path_input: str, path: str, root: Path) -> str:
    normal = os.path.normpath(path)
    try:
        return Path(normal).relative_to(root).as_posix()
    except ValueError:
        raise BadRequest(field, f"{path_input} is outside of the project {root}") from None


def file_of_doc_id(path: str) -> str | None:
    """Return the file of a doc_id that names something in a file; None for any other, and for a file itself."""
    try:
        read = parse_doc_id(path)
    except ValueError:
        return None
    return posixpath.normpath(read.path) if read.name or read.lines else None


def similar_paths(path_input: str, known: Iterable[str]) -> Sequence[str]:
    """Return the known paths most likely meant: those with the same last name, else with a similar one."""
    paths = sorted(set(known))
    name = posixpath.basename(path_input).lower()
    same = [path for path in paths if posixpath.basename(path).lower() == name]
    stems = [path for path in paths if posixpath.basename(path).lower().partition(".")[0] == name.partition(".")[0]]
    if same or stems:
        return _order_by_shared_folders(path_input, same or stems)[:_MAX_SUGGESTED_PATHS]
    from difflib import get_close_matches

    names: dict[str, str] = {}
    for path in paths:
        names.setdefault(posixpath.basename(path), path)
    close = get_close_matches(posixpath.basename(path_input), names, _MAX_SUGGESTED_PATHS, _MIN_PATH_SIMILARITY)
    return [names[similar] for similar in close]


def _order_by_shared_folders(path_input: str, paths: Sequence[str]) -> list[str]:
    """Return the paths that share most folders with the requested one first, then the shortest."""
    folders = set(posixpath.dirname(path_input).lower().split("/"))
    return sorted(paths, key=lambda path: (-len(folders & set(path.lower().split("/"))), len(path), path))


def parent_folders(paths: Iterable[str]) -> set[str]:
    """Return all folders that hold these paths, at any depth."""
    folders: set[str] = set()
    for path in paths:
        folder = posixpath.dirname(path)
        while folder and folder not in folders:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    return folders
