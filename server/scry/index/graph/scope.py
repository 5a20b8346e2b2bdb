"""What a name that stands alone means: by the scopes around it, the class around it, imports, the package, the project.

The first of these that knows the name decides; one that knows it as something outside the project decides for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from posixpath import basename, splitext

from msgspec import Struct

from scry.core.types import Binding
from scry.index.graph.candidates import Group
from scry.index.graph.kinds import TYPES
from scry.index.graph.project import GraphProject
from scry.index.graph.view import FileView, scopes
from scry.index.languages.naming import FILE, FOLDER, PROJECT
from scry.store.graph_reader import Confidence
from scry.store.graph_store import Definition, FileDocument

MOST = 3
"""So many different definitions a name may mean for edges to be drawn to all; more say nothing."""

_MOST_OVERLOADS = 6
_MOST_CANDIDATES = 50
"""Of more, none that is nested in something is meant by a name that stands alone."""

_DEEPEST = 5
"""So many re-exports are followed."""


class Found(Struct, frozen=True):
    """What a name means, and how sure that is. No targets: something outside the project."""

    targets: tuple[Definition, ...]
    confidence: Confidence = Confidence.EXACT

    def at_most(self, confidence: Confidence) -> Found:
        """The same, no surer than that."""
        return Found(self.targets, max(self.confidence, confidence))


OUTSIDE = Found(())


class Scope:
    """Looks names up as seen from one file."""

    def __init__(self, project: GraphProject, view: FileView) -> None:
        """view: the file."""
        self.project = project
        self.view = view
        self.naming = view.facts.naming

    # Candidates ---------------------------------------------------------------------------------------------------

    def candidates(self, name: str, kinds: frozenset[str]) -> Group:
        """Every definition of that name, of one of these kinds, in a language of the file's family."""
        return self.project.candidates(name, self.view.facts.family).of(kinds)

    def choose(self, found: Sequence[Definition], confidence: Confidence) -> Found | None:
        """One target, or all when they are one thing defined several times, or a few, ambiguous; else None."""
        if len(found) <= 1:
            return Found(tuple(found), confidence) if found else None
        if len(found) > _MOST_OVERLOADS:
            return None
        files = {definition.file for definition in found}
        if len({definition.qualified for definition in found}) == 1:
            once = len(files) == len(found) == 2 and self.view.facts.family == "c"  # declared and defined
            again = len(files) == 1 and not self.naming.overloads
            reopened = self.naming.reopened and all(d.kind in TYPES for d in found)
            if once or again or reopened:
                return Found(tuple(found), confidence)
            if len(files) == 1:
                return Found(tuple(found), Confidence.AMBIGUOUS)
        return Found(tuple(found), Confidence.AMBIGUOUS) if len(found) <= MOST else None

    # Names --------------------------------------------------------------------------------------------------------

    def bare(self, name: str, kinds: frozenset[str], document: FileDocument) -> Found | None:
        """What a name that stands alone in a document means."""
        found = self.candidates(name, kinds)
        return (
            self._lexical(found, document)
            or self._own_member(name, document, kinds)
            or self._bound(name, kinds)
            or self._opened(found)
            or self._in_package(found)
            or self._in_namespace(found, document)
            or self._in_project(found)
        )

    def type(self, words: Sequence[str], document: FileDocument) -> Found | None:
        """What a type's name means; words: with what qualifies it."""
        if len(words) > 1:
            return self._qualified_type(words, document)
        found = self._types(words[0], document)
        return (
            self._lexical(found, document, members=True)
            or self._bound(words[0], TYPES)
            or self._opened(found)
            or self._in_package(found)
            or self._in_namespace(found, document)
            or self._in_project(found)
        )

    def _types(self, name: str, document: FileDocument) -> Group:
        """The types of that name but the document itself."""
        found = self.candidates(name, TYPES)
        return found.without(document.number) if name == document.name else found

    def _qualified_type(self, words: Sequence[str], document: FileDocument) -> Found | None:
        if words[0] in self.view.module.names:
            return self.through(words[:-1], words[-1], TYPES) or OUTSIDE
        tail = "." + ".".join(words[:-1])
        group = self._types(words[-1], document)
        found = Group([d for d in group.all if f".{d.container}".endswith(tail)])
        return self._lexical(found, document, members=True) or self.choose(found.all, Confidence.BY_NAME)

    def _lexical(self, found: Group, document: FileDocument, *, members: bool = False) -> Found | None:
        """In the same file, in the innermost scope around. members: also what is a member of a type around."""
        here = found.in_file(self.view.facts.id)
        if not here:
            return None
        by_scope: dict[str, list[Definition]] = {}
        for definition in here:
            by_scope.setdefault(definition.container, []).append(definition)
        own = self.view.owner_of(document) if self.naming.own_members and not members else None
        for scope in (*scopes(document), ""):
            if scope not in by_scope:
                continue
            is_owner = own is not None and (self.naming.outer_members or scope == own.qualified)
            if members or is_owner or self.view.is_transparent(scope):
                return self.choose(by_scope[scope], Confidence.EXACT)
        return None

    def _own_member(self, name: str, document: FileDocument, kinds: frozenset[str]) -> Found | None:
        if not self.naming.own_members:
            return None
        found = self.own_type(document)
        return self.member(found, name, kinds) if found else None

    def _bound(self, name: str, kinds: frozenset[str]) -> Found | None:
        """By an import of this very name, or of all names of a module. OUTSIDE when it is imported from elsewhere."""
        bound = self.view.module.names.get(name)
        if bound is not None:
            binding, targets = bound
            if binding.member:
                return self._exported_by(targets, _exported_name(binding.member, name), kinds) or OUTSIDE
            return OUTSIDE
        for target in self.view.module.stars:
            found = self.exported(target, name, kinds)
            if found:
                return found
        return None

    def _opened(self, found: Group) -> Found | None:
        """In a file that this one imports, where imports make all names known."""
        if not self.naming.opens or not found.all:
            return None
        near = [d for file in sorted(self.view.imported) for d in found.in_file(file) if self._is_open(d)]
        chosen = self.choose(near, Confidence.EXACT)
        if chosen and self.view.facts.family == "c":  # what a header declares is defined elsewhere
            names = {d.qualified for d in near}
            return self.choose([d for d in found.all if d.qualified in names], Confidence.EXACT) or chosen
        return chosen

    def near(self, group: Group) -> list[Definition]:
        """Those in the file itself, in files that it imports, and in its package."""
        near = {self.view.facts.id, *self.view.imported}
        found = [d for file in sorted(near) for d in group.in_file(file)]
        if self.naming.reach == FOLDER:
            beside = group.in_folder(self.view.facts.folder, self.project.folder_of)
            found += [d for d in beside if d.file not in near]
        return found

    def _is_open(self, definition: Definition) -> bool:
        return not definition.container or self.view.facts.family == "c" or definition.kind in TYPES

    def _in_package(self, found: Group) -> Found | None:
        if self.naming.reach != FOLDER or not found.all:
            return None
        near = found.in_folder(self.view.facts.folder, self.project.folder_of)
        return self.choose([d for d in near if not d.container], Confidence.EXACT)

    def _in_namespace(self, found: Group, document: FileDocument) -> Found | None:
        """In another file, in a namespace that is also around this document."""
        if self.naming.reach != PROJECT or not found.all:
            return None
        for scope in scopes(document):
            near = found.in_container(scope)
            if near:
                return self.choose(near, Confidence.EXACT)
        return None

    def in_namespace_named(
        self, words: Sequence[str], name: str, kinds: frozenset[str], document: FileDocument
    ) -> Found | None:
        """In what has that very name, seen from the top or from what is around; in whatever file, where names reach so
        far, else in this one: a table, an object, a type.
        """
        if self.naming.reach == FOLDER:
            return None
        group = self.candidates(name, kinds)
        if not group.all:
            return None
        tail = ".".join(words)
        for scope in (*scopes(document), ""):
            near = group.in_container(f"{scope}.{tail}" if scope else tail)
            if self.naming.reach == FILE:
                near = [each for each in near if each.file == self.view.facts.id]
            if near:
                return self.choose(near, Confidence.EXACT)
        return None

    def _in_project(self, found: Group) -> Found | None:
        if self.naming.reach != PROJECT:
            return None
        if not self.naming.own_members or len(found.all) > _MOST_CANDIDATES:
            return self.choose(found.in_container(""), Confidence.BY_NAME)
        methods = {d.qualified for d in found.all if d.kind == "method"}  # some class's, and not of the one around
        return self.choose([d for d in found.all if d.qualified not in methods], Confidence.BY_NAME)

    # Modules ------------------------------------------------------------------------------------------------------

    def through(self, words: Sequence[str], name: str, kinds: frozenset[str]) -> Found | None:
        """What a name means behind words of which the first is bound by an import; None where that is not known."""
        binding, targets = self.view.module.names[words[0]]
        if not targets:
            return OUTSIDE
        if len(words) > 1:
            longer = self.project.resolve(self.view.facts, ".".join(words))
            found = self._exported_by(longer, name, kinds) if longer else None
            if found:
                return found
        holder = self._exported_by(targets, _exported_name(binding.member, words[0]), TYPES) if binding.member else None
        for word in words[1:]:
            holder = self.member(holder, word, TYPES) if holder else self._exported_by(targets, word, TYPES)
            if holder is None:
                return None
        if holder and holder.targets:
            return self.member(holder, name, kinds)
        return self._exported_by([t for t in targets if self._is_module(t, binding)], name, kinds)

    def _is_module(self, file: int, binding: Binding) -> bool:
        """Whether an import may mean a file as a whole, not something in it."""
        if binding.member in ("", "default"):
            return True
        stem, _ = splitext(basename(self.project.by_id[file].path))
        return binding.member in (stem, basename(self.project.folder_of(file)))

    def _exported_by(self, targets: Iterable[int], name: str, kinds: frozenset[str]) -> Found | None:
        """The name in any of several files that are one module or package."""
        found = [self.exported(target, name, kinds) for target in targets]
        known = [each for each in found if each]
        definitions = [d for each in known for d in each.targets]
        if not definitions:
            return None
        chosen = self.choose(list(dict.fromkeys(definitions)), Confidence.EXACT)
        return chosen.at_most(max(each.confidence for each in known)) if chosen else None

    def exported(self, file: int, name: str, kinds: frozenset[str], depth: int = _DEEPEST) -> Found | None:
        """What a file makes of a name: its own definition, or one that it imports itself."""
        found = self.candidates(name, kinds).in_file(file)
        top = [d for d in found if not d.container]
        if top or (found and self.naming.family == "jvm"):  # which imports members of types as well
            return self.choose(top or found, Confidence.EXACT)
        if self.naming.tables and found:
            return self.choose([d for d in found if "." not in d.container], Confidence.EXACT)
        if depth == 0 or file not in self.project.by_id:
            return None
        module = self.project.module(file)
        bound = module.names.get(name)
        if bound is not None and bound[0].member:
            return self._re_exported(bound[1], _exported_name(bound[0].member, name), kinds, depth)
        for target in module.stars:
            through = self.exported(target, name, kinds, depth - 1)
            if through:
                return through
        return None

    def _re_exported(self, targets: Iterable[int], name: str, kinds: frozenset[str], depth: int) -> Found | None:
        return next(filter(None, (self.exported(target, name, kinds, depth - 1) for target in targets)), None)

    # Members ------------------------------------------------------------------------------------------------------

    def own_type(self, document: FileDocument) -> Found | None:
        """The type that a document stands in, wherever that is defined."""
        owner = self.view.owner_of(document)
        if owner is not None:
            return Found((owner,))
        return self.type(document.container.split("."), document) if document.container else None

    def member(self, owner: Found, name: str, kinds: frozenset[str]) -> Found | None:
        """A member of a type or of the nearest of its bases that has one."""
        group = self.candidates(name, kinds)
        for definition in owner.targets if group.all else ():
            for each, sure in self.project.lineage(definition):
                found = self._direct_member(each, group)
                if found:
                    return found.at_most(max(sure, owner.confidence))
        return None

    def base_member(self, owner: Found, name: str, kinds: frozenset[str]) -> Found | None:
        """A member of a base of a type."""
        bases = [base for definition in owner.targets for base in self.project.bases(definition.number)]
        found = (self.member(Found((base,), sure).at_most(owner.confidence), name, kinds) for base, sure in bases)
        return next(filter(None, found), None)

    def _direct_member(self, owner: Definition, group: Group) -> Found | None:
        found = group.in_container(owner.qualified)
        if not found:
            return None
        near = found if self.view.facts.family == "c" else [d for d in found if d.file == owner.file]
        if near or not self.naming.open_types:
            return self.choose(near, Confidence.EXACT)
        folder = self.project.folder_of(owner.file)
        beside = [d for d in found if self.project.folder_of(d.file) == folder]
        return self.choose(beside or found, Confidence.EXACT)


def _exported_name(member: str, local: str) -> str:
    """A default export has no name of its own: mostly it is imported by the one that its definition has."""
    return local if member == "default" else member
