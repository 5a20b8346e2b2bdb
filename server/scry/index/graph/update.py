"""Brings the code graph up to the documents: what came and went -> who is concerned -> bases -> calls.

What a file's uses lead to depends on that file, on the definitions of the names that it uses, on what the files that it
imports make of these names, and on the bases of types. So a file is linked again when it changed itself, when a name
that it uses came, went or changed its meaning anywhere, when its imports lead elsewhere, or when a type in it got other
bases. Every step is published with the note of what is still to be done, so that it may be cut short at any point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from scry.core.errors import Cancelled
from scry.index.graph.concern import Concern
from scry.index.graph.digest import digest_file
from scry.index.graph.project import GraphProject
from scry.index.graph.resolve import Resolver
from scry.index.graph.view import FileView
from scry.index.structure import MANIFESTS, FileImports
from scry.index.uses import Uses, unpack_uses
from scry.store.graph_reader import Edge, EdgeKind
from scry.store.graph_store import DONE, PENDING_ALL, PENDING_CALLS, GraphFile, GraphStore
from scry.store.index_store import IndexStore

BATCH_FILES = 25
"""Files that are linked and published at a time: some 10 ms in which nothing else can be written."""

_imports_of = msgspec.msgpack.Decoder(FileImports).decode


class Overtaken(Cancelled):
    """Documents changed meanwhile: the pass is to be begun again, and goes on where it was."""


def update_graph(store: IndexStore, checkpoint: Callable[[], None]) -> None:
    """Links what is to be linked. checkpoint: called between batches; it may block, or raise Cancelled.

    Raises Overtaken when documents were published meanwhile.
    """
    if not store.graph_store.is_current:
        _Update(store, checkpoint).run()


class _Update:
    def __init__(self, store: IndexStore, checkpoint: Callable[[], None]) -> None:
        self._graph = store.graph_store
        self._generation = self._graph.documents_generation()
        self._checkpoint = checkpoint
        self._project = GraphProject.open(self._graph, _manifests(store))
        self._known: dict[str, GraphFile] = {}

    def run(self) -> None:
        """See `update_graph`."""
        self._known = self._graph.graph_files()
        indexed = self._project.by_path
        gone = [file for path, file in self._known.items() if path not in indexed]
        came = [path for path in indexed if path not in self._known]
        if came:
            self._graph.name_files(sorted(came, key=lambda path: indexed[path].id))
            self._known = self._graph.graph_files()
        changed = [file for path, file in self._known.items() if path in indexed and indexed[path].id != file.file]
        elsewhere: list[GraphFile] = []
        if gone or any(not file.file or file.path.rpartition("/")[2] in MANIFESTS for file in changed):
            elsewhere = self._led_elsewhere({file.id for file in changed})
        self._digest(
            elsewhere
        )  # first: what came or went is the sign by which a pass that is cut short finds them again
        self._digest(changed, fresh=len(changed) == len(self._known))
        self._forget(gone)
        self._link_bases()
        self._link_calls()
        with self._writing():
            pass
        self._graph.finish(self._generation)

    # What changed -------------------------------------------------------------------------------------------------

    def _led_elsewhere(self, but: set[int]) -> list[GraphFile]:
        """Files whose imports now lead to others, since files came or went."""
        left = [file for path, file in self._known.items() if path in self._project.by_path and file.id not in but]
        found: list[GraphFile] = []
        for batch in _batches(left):
            self._look_up()
            packed = self._graph.packed_imports([self._project.by_path[file.path].id for file in batch])
            before = self._graph.imports_of([file.id for file in batch])
            found += (file for file in batch if self._targets(file, packed) != before[file.id])
        return found

    def _targets(self, file: GraphFile, packed: dict[int, bytes]) -> frozenset[str]:
        """The paths of the files that a file imports."""
        facts = self._project.by_path[file.path]
        data = packed.get(facts.id)
        names = _imports_of(data).imports if data else ()
        targets = {target for name in names for target in self._project.resolve(facts, name)}
        return frozenset(self._project.by_id[target].path for target in targets)

    def _forget(self, gone: Sequence[GraphFile]) -> None:
        for batch in _batches(gone):
            with self._writing():
                concern = Concern(self._graph, self._project)
                for file in batch:
                    concern.lost(self._graph.defined(file.id)[0])
                concern.mark(self._known)
                self._graph.forget_files([file.id for file in batch])

    def _digest(self, changed: Sequence[GraphFile], *, fresh: bool = False) -> None:
        """Remembers what files define, moves the edges, and marks who is concerned. fresh: all is new."""
        ids = {path: file.id for path, file in self._known.items()}
        for batch in _batches(sorted(changed, key=lambda file: self._project.by_path[file.path].id)):
            self._look_up()
            numbers = [self._project.by_path[file.path].id for file in batch]
            uses, imports = self._graph.packed_uses(numbers), self._graph.packed_imports(numbers)
            documents = self._graph.documents_in(numbers)
            with self._writing():
                concern = Concern(self._graph, self._project)
                for file in batch:
                    facts = self._project.by_path[file.path]
                    linked = digest_file(
                        self._project,
                        facts,
                        documents[facts.id],
                        unpack_uses(uses[facts.id]),
                        self._targets(file, imports),
                    )
                    before, first, last = self._graph.defined(file.id)
                    moved = concern.replaced(file.id, before, linked.defined)
                    if (first, last) != (linked.first, linked.last):
                        self._graph.move_edges(first, last, moved)
                    self._graph.save_file(file.id, linked, ids)
                if not fresh:
                    concern.mark(self._known)

    # Linking ------------------------------------------------------------------------------------------------------

    def _link_bases(self) -> None:
        for batch in _batches(self._pending(PENDING_ALL)):
            self._look_up()
            views = list(self._views(batch, {"implementation"}))
            with self._writing():
                for file, view, uses in views:
                    edges = Resolver(self._project, view).bases(uses.uses)
                    others = self._other_bases(file, edges)
                    self._graph.replace_edges(file.id, EdgeKind.INHERITS, edges, PENDING_CALLS)
                    self._graph.mark(self._graph_ids(self._graph.files_deriving(others)), PENDING_CALLS)
        self._project.forget_bases()

    def _other_bases(self, file: GraphFile, edges: Iterable[Edge]) -> set[int]:
        """The types whose bases are not what they were."""
        _, first, last = self._graph.defined(file.id)
        before = {(edge.source, edge.target, edge.confidence) for edge in self._graph.base_edges(first, last)}
        after = {(edge.source, edge.target, edge.confidence) for edge in edges}
        return {source for source, _, _ in before ^ after}

    def _link_calls(self) -> None:
        for batch in _batches(self._pending(PENDING_CALLS)):
            self._look_up()
            views = list(self._views(batch, {"call", "class"}))
            linked = [(file, Resolver(self._project, view).calls(uses.uses)) for file, view, uses in views]
            with self._writing():
                for file, edges in linked:
                    self._graph.replace_edges(file.id, EdgeKind.CALLS, edges, DONE)

    def _pending(self, pending: int) -> list[GraphFile]:
        """In the order in which their documents were numbered, so that edges are written in theirs."""
        return sorted(self._graph.pending_files(pending), key=lambda file: file.file)

    def _views(self, batch: Sequence[GraphFile], kinds: set[str]) -> Iterator[tuple[GraphFile, FileView, Uses]]:
        packed = self._graph.packed_uses([file.file for file in batch])
        documents = self._graph.documents_in([file.file for file in batch])
        unpacked = {file.file: unpack_uses(packed.get(file.file, b"")) for file in batch}
        imports = self._graph.imports_of([file.id for file in batch])
        self._project.load(use.name for uses in unpacked.values() for use in uses.uses if use.kind in kinds)
        for file in batch:
            facts, uses = self._project.by_id[file.file], unpacked[file.file]
            module = self._project.read_module(facts, uses.bindings)
            imported = frozenset(self._project.by_path[path].id for path in imports[file.id])
            yield file, FileView(facts, documents[file.file], module, imported), uses

    def _graph_ids(self, files: Iterable[int]) -> list[int]:
        paths = [self._project.by_id[file].path for file in files if file in self._project.by_id]
        return [self._known[path].id for path in paths]

    # Writing ------------------------------------------------------------------------------------------------------

    def _look_up(self) -> None:
        """Lets others go first. Raises Overtaken."""
        self._checkpoint()
        if self._graph.documents_generation() != self._generation:
            raise Overtaken("documents were published meanwhile")

    def _writing(self) -> _Writing:
        self._checkpoint()
        return _Writing(self._graph, self._generation)


class _Writing:
    """A transaction that is given up when the documents are no longer those that were read."""

    def __init__(self, graph: GraphStore, generation: int) -> None:
        self._transaction = graph.begin()
        self._graph = graph
        self._generation = generation

    def __enter__(self) -> None:
        self._transaction.__enter__()
        if self._graph.documents_generation() != self._generation:
            error = Overtaken("documents were published meanwhile")
            self._transaction.__exit__(Overtaken, error, None)
            raise error

    def __exit__(self, *outcome: object) -> None:
        self._transaction.__exit__(*outcome)  # type: ignore[arg-type]


def _manifests(store: IndexStore) -> dict[str, str]:
    paths = [path for path in store.indexed_ids() if path.rpartition("/")[2] in MANIFESTS]
    return {path: store.text(path) or "" for path in paths}


def _batches(files: Sequence[GraphFile]) -> Iterator[list[GraphFile]]:
    each = iter(files)
    while batch := list(islice(each, BATCH_FILES)):
        yield batch
