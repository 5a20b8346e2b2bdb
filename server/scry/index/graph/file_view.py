"""Look up the symbol around a line, and what is visible by name from there.

Which kinds of definitions a use of a name can mean, and in what others it can be nested and still be seen.

A file while its uses are linked: which document is around a line, and what is seen by its name from there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scry.index.graph.symbol_table import ModuleImports, SourceFile
from scry.store.graph_store import GraphDefinition, GraphDocument, make_definition

KINDS_WITH_MEMBERS = frozenset({"class", "interface", "struct", "enum", "trait", "type", "module", "implementation"})
"""What has members."""

TYPE_KINDS = KINDS_WITH_MEMBERS - {"implementation"}
"""What can be inherited from, or stand before a member."""

CALLABLE_KINDS = frozenset(
    {"function", "method", "macro", "class", "struct", "enum", "type", "constant", "variable", "field"}
)
"""What a call of a name that stands alone can mean; a field is a constructor of an enum or a data type."""

INSTANTIABLE_KINDS = frozenset({"class", "struct", "enum", "type", "field", "interface"})
"""What can be made an instance of."""

MEMBER_KINDS = frozenset({"method", "function", "macro", "class", "struct", "constant", "variable", "field"})
"""What a call of a member can mean, where it is known whose member."""

TRANSPARENT_KINDS = frozenset({"function", "method", "macro", "module"})
"""What is nested in these is seen by its bare name from inside."""

_WORD_PATTERN = re.compile(r"\w+")


class FileView:
    """One file with its documents, its module, and the files.id of all that it imports."""

    def __init__(
        self,
        source_file: SourceFile,
        documents: Sequence[GraphDocument],
        module: ModuleImports,
        imported: frozenset[int],
    ) -> None:
        """documents: in the order of the file."""
        self.source_file = source_file
        self.module = module
        self.imported = imported
        self._documents = documents
        self._document_by_line = _innermost_by_line(documents)
        self._by_name: dict[str, GraphDocument] = {}
        for document in documents:
            if document.name and document.kind != "implementation":
                self._by_name.setdefault(qualified_document_name(document), document)

    def document_at(self, line: int) -> GraphDocument | None:
        """The innermost document that holds a line."""
        index = self._document_by_line[line] if line < len(self._document_by_line) else -1
        return self._documents[index] if index >= 0 else None

    def is_transparent(self, container: str) -> bool:
        """Whether what is nested in a container of this file is seen from inside without naming the container."""
        around = self._by_name.get(container)
        return not container or around is None or around.kind in TRANSPARENT_KINDS

    def enclosing_type(self, document: GraphDocument) -> GraphDefinition | None:
        """The innermost type of this file that a document is, or stands in."""
        for name in enclosing_names(document):
            around = self._by_name.get(name)
            if around is not None and around.kind in KINDS_WITH_MEMBERS:
                return to_definition(around)
        return None


def qualified_document_name(document: GraphDocument) -> str:
    """A document's name with its container."""
    return f"{document.container}.{document.name}" if document.container else document.name


def enclosing_names(document: GraphDocument) -> Iterator[str]:
    """The qualified names of a document and of all around it, innermost first; without the file as a whole."""
    name = document.container if document.kind in ("text", "implementation") else qualified_document_name(document)
    while name:
        yield name
        name = name.rpartition(".")[0]


def to_definition(document: GraphDocument) -> GraphDefinition:
    """A document as what a name may mean."""
    return make_definition(document.doc_key, document.file_id, document.name, document.kind, document.container)


def parameter_names(document: GraphDocument) -> frozenset[str]:
    """The words of a signature's parameters that may be names of them: a call of one is a call of who knows what."""
    if document.kind not in ("function", "method", "macro"):
        return frozenset()
    return frozenset(
        word for word in _WORD_PATTERN.findall(document.signature.partition("(")[2]) if not word[0].isupper()
    )


def _innermost_by_line(documents: Sequence[GraphDocument]) -> list[int]:
    """For every line the index of the innermost document that holds it; -1 for none."""
    spans = [(document.first_line, document.last_line, index) for index, document in enumerate(documents)]
    owner = [-1] * (max((last for _, last, _ in spans), default=-1) + 1)
    for first, last, index in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        if owner[first] < 0 or last - first <= spans[owner[first]][1] - spans[owner[first]][0]:
            owner[first : last + 1] = [index] * (last + 1 - first)
    return owner
