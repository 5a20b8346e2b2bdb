"""Split a Jupyter notebook into its cells, without outputs, and map the symbols of its code to their places.

The format is nbformat 4 ("The notebook file format"). The code of all cells is parsed as one text, since a name that
one cell defines is known in the next.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from msgspec import Struct, structs

from scry.core.types import Symbol
from scry.index.parse.chunks import LineIndex, make_text_symbol

_CELLS_KEY = re.compile(r"(?<!\\)\"cells\"\s*:\s*\[")
_SOURCE_KEY = re.compile(r"(?<!\\)\"source\"\s*:\s*")
_SEPARATORS = re.compile(r"[\s,]*")
_MAX_NAME_LENGTH = 60
_json_decoder = json.JSONDecoder()


class SourceLine(NamedTuple):
    """A line of a cell's source, and the bytes of the file that it is written in: a string of JSON, in quotes."""

    text: str
    start: int
    end: int


class NotebookCell(Struct, frozen=True):
    """A cell with a source. is_code: whether a kernel runs it."""

    is_code: bool
    lines: Sequence[SourceLine]

    @property
    def name(self) -> str:
        """The first line with a word, without the marks of a heading or comment."""
        first = next((line.text for line in self.lines if any(map(str.isalnum, line.text))), "")
        return " ".join(first.strip(" \t#%/*-").split())[:_MAX_NAME_LENGTH].rstrip()


class JoinedCode(Struct, frozen=True):
    """The code of all cells as one text. lines: their places, one for each of its lines; each line of a magic is blank.

    file_lines: the 0-based line in the file of each line.
    """

    language: str
    text: str
    lines: Sequence[SourceLine]
    file_lines: Sequence[int]

    def file_line(self, line: int) -> int:
        """Return the 0-based line of the file in which a line of the code is written."""
        return self.file_lines[min(line, len(self.file_lines) - 1)]


def read_cells(text: str) -> list[NotebookCell] | None:
    """Return the cells of a notebook that have a source; None when the text is no notebook."""
    offsets = _ByteOffsets(text)
    cells: list[NotebookCell] = []
    try:
        for cell, start, value in _cell_sources(text):
            rows = list(_source_lines(text, start, value, offsets))
            if any(row.text.strip() for row in rows):
                cells.append(NotebookCell(cell.get("cell_type") == "code", rows))
    except (ValueError, RecursionError):
        return None
    return cells or None


class _ByteOffsets:
    """Byte offsets of characters, asked for in ascending order."""

    def __init__(self, text: str) -> None:
        self._text, self._character, self._byte = text, 0, 0

    def of(self, character: int) -> int:
        self._byte += len(self._text[self._character : character].encode("utf-8", "surrogatepass"))
        self._character = character
        return self._byte


def _cell_sources(text: str) -> Iterator[tuple[dict[str, object], int, object]]:
    """Yield each cell with the start of its source in the text, and that source."""
    opening = _CELLS_KEY.search(text)
    position = opening.end() if opening else len(text)
    while text[position : position + 1] not in ("", "]"):
        begin = _skip_separators(text, position)
        if text[begin : begin + 1] in ("", "]"):
            return
        cell, position = _decode_json_at(text, begin)
        if not isinstance(cell, dict):
            continue
        cell = cast("dict[str, object]", cell)
        for match in reversed(list(_SOURCE_KEY.finditer(text, begin, position))):
            value, _ = _decode_json_at(text, match.end())
            if value == cell.get("source") and isinstance(value, (str, list)):
                yield cell, match.end(), cast("object", value)
                break


def _source_lines(text: str, start: int, value: object, offsets: _ByteOffsets) -> Iterator[SourceLine]:
    """Yield the lines of a source, which is a string or a list of strings."""
    parts: list[str] = []
    begin = end = 0
    for part, part_start, part_end in _source_strings(text, start, value):
        first, *more = part.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        byte_start, byte_end = offsets.of(part_start), offsets.of(part_end)
        if not parts:
            begin = byte_start
        parts.append(first)
        end = byte_end
        for each in more:
            yield SourceLine("".join(parts), begin, end)
            parts, begin = [each] if each else [], byte_start
    if parts:
        yield SourceLine("".join(parts), begin, end)


def _source_strings(text: str, start: int, value: object) -> Iterator[tuple[str, int, int]]:
    """Yield each string of a source, without lone surrogates, and its start and end in the text."""
    if isinstance(value, str):
        yield _encodable(value), start, _decode_json_at(text, start)[1]
        return
    position = start + 1
    for each in cast("list[object]", value):
        begin = _skip_separators(text, position)
        position = _decode_json_at(text, begin)[1]
        yield _encodable(each if isinstance(each, str) else str(each)), begin, position


def _encodable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _decode_json_at(text: str, position: int) -> tuple[object, int]:
    """Return the JSON value that begins at a place, and its end. Raises ValueError."""
    return cast("tuple[object, int]", _json_decoder.raw_decode(text, position))


def _skip_separators(text: str, position: int) -> int:
    match = _SEPARATORS.match(text, position)
    return match.end() if match else position


def kernel_language(text: str) -> str:
    """Return the language of a notebook's kernel, lower-case; Python where the notebook does not say."""
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        notebook = None
    metadata = cast("dict[str, object]", notebook).get("metadata") if isinstance(notebook, dict) else None
    for key, field in (("language_info", "name"), ("kernelspec", "language")):
        part = cast("dict[str, object]", metadata).get(key) if isinstance(metadata, dict) else None
        name = cast("dict[str, object]", part).get(field) if isinstance(part, dict) else None
        if isinstance(name, str):
            return {"c++": "cpp", "c#": "csharp", "ir": "r"}.get(name.lower(), name.lower())
    return "python"


def join_code_cells(text: str, cells: Sequence[NotebookCell], lines: LineIndex) -> JoinedCode:
    """Return the code of all cells as one text; a cell that begins with `%%` is for another program."""
    rows: list[SourceLine] = []
    for cell in cells:
        if cell.is_code and not cell.lines[0].text.startswith("%%"):
            rows += (row._replace(text="") if row.text.lstrip()[:1] in ("%", "!") else row for row in cell.lines)
            rows.append(rows[-1]._replace(text=""))
    return JoinedCode(
        kernel_language(text), "\n".join(row.text for row in rows), rows, [lines.line(row.start) for row in rows]
    )


def cell_symbols(lines: LineIndex, cells: Sequence[NotebookCell]) -> list[Symbol]:
    """Return the cells alone, as sections."""
    return merge_into_cells(lines, cells, JoinedCode("", "", (), ()), ())


def merge_into_cells(
    lines: LineIndex, cells: Sequence[NotebookCell], code: JoinedCode, inner: Sequence[Symbol]
) -> list[Symbol]:
    """Return the cells, without the text of the symbols in them, and these symbols, in the order of the file."""
    symbols: list[tuple[int, Symbol]] = []
    # By identity: the lines of a source that is one string have one place.
    taken = {id(row) for each in inner for row in code.lines[each.span.start.line : each.span.end.line + 1]}
    for cell in cells:
        text = "\n".join(row.text for row in cell.lines if id(row) not in taken).strip()
        if any(map(str.isalnum, text)):
            start, name = cell.lines[0].start, cell.name
            whole = make_text_symbol(lines, [(start, cell.lines[-1].end)])
            section = structs.replace(whole, name=name, kind="section" if name else "text", own_text=text)
            symbols.append((start, section))
    for symbol in inner:
        first, last = symbol.span.start.line, min(symbol.span.end.line, len(code.lines) - 1)
        start, end = code.lines[first].start, code.lines[last].end
        name_row = code.lines[symbol.name_span.start.line]
        at = lines.data.find(symbol.name.encode("utf-8", "replace"), name_row.start, name_row.end)
        name_span = lines.span(at, at + len(symbol.name.encode())) if at >= 0 else lines.span(start, start)
        symbols.append((start, structs.replace(symbol, span=lines.span(start, end), name_span=name_span)))
    return [symbol for _, symbol in sorted(symbols, key=lambda each: each[0])]
