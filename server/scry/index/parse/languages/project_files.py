"""Look up the project's files as import statements name them.

A project changes one file at a time, and few imports depend on that file. So what is looked up while the imports of a
file are resolved can be recorded, as words: the name that a looked-up path ends with. `add` and `remove` return the
words of the look-ups that may have another answer now.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from functools import cached_property, lru_cache
from posixpath import basename, dirname, join, normpath, splitext

_NODE_NAME = re.compile(r'"name"\s*:\s*"([^"]+)"')

_FOLDER_FILES = frozenset("__init__ index init lib main mod root".split())
"""Words of files that stand for their folder: a look-up of one is recorded by the folder's name, if it names one."""

_NODE_PACKAGES, _MANIFESTS = "/node packages", "/manifests"
"""Recorded for look-ups that depend on more than the name of one path."""


def _first_word(name: str) -> str:
    return name.partition(".")[0]


@lru_cache(maxsize=8192)
def _word_of(path: str) -> str:
    """Return the word by which a look-up of a path is recorded."""
    folder, _, name = path.rpartition("/")
    word = _first_word(name)
    if word not in _FOLDER_FILES:
        return word
    return _first_word(folder.rpartition("/")[2]) if folder else f"/{word}"


def _folder_word(folder: str) -> str:
    """Return the word by which a look-up of a folder's files is recorded; different from all words of paths."""
    return basename(folder) + "/"


class ProjectFiles:
    """All paths of a project (POSIX, relative), with the manifests that matter to imports (path to text).

    Each index of the paths is made when it is first needed, then kept up to date.
    """

    def __init__(self, paths: Iterable[str], manifests: Mapping[str, str] | None = None) -> None:
        self._paths = set(paths)
        self._manifests = dict(manifests or {})
        self._recorded: set[str] | None = None

    def __contains__(self, path: str) -> bool:
        """Return whether the project has this file."""
        if self._recorded is not None:
            self._recorded.add(_word_of(path))
        return path in self._paths

    def first_existing(self, candidates: Iterable[str]) -> tuple[str, ...]:
        """Return the first candidate that exists, as a tuple of none or one."""
        return next(((path,) for path in candidates if path in self), ())

    def find_by_suffix(self, suffix: str) -> tuple[str, ...]:
        """Return the file whose path ends with the whole words of `suffix`, if exactly one has the fewest folders."""
        if self._recorded is not None:
            self._recorded.add(_word_of(suffix) if "/" in suffix else _first_word(suffix))
        paths = [path for path in self._by_name.get(basename(suffix), ()) if f"/{path}".endswith(f"/{suffix}")]
        fewest = min((path.count("/") for path in paths), default=0)
        shortest = [path for path in paths if path.count("/") == fewest]
        return tuple(shortest) if len(shortest) == 1 else ()

    def find_only(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the file with the first of these names that any has, in whatever folder, if it is the only one."""
        for name in names:
            if self._recorded is not None:
                self._recorded.add(_first_word(name))
            if paths := self._by_name.get(name):
                return tuple(paths) if len(paths) == 1 else ()
        return ()

    def list_folder(self, folder: str, extension: str) -> tuple[str, ...]:
        """Return the files with this extension directly in a folder, sorted."""
        if self._recorded is not None:
            self._recorded.add(_folder_word(folder))
        return tuple(path for path in self._by_folder.get(folder, ()) if path.endswith(extension))

    def find_folders_by_suffix(self, suffix: str) -> tuple[str, ...]:
        """Return the folders whose path ends with the whole words of `suffix`, sorted."""
        if self._recorded is not None:
            self._recorded.add(_folder_word(suffix))
        named = self._folders_by_name.get(basename(suffix), ())
        return tuple(folder for folder in named if f"/{folder}".endswith(f"/{suffix}"))

    def has_word(self, word: str) -> bool:
        """Return whether a folder, or a file up to its first dot, has this name: a name without needs no search."""
        if self._recorded is not None:
            self._recorded.add(word)
        return self._words[word] > 0

    def has_stem(self, stem: str) -> bool:
        """Return whether a folder, or a file without its extension, has this path: any other resolves to nothing."""
        if self._recorded is not None:
            self._recorded.add(_first_word(stem.rpartition("/")[2]))
        return stem in self._stems

    @property
    def package_roots(self) -> tuple[str, ...]:
        """The folders that hold a top-level Python package, and `src`; sorted.

        Nothing is recorded: whoever looks below one asks `has_stem` for what it holds, and others go on to the next.
        """
        return self._package_roots

    @property
    def node_packages(self) -> Mapping[str, str]:
        """The folder of each package that a package.json of the project names."""
        if self._recorded is not None:
            self._recorded.add(_NODE_PACKAGES)
        return self._node_packages

    @property
    def manifests(self) -> Mapping[str, str]:
        """The texts of the manifests, by path."""
        if self._recorded is not None:
            self._recorded.add(_MANIFESTS)
        return self._manifests

    # Changes ------------------------------------------------------------------------------------------------------

    @property
    def is_recording(self) -> bool:
        """Whether look-ups are recorded: then each must be made, though its answer may be known."""
        return self._recorded is not None

    @contextmanager
    def recording(self) -> Generator[set[str]]:
        """Record the words of all look-ups inside; of one thread at a time."""
        self._recorded = recorded = set[str]()
        try:
            yield recorded
        finally:
            self._recorded = None

    def change(self, added: Iterable[str], removed: Iterable[str], manifests: Mapping[str, str]) -> set[str]:
        """Add and remove files; return the words of all look-ups that may have another answer now.

        manifests: the texts of those that were added or changed.
        """
        roots, words = self._package_roots, set[str]()
        _ = self._words, self._stems, self._by_name, self._by_folder, self._folders_by_name  # made before the change
        for path in removed:
            if path in self._paths:
                self._paths.remove(path)
                words |= self._update_indexes(path, -1)
        for path in added:
            if path not in self._paths:
                self._paths.add(path)
                words |= self._update_indexes(path, 1)
        for root in {*roots} ^ {*self._package_roots}:
            words |= self._names_in(root)
        kept = {path: text for path, text in self._manifests.items() if path in self._paths}
        return words | self._replace_manifests({**kept, **manifests})

    def _names_in(self, folder: str) -> set[str]:
        """Return the names of the files, up to their first dot, and of the folders that are directly in a folder."""
        below = f"{folder}/" if folder else ""
        names = {_first_word(basename(path)) for path in self._by_folder.get(folder, ())}
        folders = [each[len(below) :].partition("/")[0] for each in self._by_folder if each.startswith(below)]
        return names | set(map(_first_word, folders))

    def _replace_manifests(self, manifests: dict[str, str]) -> set[str]:
        """Replace all manifests; return the words of what changed."""
        words: set[str] = set()
        if manifests != self._manifests:
            before, self._manifests = self._node_packages, manifests
            del self._node_packages
            words = {_MANIFESTS} if before == self._node_packages else {_MANIFESTS, _NODE_PACKAGES}
        return words

    def _update_indexes(self, path: str, step: int) -> set[str]:
        """Take a path into each index, or out of it for a step of -1; return the words of what changed."""
        folder, name = dirname(path), basename(path)
        words = {_first_word(name), _word_of(path), _folder_word(folder)}
        words.update(word for word in _words_of(path) if _has_crossed(self._words, word, step))
        stems = (splitext(path)[0], *parent_folders(path))
        words.update(_first_word(basename(stem)) for stem in stems if _has_crossed(self._stems, stem, step))
        update = _insert if step > 0 else _take_out
        had_files = folder in self._by_folder
        update(self._by_name, name, path)
        update(self._by_folder, folder, path)
        if had_files != (folder in self._by_folder):
            update(self._folders_by_name, basename(folder), folder)
        if name == "__init__.py" and folder:
            _has_crossed(self._packages, folder, step)
            self.__dict__.pop("_package_roots", None)
        return words

    # Indexes of the paths -----------------------------------------------------------------------------------------

    @cached_property
    def _words(self) -> Counter[str]:
        return Counter(word for path in self._paths for word in _words_of(path))

    @cached_property
    def _stems(self) -> Counter[str]:
        stems = Counter(splitext(path)[0] for path in self._paths)
        for folder, paths in self._by_folder.items():
            for above in (folder, *parent_folders(folder)):
                stems[above] += len(paths)
        return stems

    @cached_property
    def _packages(self) -> Counter[str]:
        return Counter(dirname(path) for path in self._paths if path.endswith("/__init__.py"))

    @cached_property
    def _package_roots(self) -> tuple[str, ...]:
        packages = self._packages
        return tuple(sorted({"", "src", *(dirname(folder) for folder in packages if dirname(folder) not in packages)}))

    @cached_property
    def _node_packages(self) -> Mapping[str, str]:
        packages: dict[str, str] = {}
        for path in sorted(self._manifests, key=lambda path: (path.count("/"), path)):
            name = _NODE_NAME.search(self._manifests[path]) if basename(path) == "package.json" else None
            if name:
                packages.setdefault(name[1], dirname(path))
        return packages

    @cached_property
    def _folders_by_name(self) -> dict[str, list[str]]:
        return _group_by(self._by_folder, basename)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        return _group_by(self._paths, basename)

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        return _group_by(self._paths, dirname)


def _has_crossed(counts: Counter[str], value: str, step: int) -> bool:
    """Count a value up or down; return whether it has come or gone."""
    count = counts[value] + step
    if count:
        counts[value] = count
    else:
        del counts[value]
    return count == max(step, 0)


def _insert(groups: dict[str, list[str]], key: str, path: str) -> None:
    insort(groups.setdefault(key, []), path)


def _take_out(groups: dict[str, list[str]], key: str, path: str) -> None:
    group = groups[key]
    del group[bisect_left(group, path)]
    if not group:
        del groups[key]


def _words_of(path: str) -> list[str]:
    return [_first_word(name) for name in path.split("/")]


def _group_by(paths: Iterable[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for path in sorted(paths):
        groups.setdefault(key(path), []).append(path)
    return groups


def parent_folders(path: str) -> list[str]:
    """Return the folders above a path, nearest first, the root ("") last."""
    folders: list[str] = []
    while path:
        path = path.rpartition("/")[0]
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
        if files.has_word(parts[count - 1]):
            for first in range(count - 1):
                paths = files.find_by_suffix("/".join(parts[first:count]) + extension)
                if paths:
                    return paths
    return ()
