"""Split documents into sections by their headings, without a grammar.

Markdown has `# ATX` and underlined (setext) headings (CommonMark 0.31, 4.2 and 4.3), outside of code fences, front
matter and comments. In reStructuredText, and in plain text written like it, a heading is underlined, and overlined or
not; its level is the order in which its style first occurs. AsciiDoc marks it with `=` or underlines it; Org, Textile,
RDoc, POD, LaTeX, Texinfo and manual pages (roff) begin its line with a mark.

A section spans those below it, and holds the text up to the next heading. Of other languages than Markdown a long text
is cut, and each piece bears the name of its section.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import unescape
from types import MappingProxyType

from msgspec import Struct

from scry.core.types import Symbol
from scry.index.parse.chunks import LineIndex, chunk_gaps, split_into_chunks


class _Heading(Struct, frozen=True):
    """A heading: its level, its start, its title, the title's place (byte offsets), and what is shown of it."""

    level: int
    start: int
    title: str
    title_start: int
    title_end: int
    signature: str


def split_sections(lines: LineIndex, language: str) -> list[Symbol]:
    """Return the sections of a text in one of the languages of `HEADING_FINDERS`, and the text before the first one."""
    rows = [row.decode("utf-8", "replace").rstrip("\r\n") for row in lines.data.splitlines(keepends=True)]
    headings = HEADING_FINDERS[language](lines, rows)
    starts = [*(each.start for each in headings), len(lines.data)]
    ends = _section_ends(headings, len(lines.data))
    symbols = chunk_gaps(lines, [(starts[0], len(lines.data), False)])
    above: list[_Heading] = []
    for index, heading in enumerate(headings):
        while above and above[-1].level >= heading.level:
            above.pop()
        pieces = [(starts[index], starts[index + 1])]
        if language != "markdown":
            pieces = split_into_chunks(lines, *pieces[0]) or pieces
        symbols += _section_symbols(lines, heading, ends[index], pieces, " > ".join(outer.title for outer in above))
        above.append(heading)
    return symbols


def _section_ends(headings: Sequence[_Heading], last: int) -> list[int]:
    """Return the end of each section: the next heading of its level or above."""
    ends = [last] * len(headings)
    stack: list[int] = []
    for index, heading in enumerate(headings):
        while stack and headings[stack[-1]].level >= heading.level:
            ends[stack.pop()] = heading.start
        stack.append(index)
    return ends


def _section_symbols(
    lines: LineIndex, heading: _Heading, end: int, pieces: Sequence[tuple[int, int]], container: str
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


def _find_markdown_headings(lines: LineIndex, texts: Sequence[str]) -> list[_Heading]:
    headings: list[_Heading] = []
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


def _add_heading(headings: list[_Heading], lines: LineIndex, level: int, first: int, last: int, _: str) -> None:
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
        headings.append(_Heading(level, start, title, title_start, title_start + len(bare), signature))


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


# Underlined headings --------------------------------------------------------------------------------------------------

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1+[ \t]*$")
_EXACT_UNDERLINE = 4
"""Characters from which an underline may be shorter than its title."""

_ROLE = re.compile(r":[a-zA-Z][\w.+:-]{0,60}:(?=`)|`_{0,2}(?!\w)|`")
_ASCIIDOC_TITLE = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)$")
_ASCIIDOC_LEVELS = "=-~^+"
_ASCIIDOC_VERBATIM = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})[ \t]*\w*$")


def _find_underlined_headings(lines: LineIndex, rows: Sequence[str]) -> list[_Heading]:
    """Return the headings of reStructuredText: a line between blank ones, with a rule below it, or above and below."""
    headings: list[_Heading] = []
    styles: dict[tuple[str, bool], int] = {}
    for row in range(1, len(rows)):
        if not _RULE.match(rows[row]):
            continue
        rule, title = rows[row].rstrip(), rows[row - 1].rstrip()
        above = rows[row - 2].rstrip() if row > 1 else ""
        is_overlined = bool(above) and above == rule
        is_apart = not above or above.startswith(".. ")
        is_title = any(map(str.isalnum, title)) and len(rule) >= min(len(title.strip()), _EXACT_UNDERLINE)
        if is_title and (is_overlined or (is_apart and not title[0].isspace())):
            level = styles.setdefault((rule[0], is_overlined), len(styles))
            first = row - 2 if is_overlined else row - 1
            headings.append(_make_heading(lines, rows, level, first, row - 1, title.strip(), _ROLE.sub("", title)))
    return headings


def _find_asciidoc_headings(lines: LineIndex, rows: Sequence[str]) -> list[_Heading]:
    """Return the headings of AsciiDoc outside of blocks that are shown as they are."""
    headings: list[_Heading] = []
    verbatim = ""
    for row, text in enumerate(rows):
        if verbatim:
            verbatim = "" if text.rstrip() == verbatim else verbatim
        elif marked := _ASCIIDOC_TITLE.match(text):
            title = marked[2].rstrip("= \t") or marked[2]
            headings.append(_make_heading(lines, rows, len(marked[1]) - 1, row, row, title, _ROLE.sub("", title)))
        elif row and _is_asciidoc_underline(text.rstrip(), rows[row - 1].rstrip(), rows[row - 2] if row > 1 else ""):
            title = rows[row - 1].strip()
            level = _ASCIIDOC_LEVELS.index(text[0])
            headings.append(_make_heading(lines, rows, level, row - 1, row - 1, title, _ROLE.sub("", title)))
        elif opening := _ASCIIDOC_VERBATIM.match(text):
            verbatim = opening[1]
    return headings


def _is_asciidoc_underline(rule: str, title: str, above: str) -> bool:
    is_rule = len(rule) > 1 and rule[0] in _ASCIIDOC_LEVELS and not rule.strip(rule[0])
    return is_rule and title[:1].isalnum() and abs(len(title) - len(rule)) < 2 and not above.strip()


# Marked headings ------------------------------------------------------------------------------------------------------


_HEADING_LINES = {
    "org": re.compile(r"(\*+|#\+(?:title|TITLE):)[ \t]+(?:(?:TODO|DONE|NEXT|WAITING)[ \t]+)?(\S.*)$"),
    "textile": re.compile(r"h([1-6])(?:[({\[<>=][^.\s]{0,80})?\.[ \t]+(\S.*)$"),
    "rdoc": re.compile(r"(={1,6}|#{1,6})[ \t]*([^=#\s].*)$"),
    "pod": re.compile(r"=head([1-6])[ \t]+(\S.*)$"),
    "tex": re.compile(
        r"[ \t]*\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph|title)\*?(?:\[[^\[\]]*\])?\{(\S.*)$"
    ),
    "texinfo": re.compile(
        r"@(top|chapter|(?:sub){0,2}section|unnumbered(?:(?:sub){0,2}sec)?|appendix(?:(?:sub){0,2}sec)?"
        r"|(?:major|chap|sub|subsub)?heading)[ \t]+(\S.*)$"
    ),
    "roff": re.compile(r"[.'][ \t]*(S[HShs])[ \t]+(\S.*)$"),
}
"""The lines that are headings in languages that mark them at the beginning: groups 1 and 2 are mark and title."""

_LEVELS = {
    "#+title:": 0,
    "#+TITLE:": 0,
    "title": 0,
    "part": 1,
    "chapter": 2,
    "section": 3,
    "subsection": 4,
    "subsubsection": 5,
    "paragraph": 6,
    "SH": 1,
    "Sh": 1,
    "SS": 2,
    "Ss": 2,
    "top": 1,
    **dict.fromkeys(("unnumbered", "appendix", "majorheading", "chapheading"), 2),
    **dict.fromkeys(("unnumberedsec", "appendixsec", "heading"), 3),
    **dict.fromkeys(("unnumberedsubsec", "appendixsubsec", "subheading"), 4),
    **dict.fromkeys(("unnumberedsubsubsec", "appendixsubsubsec", "subsubheading"), 5),
}
"""The levels of headings by their marks; of any other mark it is the number that it is, or its length."""

_TITLE_MARKUP = {
    "org": re.compile(r"[ \t]:[\w@#%:]+:[ \t]*$|\[\[[^\[\]]*\]\[([^\[\]]*)\]\]|(?<!\w)[=~](?=\w)|(?<=\w)[=~](?!\w)"),
    "textile": re.compile(r"@(?=\w)|(?<=\w)@"),
    "rdoc": re.compile(r"</?\w+>|[+*_](?=\w)|(?<=\w)[+*_](?!\w)"),
    "pod": re.compile(r"[A-Z]<+([^<>]*)>+"),
    "tex": re.compile(
        r"\\(?:label|index|thanks|footnote)\{[^{}]*\}|%.*$|\\[a-zA-Z]+\*?\{([^{}]*)\}|\\[a-zA-Z]+|[{}\\]"
    ),
    "texinfo": re.compile(r"@\w+\{([^{}]*)\}"),
    "roff": re.compile(r"\\f(?:\[[^\[\]]*\]|\(..|.)|\\&|\\(?=-)|\""),
}
"""What is no part of a title as it is read, but for its group 1."""


def _find_marked_headings(lines: LineIndex, rows: Sequence[str], language: str) -> list[_Heading]:
    pattern, markup = _HEADING_LINES[language], _TITLE_MARKUP[language]
    headings: list[_Heading] = []
    for row, text in enumerate(rows):
        if match := pattern.match(text):
            mark, written = match[1], match[2].rstrip(" \t=")
            level = _LEVELS.get(mark, int(mark) if mark.isdigit() else len(mark))
            title = markup.sub(_first_group, markup.sub(_first_group, written))  # twice, for nested markup
            headings.append(_make_heading(lines, rows, level, row, row, written, title))
    return [each for each in headings if each.title]


_MANUAL_SECTION = re.compile(r"(?:\.S[Hh]|=head1)[ \t]+\"?([^\"]*)")
_TEXT_MACROS = (".Nm", ".Nd", ".B ", ".BR")


def read_manual_name(rows: Sequence[str]) -> str:
    """Return the name and the purpose that a manual page (roff or POD) states first; "" for another text."""
    start = next((row for row, text in enumerate(rows) if text.startswith((".S", "=h")) and _is_name(text)), None)
    words: list[str] = []
    for row in rows[start + 1 :] if start is not None else ():
        macro = row[:3] if row.startswith(_TEXT_MACROS) else ""
        if row.startswith(("=", ".S")) or (words and not row.strip()):
            break
        if macro or not row.startswith((".", "'")):
            words.append(("— " if macro == ".Nd" else "") + row[len(macro) :].strip())
    language = "pod" if start is not None and rows[start].startswith("=") else "roff"
    return " ".join(_TITLE_MARKUP[language].sub(_first_group, " ".join(words)).split())


def _is_name(row: str) -> bool:
    match = _MANUAL_SECTION.match(row)
    return match is not None and match[1].strip().upper() == "NAME"


def _first_group(markup: re.Match[str]) -> str:
    return (markup[1] or "") if markup.re.groups else ""


def _make_heading(
    lines: LineIndex, rows: Sequence[str], level: int, first_row: int, title_row: int, written: str, title: str
) -> _Heading:
    """Return a heading. written: the title as it stands in its row; title: as it is read."""
    before = rows[title_row].find(written)
    start = lines.starts[title_row] + len(rows[title_row][:before].encode())
    plain = " ".join(title.split())
    return _Heading(level, lines.starts[first_row], plain, start, start + len(written.encode()), plain)


_FindHeadings = Callable[[LineIndex, Sequence[str]], list[_Heading]]

HEADING_FINDERS: Mapping[str, _FindHeadings] = MappingProxyType(
    {
        "markdown": _find_markdown_headings,
        "restructuredtext": _find_underlined_headings,
        "text": _find_underlined_headings,
        "asciidoc": _find_asciidoc_headings,
        **{language: partial(_find_marked_headings, language=language) for language in _HEADING_LINES},
    }
)
"""The function that returns the headings of a text, given as its lines, for each language of documents."""
