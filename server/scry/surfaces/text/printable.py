"""Foreign text, made safe to show: names, snippets and queries may hold anything that a file can hold.

A control character could move the cursor or start an escape sequence, a bidi mark could reorder what stands around it,
and an invisible one could hide words from the person, though not from a language model. All are written out.
"""

from __future__ import annotations

import re
from functools import cache

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
    return "\n".join("\t".join(_unsafe_pattern().sub(_escape_character, part) for part in each.split("\t")) for each in lines)


@cache
def _unsafe_pattern() -> re.Pattern[str]:
    """It takes a millisecond to compile, and most of what is shown is plain."""
    return re.compile(_UNSAFE_CHARACTERS)


def _escape_character(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
