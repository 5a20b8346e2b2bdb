"""A file as the graph remembers it: what others may have linked to, and the names that linking it reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from scry.core.types import Binding
from scry.index.graph.hashes import definition_hash, name_hash, name_hashes
from scry.index.graph.project import SourceFile, SymbolTable
from scry.index.uses import FileUses
from scry.store.graph_store import GraphDocument, FileDigest
from scry.store.packed_definitions import DEFINITION_DTYPE, DefinitionArray

_LINKED_KINDS = frozenset({"call", "class", "implementation"})
_UNNAMED_KINDS = frozenset({"text", "section"})
_WORDS = re.compile(r"\w+")


def make_linked_file(
    project: SymbolTable, facts: SourceFile, documents: Sequence[GraphDocument], uses: FileUses, imports: frozenset[str]
) -> FileDigest:
    """documents: in the order of the file. imports: paths of the files that it imports."""
    return FileDigest(
        facts.path,
        facts.id,
        documents[0].doc_key if documents else 0,
        documents[-1].doc_key if documents else 0,
        _digest_definitions(project, facts, documents, uses.bindings),
        name_hashes(set(_looked_up_names(documents, uses))),
        imports,
    )


def _digest_definitions(
    project: SymbolTable, facts: SourceFile, documents: Sequence[GraphDocument], bindings: Sequence[Binding]
) -> DefinitionArray:
    rows = [
        (document.doc_key, name_hash(document.name), definition_hash(*_definition_identity(document)))
        for document in documents
        if document.kind not in _UNNAMED_KINDS
    ]
    for binding in bindings:
        leads = [project.by_id[target].path for target in project.resolve_import(facts, binding.source)]
        rows.append((0, name_hash(binding.name), definition_hash(binding.name, binding.member, *leads)))
    return np.array(rows, DEFINITION_DTYPE)


def _definition_identity(document: GraphDocument) -> tuple[object, ...]:
    return document.kind, document.container, document.name, document.ordinal


def _looked_up_names(documents: Sequence[GraphDocument], uses: FileUses) -> Iterator[str]:
    """Every name that linking looks up: used names, what they stand on, imported names, the types around."""
    for use in uses.uses:
        if use.kind in _LINKED_KINDS:
            yield use.name
            yield from use.receiver.split(".")
    for binding in uses.bindings:
        yield binding.name
        yield binding.member
    for document in documents:
        yield from document.container.split(".")
        if document.kind == "implementation":
            yield from _WORDS.findall(document.signature)
