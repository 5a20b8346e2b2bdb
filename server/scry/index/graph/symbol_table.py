"""Look up the project's definitions by name, each file's imports, and each type's bases."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import accumulate
from posixpath import dirname
from typing import TypeVar

from msgspec import Struct, field

from scry.core.types import Binding
from scry.index.parse.documents import unpack_bindings
from scry.index.parse.languages import language_as_read
from scry.index.parse.languages.language import DEFAULT_NAME_RESOLUTION, Language, NameResolution
from scry.index.parse.languages.project_files import ProjectFiles
from scry.store.graph import Confidence
from scry.store.graph_store import GraphDefinition, GraphStore

Key = TypeVar("Key", bound=Hashable)

_NO_DEFINITIONS: tuple[GraphDefinition, ...] = ()


class DefinitionGroup:
    """Some definitions of one name, with indexes built on first use: a name may have thousands."""

    __slots__ = ("_by_container", "_by_file", "_by_folder", "all")

    def __init__(self, definitions: Sequence[GraphDefinition]) -> None:
        """Wrap definitions, sorted by path, then in the order of the file."""
        self.all = definitions
        self._by_file: Mapping[int, Sequence[GraphDefinition]] | None = None
        self._by_container: Mapping[str, Sequence[GraphDefinition]] | None = None
        self._by_folder: Mapping[str, Sequence[GraphDefinition]] | None = None

    def without(self, doc_key: int) -> DefinitionGroup:
        """Return all but one document's."""
        return DefinitionGroup([d for d in self.all if d.doc_key != doc_key])

    def in_file(self, file: int) -> Sequence[GraphDefinition]:
        """Return those of one file, by files.id."""
        if self._by_file is None:
            self._by_file = _group_by(self.all, lambda d: d.file_id)
        return self._by_file.get(file, _NO_DEFINITIONS)

    def in_container(self, container: str) -> Sequence[GraphDefinition]:
        """Return those in a container of this qualified name, in whatever file; "" for those in none."""
        if self._by_container is None:
            self._by_container = _group_by(self.all, lambda d: d.container)
        return self._by_container.get(container, _NO_DEFINITIONS)

    def in_folder(self, folder: str, folder_of: Callable[[int], str]) -> Sequence[GraphDefinition]:
        """Return those in files of one folder. folder_of: returns the folder of a file, by files.id."""
        if self._by_folder is None:
            self._by_folder = _group_by(self.all, lambda d: folder_of(d.file_id))
        return self._by_folder.get(folder, _NO_DEFINITIONS)


class DefinitionCandidates:
    """The definitions of one name in one family."""

    __slots__ = ("_all", "_by_kinds")

    def __init__(self, definitions: Sequence[GraphDefinition]) -> None:
        """Wrap definitions, sorted by path, then in the order of the file."""
        self._all = definitions
        self._by_kinds: dict[frozenset[str], DefinitionGroup] = {}

    def __len__(self) -> int:
        """Return the number of definitions of all kinds."""
        return len(self._all)

    def of_kinds(self, kinds: frozenset[str]) -> DefinitionGroup:
        """Return those of some kinds."""
        group = self._by_kinds.get(kinds)
        if group is None:
            group = self._by_kinds[kinds] = DefinitionGroup([d for d in self._all if d.kind in kinds])
        return group


def _group_by(
    definitions: Sequence[GraphDefinition], key: Callable[[GraphDefinition], Key]
) -> dict[Key, list[GraphDefinition]]:
    groups: dict[Key, list[GraphDefinition]] = {}
    for definition in definitions:
        groups.setdefault(key(definition), []).append(definition)
    return groups


_MAX_CACHED_DEFINITIONS = 200_000
"""Definitions that are cached by name, some 60 MB; the least recently used goes first."""

_MAX_CACHED_MODULES = 5_000
_MAX_CACHED_IMPORTS = 100_000
"""Resolved imports that are cached, some 20 MB; beyond, all are forgotten."""

_MAX_BASE_DEPTH = 5
"""Levels of bases that are followed."""

_NO_CANDIDATES = DefinitionCandidates(())
_CandidatesByFamily = dict[str, DefinitionCandidates]


class SourceFile(Struct, frozen=True):
    """A file with the facts of its path and language. family: see NameResolution."""

    id: int
    path: str
    folder: str
    language: Language | None
    name_resolution: NameResolution
    family: str

    @property
    def has_names_first(self) -> bool:
        """Whether the name of a parameter stands before its type where no colon does."""
        return self.family == "go"


class ModuleImports(Struct, frozen=True):
    """The names that a file's imports bind.

    names: each with its last binding and the files.id that its source resolves to. wildcard_sources: files.id of files
    whose names are all bound. earlier: the other bindings of names that are bound several times, as imports within
    functions and in both branches of a condition do. packages: those that the file says to be in, the innermost first.
    opened: the packages whose names are all bound.
    """

    names: Mapping[str, tuple[Binding, tuple[int, ...]]]
    wildcard_sources: tuple[int, ...]
    earlier: Mapping[str, Sequence[tuple[Binding, tuple[int, ...]]]] = field(
        default_factory=dict[str, Sequence["tuple[Binding, tuple[int, ...]]"]]
    )
    packages: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()


class SymbolTable(Struct):
    """Definitions, imports and bases, read on demand and cached. A snapshot of one moment: rebuilt for every pass.

    by_id, by_path: all indexed files.
    """

    store: GraphStore
    files: ProjectFiles
    by_id: Mapping[int, SourceFile]
    by_path: Mapping[str, SourceFile]
    _definitions: OrderedDict[str, _CandidatesByFamily] = field(default_factory=OrderedDict[str, "_CandidatesByFamily"])
    _cached_count: int = 0
    _modules: OrderedDict[int, ModuleImports] = field(default_factory=OrderedDict[int, ModuleImports])
    _packages: dict[int, str] = field(default_factory=dict[int, str])
    _imports: dict[tuple[int, str], tuple[int, ...]] = field(default_factory=dict[tuple[int, str], tuple[int, ...]])
    _lineages: dict[int, Sequence[tuple[GraphDefinition, Confidence]]] = field(
        default_factory=dict[int, Sequence[tuple[GraphDefinition, Confidence]]]
    )
    _bases: dict[int, tuple[tuple[GraphDefinition, Confidence], ...]] = field(
        default_factory=dict[int, tuple[tuple[GraphDefinition, Confidence], ...]]
    )

    # Imports ------------------------------------------------------------------------------------------------------

    def resolve_import(self, source_file: SourceFile, name: str) -> tuple[int, ...]:
        """Return the files.id that an import resolves to, other than the file itself."""
        key = source_file.id, name
        found = None if self.files.is_recording else self._imports.get(key)
        if found is None:
            if len(self._imports) >= _MAX_CACHED_IMPORTS:
                self._imports.clear()
            found = self._imports[key] = self._look_up_import(source_file, name)
        return found

    def _look_up_import(self, source_file: SourceFile, name: str) -> tuple[int, ...]:
        if source_file.language is None:
            return ()
        paths = sorted(set(source_file.language.resolve(source_file.path, name, self.files)) - {source_file.path})
        return tuple(self.by_path[path].id for path in paths if path in self.by_path)

    def imports_of(self, file_id: int) -> ModuleImports:
        """Return the names that a file's imports bind."""
        module = self._modules.get(file_id)
        if module is None:
            module = self.resolve_bindings(self.by_id[file_id], self._read_bindings(file_id))
            self._modules[file_id] = module
            if len(self._modules) > _MAX_CACHED_MODULES:
                self._modules.popitem(last=False)
        else:
            self._modules.move_to_end(file_id)
        return module

    def resolve_bindings(self, source_file: SourceFile, bindings: Sequence[Binding]) -> ModuleImports:
        """Return the names that these bindings of a file bind."""
        names: dict[str, tuple[Binding, tuple[int, ...]]] = {}
        earlier: dict[str, list[tuple[Binding, tuple[int, ...]]]] = {}
        wildcard_sources: list[int] = []
        opened: list[str] = []
        for binding in bindings:
            if not binding.name:
                continue
            targets = self.resolve_import(source_file, binding.source)
            if binding.name == "*":
                wildcard_sources += targets
                opened.append(binding.source)
            else:
                if binding.name in names:
                    earlier.setdefault(binding.name, []).append(names[binding.name])
                names[binding.name] = (binding, targets)
        sources = tuple(dict.fromkeys(wildcard_sources))
        return ModuleImports(names, sources, earlier, read_packages(bindings), tuple(dict.fromkeys(opened)))

    def package_of(self, file_id: int) -> str:
        """Return the package that a file says to be in; empty for none."""
        package = self._packages.get(file_id)
        if package is None:
            package = self._packages[file_id] = next(iter(read_packages(self._read_bindings(file_id))), "")
        return package

    def _read_bindings(self, file_id: int) -> Sequence[Binding]:
        return unpack_bindings(self.store.packed_uses([file_id]).get(file_id, b""))

    # Definitions --------------------------------------------------------------------------------------------------

    def preload_definitions(self, names: Iterable[str]) -> None:
        """Read the definitions of many names at once."""
        wanted = sorted({name for name in names if name not in self._definitions})
        for name, definitions in self.store.definitions_by_name(wanted).items():
            self._definitions[name] = self._group_by_family(definitions)
            self._cached_count += len(definitions) + 1
        while self._cached_count > _MAX_CACHED_DEFINITIONS and len(self._definitions) > len(wanted):
            _, dropped = self._definitions.popitem(last=False)
            self._cached_count -= sum(map(len, dropped.values())) + 1

    def _group_by_family(self, group: Sequence[GraphDefinition]) -> _CandidatesByFamily:
        """Group definitions by family, each sorted by path: the order of keys tells in which order files changed."""
        families: dict[str, list[GraphDefinition]] = {}
        for definition in sorted((d for d in group if d.file_id in self.by_id), key=self._place):
            families.setdefault(self.by_id[definition.file_id].family, []).append(definition)
        return {family: DefinitionCandidates(definitions) for family, definitions in families.items()}

    def candidates(self, name: str, family: str) -> DefinitionCandidates:
        """Return every definition of this name in a family of languages."""
        candidates = self._definitions.get(name)
        if candidates is None:
            self.preload_definitions([name])
            candidates = self._definitions[name]
        else:
            self._definitions.move_to_end(name)
        return candidates.get(family, _NO_CANDIDATES)

    def _place(self, definition: GraphDefinition) -> tuple[str, int]:
        """Return what definitions are sorted by: the path, then the key, which follows the order of the file."""
        return self.by_id[definition.file_id].path, definition.doc_key

    def folder_of(self, file: int) -> str:
        """Return the folder of a file, by files.id."""
        return self.by_id[file].folder

    def lineage(self, definition: GraphDefinition) -> Sequence[tuple[GraphDefinition, Confidence]]:
        """Return a type and everything that it inherits from, nearest first, each with the confidence of the path to
        it.
        """
        cached = self._lineages.get(definition.doc_key)
        if cached is None:
            lineage = {definition.doc_key: (definition, Confidence.EXACT)}
            level = list(lineage.values())
            for _ in range(_MAX_BASE_DEPTH):
                above = [(base, max(sure, own)) for each, own in level for base, sure in self.bases(each.doc_key)]
                level = [(base, sure) for base, sure in above if base.doc_key not in lineage]
                for base, sure in level:
                    lineage.setdefault(base.doc_key, (base, sure))
            cached = self._lineages[definition.doc_key] = tuple(lineage.values())
        return cached

    def bases(self, doc_key: int) -> Sequence[tuple[GraphDefinition, Confidence]]:
        """Return the types that a type inherits from, without ambiguous ones, by line, then by path.

        Requires that all bases are linked.
        """
        cached = self._bases.get(doc_key)
        if cached is None:
            edges = [e for e in self.store.base_edges(doc_key, doc_key) if e.confidence < Confidence.AMBIGUOUS]
            found = [(edge, self.store.get_definition(edge.target_key)) for edge in edges]
            known = [(edge, base) for edge, base in found if base is not None and base.file_id in self.by_id]
            known.sort(key=lambda pair: (pair[0].line, self._place(pair[1])))
            cached = self._bases[doc_key] = tuple((base, Confidence(edge.confidence)) for edge, base in known)
        return cached

    def clear_bases(self) -> None:
        """Clear the cached bases, after new ones were linked."""
        self._bases.clear()
        self._lineages.clear()


def read_packages(bindings: Iterable[Binding]) -> tuple[str, ...]:
    """Return the packages that a file says to be in, the innermost first: `package a`, `package b` gives a.b and a."""
    names = accumulate((binding.source for binding in bindings if not binding.name), "{}.{}".format)
    return tuple(names)[::-1]


def make_source_file(file_id: int, path: str, name: str) -> SourceFile:
    """Return a file with the facts of its path and language. name: of the language."""
    language = language_as_read(path, name)
    name_resolution = language.name_resolution if language else DEFAULT_NAME_RESOLUTION
    family = name_resolution.family or name
    return SourceFile(file_id, path, _package_folder(path, family), language, name_resolution, family)


def _package_folder(path: str, family: str) -> str:
    """Return the folder that stands for a file's package: below `src/test/java`, where there is such a source root."""
    folders = dirname(path).split("/")
    for at, root in enumerate(folders[2:], 2) if family == "jvm" else ():
        if root in _JVM_SOURCE_ROOTS and folders[at - 2] == "src":
            return "/".join(folders[at + 1 :])
    return dirname(path)


_JVM_SOURCE_ROOTS = frozenset({"java", "kotlin", "scala", "groovy"})
"""The packages of all source roots of a project (`src/main/java`, `src/test/java`) are one name space."""
