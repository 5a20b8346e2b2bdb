"""Look up the project's files as import statements name them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from posixpath import basename, dirname, join, normpath, splitext

_NODE_NAME = re.compile(r'"name"\s*:\s*"([^"]+)"')


class ProjectFiles:
    """All paths of a project (POSIX, relative), with the manifests that matter to imports (path to text)."""

    def __init__(self, paths: Iterable[str], manifests: Mapping[str, str] | None = None) -> None:
        self.paths = frozenset(paths)
        self.manifests: Mapping[str, str] = dict(manifests or {})

    def __contains__(self, path: str) -> bool:
        """Return whether the project has this file."""
        return path in self.paths

    def first_existing(self, candidates: Iterable[str]) -> tuple[str, ...]:
        """Return the first candidate that exists, as a tuple of none or one."""
        return next(((path,) for path in candidates if path in self.paths), ())

    def find_by_suffix(self, suffix: str) -> tuple[str, ...]:
        """Return the file whose path ends with the whole words of `suffix`, if exactly one has the fewest folders."""
        paths = [path for path in self._by_name.get(basename(suffix), ()) if f"/{path}".endswith(f"/{suffix}")]
        fewest = min((path.count("/") for path in paths), default=0)
        shortest = [path for path in paths if path.count("/") == fewest]
        return tuple(shortest) if len(shortest) == 1 else ()

    def list_folder(self, folder: str, extension: str) -> tuple[str, ...]:
        """Return the files with this extension directly in a folder, sorted."""
        return tuple(path for path in self._by_folder.get(folder, ()) if path.endswith(extension))

    def find_folders_by_suffix(self, suffix: str) -> tuple[str, ...]:
        """Return the folders whose path ends with the whole words of `suffix`, sorted."""
        named = self._folders_by_name.get(basename(suffix), ())
        return tuple(folder for folder in named if f"/{folder}".endswith(f"/{suffix}"))

    @cached_property
    def path_words(self) -> frozenset[str]:
        """Every folder name and every file name up to its first dot: a name without them needs no search."""
        return frozenset(word.partition(".")[0] for path in self.paths for word in path.split("/"))

    @cached_property
    def path_stems(self) -> frozenset[str]:
        """Every folder's path, and every file's without its extension: any other stem resolves to nothing."""
        folders = {folder for within in self._by_folder for folder in (within, *parent_folders(within))}
        return frozenset(folders).union(splitext(path)[0] for path in self.paths)

    @cached_property
    def package_roots(self) -> tuple[str, ...]:
        """The folders that hold a top-level Python package, and `src`; sorted."""
        packages = {dirname(path) for path in self.paths if path.endswith("/__init__.py")}
        return tuple(sorted({"", "src", *(dirname(folder) for folder in packages if dirname(folder) not in packages)}))

    @cached_property
    def node_packages(self) -> Mapping[str, str]:
        """The folder of each package that a package.json of the project names."""
        packages: dict[str, str] = {}
        for path in sorted(self.manifests, key=lambda path: (path.count("/"), path)):
            name = _NODE_NAME.search(self.manifests[path]) if basename(path) == "package.json" else None
            if name:
                packages.setdefault(name[1], dirname(path))
        return packages

    @cached_property
    def _folders_by_name(self) -> dict[str, list[str]]:
        return _group_by(self._by_folder, basename)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        return _group_by(self.paths, basename)

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        return _group_by(self.paths, dirname)


def _group_by(paths: Iterable[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for path in sorted(paths):
        groups.setdefault(key(path), []).append(path)
    return groups


def parent_folders(path: str) -> list[str]:
    """Return the folders above a path, nearest first, the root ("") last."""
    folders: list[str] = []
    while path:
        path = dirname(path)
        folders.append(path)
    return folders


def resolve_relative(path: str, relative: str) -> str:
    """Return a path written relative to the folder of `path` as a path of the project; "" if it leaves the project."""
    plain = normpath(join(dirname(path), relative))
    return "" if plain.startswith("..") or plain == "." else plain


def resolve_dotted_import(name: str, extension: str, files: ProjectFiles) -> tuple[str, ...]:
    """Return the file of a dotted name whose parts mirror folders, as in Kotlin and Scala.

    It is the longest leading part of the name, of two words at least, that is the end of one path; where sources leave
    the common package out of their folders, the end of that part, of two words at least.
    """
    parts = name.split(".")
    for count in range(len(parts), 1, -1):
        if parts[count - 1] in files.path_words:
            for first in range(count - 1):
                paths = files.find_by_suffix("/".join(parts[first:count]) + extension)
                if paths:
                    return paths
    return ()
