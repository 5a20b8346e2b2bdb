"""Keep in memory what every pass over the code graph of one index needs, so that a pass reads what changed alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from scry.index.graph.import_graph import is_manifest
from scry.index.graph.occurrences import Hashes, Occurrences, ProjectImports, hash_word
from scry.index.graph.symbol_table import SourceFile, make_source_file
from scry.index.parse.documents import unpack_bindings
from scry.store.graph_store import GraphStore
from scry.store.index.store import IndexStore


class RestoredImports(Struct, frozen=True):
    """The files of now, with what was looked up to resolve their imports when each was linked last.

    indexed: the files.id of each by path. linked: paths of those that were linked, by graph_files.id. changed: paths
    of the files that came, went or were edited since. stale: of those whose imports may resolve otherwise since.
    """

    indexed: Mapping[str, int]
    linked: Mapping[int, str]
    imports: ProjectImports
    changed: set[str]
    stale: set[str]


def restore_imports(store: IndexStore) -> RestoredImports | None:
    """Return what the code graph has stored of the imports of files; None where it has nothing, or manifests differ.

    A file that a pass had begun to add or to remove counts as one that has come or gone: other files were saved in that
    pass as if it had.
    """
    known = store.graph_store.graph_files()
    linked = {path: file for path, file in known.items() if file.file_id}
    manifests = _read_manifests(store, linked)  # before the ids: a later text has another one
    indexed = store.files.indexed_file_ids()
    changed = {path for path, file in known.items() if indexed.get(path) != file.file_id}
    changed |= indexed.keys() - known.keys()
    if not linked or any(map(is_manifest, changed)):
        return None
    imports = ProjectImports(known, manifests)
    paths = {file.graph_file_id: path for path, file in linked.items()}
    for graph_file, look_ups in store.graph_store.look_ups():
        if graph_file in paths:
            imports.restore(paths[graph_file], look_ups)
    absent = (known.keys() - indexed.keys()) | (known.keys() - linked.keys())
    words = imports.change((), absent, {})
    words |= imports.change(indexed.keys() - linked.keys(), (), {})
    return RestoredImports(indexed, paths, imports, changed, imports.files_that_looked_up(words) & indexed.keys())


class GraphMemory:
    """The indexed files, and what the graph's passes know of them. Used by one thread at a time.

    by_id, by_path: the indexed files. imports: the same, with what was looked up to resolve their imports. changed:
    paths of the files that changed since the last complete pass; None for all. stale: paths of the files whose imports
    may resolve otherwise since then; None for all.
    """

    def __init__(self) -> None:
        """Start empty: the first pass reads all files."""
        self._position = -1
        self._forget_all()

    def _forget_all(self) -> None:
        self.by_id: dict[int, SourceFile] = {}
        self.by_path: dict[str, SourceFile] = {}
        self.imports = ProjectImports((), {})
        self.changed: set[str] | None = None
        self.stale: set[str] | None = set()
        self._has_all_look_ups = False
        self._names: Occurrences[int] | None = None
        self._aliases: dict[int, Sequence[tuple[int, int]]] = {}

    def take_in_changes(self, store: IndexStore) -> None:
        """Take in which files were published and removed since the last call."""
        position = store.changed_paths.position
        changed = store.changed_paths.since(self._position) if self._position >= 0 else None
        if changed is None:
            self._forget_all()
            self._take_in(store.graph_store.indexed_files())
            known = restore_imports(store)
            if known is not None:
                self.imports, self.changed, self.stale = known.imports, known.changed, known.stale
                self._has_all_look_ups = True
            else:
                self.imports = ProjectImports(self.by_path, _read_manifests(store, self.by_path))
        elif changed:
            self._take_in_some(store, changed)
        self._position = position

    def _take_in_some(self, store: IndexStore, changed: frozenset[str]) -> None:
        for path in changed:
            known = self.by_path.pop(path, None)
            if known is not None:
                del self.by_id[known.id]
        rows = store.graph_store.indexed_files(sorted(changed))
        self._take_in(rows)
        indexed = [path for _, path, _ in rows]
        words = self.imports.change(indexed, changed - self.by_path.keys(), _read_manifests(store, indexed))
        if self.changed is not None:
            self.changed |= changed
        if words and not self._has_all_look_ups:
            self.stale = None
        if self.stale is not None:
            self.stale |= self.imports.files_that_looked_up(words)

    def _take_in(self, rows: Iterable[tuple[int, str, str]]) -> None:
        for file_id, path, name in rows:
            self.by_id[file_id] = self.by_path[path] = make_source_file(file_id, path, name)

    def mark_all_stale(self) -> None:
        """Have the imports of all files resolved again: an earlier pass was cut short."""
        self.stale = None

    def complete(self, *, resolved_all: bool) -> None:
        """Record that a pass is complete. resolved_all: the imports of all files were resolved and recorded in it."""
        self._has_all_look_ups = self._has_all_look_ups or resolved_all
        self.changed, self.stale = set(), set()
        self._aliases.clear()

    # Names --------------------------------------------------------------------------------------------------------

    def files_using_names(self, graph: GraphStore, hashes: Iterable[int]) -> set[int]:
        """Return the graph_files.id of the files that use one of these names (hashes)."""
        if self._names is None:
            self._names = Occurrences()
            for graph_file, used in graph.used_names():
                self._names.replace(graph_file, used)
        return self._names.find(hashes)

    def aliases(self, graph: GraphStore, file_ids: Iterable[int]) -> set[tuple[int, int]]:
        """Return the names (hashes) that imports of these files bind under another name, each with that name (hash)."""
        wanted = [file for file in file_ids if file in self.by_id]
        for file, packed in graph.packed_uses([file for file in wanted if file not in self._aliases]).items():
            self._aliases[file] = [
                (hash_word(binding.member), hash_word(binding.name))
                for binding in unpack_bindings(packed)
                if binding.name != binding.member
            ]
        return {pair for file in wanted for pair in self._aliases.get(file, ())}

    def note_saved(self, graph_file: int, used_names: Hashes) -> None:
        """Note the names that a saved file uses, once they are committed."""
        if self._names is not None:
            self._names.replace(graph_file, used_names)

    def note_removed(self, graph_file: int) -> None:
        """Note that a file was removed, once that is committed."""
        if self._names is not None:
            self._names.remove(graph_file)


def _read_manifests(store: IndexStore, paths: Iterable[str]) -> dict[str, str]:
    return {path: store.files.get_text(path) or "" for path in filter(is_manifest, paths)}
