"""Resolve an unqualified name: by scope, class, imports, package, then project.

The first of these that knows the name decides. If it knows the name as external to the project, there is no target.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from posixpath import basename, splitext

from msgspec import Struct

from scry.core.types import Binding
from scry.index.graph.file_view import TYPE_KINDS, FileView, enclosing_names
from scry.index.graph.symbol_table import DefinitionGroup, SymbolTable
from scry.index.parse.languages.language import FILE_SCOPE, FOLDER_SCOPE, PROJECT_SCOPE
from scry.store.graph import Confidence
from scry.store.graph_store import GraphDefinition, GraphDocument

MAX_AMBIGUOUS_TARGETS = 3
"""Different definitions that a name may mean for edges to be drawn to all; more carry no information."""

_MAX_OVERLOADS = 20
"""Overloads that a call may mean, where it is sure that it means this method."""

_MAX_PARTS = 6
"""Definitions of any other name that may be one thing."""

_MAX_CANDIDATES = 50
"""Definitions of a name, above which an unqualified name means none that is nested."""

_MAX_REEXPORT_DEPTH = 5
"""Levels of re-exports that are followed."""


class ResolvedName(Struct, frozen=True):
    """The definitions that a name means, and the confidence. No targets: a name external to the project."""

    targets: tuple[GraphDefinition, ...]
    confidence: Confidence = Confidence.EXACT

    def limit_confidence(self, confidence: Confidence) -> ResolvedName:
        """Return the same targets with at most this confidence."""
        return ResolvedName(self.targets, max(self.confidence, confidence))


EXTERNAL_NAME = ResolvedName(())


class NameResolver:
    """Resolves names as visible in one file."""

    def __init__(self, project: SymbolTable, view: FileView) -> None:
        """Resolve in `view`, the file."""
        self.project = project
        self.view = view
        self.name_resolution = view.source_file.name_resolution

    # Candidates ---------------------------------------------------------------------------------------------------

    def candidates(self, name: str, kinds: frozenset[str]) -> DefinitionGroup:
        """Return every definition of that name, of one of these kinds, in a language of the file's family."""
        return self.project.candidates(name, self.view.source_file.family).of_kinds(kinds)

    def choose_targets(self, candidates: Sequence[GraphDefinition], confidence: Confidence) -> ResolvedName | None:
        """Return one target, or all when they are one thing defined several times, or a few, ambiguous; else None."""
        if len(candidates) <= 1:
            return ResolvedName(tuple(candidates), confidence) if candidates else None
        files = {definition.file_id for definition in candidates}
        is_one_name = len({definition.qualified_name for definition in candidates}) == 1
        is_certain = is_one_name and len(files) == 1 and confidence is Confidence.EXACT
        if len(candidates) > (_MAX_OVERLOADS if is_certain else _MAX_PARTS):
            return None
        if is_one_name:
            once = (
                len(files) == len(candidates) == 2 and self.view.source_file.family == "c"
            )  # declaration and definition
            again = len(files) == 1 and not self.name_resolution.overloads
            reopened = self.name_resolution.partial_types and all(d.kind in TYPE_KINDS for d in candidates)
            if once or again or reopened:
                return ResolvedName(tuple(candidates), confidence)
            if len(files) == 1:
                return ResolvedName(tuple(candidates), Confidence.AMBIGUOUS)
        return (
            ResolvedName(tuple(candidates), Confidence.AMBIGUOUS) if len(candidates) <= MAX_AMBIGUOUS_TARGETS else None
        )

    # Names --------------------------------------------------------------------------------------------------------

    def resolve_unqualified(self, name: str, kinds: frozenset[str], document: GraphDocument) -> ResolvedName | None:
        """Resolve an unqualified name used in a document."""
        group = self.candidates(name, kinds)
        return (
            self._resolve_lexically(group, document)
            or self._resolve_own_member(name, document, kinds)
            or self._resolve_imported(name, kinds)
            or self._resolve_opened(group)
            or self._resolve_in_package(group)
            or self._resolve_in_declared_packages(group)
            or self._resolve_in_namespace(group, document)
            or self._resolve_in_project(group)
        )

    def resolve_type(self, words: Sequence[str], document: GraphDocument) -> ResolvedName | None:
        """Resolve a type's name. words: the name behind its qualifiers."""
        if len(words) > 1:
            return self._resolve_qualified_type(words, document)
        group = self._other_types(words[0], document)
        return (
            self._resolve_lexically(group, document, members=True)
            or self._resolve_imported(words[0], TYPE_KINDS)
            or self._resolve_opened(group)
            or self._resolve_in_package(group)
            or self._resolve_in_declared_packages(group)
            or self._resolve_in_namespace(group, document)
            or self._resolve_in_project(group)
        )

    def _other_types(self, name: str, document: GraphDocument) -> DefinitionGroup:
        """Return the types of that name except the document itself."""
        group = self.candidates(name, TYPE_KINDS)
        return group.without(document.doc_key) if name == document.name else group

    def _resolve_qualified_type(self, words: Sequence[str], document: GraphDocument) -> ResolvedName | None:
        if words[0] in self.view.module.names:
            return self.resolve_through_import(words[:-1], words[-1], TYPE_KINDS) or EXTERNAL_NAME
        tail = "." + ".".join(words[:-1])
        group = self._other_types(words[-1], document)
        qualified = DefinitionGroup([d for d in group.all if f".{d.container}".endswith(tail)])
        return self._resolve_lexically(qualified, document, members=True) or self.choose_targets(
            qualified.all, Confidence.BY_NAME
        )

    def _resolve_lexically(
        self, group: DefinitionGroup, document: GraphDocument, *, members: bool = False
    ) -> ResolvedName | None:
        """Resolve in the same file, in the innermost scope around. members: also members of a type around."""
        here = group.in_file(self.view.source_file.id)
        if not here:
            return None
        by_scope: dict[str, list[GraphDefinition]] = {}
        for definition in here:
            by_scope.setdefault(definition.container, []).append(definition)
        own = self.view.enclosing_type(document) if self.name_resolution.implicit_self and not members else None
        for scope in (*enclosing_names(document), ""):
            if scope not in by_scope:
                continue
            is_owner = own is not None and (self.name_resolution.outer_members or scope == own.qualified_name)
            if members or is_owner or self.view.is_transparent(scope):
                return self.choose_targets(by_scope[scope], Confidence.EXACT)
        return None

    def _resolve_own_member(self, name: str, document: GraphDocument, kinds: frozenset[str]) -> ResolvedName | None:
        if not self.name_resolution.implicit_self:
            return None
        owner = self.enclosing_type(document)
        return self.resolve_member(owner, name, kinds) if owner else None

    def _resolve_imported(self, name: str, kinds: frozenset[str]) -> ResolvedName | None:
        """Resolve by an import of this very name, or of all names of a module.

        EXTERNAL_NAME when it is imported from outside the project.
        """
        bound = self.view.module.names.get(name)
        if bound is not None:
            last = self._resolve_binding(name, *bound, kinds)
            earlier = self.view.module.earlier.get(name, ())
            every = [last, *(self._resolve_binding(name, *each, kinds) for each in earlier)]
            targets = tuple(dict.fromkeys(target for each in every for target in each.targets))
            return last if targets == last.targets else ResolvedName(targets, Confidence.AMBIGUOUS)
        for target in self.view.module.wildcard_sources:
            resolved = self.resolve_exported(target, name, kinds)
            if resolved:
                return resolved
        return None

    def _resolve_binding(
        self, name: str, binding: Binding, targets: tuple[int, ...], kinds: frozenset[str]
    ) -> ResolvedName:
        if not binding.member:
            return EXTERNAL_NAME
        return (
            self._resolve_exported_by_any(targets, _exported_name(binding.member, name), kinds)
            or (self._resolve_default(targets, kinds) if binding.member == "default" else None)
            or self._resolve_in_package_of(binding, kinds)
            or EXTERNAL_NAME
        )

    def _resolve_default(self, targets: Iterable[int], kinds: frozenset[str]) -> ResolvedName | None:
        """Resolve a default import by the file's name, where nothing in the file has the local name."""
        for target in targets:
            file = self.project.by_id[target]
            resolved = self.resolve_exported(target, splitext(basename(file.path))[0], kinds, depth=0)
            if resolved:
                is_component = file.language is not None and file.language.find_markup is not None
                return resolved if is_component else resolved.limit_confidence(Confidence.BY_NAME)
        return None

    def resolve_component(self, name: str) -> ResolvedName | None:
        """Resolve a tag in a component to the one component of the project with that name, which needs no import."""
        language = self.view.source_file.language
        if language is None or language.find_markup is None or not name[:1].isupper():
            return None
        group = self.candidates(name, frozenset({"class"}))
        return self.choose_targets(
            [each for each in group.in_container("") if self._is_component(each)], Confidence.BY_NAME
        )

    def _is_component(self, definition: GraphDefinition) -> bool:
        path = self.project.by_id[definition.file_id].path
        language = self.project.by_id[definition.file_id].language
        is_whole_file = splitext(basename(path))[0] == definition.name
        return language is not None and language.find_markup is not None and is_whole_file

    def _resolve_opened(self, group: DefinitionGroup) -> ResolvedName | None:
        """Resolve in a file that this one imports, where imports bind all names."""
        if not self.name_resolution.imports_all_names or not group.all:
            return None
        near = [d for d in self._in_files(self.view.imported, group) if self._is_visible_outside(d)]
        if not near and self.name_resolution.default_scope == FILE_SCOPE and self.view.imported:
            top = group.in_container("")  # by a module that exports what it imports
            return self.choose_targets(top, Confidence.BY_NAME) if len(top) == 1 else None
        chosen = self.choose_targets(near, Confidence.EXACT)
        if chosen and self.view.source_file.family == "c":  # a header's declarations are defined in another file
            names = {d.qualified_name for d in near}
            return self.choose_targets([d for d in group.all if d.qualified_name in names], Confidence.EXACT) or chosen
        return chosen

    def find_nearby(self, group: DefinitionGroup) -> list[GraphDefinition]:
        """Return the definitions in the file itself, in files that it imports, and in its package."""
        near = {self.view.source_file.id, *self.view.imported}
        definitions = self._in_files(near, group)
        if self.name_resolution.default_scope == FOLDER_SCOPE:
            beside = group.in_folder(self.view.source_file.folder, self.project.folder_of)
            definitions += [d for d in beside if d.file_id not in near]
        return definitions

    def _in_files(self, files: Iterable[int], group: DefinitionGroup) -> list[GraphDefinition]:
        """Return the definitions in some files, in the order of the paths."""
        paths = self.project.by_id
        return [d for file in sorted(files, key=lambda each: paths[each].path) for d in group.in_file(file)]

    def _is_visible_outside(self, definition: GraphDefinition) -> bool:
        return not definition.container or self.view.source_file.family == "c" or definition.kind in TYPE_KINDS

    def _resolve_in_package(self, group: DefinitionGroup) -> ResolvedName | None:
        if self.name_resolution.default_scope != FOLDER_SCOPE or not group.all:
            return None
        near = group.in_folder(self.view.source_file.folder, self.project.folder_of)
        return self.choose_targets([d for d in near if not d.container], Confidence.EXACT)

    def _resolve_in_declared_packages(self, group: DefinitionGroup) -> ResolvedName | None:
        """Resolve in the package that this file says to be in, in one around that, then in those whose names are all
        imported; whatever the folders of their files are.
        """
        module = self.view.module
        if not module.packages or not 0 < len(group.all) <= _MAX_CANDIDATES:
            return None
        named = [d for d in group.in_container("") if d.kind != "module"]  # a package object is opened, not named
        top = [(self.project.package_of(d.file_id), d) for d in named]
        for visible in (*((package,) for package in module.packages), module.opened):
            near = [d for package, d in top if package in visible]
            if near:
                return self.choose_targets(near, Confidence.EXACT)
        return None

    def _resolve_in_package_of(self, binding: Binding, kinds: frozenset[str]) -> ResolvedName | None:
        """Resolve an imported name in the package that the import names, where no file is found by its path."""
        package, _, name = binding.source.rpartition(".")
        if not package or not self.view.module.packages:
            return None
        group = self.candidates(name, kinds).all
        if len(group) > _MAX_CANDIDATES:
            return None
        near = [d for d in group if self.project.package_of(d.file_id) == package]
        top = [d for d in near if not d.container]
        extensions = near if self.name_resolution.implicit_receivers else ()  # these are named by their receiver's type
        return self.choose_targets(top or extensions, Confidence.EXACT)

    def _resolve_in_namespace(self, group: DefinitionGroup, document: GraphDocument) -> ResolvedName | None:
        """Resolve in another file, in a namespace that is also around this document."""
        if self.name_resolution.default_scope != PROJECT_SCOPE or not group.all:
            return None
        for scope in enclosing_names(document):
            near = group.in_container(scope)
            if near:
                return self.choose_targets(near, Confidence.EXACT)
        return None

    def resolve_in_named_namespace(
        self, words: Sequence[str], name: str, kinds: frozenset[str], document: GraphDocument
    ) -> ResolvedName | None:
        """Resolve in the namespace (a table, an object, a type) with that very name, seen from the top or from a scope
        around.

        In any file where the default scope is the project, else in this one.
        """
        if self.name_resolution.default_scope == FOLDER_SCOPE:
            return None
        group = self.candidates(name, kinds)
        if not group.all:
            return None
        tail = ".".join(words)
        for scope in (*enclosing_names(document), ""):
            near = group.in_container(f"{scope}.{tail}" if scope else tail)
            if self.name_resolution.default_scope == FILE_SCOPE:
                near = [each for each in near if each.file_id == self.view.source_file.id]
            if near:
                return self.choose_targets(near, Confidence.EXACT)
        return None

    def _resolve_in_project(self, group: DefinitionGroup) -> ResolvedName | None:
        if self.name_resolution.macro_folder:
            folder = self.name_resolution.macro_folder(self.view.source_file.path)
            return self._choose_only_one_below([d for d in group.all if d.kind == "macro"], [folder])
        if self.name_resolution.default_scope != PROJECT_SCOPE:
            return None
        if not self.name_resolution.implicit_self or len(group.all) > _MAX_CANDIDATES:
            return self.choose_targets(group.in_container(""), Confidence.BY_NAME)
        methods = {d.qualified_name for d in group.all if d.kind == "method"}  # members of other classes
        return self.choose_targets([d for d in group.all if d.qualified_name not in methods], Confidence.BY_NAME)

    # Modules ------------------------------------------------------------------------------------------------------

    def resolve_through_import(self, words: Sequence[str], name: str, kinds: frozenset[str]) -> ResolvedName | None:
        """Resolve a name behind words of which the first is bound by an import; None where that is unknown."""
        binding, targets = self.view.module.names[words[0]]
        if not targets:
            return EXTERNAL_NAME
        if len(words) > 1:
            longer = self.project.resolve_import(self.view.source_file, ".".join(words))
            resolved = self._resolve_exported_by_any(longer, name, kinds) if longer else None
            if resolved:
                return resolved
        holder = (
            self._resolve_exported_by_any(targets, _exported_name(binding.member, words[0]), TYPE_KINDS)
            if binding.member
            else None
        )
        for word in words[1:]:
            holder = (
                self.resolve_member(holder, word, TYPE_KINDS)
                if holder
                else self._resolve_exported_by_any(targets, word, TYPE_KINDS)
            )
            if holder is None:
                return None
        if holder and holder.targets:
            return self.resolve_member(holder, name, kinds)
        return self._resolve_exported_by_any([t for t in targets if self._is_module(t, binding)], name, kinds)

    def _is_module(self, file: int, binding: Binding) -> bool:
        """Return whether an import may mean a file as a whole, not a definition in it."""
        if binding.member in ("", "default"):
            return True
        stem, _ = splitext(basename(self.project.by_id[file].path))
        return binding.member in (stem, basename(self.project.folder_of(file)))

    def _resolve_exported_by_any(self, targets: Iterable[int], name: str, kinds: frozenset[str]) -> ResolvedName | None:
        """Resolve the name in any of several files that are one module or package."""
        resolved = [self.resolve_exported(target, name, kinds) for target in targets]
        known = [each for each in resolved if each]
        definitions = [d for each in known for d in each.targets]
        if not definitions:
            return self._resolve_below(targets, name, kinds)
        chosen = self.choose_targets(list(dict.fromkeys(definitions)), Confidence.EXACT)
        return chosen.limit_confidence(max(each.confidence for each in known)) if chosen else None

    def _resolve_below(self, modules: Iterable[int], name: str, kinds: frozenset[str]) -> ResolvedName | None:
        """Resolve a name in the inner modules of modules, whose macros may export it."""
        group = self.candidates(name, kinds)
        if not self.name_resolution.module_folder or not 0 < len(group.all) <= _MAX_CANDIDATES:
            return None
        paths = [self.project.by_id[each].path for each in modules if each in self.project.by_id]
        return self._choose_only_one_below(
            group.in_container(""), [self.name_resolution.module_folder(path) for path in paths]
        )

    def _choose_only_one_below(
        self, definitions: Iterable[GraphDefinition], folders: Sequence[str]
    ) -> ResolvedName | None:
        """Return the definition in these folders, if there is just one."""
        paths = self.project.by_id
        below = [d for d in definitions if any(_is_below(paths[d.file_id].path, folder) for folder in folders)]
        return self.choose_targets(below, Confidence.BY_NAME) if len(below) == 1 else None

    def resolve_exported(
        self, file: int, name: str, kinds: frozenset[str], depth: int = _MAX_REEXPORT_DEPTH
    ) -> ResolvedName | None:
        """Resolve a name in a file: its own definition, or one that it imports itself."""
        definitions = self.candidates(name, kinds).in_file(file)
        top = [d for d in definitions if not d.container]
        if top or (
            definitions and self.name_resolution.family == "jvm"
        ):  # JVM languages import members of types as well
            return self.choose_targets(top or definitions, Confidence.EXACT)
        if self.name_resolution.module_tables and definitions:
            return self.choose_targets([d for d in definitions if "." not in d.container], Confidence.EXACT)
        if depth == 0 or file not in self.project.by_id:
            return None
        module = self.project.imports_of(file)
        bound = module.names.get(name)
        if bound is not None and bound[0].member:
            return self._resolve_re_exported(bound[1], _exported_name(bound[0].member, name), kinds, depth)
        for target in module.wildcard_sources:
            through = self.resolve_exported(target, name, kinds, depth - 1)
            if through:
                return through
        return None

    def _resolve_re_exported(
        self, targets: Iterable[int], name: str, kinds: frozenset[str], depth: int
    ) -> ResolvedName | None:
        return next(filter(None, (self.resolve_exported(target, name, kinds, depth - 1) for target in targets)), None)

    # Members ------------------------------------------------------------------------------------------------------

    def enclosing_type(self, document: GraphDocument) -> ResolvedName | None:
        """Return the type that a document stands in, in whatever file that is defined."""
        owner = self.view.enclosing_type(document)
        if owner is not None:
            return ResolvedName((owner,))
        return self.resolve_type(document.container.split("."), document) if document.container else None

    def resolve_member(self, owner: ResolvedName, name: str, kinds: frozenset[str]) -> ResolvedName | None:
        """Resolve a member of a type or of the nearest of its bases that has one."""
        group = self.candidates(name, kinds)
        for definition in owner.targets if group.all else ():
            for each, sure in self.project.lineage(definition):
                member = self._find_direct_member(each, group)
                if member:
                    return member.limit_confidence(max(sure, owner.confidence))
        return None

    def resolve_base_member(self, owner: ResolvedName, name: str, kinds: frozenset[str]) -> ResolvedName | None:
        """Resolve a member of a base of a type."""
        bases = [base for definition in owner.targets for base in self.project.bases(definition.doc_key)]
        members = (
            self.resolve_member(ResolvedName((base,), sure).limit_confidence(owner.confidence), name, kinds)
            for base, sure in bases
        )
        return next(filter(None, members), None)

    def _find_direct_member(self, owner: GraphDefinition, group: DefinitionGroup) -> ResolvedName | None:
        members = group.in_container(owner.qualified_name)
        if not members:
            return None
        near = members if self.view.source_file.family == "c" else [d for d in members if d.file_id == owner.file_id]
        if near or not self.name_resolution.external_members:
            return self.choose_targets(near, Confidence.EXACT)
        folder = self.project.folder_of(owner.file_id)
        beside = [d for d in members if self.project.folder_of(d.file_id) == folder]
        return self.choose_targets(beside or members, Confidence.EXACT)


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _exported_name(member: str, local: str) -> str:
    """Return the exported name; a default export has none, and is mostly imported by the name of its definition."""
    return local if member == "default" else member
