"""Find the files that share the name of their package: `gin.go`, and `flask/app.py`, which defines `Flask`."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from contextlib import suppress

import msgspec
import numpy as np
from msgspec import Struct

from scry.core.decoding import convert, decode_json
from scry.core.path_kinds import TEST, classify_path
from scry.core.settings import SettingsFileError, parse_toml
from scry.core.text import normalize_name
from scry.engine.browse.paths import parent_folders
from scry.store.index.files import FileColumns
from scry.store.index.store import IndexStore

_KINDS = ("class", "struct", "interface", "trait", "enum", "type", "function")

_MAX_DEPTH = 2
"""Levels below the requested folder of the packages that are considered."""


def find_namesakes(folder: str, files: FileColumns, store: IndexStore) -> Mapping[str, str]:
    """Return, by its path, what marks a file as the one that its package is named after, in words.

    It is a file of code with the name of the folder or the project, in the folder or one below (`lib/axios.js`), or one
    that alone defines the type or function with the name of its package. Packages are the folder, those around and
    below it, and the project by the name in its manifest. files: in the folder.
    """
    depth = folder.count("/") + 1 if folder else 0
    near = [path for path in files.folders if path and path.count("/") < depth + _MAX_DEPTH]
    project = normalize_name(read_project_name(store))
    packages: dict[str, list[str]] = {project: [""]}
    for each in {*near, *parent_folders([f"{folder}/-"])}:
        packages.setdefault(normalize_name(posixpath.basename(each)), []).append(each)
    packages.pop("", None)
    defined: dict[str, dict[str, str]] = {}
    for path, name in store.documents.outermost_by_name(list(packages), _KINDS):
        if TEST in classify_path(path):
            continue
        for package in packages[normalize_name(name)]:
            if not package or path.startswith(f"{package}/"):
                defined.setdefault(package, {})[path] = name
    known = frozenset(files.paths)
    only = (next(iter(names.items())) for names in defined.values() if len(names) == 1)
    found = dict.fromkeys(_files_named(project, folder, files, store), "has the name of its package")
    return found | {path: f"defines {name}, which its package is named after" for path, name in only if path in known}


def _files_named(project: str, folder: str, files: FileColumns, store: IndexStore) -> list[str]:
    """Return the files of code with the name of the folder, in it, or with that of the project, in it or one below."""
    own, depth = normalize_name(posixpath.basename(folder)), folder.count("/") + 1 if folder else 0
    own_kinds = classify_path(f"{folder}/-")
    rows: list[int] = np.flatnonzero(files.depths <= depth + 1).tolist()
    found: list[str] = []
    for row in rows:
        path = files.paths[row]
        stem = normalize_name(posixpath.basename(path).partition(".")[0])
        if not stem or (stem != project and (stem != own or files.depths[row] != depth)):
            continue
        file = store.files.get_file(path)
        if file is not None and file.content_type == "code" and not classify_path(path) - own_kinds:
            found.append(path)
    return found


class _Named(Struct, frozen=True):
    name: str = ""


class _TomlManifest(Struct, frozen=True):
    """The tables of pyproject.toml and Cargo.toml that name the package."""

    project: _Named = _Named()
    package: _Named = _Named()


def read_project_name(store: IndexStore) -> str:
    """Return the last word of the name in the manifest at the project's top, without a version; empty for none."""
    for manifest in ("package.json", "go.mod", "pyproject.toml", "Cargo.toml"):
        text = store.files.get_text(manifest)
        if text is None:
            continue
        with suppress(msgspec.MsgspecError, SettingsFileError, RecursionError):  # the project's own mistake
            words = [word for word in _read_name(manifest, text).split("/") if not word[1:].isdigit()]
            if words:
                return words[-1]
    return ""


def _read_name(manifest: str, text: str) -> str:
    if manifest == "package.json":
        return decode_json(text, _Named).name
    if manifest == "go.mod":
        module = next((line for line in text.splitlines() if line.startswith("module ")), "")
        return module.removeprefix("module").partition("//")[0].strip()
    toml = convert(parse_toml(text), _TomlManifest)
    return toml.project.name or toml.package.name
