"""Build styled lines of text that are safe to show, and measure and wrap them by display width.

Foreign text, made safe to show: names, snippets and queries may hold anything that a file can hold.

A control character could move the cursor or start an escape sequence, a bidi mark could reorder what stands around it,
and an invisible one could hide words from the person, though not from a language model. All are written out.

Cutting and wrapping by the cells that characters take up on a screen, never inside what a reader sees as one.

A line of text as pieces, each with the part that it plays: a surface that shows colours has one for each part.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Literal, NamedTuple

_LINE_BREAKS_AND_TABS = "[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]+"
"""Line ends and tabs: in a line they count as a space."""

_UNSAFE_CHARACTERS = (
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL, C1 (a terminal may take U+009B for the start of an escape sequence)
    "\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible, and bidi
    "\ud800-\udfff"  # lone surrogates can't be encoded
    "\U000e0000-\U000e007f]"  # tags: invisible copies of ASCII
)


def make_printable(text: str) -> str:
    """The text as one line in which everything can be seen. The joiners that emoji and some scripts need are kept."""
    if text.isascii() and text.isprintable():
        return text
    return _unsafe_pattern().sub(_escape_character, re.sub(_LINE_BREAKS_AND_TABS, " ", text))


def make_lines_printable(text: str) -> str:
    """The text in its lines, tabs kept, in which everything else can be seen."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(
        "\t".join(_unsafe_pattern().sub(_escape_character, part) for part in each.split("\t")) for each in lines
    )


@cache
def _unsafe_pattern() -> re.Pattern[str]:
    """It takes a millisecond to compile, and most of what is shown is plain."""
    return re.compile(_UNSAFE_CHARACTERS)


def _escape_character(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


_CLUSTER_EXTENDERS = "\u200d\ufe0e\ufe0f"
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")
_WORDS = re.compile(r" *[^ ]+")
_ONE_CELL_CHARACTERS = re.compile("[\x20-\x7e\xa0-\u02ff\u2010-\u2027\u2030-\u205e]*")
"""ASCII, Latin letters and punctuation: one cell each. Text of these alone is measured without wcwidth, whose import
takes 12 ms, a tenth of a `scry find`; most snippets outside ASCII have dashes or quotation marks only."""


def display_width(text: str) -> int:
    """Return the number of terminal cells that a printable text takes up: two for wide characters, none for marks."""
    if text.isascii() or _ONE_CELL_CHARACTERS.fullmatch(text):
        return len(text)
    import wcwidth

    width = wcwidth.wcswidth(text)
    return width if width >= 0 else len(text)  # negative for a control character, which printable text has none of


def grapheme_clusters(text: str) -> Iterator[str]:
    """The text in pieces that must stay whole: a letter with its marks, an emoji with its modifiers."""
    start = 0
    for at in range(1, len(text)):
        if not (_extends_cluster(text[at]) or text[at - 1] == "\u200d"):
            yield text[start:at]
            start = at
    if text:
        yield text[start:]


def _extends_cluster(character: str) -> bool:
    if character in _CLUSTER_EXTENDERS or _SKIN_TONES[0] <= character <= _SKIN_TONES[1]:
        return True
    return unicodedata.category(character) in ("Mn", "Me", "Mc")


def wrap_text(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` cells, broken at spaces where that is possible. At least one line.

    A cluster wider than `width` gets a line of its own.
    """
    lines = [""]
    used = 0
    for match in _WORDS.finditer(text):
        word = match.group() if lines[-1] else match.group().lstrip(" ")
        if used + display_width(word) <= width:
            lines[-1] += word
            used += display_width(word)
            continue
        parts = _split_word(match.group().lstrip(" "), width)
        lines[-1:] = [lines[-1], *parts] if lines[-1] else parts
        used = display_width(lines[-1])
    return lines


def _split_word(word: str, width: int) -> list[str]:
    """A word in parts that fit: usually itself. Chinese, Japanese and URLs have no spaces to break at."""
    parts = [""]
    used = 0
    for cluster in grapheme_clusters(word):
        size = display_width(cluster)
        if parts[-1] and used + size > width:
            parts.append("")
            used = 0
        parts[-1] += cluster
        used += size
    return parts


TextStyle = Literal["plain", "strong", "place", "tag", "evidence", "quiet", "good", "warning", "bad"]
"""strong: what the eye should find. place: where a result is. evidence: what found it. quiet: can be skipped."""


class TextSpan(NamedTuple):
    """A stretch of a line."""

    text: str
    style: TextStyle


StyledLine = tuple[TextSpan, ...]


def styled_line(*pieces: str | tuple[str, TextStyle]) -> StyledLine:
    """A line of pieces, all made printable; a bare string is plain."""
    return tuple(_make_span(piece, "plain") if isinstance(piece, str) else _make_span(*piece) for piece in pieces)


def _make_span(text: str, part: TextStyle) -> TextSpan:
    return TextSpan(make_printable(text), part)


def to_plain_text(lines: Iterable[StyledLine]) -> str:
    """The lines as text without colours, each ended by a newline."""
    return "".join("".join(piece.text for piece in each).rstrip() + "\n" for each in lines)
