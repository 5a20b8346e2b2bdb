"""Resolve imports between files, and rate each file's centrality and role.

Importers: the number of distinct other files of the project whose imports resolve to the file.

Centrality, by percentile bands of this project over the files whose imports are known (text and documents are
always `low`): `high` is the top 10 % by importers with at least 2; `medium` the top 40 % with at least 1; else `low`.
Files with equal importers are in the same band: a band includes them only if all of them fit or they are its first.

Entry points, by language (each language file defines its own): Python `if __name__ == "__main__"`, `__main__.py`,
manage.py, cli.py and, at the top or in src, main, app, wsgi or asgi; JavaScript and TypeScript main, cli, server, app,
anything in `bin/`, and the index file of a package; Go `func main`; Rust `main.rs` and `src/bin/*.rs`; Java `public
static void main` and Main.java; C, C++, Zig, Kotlin and Haskell a function `main`; C# `static … Main` and Program.cs;
Ruby `if __FILE__ == $0` and config.ru; PHP index.php of a site; Lua and Swift main; Scala `def main(… Array[String])`;
Elixir application.ex and cli.ex; Clojure a function `-main`; Chapel, D, Dart, Elm, Gleam, Idris, Mojo, Odin and
PureScript a function `main`; any program file with a `#!` line.
A test is never an entry point. Centrality and roles explain; they never rank in find (F6).

What keeps this up to date as files change is in `structure`.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from scry.core.path_kinds import GENERATED, TEST, classify_path
from scry.core.types import FileStructure, ParsedFile
from scry.index.parse.languages import language_as_read
from scry.index.parse.languages.language import Language
from scry.index.parse.languages.project_files import ProjectFiles

log = logging.getLogger(__name__)

ENTRY_POINT = "entry_point"

_HIGH_SHARE, _HIGH_MIN_IMPORTERS = 0.10, 2
_MEDIUM_SHARE, _MEDIUM_MIN_IMPORTERS = 0.40, 1

MANIFEST_NAMES = ("go.mod", "package.json")
"""Names of files whose text helps to resolve imports: the `manifests` of `resolve_imports`."""


def is_manifest(path: str) -> bool:
    """Return whether the text of this file helps to resolve imports."""
    return path.rpartition("/")[2] in MANIFEST_NAMES


class FileImports(Struct, frozen=True):
    """The facts of a file that its structure depends on: language, imported names, whether its text starts a program,
    and whether it says that a program wrote it.
    """

    language: str
    imports: tuple[str, ...] = ()
    starts: bool = False
    is_generated: bool = False


def extract_file_imports(path: str, parsed: ParsedFile) -> FileImports:
    """Return the facts of a parsed file that its structure depends on."""
    language = language_as_read(path, parsed.language)
    starts = language is not None and _starts_program(language, parsed)
    return FileImports(parsed.language, parsed.imports, starts, any(each.is_generated for each in parsed.symbols[:1]))


def _starts_program(language: Language, parsed: ParsedFile) -> bool:
    """Return whether a top-level symbol or text starts a program, or a `#!` line does."""
    if language.grammar is None and language.find_imports is None:
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
    language = language_as_read(path, file.language) if file.imports else None
    if language is None:
        return frozenset()
    return frozenset(target for name in file.imports for target in language.resolve(path, name, project)) - {path}


def count_importers(edges: Mapping[str, Iterable[str]]) -> Mapping[str, int]:
    """Return the number of other files that import each file; files without importers are left out."""
    return Counter(target for source, targets in edges.items() for target in set(targets) - {source})


class FileRole(NamedTuple):
    """A file by itself: whether its imports are known, and its flags."""

    is_code: bool
    flags: tuple[str, ...]


def classify_file(path: str, file: FileImports) -> FileRole:
    """Return the role of a file."""
    language = language_as_read(path, file.language)
    return FileRole(is_code(language), _structure_flags(path, file, language))


def compute_structures(
    files: Mapping[str, FileImports], edges: Mapping[str, Iterable[str]]
) -> Mapping[str, FileStructure]:
    """Return the structure of every file, without activity, which comes from the history."""
    return assign_centrality({path: classify_file(path, file) for path, file in files.items()}, count_importers(edges))


def assign_centrality(roles: Mapping[str, FileRole], importers: Mapping[str, int]) -> Mapping[str, FileStructure]:
    """Return the structure of every file by its role and its number of importers."""
    bands = CentralityBands.of_counts(Counter(importers.get(path, 0) for path, each in roles.items() if each.is_code))
    return {path: bands.rate(role, importers.get(path, 0)) for path, role in roles.items()}


class CentralityBands(NamedTuple):
    """The fewest importers of a file of the bands `high` and `medium`."""

    high: int
    medium: int

    @classmethod
    def of_counts(cls, files: Mapping[int, int]) -> CentralityBands:
        """Return the bands of a project. files: how many files with a language have so many importers."""
        ordered = sorted(files.items(), reverse=True)
        return cls(
            _min_importers(ordered, _HIGH_SHARE, _HIGH_MIN_IMPORTERS),
            _min_importers(ordered, _MEDIUM_SHARE, _MEDIUM_MIN_IMPORTERS),
        )

    def rate(self, role: FileRole, importers: int) -> FileStructure:
        """Return the structure of a file with so many importers."""
        centrality = "low"
        if role.is_code:
            centrality = "high" if importers >= self.high else "medium" if importers >= self.medium else "low"
        return FileStructure(importers, centrality, None, role.flags)


def is_code(language: Language | None) -> bool:
    """Return whether files of a language are rated by their importers."""
    return language is not None and language.has_known_imports


def _min_importers(ordered: Sequence[tuple[int, int]], share: float, minimum: int) -> int:
    """Return the importers that a file needs to be in the top `share`: never fewer than `minimum`.

    ordered: how many files have so many importers, most importers first.
    """
    total = sum(files for _, files in ordered)
    room = max(1, int(share * total))
    if total <= room:
        return minimum
    above = 0
    for edge, files in ordered:
        if above + files >= room:
            overflows = above + files > room and above > 0  # equal files would overflow the band: leave them out
            return max(edge + overflows, minimum)
        above += files
    return minimum


def _structure_flags(path: str, file: FileImports, language: Language | None) -> tuple[str, ...]:
    generated = (GENERATED,) if file.is_generated else ()
    if TEST in classify_path(path):
        return (TEST, *generated)
    by_path = language is not None and language.entry_paths and re.search(language.entry_paths, path)
    return (ENTRY_POINT, *generated) if file.starts or by_path else generated
