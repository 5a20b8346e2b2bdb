"""The structure of an index's files, kept up with its changes: only what a change can have touched is worked out again.

What a file's imports lead to depends on that file, on which files there are, and on the manifests. So where files were
only edited, these alone are resolved; where some came or went, or a manifest changed, all are. Who imports whom is then
counted, and what differs is written: the bands of centrality are those of the whole project.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from scry.core.types import FileStructure
from scry.index.languages.project_files import ProjectFiles
from scry.index.structure import MANIFEST_NAMES, FileImports, FileRole, count_importers, assign_centrality, resolve_file_imports, classify_file
from scry.store.index_store import IndexStore

_unpack_imports = msgspec.msgpack.Decoder(FileImports).decode


class _ResolvedFile(msgspec.Struct, frozen=True):
    """A file as it was resolved. id: its files.id, another one for another content. targets: whom it imports."""

    id: int
    role: FileRole
    targets: frozenset[str]


class StructureUpdater:
    """What is known of one index as long as it is open. For the one who writes it; equal to what is made at once."""

    def __init__(self) -> None:
        """Nothing is known, so that the first time all is resolved."""
        self._files: Mapping[str, _ResolvedFile] = {}
        self._saved: Mapping[str, FileStructure] = {}
        self._project: ProjectFiles | None = None

    def update(self, store: IndexStore, checkpoint: Callable[[], None]) -> bool:
        """Saves what files' changes have made of it; says whether there were any. checkpoint: called for every file; it
        may raise Cancelled, and then all is as it was.
        """
        if not store.is_structure_outdated:
            return False
        ids = store.indexed_file_ids()
        changed = [path for path, number in ids.items() if path not in self._files or self._files[path].id != number]
        project = self._project
        if project is None or ids.keys() != self._files.keys() or any(map(_is_manifest, changed)):
            manifests = {path: store.get_text(path) or "" for path in filter(_is_manifest, ids)}
            project = ProjectFiles(ids, manifests)
            resolved = self._resolve_imports(store.packed_imports(), ids, project, checkpoint)
        else:
            resolved = self._resolve_imports(store.packed_imports(changed), ids, project, checkpoint)
        files = {path: resolved.get(path) or self._files[path] for path in ids}
        importers = count_importers({path: file.targets for path, file in files.items()})
        described = assign_centrality({path: file.role for path, file in files.items()}, importers)
        anew = frozenset(changed)
        differing = {path: each for path, each in described.items() if path in anew or self._saved.get(path) != each}
        store.save_structures(differing)
        self._files, self._saved, self._project = files, described, project
        return True

    def _resolve_imports(
        self,
        packed: Mapping[str, bytes],
        ids: Mapping[str, int],
        project: ProjectFiles,
        checkpoint: Callable[[], None],
    ) -> dict[str, _ResolvedFile]:
        found: dict[str, _ResolvedFile] = {}
        for path in sorted(packed):
            checkpoint()
            imports = _unpack_imports(packed[path]) if packed[path] else FileImports("")
            found[path] = _ResolvedFile(ids[path], classify_file(path, imports), resolve_file_imports(path, imports, project))
        return found


def _is_manifest(path: str) -> bool:
    return path.rpartition("/")[2] in MANIFEST_NAMES
