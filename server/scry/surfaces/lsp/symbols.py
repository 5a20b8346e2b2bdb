"""Results as the symbols of `workspace/symbol`, for editors without a plugin (C3). Pure."""

from __future__ import annotations

from lsprotocol import types as lsp
from msgspec import UNSET

from scry_protocol.messages import ResultItem

SYMBOL_KINDS = {
    "function": lsp.SymbolKind.Function,
    "method": lsp.SymbolKind.Method,
    "class": lsp.SymbolKind.Class,
    "interface": lsp.SymbolKind.Interface,
    "struct": lsp.SymbolKind.Struct,
    "enum": lsp.SymbolKind.Enum,
    "trait": lsp.SymbolKind.Interface,
    "module": lsp.SymbolKind.Module,
    "type": lsp.SymbolKind.TypeParameter,
    "constant": lsp.SymbolKind.Constant,
    "variable": lsp.SymbolKind.Variable,
    "field": lsp.SymbolKind.Field,
    "macro": lsp.SymbolKind.Function,
    "section": lsp.SymbolKind.String,
    "text": lsp.SymbolKind.File,
}
"""LSP's kinds are fixed; type, trait, macro and section go where other servers put them."""


def to_symbol_information(result: ResultItem) -> lsp.SymbolInformation | None:
    """A result as a symbol; None when it has no place. Its container is the file and what encloses it there."""
    if result.location is UNSET:
        return None
    start, end = result.location.range.start, result.location.range.end
    place = lsp.Range(lsp.Position(start.line, start.character), lsp.Position(end.line, end.character))
    return lsp.SymbolInformation(
        name=result.title,
        kind=SYMBOL_KINDS.get(result.kind, lsp.SymbolKind.File),
        location=lsp.Location(uri=result.location.uri, range=place),
        container_name=_container_name(result),
    )


def _container_name(result: ResultItem) -> str:
    """`path::Outer` of the doc_id `./path::Outer.inner`; in several folders `name:path::Outer`."""
    file, _, name = result.doc_id.partition("::")
    separator = " > " if result.kind == "section" else "."
    outer = name.rpartition(separator)[0]
    file = file.partition("#")[0].replace("./", "", 1)
    return f"{file}::{outer}" if outer else file
