"""Resolve each use of a name in one file to the definitions it means, as graph edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from scry.index.graph.builtins import is_builtin
from scry.index.graph.file_view import (
    CALLABLE_KINDS,
    INSTANTIABLE_KINDS,
    MEMBER_KINDS,
    TRANSPARENT_KINDS,
    TYPE_KINDS,
    FileView,
    parameter_names,
    parameter_types,
)
from scry.index.graph.scope import EXTERNAL_NAME, MAX_AMBIGUOUS_TARGETS, NameResolver, ResolvedName
from scry.index.graph.symbol_table import DefinitionGroup, SymbolTable
from scry.index.parse.documents import NameUse
from scry.index.parse.languages.language import METHOD_AND_FUNCTION_KINDS, PROJECT_SCOPE
from scry.index.parse.receivers import STATIC_SUFFIX, UNKNOWN_RECEIVER, split_receiver
from scry.store.graph import Confidence, Edge, EdgeKind
from scry.store.graph_store import GraphDocument

_CALL_KINDS = frozenset({"call", "class"})
_INHERITANCE_KIND = "implementation"


class ReferenceResolver:
    """Resolves the uses of one file."""

    def __init__(self, project: SymbolTable, view: FileView) -> None:
        """Resolve names as visible in `view`."""
        self._scope = NameResolver(project, view)
        self._view = view
        self._family = view.source_file.family

    def base_edges(self, uses: Iterable[NameUse]) -> list[Edge]:
        """Return the edges from types to their bases."""
        return _deduplicate_edges(EdgeKind.INHERITS, self._resolve_uses(uses, frozenset({_INHERITANCE_KIND})))

    def call_edges(self, uses: Iterable[NameUse]) -> list[Edge]:
        """Return the edges from callers to callees; requires that all bases are linked."""
        return _deduplicate_edges(EdgeKind.CALLS, self._resolve_uses(uses, _CALL_KINDS))

    def _resolve_uses(self, uses: Iterable[NameUse], kinds: frozenset[str]) -> Iterator[tuple[int, int, ResolvedName]]:
        """Yield (source, line, resolved name) for every use of these kinds."""
        for use in uses:
            if use.kind not in kinds:
                continue
            known: dict[int, tuple[int, ResolvedName | None]] = {}
            for line in use.lines:
                document = self._view.document_at(line)
                if document is None:
                    continue
                if document.doc_key not in known:
                    known[document.doc_key] = self._resolve_use(use, document)
                source, resolved = known[document.doc_key]
                if resolved is not None:
                    yield source, line, resolved

    def _resolve_use(self, use: NameUse, document: GraphDocument) -> tuple[int, ResolvedName | None]:
        receiver, known_type = split_receiver(use.receiver)
        words = receiver.split(".") if receiver else []
        if use.kind == _INHERITANCE_KIND:
            subtype = self._inheriting_type(document) if receiver != UNKNOWN_RECEIVER else None
            return subtype or 0, self._scope.resolve_type([*words, use.name], document) if subtype else None
        type_words = self._parameter_type(words, document) or (known_type.split(".") if known_type else ())
        if type_words and use.kind == "call":
            resolved = self._resolve_typed_member(use.name, type_words, document)
            if resolved is not None:
                return document.doc_key, resolved
        return document.doc_key, self._resolve_name(use, words, document)

    def _parameter_type(self, words: Sequence[str], document: GraphDocument) -> Sequence[str]:
        """Return the declared type of a receiver that is a parameter; empty for any other."""
        if len(words) != 1 or words[0] in ("self", "super") or document.kind not in TRANSPARENT_KINDS:
            return ()
        return parameter_types(document.signature, name_first=self._view.source_file.has_names_first).get(words[0], ())

    def _resolve_typed_member(self, name: str, words: Sequence[str], document: GraphDocument) -> ResolvedName | None:
        """Resolve a call on a receiver whose type is evident: it is declared, or the receiver was just made.

        Returns EXTERNAL_NAME for a type of another project, None for one that is not known, or has no such member.
        """
        owner = self._scope.resolve_type(words, document)
        if owner is None or not owner.targets:
            bound = self._view.module.names.get(words[0])
            return None if bound is not None and bound[1] else owner  # an import of the project may still hold it
        return self._scope.resolve_member(owner, name, MEMBER_KINDS)

    def _inheriting_type(self, document: GraphDocument) -> int | None:
        """Return the doc_key of the subtype: the document, or the type that an implementation is of.

        None for a type without a name.
        """
        if document.kind != "implementation":
            return document.doc_key if document.kind in TYPE_KINDS else None
        name = document.signature.rpartition(" for ")[2].partition("<")[0].rpartition("::")[2].strip()
        resolved = self._scope.resolve_type([name], document) if name else None
        return resolved.targets[0].doc_key if resolved and len(resolved.targets) == 1 else document.doc_key

    def _resolve_name(self, use: NameUse, words: Sequence[str], document: GraphDocument) -> ResolvedName | None:
        kinds = INSTANTIABLE_KINDS if use.kind == "class" else CALLABLE_KINDS
        if not words:
            if use.name in parameter_names(document):
                return None
            resolved = self._scope.resolve_unqualified(use.name, kinds, document)
            resolved = resolved or self._scope.resolve_component(use.name)
            if resolved is None and self._view.source_file.name_resolution.implicit_receivers:
                return self._resolve_unique_member(use.name)
            return None if self._is_probably_builtin(resolved, use.name) else resolved
        if use.kind == "class":
            return self._scope.resolve_type([*words, use.name], document)
        resolved = self._resolve_member(use.name, words, document)
        if resolved is None and not use.receiver.endswith(STATIC_SUFFIX):
            return self._resolve_unique_member(use.name)
        return resolved

    def _is_probably_builtin(self, resolved: ResolvedName | None, name: str) -> bool:
        """Return whether a name resolved by its spelling alone is mostly one of the language or its library."""
        return resolved is not None and resolved.confidence > Confidence.EXACT and is_builtin(self._family, name)

    def _resolve_member(self, name: str, words: Sequence[str], document: GraphDocument) -> ResolvedName | None:
        """Resolve a call on a receiver; None where the receiver is unknown."""
        if words == ["self"] or words == ["super"]:
            owner = self._scope.enclosing_type(document)
            if words == ["self"]:
                return self._scope.resolve_member(owner, name, MEMBER_KINDS) if owner else None
            return (self._scope.resolve_base_member(owner, name, MEMBER_KINDS) if owner else None) or EXTERNAL_NAME
        if words[0] in ("self", "super", UNKNOWN_RECEIVER) or words[0] in parameter_names(document):
            return None
        if words[0] in self._view.module.names:
            return self._scope.resolve_through_import(words, name, MEMBER_KINDS) or self._resolve_imported_member(
                words, document
            )
        return self._resolve_type_member(name, words, document)

    def _resolve_imported_member(self, words: Sequence[str], document: GraphDocument) -> ResolvedName | None:
        """Return EXTERNAL_NAME for a type bound by an import, without such a member; None for an unknown receiver."""
        owner = self._scope.resolve_type(words, document)
        return EXTERNAL_NAME if owner and owner.targets else None

    def _resolve_type_member(self, name: str, words: Sequence[str], document: GraphDocument) -> ResolvedName | None:
        resolved = self._scope.resolve_in_named_namespace(words, name, MEMBER_KINDS, document)
        if resolved:
            return resolved
        owner = self._scope.resolve_type(words, document)
        if owner is None:
            return EXTERNAL_NAME if words[-1][:1].isupper() else None  # capitalised: a type of another project
        if self._is_probably_builtin(owner, words[-1]):
            return EXTERNAL_NAME
        resolved = self._scope.resolve_member(owner, name, MEMBER_KINDS)
        if resolved is None and name == "new" and owner.targets:
            return owner
        return EXTERNAL_NAME if resolved is None or self._is_probably_builtin(resolved, name) else resolved

    def _resolve_unique_member(self, name: str) -> ResolvedName | None:
        """Resolve a member by its name alone, if there is just one in the project, whatever its owner."""
        if is_builtin(self._family, name):
            return None
        group = self._scope.candidates(name, self._view.source_file.name_resolution.members)
        if self._family == "c":  # members are declared in a class and defined outside of it
            names = {d.qualified_name for d in group.all}
            group = DefinitionGroup(
                [d for d in self._scope.candidates(name, METHOD_AND_FUNCTION_KINDS).all if d.qualified_name in names]
            )
        if len(group.all) <= MAX_AMBIGUOUS_TARGETS and len({d.qualified_name for d in group.all}) == 1:
            return self._scope.choose_targets([d for d in group.all if d.container], Confidence.BY_NAME)
        near = [d for d in self._scope.find_nearby(group) if d.container]
        if (
            near or self._view.source_file.name_resolution.default_scope != PROJECT_SCOPE
        ):  # where files list their imports, other files are not meant
            return self._scope.choose_targets(near, Confidence.AMBIGUOUS)
        return self._scope.choose_targets([d for d in group.all if d.container], Confidence.AMBIGUOUS)


def _deduplicate_edges(kind: EdgeKind, edges: Iterable[tuple[int, int, ResolvedName]]) -> list[Edge]:
    """Return one edge for each source and target, by the surest use and the first of these; sorted."""
    best: dict[tuple[int, int], tuple[int, int]] = {}
    for source, line, meaning in edges:
        for target in meaning.targets:
            key = (source, target.doc_key)
            new = (int(meaning.confidence), line)
            if target.doc_key != source and (key not in best or new < best[key]):
                best[key] = new
    rows = sorted(best.items())
    return [Edge(source, target, kind, Confidence(sure), line) for (source, target), (sure, line) in rows]
