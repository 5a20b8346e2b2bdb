"""Update the code graph to the indexed documents: invalidate, then link bases, then calls.

The targets of a file's uses depend on that file, on the definitions of the names that it uses, on the re-exports of the
files that it imports, and on the bases of types. So a file is linked again when it changed itself, when a definition of
a name that it uses was added, removed or changed anywhere, when its imports resolve to other files, or when a type in
it, or one that it names, got other bases, itself or through another type. Every step is published with the list of
pending files, so that a pass may be interrupted at any point.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

import numpy as np

from scry.core.decoding import msgpack_decoder
from scry.core.errors import Cancelled, ScryError
from scry.core.types import FileFault, IndexingStage
from scry.index.graph.file_view import FileView
from scry.index.graph.graph_memory import GraphMemory
from scry.index.graph.import_graph import FileImports, is_manifest
from scry.index.graph.invalidation import InvalidationTracker, make_linked_file
from scry.index.graph.occurrences import Hashes
from scry.index.graph.resolver import ReferenceResolver
from scry.index.graph.symbol_table import SourceFile, SymbolTable
from scry.index.parse.documents import FileUses, unpack_uses
from scry.index.parse.parser_version import reading_version
from scry.store.graph import Edge, EdgeKind
from scry.store.graph_store import LINK_ALL, LINK_CALLS, LINK_DONE, FileDigest, GraphDocument, GraphFile, GraphStore
from scry.store.index.store import IndexStore

log = logging.getLogger(__name__)

BATCH_FILES = 25
"""Files that are linked and published at a time: some 10 ms in which nothing else can be written."""

LOOK_UPS_AT_ONCE = 500
"""Files whose look-ups are written at a time, where their imports are the same as before."""

T = TypeVar("T")

_decode_imports = msgpack_decoder(FileImports)


class DocumentsChanged(Cancelled):
    """Documents changed meanwhile: the pass has to be started again, and continues where it was."""


def update_graph(store: IndexStore, checkpoint: Callable[[], None], memory: GraphMemory | None = None) -> None:
    """Link all pending files. checkpoint: called between batches; it may block, or raise Cancelled.

    memory: that of the passes before over the same store, which this one keeps up to date; unless it fails, which a new
    one then has to follow. Raises DocumentsChanged when documents were published meanwhile.
    """
    if not store.graph.is_current:
        _GraphUpdate(store, checkpoint, memory or GraphMemory()).run()


class _GraphUpdate:
    def __init__(self, store: IndexStore, checkpoint: Callable[[], None], memory: GraphMemory) -> None:
        self._graph = store.graph_store
        self._files = store.files
        self._faults: dict[int, FileFault] = {}
        self._generation = self._graph.documents_generation()
        self._checkpoint = checkpoint
        memory.take_in_changes(store)
        self._memory = memory
        self._project = SymbolTable(self._graph, memory.imports.files, memory.by_id, memory.by_path)

    def run(self) -> None:
        """Run the update; see `update_graph`."""
        indexed, paths = self._project.by_path, self._memory.changed
        known = self._graph.graph_files(paths)
        removed = [file for path, file in known.items() if path not in indexed]
        added_paths = [path for path in (indexed if paths is None else paths) if path in indexed and path not in known]
        if added_paths:
            self._graph.add_files(sorted(added_paths, key=lambda path: indexed[path].id))
            known |= self._graph.graph_files(added_paths)
        changed = [file for path, file in known.items() if path in indexed and indexed[path].id != file.file_id]
        if paths is None and (removed or any(not file.file_id or is_manifest(file.path) for file in changed)):
            self._memory.mark_all_stale()
        fresh = paths is None and len(changed) == len(known)
        resolves_all = fresh or self._memory.stale is None
        with_changed_imports: Sequence[GraphFile] = ()
        look_ups: Mapping[int, Hashes] = {}
        if not fresh:
            with_changed_imports, look_ups = self._resolve_stale_imports({file.path for file in changed})
        # First: added or removed files are the sign by which an interrupted pass finds these files again. A removed
        # file may be back by then, and must count as added: the files that import it were saved without it.
        with self._begin_write():
            self._graph.mark_absent([file.graph_file_id for file in removed if file.file_id])
        self._save_look_ups(look_ups)
        self._save_files(with_changed_imports)
        self._save_files(changed, fresh=fresh)
        self._remove_files(removed)
        self._link_bases(fresh=fresh)
        self._link_calls()
        with self._begin_write():
            pass
        if self._faults:
            self._files.record_faults(self._faults, reading_version())
        self._graph.mark_current(self._generation)
        self._memory.complete(resolved_all=resolves_all)

    # Changes ------------------------------------------------------------------------------------------------------

    def _resolve_stale_imports(self, excluded: set[str]) -> tuple[list[GraphFile], dict[int, Hashes]]:
        """Resolve the imports that may mean other files since files were added or removed, without those of `excluded`.

        Returns the files whose imports do, and of the others the look-ups that are not those stored.
        """
        stale = self._memory.stale
        indexed = self._project.by_path.keys()
        paths = sorted((indexed if stale is None else indexed & stale) - excluded)
        known = self._graph.graph_files(None if stale is None else paths)
        changed: list[GraphFile] = []
        moved: dict[int, Hashes] = {}
        for batch in _split_batches([known[path] for path in paths if path in known]):
            self._run_checkpoint()
            packed = self._graph.packed_imports([self._project.by_path[file.path].id for file in batch])
            before = self._graph.imported_paths([file.graph_file_id for file in batch])
            look_ups = dict(self._graph.look_ups([file.graph_file_id for file in batch]))
            for file in batch:
                paths, now = self._imported_paths(file, packed)
                if paths != before[file.graph_file_id]:
                    changed.append(file)
                elif not np.array_equal(now, look_ups[file.graph_file_id]):
                    moved[file.graph_file_id] = now
        return changed, moved

    def _save_look_ups(self, look_ups: Mapping[int, Hashes]) -> None:
        for batch in _split_batches(list(look_ups.items()), LOOK_UPS_AT_ONCE):
            with self._begin_write():
                self._graph.save_look_ups(dict(batch))

    def _imported_paths(self, file: GraphFile, packed: dict[int, bytes]) -> tuple[frozenset[str], Hashes]:
        """Return the paths of the files that a file imports, and what was looked up to find them."""
        source_file = self._project.by_path[file.path]
        data = packed.get(source_file.id)
        names = _decode_imports(data).imports if data else ()
        paths: frozenset[str] = frozenset()
        with self._memory.imports.recording(file.path) as look_ups, self._guard(source_file.id):
            targets = {target for name in names for target in self._project.resolve_import(source_file, name)}
            paths = frozenset(self._project.by_id[target].path for target in targets)
        return paths, look_ups.hashes

    def _remove_files(self, removed: Sequence[GraphFile]) -> None:
        for batch in _split_batches(removed):
            with self._begin_write():
                tracker = InvalidationTracker(self._graph, self._memory)
                for file in batch:
                    tracker.record_removed(self._graph.definitions_of_file(file.graph_file_id)[0])
                tracker.mark_users_of_types(tracker.removed_keys)  # before the edges to these are deleted
                tracker.mark_dependents()
                self._graph.remove_files([file.graph_file_id for file in batch])
            for file in batch:
                self._memory.note_removed(file.graph_file_id)

    def _save_files(self, changed: Sequence[GraphFile], *, fresh: bool = False) -> None:
        """Save the digests of files, move their edges, and mark the files that depend on changes. fresh: all files are
        new.
        """
        for batch in _split_batches(sorted(changed, key=lambda file: self._project.by_path[file.path].id)):
            self._run_checkpoint()
            file_ids = [self._project.by_path[file.path].id for file in batch]
            uses, imports = self._graph.packed_uses(file_ids), self._graph.packed_imports(file_ids)
            documents = self._graph.documents_by_file(file_ids)
            with self._begin_write():
                tracker = InvalidationTracker(self._graph, self._memory)
                saved: list[tuple[GraphFile, FileDigest, int, int, dict[int, int]]] = []
                for file in batch:
                    source_file = self._project.by_path[file.path]
                    linked = self._link_file(
                        source_file,
                        documents[source_file.id],
                        unpack_uses(uses[source_file.id]),
                        *self._imported_paths(file, imports),
                    )
                    before, first, last = self._graph.definitions_of_file(file.graph_file_id)
                    moved = tracker.record_replaced(file.graph_file_id, before, linked.definitions)
                    saved.append((file, linked, first, last, moved))
                tracker.mark_users_of_types(tracker.removed_keys)  # before the edges to these are deleted
                ids = self._ids_of_imports(linked for _, linked, *_ in saved)
                for file, linked, first, last, moved in saved:
                    if (first, last) != (linked.first_key, linked.last_key):
                        self._graph.move_edges(first, last, moved)
                    self._graph.save_file(file.graph_file_id, linked, ids)
                if not fresh:
                    tracker.mark_dependents()
            for file, linked, *_ in saved:
                self._memory.note_saved(file.graph_file_id, linked.used_names)

    def _ids_of_imports(self, files: Iterable[FileDigest]) -> dict[str, int]:
        """Return the graph_files.id of each file that one of these imports, by path."""
        known = self._graph.graph_files({path for file in files for path in file.imports})
        return {path: file.graph_file_id for path, file in known.items()}

    def _link_file(
        self,
        source_file: SourceFile,
        documents: Sequence[GraphDocument],
        uses: FileUses,
        imported: frozenset[str],
        look_ups: Hashes,
    ) -> FileDigest:
        with self._guard(source_file.id):
            return make_linked_file(self._project, source_file, documents, uses, imported, look_ups)
        unused = FileUses((), ())
        with self._guard(source_file.id):
            return make_linked_file(self._project, source_file, documents, unused, imported, look_ups)
        return make_linked_file(self._project, source_file, (), unused, frozenset(), look_ups)

    @contextmanager
    def _guard(self, file_id: int) -> Generator[None]:
        """Catch an exception of one file, which then has fewer relations, and record it."""
        try:
            yield
        except (Cancelled, ScryError):
            raise
        except Exception as error:
            log.warning("%r is not linked", self._project.by_id[file_id].path, exc_info=True)
            self._faults.setdefault(file_id, FileFault.from_error(IndexingStage.GRAPH, error))

    # Linking ------------------------------------------------------------------------------------------------------

    def _link_bases(self, *, fresh: bool) -> None:
        for batch in _split_batches(self._list_pending_files(LINK_ALL)):
            self._run_checkpoint()
            views = list(self._open_views(batch, {"implementation"}))
            with self._begin_write():
                changed: set[int] = set()
                for file, view, uses in views:
                    edges: Sequence[Edge] = ()
                    with self._guard(file.file_id):
                        edges = ReferenceResolver(self._project, view).base_edges(uses.uses)
                    changed |= self._types_with_changed_bases(file, edges)
                    self._graph.replace_edges(file.graph_file_id, EdgeKind.INHERITS, edges, LINK_CALLS)
                if not fresh:
                    InvalidationTracker(self._graph, self._memory).mark_users_of_types(changed)
        self._project.clear_bases()

    def _types_with_changed_bases(self, file: GraphFile, edges: Iterable[Edge]) -> set[int]:
        """Return the doc_keys of the types whose bases changed."""
        _, first, last = self._graph.definitions_of_file(file.graph_file_id)
        before = {(edge.source_key, edge.target_key, edge.confidence) for edge in self._graph.base_edges(first, last)}
        after = {(edge.source_key, edge.target_key, edge.confidence) for edge in edges}
        return {source for source, _, _ in before ^ after}

    def _link_calls(self) -> None:
        for batch in _split_batches(self._list_pending_files(LINK_CALLS)):
            self._run_checkpoint()
            views = list(self._open_views(batch, {"call", "class"}))
            linked: list[tuple[GraphFile, Sequence[Edge]]] = []
            for file, view, uses in views:
                edges: Sequence[Edge] = ()
                with self._guard(file.file_id):
                    edges = ReferenceResolver(self._project, view).call_edges(uses.uses)
                linked.append((file, edges))
            with self._begin_write():
                for file, edges in linked:
                    self._graph.replace_edges(file.graph_file_id, EdgeKind.CALLS, edges, LINK_DONE)

    def _list_pending_files(self, pending: int) -> list[GraphFile]:
        """Return the pending files in the order of their files.id, in which edges are then written."""
        return sorted(self._graph.pending_files(pending), key=lambda file: file.file_id)

    def _open_views(
        self, batch: Sequence[GraphFile], kinds: set[str]
    ) -> Iterator[tuple[GraphFile, FileView, FileUses]]:
        packed = self._graph.packed_uses([file.file_id for file in batch])
        documents = self._graph.documents_by_file([file.file_id for file in batch])
        unpacked = {file.file_id: unpack_uses(packed.get(file.file_id, b"")) for file in batch}
        imports = self._graph.imported_paths([file.graph_file_id for file in batch])
        self._project.preload_definitions(
            use.name for uses in unpacked.values() for use in uses.uses if use.kind in kinds
        )
        for file in batch:
            source_file, uses = self._project.by_id[file.file_id], unpacked[file.file_id]
            imported = frozenset(self._project.by_path[path].id for path in imports[file.graph_file_id])
            view, used = self._open_view(source_file, documents[file.file_id], uses, imported)
            yield file, view, used

    def _open_view(
        self, source_file: SourceFile, documents: Sequence[GraphDocument], uses: FileUses, imported: frozenset[int]
    ) -> tuple[FileView, FileUses]:
        """Return the view of a file, and its uses; an empty one and none where that fails."""
        with self._guard(source_file.id):
            module = self._project.resolve_bindings(source_file, uses.bindings)
            return FileView(source_file, documents, module, imported), uses
        return FileView(source_file, (), self._project.resolve_bindings(source_file, ()), imported), FileUses((), ())

    # Writing ------------------------------------------------------------------------------------------------------

    def _run_checkpoint(self) -> None:
        """Let other work go first. Raises DocumentsChanged."""
        self._checkpoint()
        if self._graph.documents_generation() != self._generation:
            raise DocumentsChanged("documents were published meanwhile")

    def _begin_write(self) -> _GuardedTransaction:
        self._checkpoint()
        return _GuardedTransaction(self._graph, self._generation)


class _GuardedTransaction:
    """A transaction that is rolled back when documents were published since the pass began."""

    def __init__(self, graph: GraphStore, generation: int) -> None:
        self._transaction = graph.begin_transaction()
        self._graph = graph
        self._generation = generation

    def __enter__(self) -> None:
        self._transaction.__enter__()
        if self._graph.documents_generation() != self._generation:
            error = DocumentsChanged("documents were published meanwhile")
            self._transaction.__exit__(DocumentsChanged, error, None)
            raise error

    def __exit__(self, *outcome: object) -> None:
        self._transaction.__exit__(*outcome)  # type: ignore[arg-type]


def _split_batches(items: Sequence[T], size: int = BATCH_FILES) -> Iterator[list[T]]:
    each = iter(items)
    while batch := list(islice(each, size)):
        yield batch
