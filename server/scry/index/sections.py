"""Markdown by its headings: `# ATX` and underlined (setext) ones, code fences, front matter and comments respected.

Section and sub-section: CommonMark 0.31, 4.2 and 4.3.
"""

from __future__ import annotations

import re

from msgspec import Struct

from scry.core.types import Symbol
from scry.index.stretches import chunk_gaps
from scry.index.text_lines import LineIndex

_ATX_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_CODE_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_NOT_A_PARAGRAPH = re.compile(r"\s*$| {4}|\t| {0,3}([-*+>|]|\d+[.)])(\s|$)| {0,3}<|.*\|")
_MARKDOWN_LINK = re.compile(r"!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])")
_MARKDOWN_MARKUP = re.compile(r"<[^>]+>|[*`]|\{#[^}]*\}|(?<!\w)_+|_+(?!\w)")


class _MarkdownHeading(Struct, frozen=True):
    """A heading: its level, its lines, the title and where that is written (bytes)."""

    level: int
    start: int
    title: str
    title_start: int
    title_end: int


def split_sections(lines: LineIndex) -> list[Symbol]:
    """The sections of a Markdown text and, first, what stands before the first heading."""
    headings = _find_headings(lines)
    ends = _section_ends(headings, len(lines.data))
    first = headings[0].start if headings else len(lines.data)
    found = chunk_gaps(lines, [(first, len(lines.data), False)])
    above: list[_MarkdownHeading] = []
    for index, heading in enumerate(headings):
        while above and above[-1].level >= heading.level:
            above.pop()
        own_end = headings[index + 1].start if index + 1 < len(headings) else len(lines.data)
        found.append(_section_symbol(lines, heading, ends[index], own_end, " > ".join(outer.title for outer in above)))
        above.append(heading)
    return found


def _section_symbol(lines: LineIndex, heading: _MarkdownHeading, end: int, own_end: int, container: str) -> Symbol:
    whole = lines.data[heading.start : end]
    span = lines.span(heading.start, heading.start + len(whole.rstrip()))
    own_text = lines.text(heading.start, own_end).strip()
    name_span = lines.span(heading.title_start, heading.title_end)
    signature = f"{'#' * heading.level} {heading.title}"
    return Symbol(heading.title, "section", container, signature, "", span, name_span, own_text)


def _section_ends(headings: list[_MarkdownHeading], last: int) -> list[int]:
    """Where each section ends: at the next heading of its level or above."""
    ends = [last] * len(headings)
    stack: list[int] = []
    for index, heading in enumerate(headings):
        while stack and headings[stack[-1]].level >= heading.level:
            ends[stack.pop()] = heading.start
        stack.append(index)
    return ends


def _find_headings(lines: LineIndex) -> list[_MarkdownHeading]:
    found: list[_MarkdownHeading] = []
    fence, comment = "", False
    texts = [row.decode("utf-8", "replace").rstrip("\r\n") for row in lines.data.splitlines(keepends=True)]
    row = _front_matter_end(texts)
    paragraph = row
    while row < len(texts):
        text = texts[row]
        mark = _CODE_FENCE.match(text)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
            paragraph = row + 1
        elif comment or text.lstrip().startswith("<!--"):
            comment = "-->" not in text
            paragraph = row + 1
        elif mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence = mark[1]
            paragraph = row + 1
        elif text[:4].lstrip().startswith("#") and (atx := _ATX_HEADING.match(text)) and atx[2]:
            _add_heading(found, lines, len(atx[1]), row, row, text)
            paragraph = row + 1
        elif paragraph < row and (underline := _SETEXT_UNDERLINE.match(text)):
            _add_heading(found, lines, 1 if underline[1][0] == "=" else 2, paragraph, row - 1, text)
            paragraph = row + 1
        elif _NOT_A_PARAGRAPH.match(text):
            paragraph = row + 1
        row += 1
    return found


def _add_heading(found: list[_MarkdownHeading], lines: LineIndex, level: int, first: int, last: int, _: str) -> None:
    start = lines.starts[first]
    end = lines.starts[last + 1] if last + 1 < len(lines.starts) else len(lines.data)
    written = lines.data[start:end]
    bare = written.strip(b" \t\r\n")
    if bare.startswith(b"#"):
        bare = bare.lstrip(b"#").strip(b" \t")
        bare = re.sub(rb"(^|[ \t])#+$", b"", bare)
    title_start = start + written.find(bare) if bare else start
    title = _plain_title(bare.decode("utf-8", "replace"))
    found.append(_MarkdownHeading(level, start, title, title_start, title_start + len(bare)))


def _plain_title(written: str) -> str:
    """A heading as it is read: links give their text, emphasis and anchors go."""
    return " ".join(_MARKDOWN_MARKUP.sub("", _MARKDOWN_LINK.sub(r"\1", written)).split()) or " ".join(written.split())


def _front_matter_end(texts: list[str]) -> int:
    """The row after a block of `---` at the top, or 0."""
    if texts and texts[0].rstrip() == "---":
        for row in range(1, min(len(texts), 200)):
            if texts[row].rstrip() in ("---", "..."):
                return row + 1
    return 0
