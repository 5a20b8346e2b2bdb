"""Split documents into sections by their headings, without a grammar.

Markdown has `# ATX` and underlined (setext) headings (CommonMark 0.31, 4.2 and 4.3), outside of code fences, front
matter and comments; headings.py finds those of all other documents.

A section spans those below it, and holds the text up to the next heading. Of other languages than Markdown a long text
is cut, and each piece bears the name of its section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

from msgspec import Struct

from scry.core.types import Symbol
from scry.index.parse.chunks import LineIndex, chunk_gaps, split_into_chunks


class DocumentHeading(Struct, frozen=True):
    """A heading: its level, its start, its title, the title's place (byte offsets), and what is shown of it."""

    level: int
    start: int
    title: str
    title_start: int
    title_end: int
    signature: str


def split_sections(lines: LineIndex, language: str) -> list[Symbol]:
    """Return the sections of a text in one of `DOCUMENT_LANGUAGES`, and the text before the first one."""
    rows = [row.decode("utf-8", "replace").rstrip("\r\n") for row in lines.data.splitlines(keepends=True)]
    if language == "markdown":
        headings = _find_markdown_headings(lines, rows)
    else:
        from scry.index.parse.headings import HEADING_FINDERS  # many projects have no such document

        headings = HEADING_FINDERS[language](lines, rows)
    starts = [*(each.start for each in headings), len(lines.data)]
    ends = _section_ends(headings, len(lines.data))
    symbols = chunk_gaps(lines, [(starts[0], len(lines.data), False)])
    above: list[DocumentHeading] = []
    for index, heading in enumerate(headings):
        while above and above[-1].level >= heading.level:
            above.pop()
        pieces = [(starts[index], starts[index + 1])]
        if language != "markdown":
            pieces = split_into_chunks(lines, *pieces[0]) or pieces
        symbols += _section_symbols(lines, heading, ends[index], pieces, " > ".join(outer.title for outer in above))
        above.append(heading)
    return symbols


def _section_ends(headings: Sequence[DocumentHeading], last: int) -> list[int]:
    """Return the end of each section: the next heading of its level or above."""
    ends = [last] * len(headings)
    stack: list[int] = []
    for index, heading in enumerate(headings):
        while stack and headings[stack[-1]].level >= heading.level:
            ends[stack.pop()] = heading.start
        stack.append(index)
    return ends


def _section_symbols(
    lines: LineIndex, heading: DocumentHeading, end: int, pieces: Sequence[tuple[int, int]], container: str
) -> Iterator[Symbol]:
    """Yield the symbol of a section with the first piece of its own text, then one for each other piece."""
    span = lines.span(heading.start, heading.start + len(lines.data[heading.start : end].rstrip()))
    name_span = lines.span(heading.title_start, heading.title_end)
    own_text = lines.text(*pieces[0]).strip()
    yield Symbol(heading.title, "section", container, heading.signature, "", span, name_span, own_text)
    for start, stop in pieces[1:]:
        text, place = lines.text(start, stop), lines.span(start, start)
        first_line = text.partition("\n")[0].strip()
        yield Symbol(heading.title, "section", container, first_line, "", lines.span(start, stop), place, text)


# Markdown -------------------------------------------------------------------------------------------------------------

_ATX_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t](.*))?$")
_SETEXT_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_CODE_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_NOT_A_PARAGRAPH = re.compile(r"\s*$| {4}|\t| {0,3}([-*+>|]|\d+[.)])(\s|$)| {0,3}<|.*\|")
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]]*)\](\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])")
_MARKDOWN_MARKUP = re.compile(r"<[^<>]+>|[*`]|\{#[^{}]*\}|(?<!\w)_+|(?<!_)_+(?!\w)")
_ALT_TEXT = re.compile(r"\balt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)


def _find_markdown_headings(lines: LineIndex, texts: Sequence[str]) -> list[DocumentHeading]:
    headings: list[DocumentHeading] = []
    fence, comment = "", False
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
        elif text[:4].lstrip().startswith("#") and (atx := _ATX_HEADING.match(text)) and (atx[2] or "").strip(" \t"):
            _add_heading(headings, lines, len(atx[1]), row, row, text)
            paragraph = row + 1
        elif paragraph < row and (underline := _SETEXT_UNDERLINE.match(text)):
            _add_heading(headings, lines, 1 if underline[1][0] == "=" else 2, paragraph, row - 1, text)
            paragraph = row + 1
        elif _NOT_A_PARAGRAPH.match(text):
            paragraph = row + 1
        row += 1
    return headings


def _add_heading(headings: list[DocumentHeading], lines: LineIndex, level: int, first: int, last: int, _: str) -> None:
    start = lines.starts[first]
    end = lines.starts[last + 1] if last + 1 < len(lines.starts) else len(lines.data)
    written = lines.data[start:end]
    bare = written.strip(b" \t\r\n")
    if bare.startswith(b"#"):
        bare = bare.lstrip(b"#").strip(b" \t")
        bare = re.sub(rb"(^|[ \t])#+$", b"", bare)
    title_start = start + written.find(bare) if bare else start
    title = _plain_title(bare.decode("utf-8", "replace"))
    if title:  # else it is a picture without words: the text below belongs to the section above
        signature = f"{'#' * level} {title}"
        headings.append(DocumentHeading(level, start, title, title_start, title_start + len(bare), signature))


def _plain_title(written: str) -> str:
    """Return a heading as it is read, empty where it has no text.

    Links give their text, images the text in their place; tags, emphasis and anchors are dropped.
    """
    text = _MARKDOWN_LINK.sub(r"\1", _MARKDOWN_LINK.sub(r"\1", written))  # twice, for images in links: badges
    return " ".join(unescape(_MARKDOWN_MARKUP.sub(_read_markup, text)).split())


def _read_markup(markup: re.Match[str]) -> str:
    """Return what a reader sees of an HTML tag or a mark: the text in place of an image, and nothing of all others."""
    alt = _ALT_TEXT.search(markup.group()) if markup.group()[:4].lower() == "<img" else None
    return (alt[1] or alt[2] or "") if alt else ""


def _front_matter_end(texts: Sequence[str]) -> int:
    """Return the row after a block of `---` at the top, or 0."""
    if texts and texts[0].rstrip() == "---":
        for row in range(1, min(len(texts), 200)):
            if texts[row].rstrip() in ("---", "..."):
                return row + 1
    return 0
