"""Cutting and wrapping by the cells that characters take up on a screen, never inside what a reader sees as one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_CLUSTER_EXTENDERS = "\u200d\ufe0e\ufe0f"
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")
_WORDS = re.compile(r" *[^ ]+")


def display_width(text: str) -> int:
    """How many cells of a terminal the text takes up: two for wide characters, none for marks."""
    return len(text) if text.isascii() else sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


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
