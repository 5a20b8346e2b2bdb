"""Split the markup around the scripts of a component into sections, and find the components that it uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scry.core.types import Reference, Symbol
from scry.index.parse.chunks import LineIndex
from scry.index.parse.formats import split_range
from scry.index.parse.languages.language import MarkupRange

_COMPONENT_TAG = re.compile(rb"<([A-Z]\w*(?:\.\w+)*)")


def split_markup(lines: LineIndex, ranges: Sequence[MarkupRange]) -> list[tuple[int, int, Symbol]]:
    """Return the sections of markup with their first and last byte, in the order of the file."""
    return [section for part in ranges for section in split_range(lines, part.start, part.end, part.name)]


def find_components(lines: LineIndex, ranges: Sequence[MarkupRange]) -> Iterator[Reference]:
    """Yield each component that markup uses by its tag, as a call: `<UserCard :user="u" />`."""
    for part in ranges:
        if part.name == "template":
            for match in _COMPONENT_TAG.finditer(lines.data, part.start, part.end):
                receiver, _, name = match[1].decode().rpartition(".")
                yield Reference(name, "call", lines.line(match.start()), receiver)
