"""Find which files must be linked again after definitions were added, removed or changed.

The graph stores a digest of each file: the definitions that other files may have linked to, and the names that linking
the file looks up. Names and definitions are stored as hashes; a collision costs time, never an edge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

import numpy as np

from scry.core.types import Binding
from scry.index.graph.file_view import TRANSPARENT_KINDS, parameter_types
from scry.index.graph.graph_memory import GraphMemory
from scry.index.graph.occurrences import Hashes, hash_word, hash_words
from scry.index.graph.symbol_table import SourceFile, SymbolTable, read_packages
from scry.index.parse.documents import FileUses
from scry.index.parse.receivers import split_receiver
from scry.store.graph_store import (
    DEFINITION_DTYPE,
    IDENTITY_HASH_BYTES,
    LINK_ALL,
    LINK_CALLS,
    DefinitionArray,
    FileDigest,
    GraphDocument,
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
        hash_words(set(_looked_up_names(documents, uses, name_first=source_file.has_names_first))),
        imports,
        look_ups,
    )


def _digest_definitions(
    project: SymbolTable, source_file: SourceFile, documents: Sequence[GraphDocument], bindings: Sequence[Binding]
) -> DefinitionArray:
    package = read_packages(bindings)[:1]
    rows = [
        (document.doc_key, hash_word(document.name), definition_hash(*package, *_definition_identity(document)))
        for document in documents
        if document.kind not in _UNNAMED_KINDS
    ]
    for binding in bindings:
        if not binding.name:
            continue
        targets = [project.by_id[target].path for target in project.resolve_import(source_file, binding.source)]
        rows.append((0, hash_word(binding.name), definition_hash(binding.name, binding.member, *targets)))
    return np.array(rows, DEFINITION_DTYPE)


def _definition_identity(document: GraphDocument) -> tuple[object, ...]:
    return document.kind, document.container, document.name, document.ordinal


def _looked_up_names(documents: Sequence[GraphDocument], uses: FileUses, *, name_first: bool) -> Iterator[str]:
    """Yield every name that linking looks up: used names, words of receivers, imported names, the types around.

    name_first: as in `parameter_types`.
    """
    receivers: set[str] = set()
    for use in uses.uses:
        if use.kind in _LINKED_KINDS:
            yield use.name
            receiver, known_type = split_receiver(use.receiver)
            yield from receiver.split(".")
            yield from known_type.split(".")
            receivers.add(receiver)
    words_of_receivers = set(_WORDS.findall(" ".join(receivers)))
    for binding in uses.bindings:
        yield binding.name
        yield binding.member
    for document in documents:
        yield from document.container.split(".")
        if document.kind in TRANSPARENT_KINDS and not words_of_receivers.isdisjoint(_WORDS.findall(document.signature)):
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
        if _WILDCARD_HASH in names:
            self._changed_reexports.add(graph_file)
        self.removed_keys.update(int(key) for key in before["number"][removed] if key)
        remaining = {int(row["identity"]): int(row["number"]) for row in after if row["number"]}
        old = ((int(row["number"]), int(row["identity"])) for row in before[~removed] if row["number"])
        return {number: remaining[key] for number, key in old if key in remaining}

    def mark_dependents(self) -> None:
        """Mark all files that depend on the changes as pending; within a transaction."""
        self._graph.mark_pending(self._graph.transitive_importers(self._changed_reexports), LINK_ALL)
        self._mark_users(self._names, LINK_ALL)

    def mark_users_of_types(self, doc_keys: Iterable[int]) -> None:
        """Mark all files whose calls depend on the bases of these types as pending; within a transaction.

        These are the files of the types and of all that inherit from them, and those that use the name of one: a member
        that a type inherits is called through the type in files that name no base of it. `mark_dependents` marks those
        that use a name which changed itself.
        """
        types = self._graph.derived_types(doc_keys)
        paths = {self._memory.by_id[file].path for file, _ in types if file in self._memory.by_id}
        own = [file.graph_file_id for file in self._graph.graph_files(paths).values()]
        self._graph.mark_pending(own, LINK_CALLS)
        self._mark_users({hash_word(name) for _, name in types} - self._names, LINK_CALLS)

    def _mark_users(self, names: set[int], level: int) -> None:
        """Mark the files that use one of these names, or one under which a file re-exports it, and so on."""
        seen = set(names)
        while names:
            using = self._graph.files_by_number(self._memory.files_using_names(self._graph, names))
            self._graph.mark_pending([file.graph_file_id for file in using if file.pending < level], level)
            aliases = self._memory.aliases(self._graph, [file.file_id for file in using])
            names = {alias for member, alias in aliases if member in names} - seen
            seen |= names
