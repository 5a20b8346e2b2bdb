"""All definitions of one name in one family of languages, found by kind, then by file, folder or container."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

from scry.store.graph_store import Definition

Key = TypeVar("Key", bound=Hashable)

_NONE: tuple[Definition, ...] = ()


class Group:
    """Some definitions of one name, with indexes that are made when first asked for: a name may have thousands."""

    __slots__ = ("_by_container", "_by_file", "_by_folder", "all")

    def __init__(self, definitions: Sequence[Definition]) -> None:
        """definitions: by number."""
        self.all = definitions
        self._by_file: Mapping[int, Sequence[Definition]] | None = None
        self._by_container: Mapping[str, Sequence[Definition]] | None = None
        self._by_folder: Mapping[str, Sequence[Definition]] | None = None

    def without(self, number: int) -> Group:
        """All but one document."""
        return Group([d for d in self.all if d.number != number])

    def in_file(self, file: int) -> Sequence[Definition]:
        """Those of one file, by files.id."""
        if self._by_file is None:
            self._by_file = _grouped(self.all, lambda d: d.file)
        return self._by_file.get(file, _NONE)

    def in_container(self, container: str) -> Sequence[Definition]:
        """Those in a container of this qualified name, in whatever file; "" for those in none."""
        if self._by_container is None:
            self._by_container = _grouped(self.all, lambda d: d.container)
        return self._by_container.get(container, _NONE)

    def in_folder(self, folder: str, folder_of: Callable[[int], str]) -> Sequence[Definition]:
        """Those in files of one folder. folder_of: the folder of a file, by files.id."""
        if self._by_folder is None:
            self._by_folder = _grouped(self.all, lambda d: folder_of(d.file))
        return self._by_folder.get(folder, _NONE)


class Candidates:
    """The definitions of one name in one family."""

    __slots__ = ("_all", "_by_kinds")

    def __init__(self, definitions: Sequence[Definition]) -> None:
        """definitions: by number."""
        self._all = definitions
        self._by_kinds: dict[frozenset[str], Group] = {}

    def __len__(self) -> int:
        """How many there are, of all kinds."""
        return len(self._all)

    def of(self, kinds: frozenset[str]) -> Group:
        """Those of some kinds."""
        group = self._by_kinds.get(kinds)
        if group is None:
            group = self._by_kinds[kinds] = Group([d for d in self._all if d.kind in kinds])
        return group


def _grouped(definitions: Sequence[Definition], key: Callable[[Definition], Key]) -> dict[Key, list[Definition]]:
    groups: dict[Key, list[Definition]] = {}
    for definition in definitions:
        groups.setdefault(key(definition), []).append(definition)
    return groups
