"""A file as the graph remembers it: what others may have linked to, and the names that linking it reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from scry.core.types import Binding
from scry.index.graph.hashes import identity, name_hash, name_hashes
from scry.index.graph.project import FileFacts, GraphProject
from scry.index.uses import Uses
from scry.store.graph_store import FileDocument, LinkedFile
from scry.store.packed_definitions import DEFINED, Defined

_LINKED = frozenset({"call", "class", "implementation"})
_UNNAMED = frozenset({"text", "section"})
_WORDS = re.compile(r"\w+")


def digest_file(
    project: GraphProject, facts: FileFacts, documents: Sequence[FileDocument], uses: Uses, imports: frozenset[str]
) -> LinkedFile:
    """documents: in the order of the file. imports: paths of the files that it imports."""
    return LinkedFile(
        facts.path,
        facts.id,
        documents[0].number if documents else 0,
        documents[-1].number if documents else 0,
        _defined(project, facts, documents, uses.bindings),
        name_hashes(set(_used(documents, uses))),
        imports,
    )


def _defined(
    project: GraphProject, facts: FileFacts, documents: Sequence[FileDocument], bindings: Sequence[Binding]
) -> Defined:
    rows = [
        (document.number, name_hash(document.name), identity(*_meaning(document)))
        for document in documents
        if document.kind not in _UNNAMED
    ]
    for binding in bindings:
        leads = [project.by_id[target].path for target in project.resolve(facts, binding.source)]
        rows.append((0, name_hash(binding.name), identity(binding.name, binding.member, *leads)))
    return np.array(rows, DEFINED)


def _meaning(document: FileDocument) -> tuple[object, ...]:
    return document.kind, document.container, document.name, document.ordinal


def _used(documents: Sequence[FileDocument], uses: Uses) -> Iterator[str]:
    """Every name that linking looks up: used names, what they stand on, imported names, the types around."""
    for use in uses.uses:
        if use.kind in _LINKED:
            yield use.name
            yield from use.receiver.split(".")
    for binding in uses.bindings:
        yield binding.name
        yield binding.member
    for document in documents:
        yield from document.container.split(".")
        if document.kind == "implementation":
            yield from _WORDS.findall(document.signature)
