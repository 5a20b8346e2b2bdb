"""Find the headings of documents other than Markdown.

In reStructuredText, and in plain text written like it, a heading is underlined, and overlined or not; its level is the
order in which its style first occurs. AsciiDoc marks it with `=` or underlines it; Org, Textile, RDoc, POD, LaTeX,
Texinfo and manual pages (roff) begin its line with a mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from scry.index.parse.chunks import LineIndex
from scry.index.parse.sections import DocumentHeading

# Underlined headings --------------------------------------------------------------------------------------------------

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1+[ \t]*$")
_EXACT_UNDERLINE = 4
"""Characters from which an underline may be shorter than its title."""

_ROLE = re.compile(r":[a-zA-Z][\w.+:-]{0,60}:(?=`)|`_{0,2}(?!\w)|`")
_ASCIIDOC_TITLE = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)$")
_ASCIIDOC_LEVELS = "=-~^+"
_ASCIIDOC_VERBATIM = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})[ \t]*\w*$")


def _find_underlined_headings(lines: LineIndex, rows: Sequence[str]) -> list[DocumentHeading]:
    """Return the headings of reStructuredText: a line between blank ones, with a rule below it, or above and below."""
    headings: list[DocumentHeading] = []
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
    return [each for each in headings if each.title]


def _find_asciidoc_headings(lines: LineIndex, rows: Sequence[str]) -> list[DocumentHeading]:
    """Return the headings of AsciiDoc outside of blocks that are shown as they are."""
    headings: list[DocumentHeading] = []
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
    return [each for each in headings if each.title]


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
    "pod": re.compile(r"[A-Z]<+[ \t]*([^<>|]*)(?:\|[^<>]*)?>+"),
    "tex": re.compile(
        r"\\(?:label|index|thanks|footnote)\{[^{}]*\}|%.*$|\\[a-zA-Z]+\*?\{([^{}]*)\}|\\[a-zA-Z]+|[{}\\]"
    ),
    "texinfo": re.compile(r"@\w+\{([^{}]*)\}"),
    "roff": re.compile(r"\\f(?:\[[^\[\]]*\]|\(..|.)|\\&|\\(?=-)|\""),
}
"""What is no part of a title as it is read, but for its group 1."""


def _find_marked_headings(lines: LineIndex, rows: Sequence[str], language: str) -> list[DocumentHeading]:
    pattern, markup = _HEADING_LINES[language], _TITLE_MARKUP[language]
    headings: list[DocumentHeading] = []
    for row, text in enumerate(rows):
        if match := pattern.match(text):
            mark, written = match[1], match[2].rstrip(" \t=")
            level = _LEVELS.get(mark, int(mark) if mark.isdigit() else len(mark))
            title = markup.sub(_first_group, markup.sub(_first_group, written))  # twice, for nested markup
            headings.append(_make_heading(lines, rows, level, row, row, written, title))
    return [each for each in headings if each.title]


def read_pod_title(written: str) -> str:
    """Return a title of POD as it is read: `C<get>` and `L<get|Shop/get>` give "get"."""
    markup = _TITLE_MARKUP["pod"]
    return markup.sub(_first_group, markup.sub(_first_group, written)).strip()  # twice, for nested markup


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
) -> DocumentHeading:
    """Return a heading. written: the title as it stands in its row; title: as it is read."""
    before = rows[title_row].find(written)
    start = lines.starts[title_row] + len(rows[title_row][:before].encode())
    plain = " ".join(title.split())
    return DocumentHeading(level, lines.starts[first_row], plain, start, start + len(written.encode()), plain)


_FindHeadings = Callable[[LineIndex, Sequence[str]], list[DocumentHeading]]

HEADING_FINDERS: Mapping[str, _FindHeadings] = MappingProxyType(
    {
        "restructuredtext": _find_underlined_headings,
        "text": _find_underlined_headings,
        "asciidoc": _find_asciidoc_headings,
        **{language: partial(_find_marked_headings, language=language) for language in _HEADING_LINES},
    }
)
"""The function that returns the headings of a text, given as its lines, for each language of documents but Markdown."""
