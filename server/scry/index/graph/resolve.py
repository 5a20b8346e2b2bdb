"""The edges of one file: each use of a name, where it stands and on what, to what it means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from scry.index.graph.builtins import is_builtin
from scry.index.graph.candidates import Group
from scry.index.graph.kinds import CALLABLE, MADE, MEMBERS, TYPES
from scry.index.graph.project import GraphProject
from scry.index.graph.scope import MOST, OUTSIDE, Found, Scope
from scry.index.graph.view import FileView, parameters
from scry.index.languages.naming import LOOSE_METHODS, PROJECT
from scry.index.receivers import OTHER, STATIC
from scry.index.uses import Use
from scry.store.graph_reader import Confidence, Edge, EdgeKind
from scry.store.graph_store import FileDocument

_CALLS = frozenset({"call", "class"})
_BASE = "implementation"


class Resolver:
    """Links the uses of one file."""

    def __init__(self, project: GraphProject, view: FileView) -> None:
        """view: the file."""
        self._scope = Scope(project, view)
        self._view = view
        self._family = view.facts.family

    def bases(self, uses: Iterable[Use]) -> list[Edge]:
        """Who inherits from whom."""
        return _edges(EdgeKind.INHERITS, self._each(uses, frozenset({_BASE})))

    def calls(self, uses: Iterable[Use]) -> list[Edge]:
        """Who calls whom; once all bases are linked."""
        return _edges(EdgeKind.CALLS, self._each(uses, _CALLS))

    def _each(self, uses: Iterable[Use], kinds: frozenset[str]) -> Iterator[tuple[int, int, Found]]:
        """(source, line, what it means) of every use of these kinds."""
        for use in uses:
            if use.kind not in kinds:
                continue
            known: dict[int, tuple[int, Found | None]] = {}
            for line in use.lines:
                document = self._view.around(line)
                if document is None:
                    continue
                if document.number not in known:
                    known[document.number] = self._find(use, document)
                source, found = known[document.number]
                if found is not None:
                    yield source, line, found

    def _find(self, use: Use, document: FileDocument) -> tuple[int, Found | None]:
        receiver = use.receiver.removesuffix(STATIC)
        words = receiver.split(".") if receiver else []
        if use.kind == _BASE:
            heir = self._heir(document) if receiver != OTHER else None
            return heir or 0, self._scope.type([*words, use.name], document) if heir else None
        return document.number, self._meaning(use, words, document)

    def _heir(self, document: FileDocument) -> int | None:
        """Who inherits: the document, or the type that an implementation is of. None for a type that has no name."""
        if document.kind != "implementation":
            return document.number if document.kind in TYPES else None
        name = document.signature.rpartition(" for ")[2].partition("<")[0].rpartition("::")[2].strip()
        found = self._scope.type([name], document) if name else None
        return found.targets[0].number if found and len(found.targets) == 1 else document.number

    def _meaning(self, use: Use, words: Sequence[str], document: FileDocument) -> Found | None:
        kinds = MADE if use.kind == "class" else CALLABLE
        if not words:
            if use.name in parameters(document):
                return None
            found = self._scope.bare(use.name, kinds, document)
            return None if self._is_doubtful(found, use.name) else found
        if use.kind == "class":
            return self._scope.type([*words, use.name], document)
        found = self._member(use.name, words, document)
        if found is None and not use.receiver.endswith(STATIC):
            return self._anyones(use.name)
        return found

    def _is_doubtful(self, found: Found | None, name: str) -> bool:
        """Whether a name that was found by nothing but itself is mostly one of the language or its library."""
        return found is not None and found.confidence > Confidence.EXACT and is_builtin(self._family, name)

    def _member(self, name: str, words: Sequence[str], document: FileDocument) -> Found | None:
        """A call on something; None where it is not known what that is."""
        if words == ["self"] or words == ["super"]:
            owner = self._scope.own_type(document)
            if words == ["self"]:
                return self._scope.member(owner, name, MEMBERS) if owner else None
            return (self._scope.base_member(owner, name, MEMBERS) if owner else None) or OUTSIDE
        if words[0] in ("self", "super", OTHER) or words[0] in parameters(document):
            return None
        if words[0] in self._view.module.names:
            return self._scope.through(words, name, MEMBERS) or self._of_imported(words, document)
        return self._of_type(name, words, document)

    def _of_imported(self, words: Sequence[str], document: FileDocument) -> Found | None:
        """On what an import made known, and what has no such member: a type, or else who knows what."""
        owner = self._scope.type(words, document)
        return OUTSIDE if owner and owner.targets else None

    def _of_type(self, name: str, words: Sequence[str], document: FileDocument) -> Found | None:
        found = self._scope.in_namespace_named(words, name, MEMBERS, document)
        if found:
            return found
        owner = self._scope.type(words, document)
        if owner is None:
            return OUTSIDE if words[-1][:1].isupper() else None  # a type of another project
        if self._is_doubtful(owner, words[-1]):
            return OUTSIDE
        found = self._scope.member(owner, name, MEMBERS)
        if found is None and name == "new" and owner.targets:
            return owner
        return OUTSIDE if found is None or self._is_doubtful(found, name) else found

    def _anyones(self, name: str) -> Found | None:
        """A member of that name, whoever's it is: by name, if there is just one in the project."""
        if is_builtin(self._family, name):
            return None
        group = self._scope.candidates(name, self._view.facts.naming.members)
        if self._family == "c":  # declared in a class, defined outside of it
            names = {d.qualified for d in group.all}
            group = Group([d for d in self._scope.candidates(name, LOOSE_METHODS).all if d.qualified in names])
        if len(group.all) <= MOST and len({d.qualified for d in group.all}) == 1:
            return self._scope.choose([d for d in group.all if d.container], Confidence.BY_NAME)
        near = [d for d in self._scope.near(group) if d.container]
        if near or self._view.facts.naming.reach != PROJECT:  # where files say what they import, others are not meant
            return self._scope.choose(near, Confidence.AMBIGUOUS)
        return self._scope.choose([d for d in group.all if d.container], Confidence.AMBIGUOUS)


def _edges(kind: EdgeKind, found: Iterable[tuple[int, int, Found]]) -> list[Edge]:
    """Each source and target once, by the surest use, the first of these; sorted."""
    best: dict[tuple[int, int], tuple[int, int]] = {}
    for source, line, meaning in found:
        for target in meaning.targets:
            key = (source, target.number)
            new = (int(meaning.confidence), line)
            if target.number != source and (key not in best or new < best[key]):
                best[key] = new
    rows = sorted(best.items())
    return [Edge(source, target, kind, Confidence(sure), line) for (source, target), (sure, line) in rows]
