"""Find which files must be linked again after definitions were added, removed or changed.

The graph stores a digest of each file: the definitions that other files may have linked to, and the names that linking
the file looks up. Names and definitions are stored as hashes; a collision costs time, never an edge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np

from scry.core.types import Binding
from scry.index.graph.file_view import TRANSPARENT_KINDS, parameter_types
from scry.index.graph.graph_memory import GraphMemory
from scry.index.graph.occurrences import Hashes, hash_word, hash_words
from scry.index.graph.symbol_table import SourceFile, SymbolTable
from scry.index.parse.documents import FileUses, unpack_uses
from scry.index.parse.receivers import TYPE_MARK
from scry.store.graph_store import (
    DEFINITION_DTYPE,
    IDENTITY_HASH_BYTES,
    LINK_ALL,
    DefinitionArray,
    FileDigest,
    GraphDocument,
    GraphFile,
    GraphStore,
)


def definition_hash(*words: object) -> int:
    """Return a hash of the words that identify a definition, 48 bits."""
    text = "\0".join(map(str, words)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=IDENTITY_HASH_BYTES).digest(), "little")


_LINKED_KINDS = frozenset({"call", "class", "implementation"})
_UNNAMED_KINDS = frozenset({"text", "section"})
_WORDS = re.compile(r"\w+")


def make_linked_file(
    project: SymbolTable,
    source_file: SourceFile,
    documents: Sequence[GraphDocument],
    uses: FileUses,
    imports: frozenset[str],
    look_ups: Hashes,
) -> FileDigest:
    """Return the digest of a file.

    documents: in the order of the file. imports: paths of the files that it imports. look_ups: made to find these.
    """
    return FileDigest(
        source_file.path,
        source_file.id,
        documents[0].doc_key if documents else 0,
        documents[-1].doc_key if documents else 0,
        _digest_definitions(project, source_file, documents, uses.bindings),
        hash_words(set(_looked_up_names(documents, uses))),
        imports,
        look_ups,
    )


def _digest_definitions(
    project: SymbolTable, source_file: SourceFile, documents: Sequence[GraphDocument], bindings: Sequence[Binding]
) -> DefinitionArray:
    rows = [
        (document.doc_key, hash_word(document.name), definition_hash(*_definition_identity(document)))
        for document in documents
        if document.kind not in _UNNAMED_KINDS
    ]
    for binding in bindings:
        targets = [project.by_id[target].path for target in project.resolve_import(source_file, binding.source)]
        rows.append((0, hash_word(binding.name), definition_hash(binding.name, binding.member, *targets)))
    return np.array(rows, DEFINITION_DTYPE)


def _definition_identity(document: GraphDocument) -> tuple[object, ...]:
    return document.kind, document.container, document.name, document.ordinal


def _looked_up_names(documents: Sequence[GraphDocument], uses: FileUses) -> Iterator[str]:
    """Yield every name that linking looks up: used names, words of receivers, imported names, the types around."""
    receivers: set[str] = set()
    for use in uses.uses:
        if use.kind in _LINKED_KINDS:
            yield use.name
            yield from use.receiver.replace(TYPE_MARK, ".").split(".")
            receivers.add(use.receiver)
    for binding in uses.bindings:
        yield binding.name
        yield binding.member
    for document in documents:
        yield from document.container.split(".")
        if document.kind in TRANSPARENT_KINDS and "(" in document.signature:
            for name_first in (False, True):
                types = parameter_types(document.signature, name_first=name_first)
                yield from (word for name, words in types.items() if name in receivers for word in words)
        if document.kind == "implementation":
            yield from _WORDS.findall(document.signature)


_WILDCARD_HASH = hash_word("*")


class InvalidationTracker:
    """Collects the names that changed in a batch of files, then marks the files that use them.

    removed_keys: the doc_keys of the definitions that are gone.
    """

    def __init__(self, graph: GraphStore, memory: GraphMemory) -> None:
        """Start with no changes."""
        self._graph = graph
        self._memory = memory
        self._names: set[int] = set()
        self._changed_reexports: set[int] = set()
        self.removed_keys: set[int] = set()

    def record_removed(self, defined: DefinitionArray) -> None:
        """Record that a file with these definitions was removed."""
        self._names.update(int(name) for name in defined["name"])
        self.removed_keys.update(int(key) for key in defined["number"] if key)

    def record_replaced(self, graph_file: int, before: DefinitionArray, after: DefinitionArray) -> dict[int, int]:
        """Record a file's new definitions; return the new doc_keys of unchanged definitions by their old ones."""
        added = ~np.isin(after["identity"], before["identity"])
        removed = ~np.isin(before["identity"], after["identity"])
        names = {int(name) for name in (*after["name"][added], *before["name"][removed])}
        self._names |= names
        if _WILDCARD_HASH in names and len(before):
            self._changed_reexports.add(graph_file)
        self.removed_keys.update(int(key) for key in before["number"][removed] if key)
        remaining = {int(row["identity"]): int(row["number"]) for row in after if row["number"]}
        old = ((int(row["number"]), int(row["identity"])) for row in before[~removed] if row["number"])
        return {number: remaining[key] for number, key in old if key in remaining}

    def mark_dependents(self) -> None:
        """Mark all files that depend on the changes as pending; within a transaction."""
        self._graph.mark_pending(self._graph.transitive_importers(self._changed_reexports), LINK_ALL)
        names = self._names
        while names:
            using = self._graph.linked_files(self._memory.files_using_names(self._graph, names))
            self._graph.mark_pending([file.graph_file_id for file in using], LINK_ALL)
            names = self._find_reexported_names(using, names)

    def _find_reexported_names(self, files: Sequence[GraphFile], names: set[int]) -> set[int]:
        """Return other names under which these files re-export one of the names."""
        aliases: set[int] = set()
        ids = [file.file_id for file in files if file.file_id in self._memory.by_id]
        for packed in self._graph.packed_uses(ids).values():
            for binding in unpack_uses(packed).bindings:
                if binding.name != binding.member and hash_word(binding.member) in names:
                    aliases.add(hash_word(binding.name))
        aliases -= self._names
        self._names |= aliases
        return aliases
