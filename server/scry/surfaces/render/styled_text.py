"""Make foreign text printable, build styled lines of it, and measure and wrap text by display width.

Names, snippets and queries hold whatever a file can hold. A control character could move the cursor or start an escape
sequence, a bidi mark could reorder the text around it, and an invisible character could hide words from the person,
though not from a language model. All are written as escapes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Literal, NamedTuple

_LINE_BREAKS_AND_TABS = "[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]+"
"""Line ends and tabs: each run becomes one space."""

_UNSAFE_CHARACTERS = (
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL, C1 (a terminal may take U+009B for the start of an escape sequence)
    "\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible, and bidi
    "\ud800-\udfff"  # lone surrogates can't be encoded
    "\U000e0000-\U000e007f]"  # tags: invisible copies of ASCII
)


def make_printable(text: str) -> str:
    """Return the text as one line of visible characters. The joiners that emoji and some scripts need are kept."""
    if text.isascii() and text.isprintable():
        return text
    return _unsafe_pattern().sub(_escape_character, re.sub(_LINE_BREAKS_AND_TABS, " ", text))


MAX_QUESTION_LENGTH = 300
"""Characters of a question that texts repeat: a pasted log would push away what was asked for."""


def shorten_question(question: str) -> str:
    """Return the beginning of a long question, for a text that repeats it."""
    return question if len(question) <= MAX_QUESTION_LENGTH else f"{question[: MAX_QUESTION_LENGTH - 1]}…"


def make_lines_printable(text: str) -> str:
    """Return the text with its lines and tabs, every other invisible character escaped."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(
        "\t".join(_unsafe_pattern().sub(_escape_character, part) for part in each.split("\t")) for each in lines
    )


@cache
def _unsafe_pattern() -> re.Pattern[str]:
    """Compile the pattern on first use: that takes a millisecond, and most text needs none."""
    return re.compile(_UNSAFE_CHARACTERS)


def _escape_character(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


_CLUSTER_EXTENDERS = "\u200d\ufe0e\ufe0f"
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")
_WORDS = re.compile(r"(?<! ) *[^ ]+")
_ONE_CELL_CHARACTERS = re.compile("[\x20-\x7e\xa0-\u02ff\u2010-\u2027\u2030-\u205e]*")
"""ASCII, Latin letters and punctuation: one cell each. Text of these alone is measured without rich, whose import
takes 3 ms; most snippets outside ASCII have dashes or quotation marks only."""


def display_width(text: str) -> int:
    """Return the number of terminal cells that a printable text takes up: two for wide characters, none for marks."""
    if text.isascii() or _ONE_CELL_CHARACTERS.fullmatch(text):
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def grapheme_clusters(text: str) -> Iterator[str]:
    """Yield the parts of a text that a line break must not split: a letter with its marks, an emoji with modifiers."""
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
    """Wrap a text into lines of at most `width` cells, broken at spaces where possible. Returns at least one line.

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
    """Split a word into parts that fit, usually one. Chinese, Japanese and URLs have no spaces to break at."""
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
"""Role of a span. strong: the main thing. place: a location. evidence: which oracle found it. quiet: may be skipped."""


class TextSpan(NamedTuple):
    """Part of a line in one style."""

    text: str
    style: TextStyle


StyledLine = tuple[TextSpan, ...]


def styled_line(*texts: str | tuple[str, TextStyle]) -> StyledLine:
    """Build a line of texts, all made printable; a bare string has the plain style."""
    return tuple(
        TextSpan(make_printable(each), "plain") if isinstance(each, str) else TextSpan(make_printable(each[0]), each[1])
        for each in texts
    )


def to_plain_text(lines: Iterable[StyledLine]) -> str:
    """Return the lines as text without styles, each ended by a newline."""
    return "".join("".join(span.text for span in line).rstrip() + "\n" for line in lines)
