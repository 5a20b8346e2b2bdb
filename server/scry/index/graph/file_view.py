"""Look up the symbol around a line, and the names visible from there.

Also: which kinds of definitions a use of a name can mean, and in which others these can be nested and still be visible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile

from scry.index.graph.symbol_table import ModuleImports, SourceFile
from scry.store.graph_store import GraphDefinition, GraphDocument, make_definition

KINDS_WITH_MEMBERS = frozenset({"class", "interface", "struct", "enum", "trait", "type", "module", "implementation"})
"""Kinds that have members."""

TYPE_KINDS = KINDS_WITH_MEMBERS - {"implementation"}
"""Kinds that can be inherited from, or stand before a member."""

CALLABLE_KINDS = frozenset(
    {"function", "method", "macro", "class", "struct", "enum", "type", "constant", "variable", "field"}
)
"""Kinds that a call of an unqualified name can mean; a field is a constructor of an enum or a data type."""

INSTANTIABLE_KINDS = frozenset({"class", "struct", "enum", "type", "field", "interface"})
"""Kinds that can be instantiated."""

MEMBER_KINDS = frozenset({"method", "function", "macro", "class", "struct", "constant", "variable", "field"})
"""Kinds that a call of a member can mean, where its owner is known."""

TRANSPARENT_KINDS = frozenset({"function", "method", "macro", "module"})
"""Kinds whose nested definitions are visible by their bare name from inside."""

_WORD_PATTERN = re.compile(r"\w+")
_BRACKET_OR_ARROW = re.compile(r"=>|[(\[{}\])]")
_OPENING, _CLOSING = "([{<", ")]}>"
_MODIFIERS = frozenset({"const", "dyn", "final", "impl", "in", "inout", "let", "mut", "out", "ref", "val", "var"})


class FileView:
    """One file with its documents, the names its imports bind, and the files.id of all files that it imports."""

    def __init__(
        self,
        source_file: SourceFile,
        documents: Sequence[GraphDocument],
        module: ModuleImports,
        imported: frozenset[int],
    ) -> None:
        """Index the documents. documents: in the order of the file."""
        self.source_file = source_file
        self.module = module
        self.imported = imported
        self._documents = documents
        self._document_by_line = _innermost_by_line(documents)
        language = source_file.language
        is_component = language is not None and language.find_markup is not None
        self._component = next((each for each in documents if is_component and each.kind == "class"), None)
        self._by_name: dict[str, GraphDocument] = {}
        for document in documents:
            if document.name and document.kind != "implementation":
                self._by_name.setdefault(qualified_document_name(document), document)

    def document_at(self, line: int) -> GraphDocument | None:
        """Return the innermost document that holds a line; the component for its markup and loose statements."""
        index = self._document_by_line[line] if line < len(self._document_by_line) else -1
        document = self._documents[index] if index >= 0 else None
        if self._component is not None and document is not None and document.kind in ("section", "text"):
            return self._component
        return document

    def is_transparent(self, container: str) -> bool:
        """Return whether definitions nested in a container of this file are visible from inside without naming the
        container.
        """
        containers = self._by_name.get(container)
        return not container or containers is None or containers.kind in TRANSPARENT_KINDS

    def enclosing_type(self, document: GraphDocument) -> GraphDefinition | None:
        """Return the innermost type of this file that a document is, or stands in."""
        for name in enclosing_names(document):
            definitions = self._by_name.get(name)
            if definitions is not None and definitions.kind in KINDS_WITH_MEMBERS:
                return to_definition(definitions)
        return None


def qualified_document_name(document: GraphDocument) -> str:
    """Return a document's name with its container."""
    return f"{document.container}.{document.name}" if document.container else document.name


def enclosing_names(document: GraphDocument) -> Iterator[str]:
    """Yield the qualified names of a document and of all around it, innermost first, without the file as a whole."""
    name = document.container if document.kind in ("text", "implementation") else qualified_document_name(document)
    while name:
        yield name
        name = name.rpartition(".")[0]


def to_definition(document: GraphDocument) -> GraphDefinition:
    """Return a document as a definition."""
    return make_definition(document.doc_key, document.file_id, document.name, document.kind, document.container)


def parameter_names(document: GraphDocument) -> frozenset[str]:
    """Return the words of a signature's parameters that may be their names: the target of a call of one is unknown."""
    return _parameter_names(document.signature) if document.kind in ("function", "method", "macro") else frozenset()


@lru_cache(maxsize=256)
def _parameter_names(signature: str) -> frozenset[str]:
    text = _parameter_text(signature)
    return frozenset(
        match[0]
        for match in _WORD_PATTERN.finditer(text)
        if not match[0][0].isupper() and not _is_qualifier(text[match.end() : match.end() + 2])
    )


def _parameter_text(signature: str) -> str:
    """Return the part of a signature with its parameters; of `(a) => b => call(a)` not what the last arrow leads to."""
    parts = _split_at_arrows(signature) if "=>" in signature else [signature]
    if len(parts) == 1:
        return signature.partition("(")[2]
    first = parts[0].partition("(")[2] or " ".join(parts[0].split()[-1:])
    lists = takewhile(_is_parameter_list, parts[1:-1])
    return " ".join([first, *lists])


def _is_parameter_list(part: str) -> bool:
    """Return whether what stands between two arrows may be parameters: in brackets, or one name."""
    text = part.strip()
    return text.startswith(("(", "async (", "async(")) or text.isidentifier()


def _split_at_arrows(text: str) -> list[str]:
    """Return the parts between the arrows outside of all brackets."""
    parts: list[str] = []
    depth, start = 0, 0
    for match in _BRACKET_OR_ARROW.finditer(text):
        if match[0] == "=>":
            if depth == 0:
                parts.append(text[start : match.start()])
                start = match.end()
        else:
            depth += 1 if match[0] in "([{" else -1
    return [*parts, text[start:]]


def _is_qualifier(after: str) -> bool:
    """Return whether the characters behind a word make it qualify the next one, as `http` in `r *http.Request`."""
    return after == "::" or (after[:1] == "." and after[1:].isidentifier())


@lru_cache(maxsize=4096)
def parameter_types(signature: str, *, name_first: bool) -> Mapping[str, tuple[str, ...]]:
    """Return the type of each parameter that a signature declares with one, as the words of its name.

    name_first: whether the name stands before its type where no colon does, as in Go.
    """
    types: dict[str, tuple[str, ...]] = {}
    untyped: list[str] = []
    for part in _split_parameters(signature[signature.find("(") :]):
        name, colon, written = part.partition(":")
        if colon and not written.startswith(":"):
            words = tuple(_WORD_PATTERN.findall(name))
            name = words[-1] if words else ""
        else:
            words = part.replace("*", " ").replace("&", " ").split()
            name = words[0 if name_first else -1] if words else ""
            written = " ".join(words[1:] if name_first else words[:-1])
        if name_first and not colon and name and not written:  # Go: `a, b *T`
            untyped.append(name)
            continue
        head = written.lstrip(" &*?'\"").partition("=")[0]
        cut = min((at for at in map(head.find, "<[(|,") if at >= 0), default=len(head))
        named = tuple(word for word in _WORD_PATTERN.findall(head[:cut]) if word not in _MODIFIERS)
        if named and named[-1][:1].isupper():
            types |= dict.fromkeys([name, *untyped], named)
        untyped.clear()
    return types


def _split_parameters(text: str) -> Iterator[str]:
    """Yield the parts between commas in the outermost brackets of a signature."""
    depth, start = 0, 0
    for at, character in enumerate(text):
        if character in _OPENING:
            depth += 1
            start = at + 1 if depth == 1 else start
        elif character in _CLOSING and text[at - 1] not in "-=":  # an arrow closes nothing
            depth -= 1
            if depth == 0:
                yield text[start:at]
        elif character == "," and depth == 1:
            yield text[start:at]
            start = at + 1


def _innermost_by_line(documents: Sequence[GraphDocument]) -> list[int]:
    """Return for every line the index of the innermost document that holds it; -1 for none."""
    spans = [(document.first_line, document.last_line, index) for index, document in enumerate(documents)]
    owner = [-1] * (max((last for _, last, _ in spans), default=-1) + 1)
    for first, last, index in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        if owner[first] < 0 or last - first <= spans[owner[first]][1] - spans[owner[first]][0]:
            owner[first : last + 1] = [index] * (last + 1 - first)
    return owner
