"""Keep the structure of files up to date: importers, centrality and roles, as `import_graph` defines them.

The targets of a file's imports depend on that file, on the set of files, and on the manifests. So after a change the
changed files are resolved, and those that looked up a path that came or went. Importers are counted up and down with
each resolved file. Only the bounds of the bands of centrality concern all files, and they seldom move.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec

from scry.core.decoding import msgpack_decoder
from scry.core.types import FileFault, FileStructure, IndexingStage
from scry.index.graph import import_graph
from scry.index.graph.graph_memory import restore_imports
from scry.index.graph.import_graph import CentralityBands, FileImports, FileRole, classify_file, is_code, is_manifest
from scry.index.graph.occurrences import ProjectImports
from scry.index.parse.languages import language_as_read
from scry.index.parse.parser_version import reading_version

if TYPE_CHECKING:
    from scry.store.index.files import IndexedFileInfo
    from scry.store.index.store import IndexStore

log = logging.getLogger(__name__)

_unpack_imports = msgpack_decoder(FileImports)


class _ResolvedFile(msgspec.Struct, frozen=True):
    """A file with its resolved imports. targets: the files that it imports."""

    role: FileRole
    targets: frozenset[str]


FILES_READ_AT_ONCE = 100
"""Files whose imports are read between two checkpoints: some milliseconds, in which the index is locked."""


class StructureUpdater:
    """The structure of one index, kept between updates by its one writer; the outcome equals that of a full
    computation.
    """

    def __init__(self) -> None:
        """Start empty, so that the first update resolves all files."""
        self._imports: ProjectImports | None = None
        self._position = self._next_file_id = 0
        self._faults: dict[int, FileFault] = {}
        self._forget_all()

    def _forget_all(self) -> None:
        self._files: dict[str, _ResolvedFile] = {}
        self._importers: Counter[str] = Counter()
        self._rated: Counter[int] = Counter()  # how many files with a language have so many importers
        self._bands: CentralityBands | None = None
        self._stored: dict[str, IndexedFileInfo] = {}  # as restored, until the next save
        self._due: set[str] = set()  # files to resolve, also those of updates that were cancelled
        self._unsaved: set[str] = set()

    def update(self, store: IndexStore, checkpoint: Callable[[], None]) -> bool:
        """Save the structures that changed; return whether the index had changed.

        checkpoint: called for every file; it may raise Cancelled, and then nothing was saved.
        """
        if not store.files.is_structure_outdated:
            return False
        imports = self._take_in_changes(store)
        due = sorted(self._due)
        for start in range(0, len(due), FILES_READ_AT_ONCE):
            part = due[start : start + FILES_READ_AT_ONCE]
            packed, ids = store.files.packed_imports(part), store.files.indexed_file_ids(part)
            for path in sorted(packed):
                checkpoint()
                self._replace_file(path, self._resolve_file(path, packed[path], ids[path], imports))
                self._due.discard(path)
        self._save(store)
        return True

    def _take_in_changes(self, store: IndexStore) -> ProjectImports:
        """Take in which files were changed, added and removed since the last update; return the project."""
        position, self._next_file_id = store.changed_paths.position, store.files.next_file_id
        changed = store.changed_paths.since(self._position)
        if self._imports is None or changed is None:
            self._forget_all()
            self._imports, indexed = self._restore(store) or self._read_all(store)
        else:
            indexed = store.files.indexed_file_ids(sorted(changed))
            removed = changed - indexed.keys()
            for path in removed:
                self._remove_file(path)
            words = self._imports.change(indexed, removed, _read_manifests(store, indexed))
            self._due |= indexed.keys() | self._imports.files_that_looked_up(words)
            self._due -= removed
        self._unsaved |= indexed.keys()
        self._position = position
        return self._imports

    def _read_all(self, store: IndexStore) -> tuple[ProjectImports, Mapping[str, int]]:
        """Have the imports of all files resolved; return the project, and the files to be saved."""
        indexed = store.files.indexed_file_ids()
        self._due = set(indexed)
        return ProjectImports(indexed, _read_manifests(store, indexed)), indexed

    def _restore(self, store: IndexStore) -> tuple[ProjectImports, Mapping[str, int]] | None:
        """Take over what the code graph and the last update have stored; return as `_read_all`, None where nothing is.

        A file is read again where something failed for it, or where its role was not saved.
        """
        known = restore_imports(store)
        if known is None:
            return None
        targets: dict[str, set[str]] = {path: set() for path in known.linked.values()}
        for source, target in store.graph_store.all_imports():
            if source in known.linked and target in known.linked:
                targets[known.linked[source]].add(known.linked[target])
        first_unsaved = store.files.structures_saved_below
        faulty = {path for path, _ in store.files.faults(len(known.indexed))}
        self._due = (known.changed | known.stale | faulty) & known.indexed.keys()
        self._stored = {info.path: info for info in store.files.files_in_folder("")}
        for path, info in self._stored.items():
            if known.indexed[path] >= first_unsaved:
                self._due.add(path)
            if path not in self._due:
                role = FileRole(is_code(language_as_read(path, info.language)), tuple(info.flags.split()))
                self._files[path] = _ResolvedFile(role, frozenset(targets[path]))
        self._importers.update(target for file in self._files.values() for target in file.targets)
        self._rated.update(self._importers[path] for path, file in self._files.items() if file.role.is_code)
        return known.imports, {}

    def _save(self, store: IndexStore) -> None:
        """Save the structures that may differ from the stored ones."""
        bands, before = CentralityBands.of_counts(self._rated), self._bands
        if before is not None and bands != before:
            for path, file in self._files.items():
                count = self._importers[path]
                if bands.rate(file.role, count) != before.rate(file.role, count):
                    self._unsaved.add(path)
        for path, info in self._stored.items():
            file = self._files.get(path)
            if file is not None:
                now = bands.rate(file.role, self._importers[path])
                if (now.importers, now.centrality) != (info.importers, info.centrality):
                    self._unsaved.add(path)
        structures: Mapping[str, FileStructure] = {
            path: bands.rate(self._files[path].role, self._importers[path])
            for path in self._unsaved
            if path in self._files
        }
        store.files.save_structures(structures, below=self._next_file_id)
        self._bands = bands
        self._unsaved.clear()
        self._stored.clear()
        if self._faults:
            store.files.record_faults(self._faults, reading_version())
            self._faults.clear()

    # One file -----------------------------------------------------------------------------------------------------

    def _resolve_file(self, path: str, packed: bytes, file_id: int, project: ProjectImports) -> _ResolvedFile:
        imports = _unpack_imports(packed) if packed else FileImports("")
        try:
            with project.recording(path):
                targets = import_graph.resolve_file_imports(path, imports, project.files)
            return _ResolvedFile(classify_file(path, imports), targets)
        except Exception as error:
            log.warning("the imports of %r can't be resolved", path, exc_info=True)
            self._faults[file_id] = FileFault.from_error(IndexingStage.STRUCTURE, error)
            return _ResolvedFile(FileRole(is_code=False, flags=()), frozenset())

    def _replace_file(self, path: str, file: _ResolvedFile) -> None:
        before = self._files.get(path)
        self._rate(path, -1)
        self._files[path] = file
        self._rate(path, 1)
        if before is None or before.role != file.role:
            self._unsaved.add(path)
        known = before.targets if before else frozenset[str]()
        for target in known - file.targets:
            self._count_importer(target, -1)
        for target in file.targets - known:
            self._count_importer(target, 1)

    def _remove_file(self, path: str) -> None:
        self._rate(path, -1)
        file = self._files.pop(path, None)
        for target in file.targets if file else ():
            self._count_importer(target, -1)

    def _count_importer(self, target: str, step: int) -> None:
        self._rate(target, -1)
        _count(self._importers, target, step)
        self._rate(target, 1)
        self._unsaved.add(target)

    def _rate(self, path: str, step: int) -> None:
        """Count a file, where it is known and has a language, among those of equal importers; for -1, take it out."""
        file = self._files.get(path)
        if file is not None and file.role.is_code:
            _count(self._rated, self._importers[path], step)


def _count(counts: Counter[str] | Counter[int], value: str | int, step: int) -> None:
    """Count a value up or down, and keep none that is zero."""
    counts[value] += step  # type: ignore[index]
    if not counts[value]:  # type: ignore[index]
        del counts[value]  # type: ignore[arg-type]


def _read_manifests(store: IndexStore, paths: Mapping[str, int]) -> dict[str, str]:
    return {path: store.files.get_text(path) or "" for path in filter(is_manifest, paths)}
