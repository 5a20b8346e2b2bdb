"""Resolve imports between files, and rate each file's centrality and role.

Importers: the number of distinct other files of the project whose imports resolve to the file.

Centrality, by percentile bands of this project over the files that have a programming language (text and documents are
always `low`): `high` is the top 10 % by importers with at least 2; `medium` the top 40 % with at least 1; else `low`.
Files with equal importers are in the same band: a band includes them only if all of them fit or they are its first.

Entry points, by language (each language file defines its own): Python `if __name__ == "__main__"`, `__main__.py`,
manage.py, cli.py and, at the top or in src, main, app, wsgi or asgi; JavaScript and TypeScript main, cli, server, app,
anything in `bin/`, and the index file of a package; Go `func main`; Rust `main.rs` and `src/bin/*.rs`; Java `public
static void main` and Main.java; C, C++, Zig, Kotlin and Haskell a function `main`; C# `static … Main` and Program.cs;
Ruby `if __FILE__ == $0` and config.ru; PHP index.php of a site; Lua and Swift main; Scala `def main(… Array[String])`;
Elixir application.ex and cli.ex; any program file with a `#!` line.
A test is never an entry point. Centrality and roles explain; they never rank in find (F6).

The targets of a file's imports depend on that file, on the set of files, and on the manifests. So where files were only
edited, these alone are resolved; where some were added or removed, or a manifest changed, all are. Importers are then
counted and the differences written: the bands of centrality are those of the whole project.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct

from scry.core.decoding import msgpack_decoder
from scry.core.path_kinds import TEST, classify_path
from scry.core.types import FileFault, FileStructure, IndexingStage, ParsedFile
from scry.index.parse.languages import language_of
from scry.index.parse.languages.language import Language
from scry.index.parse.languages.project_files import ProjectFiles
from scry.index.parse.parser_version import reading_version

if TYPE_CHECKING:  # resolving imports alone does not load the store
    from scry.store.index.store import IndexStore

log = logging.getLogger(__name__)

ENTRY_POINT = "entry_point"

_HIGH_SHARE, _HIGH_MIN_IMPORTERS = 0.10, 2
_MEDIUM_SHARE, _MEDIUM_MIN_IMPORTERS = 0.40, 1

MANIFEST_NAMES = ("go.mod", "package.json")
"""Names of files whose text helps to resolve imports: the `manifests` of `resolve_imports`."""


class FileImports(Struct, frozen=True):
    """The facts of a file that its structure depends on: language, imported names, and whether its text starts a
    program.
    """

    language: str
    imports: tuple[str, ...] = ()
    starts: bool = False


def extract_file_imports(path: str, parsed: ParsedFile) -> FileImports:
    """Return the facts of a parsed file that its structure depends on."""
    language = language_of(path)
    return FileImports(parsed.language, parsed.imports, language is not None and _starts_program(language, parsed))


def _starts_program(language: Language, parsed: ParsedFile) -> bool:
    """Return whether a top-level symbol or text starts a program, or a `#!` line does."""
    if language.grammar is None:
        return False
    for symbol in parsed.symbols:
        if not symbol.container and symbol.name in language.entry_symbols and symbol.kind == "function":
            return True
        if symbol.kind == "text" and symbol.span.start.line == 0 and re.match(r"#!\s*/", symbol.own_text):
            return True
        searched = language.entry_text is not None and symbol.kind in ("text", "method")
        if searched and re.search(language.entry_text or "", symbol.own_text):
            return True
    return False


def resolve_imports(
    files: Mapping[str, FileImports],
    *,
    manifests: Mapping[str, str] | None = None,
    checkpoint: Callable[[], None] = lambda: None,
) -> Mapping[str, frozenset[str]]:
    """Return the files of the project that each file imports; names outside the project, and of the file itself, are
    left out.

    manifests: path to text of the files named in MANIFEST_NAMES, where there are any. checkpoint: called for every
    file.
    """
    project = ProjectFiles(files, manifests)
    edges: dict[str, frozenset[str]] = {}
    for path in sorted(files):
        checkpoint()
        targets = resolve_file_imports(path, files[path], project)
        if targets:
            edges[path] = targets
    return edges


def resolve_file_imports(path: str, file: FileImports, project: ProjectFiles) -> frozenset[str]:
    """Return the other files of the project that a file imports."""
    language = language_of(path)
    if language is None or not file.imports:
        return frozenset()
    return frozenset(target for name in file.imports for target in language.resolve(path, name, project)) - {path}


def count_importers(edges: Mapping[str, Iterable[str]]) -> Mapping[str, int]:
    """Return the number of other files that import each file; files without importers are left out."""
    return Counter(target for source, targets in edges.items() for target in set(targets) - {source})


class FileRole(NamedTuple):
    """A file by itself: whether it has a programming language, and its flags."""

    is_code: bool
    flags: tuple[str, ...]


def classify_file(path: str, file: FileImports) -> FileRole:
    """Return the role of a file."""
    return FileRole(_is_code(path, file), _structure_flags(path, file))


def compute_structures(
    files: Mapping[str, FileImports], edges: Mapping[str, Iterable[str]]
) -> Mapping[str, FileStructure]:
    """Return the structure of every file, without activity, which comes from the history."""
    return assign_centrality({path: classify_file(path, file) for path, file in files.items()}, count_importers(edges))


def assign_centrality(roles: Mapping[str, FileRole], importers: Mapping[str, int]) -> Mapping[str, FileStructure]:
    """Return the structure of every file by its role and its number of importers."""
    counts = [importers.get(path, 0) for path, each in roles.items() if each.is_code]
    high = _min_importers(counts, _HIGH_SHARE, _HIGH_MIN_IMPORTERS)
    medium = _min_importers(counts, _MEDIUM_SHARE, _MEDIUM_MIN_IMPORTERS)
    structures: dict[str, FileStructure] = {}
    for path, (is_code, flags) in roles.items():
        count = importers.get(path, 0)
        centrality = "low"
        if is_code:
            centrality = "high" if count >= high else "medium" if count >= medium else "low"
        structures[path] = FileStructure(count, centrality, None, flags)
    return structures


def _is_code(path: str, file: FileImports) -> bool:
    language = language_of(path)
    return bool(file.imports) or (language is not None and language.grammar is not None)


def _min_importers(counts: Iterable[int], share: float, minimum: int) -> int:
    """Return the importers that a file needs to be in the top `share`: never fewer than `minimum`."""
    ordered = sorted(counts, reverse=True)
    room = max(1, int(share * len(ordered)))
    if len(ordered) <= room:
        return minimum
    edge = ordered[room - 1]
    if ordered[room] == edge and ordered[0] > edge:  # equal files would overflow the band: leave them out
        edge += 1
    return max(edge, minimum)


def _structure_flags(path: str, file: FileImports) -> tuple[str, ...]:
    if TEST in classify_path(path):
        return (TEST,)
    language = language_of(path)
    by_path = language is not None and language.entry_paths and re.search(language.entry_paths, path)
    return (ENTRY_POINT,) if file.starts or by_path else ()


_unpack_imports = msgpack_decoder(FileImports)


class _ResolvedFile(msgspec.Struct, frozen=True):
    """A file with its resolved imports. id: its files.id, a new one for new content. targets: the files that it
    imports.
    """

    id: int
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
        self._files: Mapping[str, _ResolvedFile] = {}
        self._saved: Mapping[str, FileStructure] = {}
        self._project: ProjectFiles | None = None
        self._faults: dict[int, FileFault] = {}

    def update(self, store: IndexStore, checkpoint: Callable[[], None]) -> bool:
        """Save the structures that changed; return whether the index had changed.

        checkpoint: called for every file; it may raise Cancelled, and then nothing has changed.
        """
        if not store.files.is_structure_outdated:
            return False
        ids = store.files.indexed_file_ids()
        changed = [path for path, file_id in ids.items() if path not in self._files or self._files[path].id != file_id]
        project = self._project
        if project is None or ids.keys() != self._files.keys() or any(map(_is_manifest, changed)):
            manifests = {path: store.files.get_text(path) or "" for path in filter(_is_manifest, ids)}
            project = ProjectFiles(ids, manifests)
            resolved = self._resolve_imports(store, sorted(ids), ids, project, checkpoint)
        else:
            resolved = self._resolve_imports(store, sorted(changed), ids, project, checkpoint)
        files = {path: resolved.get(path) or self._files[path] for path in ids}
        importers = count_importers({path: file.targets for path, file in files.items()})
        structures = assign_centrality({path: file.role for path, file in files.items()}, importers)
        changed_set = frozenset(changed)
        differing = {
            path: structure
            for path, structure in structures.items()
            if path in changed_set or self._saved.get(path) != structure
        }
        store.files.save_structures(differing)
        if self._faults:
            store.files.record_faults(self._faults, reading_version())
            self._faults.clear()
        self._files, self._saved, self._project = files, structures, project
        return True

    def _resolve_imports(
        self,
        store: IndexStore,
        paths: Sequence[str],
        ids: Mapping[str, int],
        project: ProjectFiles,
        checkpoint: Callable[[], None],
    ) -> dict[str, _ResolvedFile]:
        """Resolve the imports of these files, which are read a few at a time: a saved file does not wait for all."""
        resolved: dict[str, _ResolvedFile] = {}
        for start in range(0, len(paths), FILES_READ_AT_ONCE):
            packed = store.files.packed_imports(paths[start : start + FILES_READ_AT_ONCE])
            for path in sorted(packed):
                checkpoint()
                resolved[path] = self._resolve_file(path, packed[path], ids[path], project)
        return resolved

    def _resolve_file(self, path: str, packed: bytes, file_id: int, project: ProjectFiles) -> _ResolvedFile:
        imports = _unpack_imports(packed) if packed else FileImports("")
        try:
            targets, role = resolve_file_imports(path, imports, project), classify_file(path, imports)
        except Exception as error:
            log.warning("the imports of %r can't be resolved", path, exc_info=True)
            self._faults[file_id] = FileFault.from_error(IndexingStage.STRUCTURE, error)
            targets, role = frozenset[str](), FileRole(is_code=False, flags=())
        return _ResolvedFile(file_id, role, targets)


def _is_manifest(path: str) -> bool:
    return path.rpartition("/")[2] in MANIFEST_NAMES
