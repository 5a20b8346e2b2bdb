"""Who has to be linked again because of what came, went or changed its meaning in other files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from scry.index.graph.hashes import name_hash
from scry.index.graph.project import SymbolTable
from scry.index.uses import unpack_uses
from scry.store.graph_store import LINK_ALL, GraphFile, GraphStore, NameHashes
from scry.store.packed_definitions import DefinitionArray

_WILDCARD_HASH = name_hash("*")


class InvalidationTracker:
    """Gathers the names that changed in a batch of files, then marks who uses them."""

    def __init__(self, graph: GraphStore, project: SymbolTable) -> None:
        """Begins with nothing changed."""
        self._graph = graph
        self._project = project
        self._names: set[int] = set()
        self._opened: set[int] = set()

    def record_removed(self, defined: DefinitionArray) -> None:
        """A file is gone, with all that it defined."""
        self._names.update(int(name) for name in defined["name"])

    def record_replaced(self, graph_file: int, before: DefinitionArray, after: DefinitionArray) -> dict[int, int]:
        """A file has new definitions; returns the new numbers of those that stay, by their old ones."""
        came = ~np.isin(after["identity"], before["identity"])
        went = ~np.isin(before["identity"], after["identity"])
        names = {int(name) for name in (*after["name"][came], *before["name"][went])}
        self._names |= names
        if _WILDCARD_HASH in names and len(before):
            self._opened.add(graph_file)
        stay = {int(row["identity"]): int(row["number"]) for row in after if row["number"]}
        old = ((int(row["number"]), int(row["identity"])) for row in before[~went] if row["number"])
        return {number: stay[key] for number, key in old if key in stay}

    def mark_dependents(self, known: Mapping[str, GraphFile]) -> None:
        """Marks all who are concerned; within a transaction."""
        self._graph.mark_pending(self._graph.transitive_importers(self._opened), LINK_ALL)
        names = self._names
        by_id = {file.graph_file_id: file for file in known.values()}
        while names:
            found = self._graph.files_using_names(_sorted_hashes(names))
            self._graph.mark_pending(found, LINK_ALL)
            names = self._find_reexported_names([by_id[file] for file in found], names)

    def _find_reexported_names(self, files: Sequence[GraphFile], names: set[int]) -> set[int]:
        """Other names under which these files pass on one of the names."""
        found: set[int] = set()
        ids = [file.file_id for file in files if file.file_id in self._project.by_id]
        for packed in self._graph.packed_uses(ids).values():
            for binding in unpack_uses(packed).bindings:
                if binding.name != binding.member and name_hash(binding.member) in names:
                    found.add(name_hash(binding.name))
        found -= self._names
        self._names |= found
        return found


def _sorted_hashes(names: Iterable[int]) -> NameHashes:
    return np.array(sorted(names), np.uint32)
