"""Convert results for the standard LSP requests `workspace/symbol` and hover.

`workspace/symbol` gives editors without a plugin the results of find as symbols (C3). A hover explains a result at its
location; ShownLocations remembers which locations the last answers showed. The text of a hover is rendered by
scry.surfaces.render.explanation.
"""

from __future__ import annotations

from collections import OrderedDict

from lsprotocol import types as lsp
from msgspec import UNSET, Struct

from scry.surfaces.lsp.uris import NotAFileUri, uri_to_path
from scry_protocol.messages import Answer, Location, Position, Range, ResultItem

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
"""LSP's kinds are fixed; type, trait, macro and section have the kinds that other servers use for them."""


def to_symbol_information(result: ResultItem) -> lsp.SymbolInformation | None:
    """Return a result as a symbol; None when it has no location. Its container is the file and the outer symbol.

    The range starts at the name, where editors put the cursor, and not at a doc comment above it.
    """
    if result.location is UNSET:
        return None
    start, end = jump_target(result.location), result.location.range.end
    lsp_range = lsp.Range(lsp.Position(start.line, start.character), lsp.Position(end.line, end.character))
    return lsp.SymbolInformation(
        name=result.title,
        kind=SYMBOL_KINDS.get(result.kind, lsp.SymbolKind.File),
        location=lsp.Location(uri=result.location.uri, range=lsp_range),
        container_name=_container_name(result),
    )


def jump_target(location: Location) -> Position:
    """Return where a jump lands: at the symbol's name, else at the start of the range."""
    return location.range.start if location.name is UNSET else location.name


def _container_name(result: ResultItem) -> str:
    """Return `path::Outer` for the doc_id `./path::Outer.inner`; in several folders `name:path::Outer`."""
    file, _, name = result.doc_id.partition("::")
    separator = " > " if result.kind == "section" else "."
    outer = name.rpartition(separator)[0]
    file = file.partition("#")[0].replace("./", "", 1)
    return f"{file}::{outer}" if outer else file


MAX_ANSWERS = 5
"""Answers that are remembered. A person asks a few questions, then walks through their results; the locations are
computed at a hover."""


class ShownLocation(Struct, frozen=True):
    """A result's location, and the answer that it was in."""

    path: str
    range: Range
    doc_id: str
    query_id: str


class ShownLocations:
    """The locations of the last answers, the newest answer last. Used on the loop alone."""

    def __init__(self) -> None:
        """Start without answers."""
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def add_answer(self, answer: Answer, picker: str | None) -> None:
        """Remember an answer. A picker has one at a time: its answers while a person types are hardly read."""
        name = picker or answer.query_id
        self._answers.pop(name, None)
        self._answers[name] = answer
        while len(self._answers) > MAX_ANSWERS:
            self._answers.popitem(last=False)

    def find(self, uri: str, position: Position) -> ShownLocation | None:
        """Return the location that holds this position: the smallest one of the newest answer that has any."""
        try:
            path = uri_to_path(uri)
        except NotAFileUri:
            return None
        for answer in reversed(self._answers.values()):
            holding = [
                shown
                for shown in _answer_locations(answer)
                if shown.path == path and _contains_position(shown.range, position)
            ]
            if holding:
                return min(holding, key=lambda shown: shown.range.end.line - shown.range.start.line)
        return None


def _answer_locations(answer: Answer) -> list[ShownLocation]:
    return [
        ShownLocation(uri_to_path(result.location.uri), result.location.range, result.doc_id, answer.query_id)
        for result in answer.results
        if result.location is not UNSET
    ]


def _contains_position(range_: Range, position: Position) -> bool:
    start, end = range_.start, range_.end
    at = (position.line, position.character)
    return (start.line, 0) <= at <= (end.line, end.character)
