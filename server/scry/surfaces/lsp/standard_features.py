"""Convert results for the standard LSP requests workspace/symbol and hover.

Results as the symbols of `workspace/symbol`, for editors without a plugin (C3). Pure.

Which places the last answers led to, so that a hover there can say why. Used on the loop alone.
"""

from __future__ import annotations

from collections import OrderedDict

from lsprotocol import types as lsp
from msgspec import UNSET, Struct

from scry.surfaces.lsp.uris import NotAFileUri, uri_to_path
from scry_protocol.messages import Answer, Position, Range, ResultItem

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


MAX_ANSWERS = 5
"""Answers that are remembered; their places are worked out when one hovers. One asks a few questions, then walks
through what they led to."""


class ShownLocation(Struct, frozen=True):
    """A result's place, and the answer that it was in."""

    path: str
    range: Range
    doc_id: str
    query_id: str


class ShownLocations:
    """The places of the last answers, the newest answer last."""

    def __init__(self) -> None:
        """Nothing was answered yet."""
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def add_answer(self, answer: Answer, picker: str | None) -> None:
        """Take in an answer. A picker has one at a time: what was shown while one typed was hardly read."""
        name = picker or answer.query_id
        self._answers.pop(name, None)
        self._answers[name] = answer
        while len(self._answers) > MAX_ANSWERS:
            self._answers.popitem(last=False)

    def find(self, uri: str, position: Position) -> ShownLocation | None:
        """The place that holds this position: of the newest answer that has one, the smallest."""
        try:
            path = uri_to_path(uri)
        except NotAFileUri:
            return None
        for answer in reversed(self._answers.values()):
            inside = [
                place
                for place in _answer_locations(answer)
                if place.path == path and _contains_position(place.range, position)
            ]
            if inside:
                return min(inside, key=lambda place: place.range.end.line - place.range.start.line)
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
