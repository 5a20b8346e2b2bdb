"""Jupyter notebooks by cell: what was written in each, without outputs (nbformat 4, "The notebook file format")."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import cast

from msgspec import structs

from scry.core.types import Symbol
from scry.index.stretches import make_text_symbol
from scry.index.text_lines import LineIndex

_CELLS_KEY = re.compile(r"(?<!\\)\"cells\"\s*:\s*\[")
_SOURCE_KEY = re.compile(r"(?<!\\)\"source\"\s*:\s*")
_SEPARATORS = re.compile(r"[\s,]*")
_json_decoder = json.JSONDecoder()


def split_cells(text: str, lines: LineIndex) -> list[Symbol] | None:
    """A symbol for each cell with a source, where that stands in the file; None when the text is no notebook."""
    found: list[Symbol] = []
    try:
        for start, end, source in _cell_sources(text):
            if source.strip():
                first, last = len(text[:start].encode()), len(text[:end].encode())
                found.append(structs.replace(make_text_symbol(lines, [(first, last)]), own_text=source.strip()))
    except (ValueError, RecursionError):  # UnicodeEncodeError, a lone surrogate, is one
        return None
    return found or None


def _cell_sources(text: str) -> Iterator[tuple[int, int, str]]:
    """The place of each cell's source in the text, and what it says."""
    opening = _CELLS_KEY.search(text)
    place = opening.end() if opening else len(text)
    while text[place : place + 1] not in ("", "]"):
        begin = _skip_separators(text, place)
        if text[begin : begin + 1] in ("", "]"):
            return
        cell, place = _decode_json_at(text, begin)
        written = cast("dict[str, object]", cell).get("source") if isinstance(cell, dict) else None
        for match in reversed(list(_SOURCE_KEY.finditer(text, begin, place))):
            value, end = _decode_json_at(text, match.end())
            if value == written and isinstance(value, (str, list)):
                yield (
                    match.end(),
                    end,
                    value if isinstance(value, str) else "".join(map(str, cast("list[object]", value))),
                )
                break


def _decode_json_at(text: str, place: int) -> tuple[object, int]:
    """The JSON value that begins at a place, and where it ends. Raises ValueError."""
    return cast("tuple[object, int]", _json_decoder.raw_decode(text, place))


def _skip_separators(text: str, place: int) -> int:
    match = _SEPARATORS.match(text, place)
    return match.end() if match else place
