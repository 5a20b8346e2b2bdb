"""A small project with its index and code graph, in words: `a.py::f calls b.py::g (exact)`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scry.core import Settings
from scry.index.graph import GraphMemory, update_graph
from scry.indexer import refresh_index
from scry.store import Confidence, EdgeKind
from scry.store.index import IndexStore
from tests.sample.project import SampleProject


class GraphProject(SampleProject):
    """Files as given, indexed and linked by `update`."""

    def __init__(self, root: Path, files: Mapping[str, str]) -> None:
        super().__init__(root)
        root.mkdir(parents=True)
        self.write(files)
        self.store = IndexStore.open(self.project.cache, write=True)
        self.memory = GraphMemory()
        self.update()

    def remove(self, path: str) -> None:
        (self.root / path).unlink()

    def index(self, *only: str) -> None:
        """Words alone, as when a question comes before the graph is made."""
        some = frozenset(only) or None
        refresh_index(
            self.project,
            Settings(),
            self.store,
            only_paths=some,
            report=lambda _: None,
            checkpoint=lambda: None,
            standalone=False,
        )

    def update(self, *only: str) -> None:
        self.index(*only)
        update_graph(self.store, lambda: None, self.memory)

    def doc_keys(self) -> dict[str, int]:
        return {
            doc_id: n
            for path in self.store.files.all_files()
            for n, doc_id in self.store.documents.doc_keys_in_file(path)[1]
        }

    def doc_key(self, doc_id: str) -> int:
        return self.doc_keys()[f"./{doc_id}"]

    def edges(self, kind: EdgeKind | None = None) -> set[str]:
        """Return all edges of a kind, or of every kind with the line."""
        kinds = [kind] if kind else list(EdgeKind)
        ids = {n: doc_id.removeprefix("./") for doc_id, n in self.doc_keys().items()}
        found: set[str] = set()
        for each in kinds:
            for number in ids:
                for item in self.store.graph.neighbors([number], each, 1000).items:
                    edge = item.edge
                    line = "" if kind else f" at {edge.line}"
                    words = Confidence(edge.confidence).label
                    found.add(f"{ids[edge.source_key]} {each.name.lower()} {ids[edge.target_key]} ({words}){line}")
        return found

    def imports(self) -> set[str]:
        return {
            f"{path} > {to}"
            for path in self.store.files.all_files()
            for to in self.store.graph.imported_files(path, 1000).paths
        }

    def look_ups(self) -> dict[str, tuple[int, ...]]:
        """Return what the graph stores of the look-ups of each file's imports."""
        graph = self.store.graph_store
        paths = {file.graph_file_id: path for path, file in graph.graph_files().items()}
        return {paths[graph_file]: tuple(hashes.tolist()) for graph_file, hashes in graph.look_ups()}

    def assert_like_fresh(self, folder: Path) -> None:
        """Check that the graph is that of a new index of the same files, which is made in `folder`."""
        files = {path: path.read_text(encoding="utf-8") for path in self.root.rglob("*") if path.is_file()}
        fresh = GraphProject(folder, {path.relative_to(self.root).as_posix(): text for path, text in files.items()})
        try:
            assert self.edges() == fresh.edges()
            assert self.imports() == fresh.imports()
            assert self.look_ups() == fresh.look_ups()
        finally:
            fresh.store.close()

    def calls(self) -> set[str]:
        return {edge.replace(" calls ", " > ") for edge in self.edges(EdgeKind.CALLS)}

    def bases(self) -> set[str]:
        return {edge.replace(" inherits ", " > ") for edge in self.edges(EdgeKind.INHERITS)}
