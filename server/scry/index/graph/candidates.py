"""All definitions of one name in one family of languages, found by kind, then by file, folder or container."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

from scry.store.graph_store import GraphDefinition

Key = TypeVar("Key", bound=Hashable)

_NO_DEFINITIONS: tuple[GraphDefinition, ...] = ()


class DefinitionGroup:
    """Some definitions of one name, with indexes that are made when first asked for: a name may have thousands."""

    __slots__ = ("_by_container", "_by_file", "_by_folder", "all")

    def __init__(self, definitions: Sequence[GraphDefinition]) -> None:
        """definitions: by number."""
        self.all = definitions
        self._by_file: Mapping[int, Sequence[GraphDefinition]] | None = None
        self._by_container: Mapping[str, Sequence[GraphDefinition]] | None = None
        self._by_folder: Mapping[str, Sequence[GraphDefinition]] | None = None

    def without(self, number: int) -> DefinitionGroup:
        """All but one document."""
        return DefinitionGroup([d for d in self.all if d.doc_key != number])

    def in_file(self, file: int) -> Sequence[GraphDefinition]:
        """Those of one file, by files.id."""
        if self._by_file is None:
            self._by_file = _group_by(self.all, lambda d: d.file_id)
        return self._by_file.get(file, _NO_DEFINITIONS)

    def in_container(self, container: str) -> Sequence[GraphDefinition]:
        """Those in a container of this qualified name, in whatever file; "" for those in none."""
        if self._by_container is None:
            self._by_container = _group_by(self.all, lambda d: d.container)
        return self._by_container.get(container, _NO_DEFINITIONS)

    def in_folder(self, folder: str, folder_of: Callable[[int], str]) -> Sequence[GraphDefinition]:
        """Those in files of one folder. folder_of: the folder of a file, by files.id."""
        if self._by_folder is None:
            self._by_folder = _group_by(self.all, lambda d: folder_of(d.file_id))
        return self._by_folder.get(folder, _NO_DEFINITIONS)


class DefinitionCandidates:
    """The definitions of one name in one family."""

    __slots__ = ("_all", "_by_kinds")

    def __init__(self, definitions: Sequence[GraphDefinition]) -> None:
        """definitions: by number."""
        self._all = definitions
        self._by_kinds: dict[frozenset[str], DefinitionGroup] = {}

    def __len__(self) -> int:
        """How many there are, of all kinds."""
        return len(self._all)

    def of_kinds(self, kinds: frozenset[str]) -> DefinitionGroup:
        """Those of some kinds."""
        group = self._by_kinds.get(kinds)
        if group is None:
            group = self._by_kinds[kinds] = DefinitionGroup([d for d in self._all if d.kind in kinds])
        return group


def _group_by(definitions: Sequence[GraphDefinition], key: Callable[[GraphDefinition], Key]) -> dict[Key, list[GraphDefinition]]:
    groups: dict[Key, list[GraphDefinition]] = {}
    for definition in definitions:
        groups.setdefault(key(definition), []).append(definition)
    return groups
