"""Who has to be linked again because of what came, went or changed its meaning in other files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from scry.index.graph.hashes import name_hash
from scry.index.graph.project import GraphProject
from scry.index.uses import unpack_uses
from scry.store.graph_store import PENDING_ALL, GraphFile, GraphStore, Used
from scry.store.packed_definitions import Defined

_ALL = name_hash("*")


class Concern:
    """Gathers the names that changed in a batch of files, then marks who uses them."""

    def __init__(self, graph: GraphStore, project: GraphProject) -> None:
        """Begins with nothing changed."""
        self._graph = graph
        self._project = project
        self._names: set[int] = set()
        self._opened: set[int] = set()

    def lost(self, defined: Defined) -> None:
        """A file is gone, with all that it defined."""
        self._names.update(int(name) for name in defined["name"])

    def replaced(self, graph_file: int, before: Defined, after: Defined) -> dict[int, int]:
        """A file has new definitions; returns the new numbers of those that stay, by their old ones."""
        came = ~np.isin(after["identity"], before["identity"])
        went = ~np.isin(before["identity"], after["identity"])
        names = {int(name) for name in (*after["name"][came], *before["name"][went])}
        self._names |= names
        if _ALL in names and len(before):
            self._opened.add(graph_file)
        stay = {int(row["identity"]): int(row["number"]) for row in after if row["number"]}
        old = ((int(row["number"]), int(row["identity"])) for row in before[~went] if row["number"])
        return {number: stay[key] for number, key in old if key in stay}

    def mark(self, known: Mapping[str, GraphFile]) -> None:
        """Marks all who are concerned; within a transaction."""
        self._graph.mark(self._graph.importers_of(self._opened), PENDING_ALL)
        names = self._names
        by_id = {file.id: file for file in known.values()}
        while names:
            found = self._graph.users_of(_sorted(names))
            self._graph.mark(found, PENDING_ALL)
            names = self._renamed([by_id[file] for file in found], names)

    def _renamed(self, files: Sequence[GraphFile], names: set[int]) -> set[int]:
        """Other names under which these files pass on one of the names."""
        found: set[int] = set()
        ids = [file.file for file in files if file.file in self._project.by_id]
        for packed in self._graph.packed_uses(ids).values():
            for binding in unpack_uses(packed).bindings:
                if binding.name != binding.member and name_hash(binding.member) in names:
                    found.add(name_hash(binding.name))
        found -= self._names
        self._names |= found
        return found


def _sorted(names: Iterable[int]) -> Used:
    return np.array(sorted(names), np.uint32)
