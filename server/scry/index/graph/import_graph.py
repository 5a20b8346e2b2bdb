"""Resolve imports between files, and rate each file's centrality and role.

What the code around a file says of it: who imports it, how central it is, whether a program starts there.

Importers: the number of distinct other files of the project whose imports lead to it.

Centrality, by percentile bands of this project over the files that have a programming language (text and documents are
always `low`): `high` is the top 10 % by importers with at least 2; `medium` the top 40 % with at least 1; else `low`.
Files with equal importers are in the same band: a band takes them in only if all of them fit or they are its first.

Entry points, by language (each language file names its own): Python `if __name__ == "__main__"`, `__main__.py`,
manage.py, cli.py and, at the top or in src, main, app, wsgi or asgi; JavaScript and TypeScript main, cli, server, app,
anything in `bin/`, and the index file of a package; Go `func main`; Rust `main.rs` and `src/bin/*.rs`; Java
`public static void main` and Main.java; C, C++, Zig, Kotlin and Haskell a function `main`; C# `static … Main` and
Program.cs; Ruby `if __FILE__ == $0` and config.ru; PHP index.php of a site; Lua and Swift main; Scala `def main(…
Array[String])`; Elixir application.ex and cli.ex; any program file with a `#!` line.
A test is never an entry point. It explains; in find it never ranks (F6).

The structure of an index's files, kept up with its changes: only what a change can have touched is worked out again.

What a file's imports lead to depends on that file, on which files there are, and on the manifests. So where files were
only edited, these alone are resolved; where some came or went, or a manifest changed, all are. Who imports whom is then
counted, and what differs is written: the bands of centrality are those of the whole project.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct

from scry.core.path_kinds import TEST, classify_path
from scry.core.types import FileStructure, ParsedFile
from scry.index.parse.languages import language_of
from scry.index.parse.languages.language import Language
from scry.index.parse.languages.project_files import ProjectFiles

if TYPE_CHECKING:  # who only resolves imports need not load the store
    from scry.store.index.store import IndexStore

ENTRY_POINT = "entry_point"

_HIGH_SHARE, _HIGH_MIN_IMPORTERS = 0.10, 2
_MEDIUM_SHARE, _MEDIUM_MIN_IMPORTERS = 0.40, 1

MANIFEST_NAMES = ("go.mod", "package.json")
"""Names of files whose text helps to resolve imports; `resolve_imports` takes it as `manifests`."""


class FileImports(Struct, frozen=True):
    """What structure needs of a file: its language, the names it imports, whether its text starts a program."""

    language: str
    imports: tuple[str, ...] = ()
    starts: bool = False


def extract_file_imports(path: str, parsed: ParsedFile) -> FileImports:
    """The part of a parsed file that structure needs."""
    language = language_of(path)
    return FileImports(parsed.language, parsed.imports, language is not None and _starts_program(language, parsed))


def _starts_program(language: Language, parsed: ParsedFile) -> bool:
    """Whether a top-level symbol or text starts a program, or a `#!` line does."""
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
    """Which files of the project each file imports; names that lead outside, or to the file itself, give nothing.

    manifests: path to text of the files named in MANIFESTS, where there are any. checkpoint: called for every file.
    """
    project = ProjectFiles(files, manifests)
    edges: dict[str, frozenset[str]] = {}
    for path in sorted(files):
        checkpoint()
        found = resolve_file_imports(path, files[path], project)
        if found:
            edges[path] = found
    return edges


def resolve_file_imports(path: str, file: FileImports, project: ProjectFiles) -> frozenset[str]:
    """The other files of the project that one imports."""
    language = language_of(path)
    if language is None or not file.imports:
        return frozenset()
    return frozenset(target for name in file.imports for target in language.resolve(path, name, project)) - {path}


def count_importers(edges: Mapping[str, Iterable[str]]) -> Mapping[str, int]:
    """How many other files import each; those that none does are left out."""
    return Counter(target for source, targets in edges.items() for target in set(targets) - {source})


class FileRole(NamedTuple):
    """What a file is by itself: whether it is of a programming language, and its flags."""

    is_code: bool
    flags: tuple[str, ...]


def classify_file(path: str, file: FileImports) -> FileRole:
    """The role of a file."""
    return FileRole(_is_code(path, file), _structure_flags(path, file))


def compute_structures(
    files: Mapping[str, FileImports], edges: Mapping[str, Iterable[str]]
) -> Mapping[str, FileStructure]:
    """The structure of every file; activity is the history's to add."""
    return assign_centrality({path: classify_file(path, file) for path, file in files.items()}, count_importers(edges))


def assign_centrality(roles: Mapping[str, FileRole], importers: Mapping[str, int]) -> Mapping[str, FileStructure]:
    """The structure of every file, by what each is and how many import it."""
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
    """How many importers a file needs to be in the top `share`: never fewer than `least`."""
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
        if not store.files.is_structure_outdated:
            return False
        ids = store.files.indexed_file_ids()
        changed = [path for path, number in ids.items() if path not in self._files or self._files[path].id != number]
        project = self._project
        if project is None or ids.keys() != self._files.keys() or any(map(_is_manifest, changed)):
            manifests = {path: store.files.get_text(path) or "" for path in filter(_is_manifest, ids)}
            project = ProjectFiles(ids, manifests)
            resolved = self._resolve_imports(store.files.packed_imports(), ids, project, checkpoint)
        else:
            resolved = self._resolve_imports(store.files.packed_imports(changed), ids, project, checkpoint)
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
        self._files, self._saved, self._project = files, structures, project
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
            found[path] = _ResolvedFile(
                ids[path], classify_file(path, imports), resolve_file_imports(path, imports, project)
            )
        return found


def _is_manifest(path: str) -> bool:
    return path.rpartition("/")[2] in MANIFEST_NAMES
