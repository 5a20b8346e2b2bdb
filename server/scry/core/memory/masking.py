"""Mask secrets in a text before it is stored (M1): by their form, by the name or the place beside them, by check digits
and by randomness.

A word masked in doubt costs a word of a memory; a secret that is not masked may cost an account. Code that only
mentions a password (`password: str`, `token = next_token()`) stays: the value has to look like a secret.

The time is linear in the length of the text. Most texts hold none of the words that a step needs, so each step names
them and is left out without; and names are looked for before what surrounds them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from scry.core.memory.secret_forms import PRIVATE_KEY_BLOCK, TOKEN_PATTERN, find_keys_without_beginning
from scry.core.memory.secret_names import MASK as MASK
from scry.core.memory.secret_names import NAME_WORD, PLACEHOLDER, assigned_value
from scry.core.memory.secret_numbers import (
    CARD_NUMBER,
    RANDOM_CANDIDATE,
    find_recovery_phrases,
    is_card_number,
    looks_random,
)
from scry.core.memory.secret_places import (
    COMMANDS,
    HEADERS,
    OPTIONS,
    PIPED,
    PROMPT,
    URL_PARTS,
    URLS,
    WEBHOOK_PLACE,
    XML_ELEMENT,
    SecretPlace,
)

MAX_LINE_LENGTH = 2_000
"""Most characters of a line. A longer one is data, not language."""

_TERMINAL_ESCAPES = re.compile(r"\x1b(?:\[[0-?]{0,100}[ -/]{0,20}[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
"""Escape sequences of terminals, which would stand between a word's boundary and a secret."""

_INVISIBLE = re.compile(
    "(?<=[!-~\uff01-\uff5e])[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]+"
    "(?=[!-~\uff01-\uff5e])"
)
"""Characters that nobody sees, inside of a word of ASCII: they would hide a secret."""


_LONG_RUN = re.compile(r"[^\s\"'`()<>]{16,}")
"""Runs of characters that are long enough for a token."""


class MaskedText(Struct, frozen=True):
    """A text with its secrets masked, and how many there were."""

    text: str
    count: int


def mask_secrets(text: str) -> MaskedText:
    """Replace each secret of a text by `[masked]`; terminal escapes, NUL and the ends of long lines are removed.

    A line with a secret is returned with plain characters for compatibility characters, such as full-width letters.
    """
    plain = "\n".join(_truncate_line(line) for line in _TERMINAL_ESCAPES.sub("", text.replace("\0", "")).split("\n"))
    if plain.isascii():
        return _mask_plain(plain)
    visible = _INVISIBLE.sub("", plain)
    folded = unicodedata.normalize("NFKC", visible)
    masked = _mask_plain(folded)
    return MaskedText(_unfold(visible, folded, masked.text), masked.count)


def _unfold(text: str, folded: str, masked: str) -> str:
    """Return the masked text with the lines that hold no secret as they are written."""
    lines = (text.split("\n"), folded.split("\n"), masked.split("\n"))
    if len(set(map(len, lines))) > 1:  # a secret of several lines
        return masked
    return "\n".join(line if after == before else after for line, before, after in zip(*lines, strict=True))


def _truncate_line(line: str) -> str:
    """Cut a line at MAX_LINE_LENGTH before the last word, which may be half of a secret."""
    if len(line) <= MAX_LINE_LENGTH:
        return line
    head, space, _ = line[:MAX_LINE_LENGTH].rpartition(" ")
    return f"{head}{space}…"


def _mask_plain(text: str) -> MaskedText:
    small = _lower(text)
    count = 0
    for step in _STEPS:
        ranges = list(step(text, small))
        if ranges:
            text = _mask_ranges(text, ranges)
            small = _lower(text)
            count += len(ranges)
    return MaskedText(text, count)


def _lower(text: str) -> str:
    """Return a text in small letters, of the same length."""
    small = text.lower()
    return small if len(small) == len(text) else text.replace("\u0130", "i").lower()  # the only one that grows


_Range = tuple[int, int]
_Step = Callable[[str, str], Iterator[_Range]]
"""A function from a text, and the same in small letters, to the ranges of its secrets, in order."""


def _mask_ranges(text: str, ranges: Iterable[_Range]) -> str:
    pieces: list[str] = []
    kept_to = 0
    for start, end in ranges:
        pieces += (text[kept_to:start], MASK)
        kept_to = end
    return "".join((*pieces, text[kept_to:]))


def _find_form(
    pattern: re.Pattern[str], is_secret: Callable[[str], bool] = lambda _: True, hints: Sequence[str] = ()
) -> _Step:
    """Return the step that finds the matches of a pattern which are secrets, in texts that hold one of the hints."""

    def step(text: str, small: str) -> Iterator[_Range]:
        if not hints or any(hint in small for hint in hints):
            yield from (match.span() for match in pattern.finditer(text) if is_secret(match.group()))

    return step


def _find_tokens(text: str, _: str) -> Iterator[_Range]:
    for run in _LONG_RUN.finditer(text):
        yield from (match.span() for match in TOKEN_PATTERN.finditer(text, *run.span()))


def _find_place(place: SecretPlace) -> _Step:
    """Return the step that finds the secrets at a kind of place."""

    def step(text: str, small: str) -> Iterator[_Range]:
        for first, last in _lines_with(small, place.hints):
            for match in place.pattern.finditer(text, first, last):
                secret = match["secret"]
                if not (secret.startswith(MASK) or PLACEHOLDER.fullmatch(secret)):
                    yield match.span("secret")

    return step


def _lines_with(small: str, hints: Sequence[str]) -> list[_Range]:
    """Return the ranges of lines that hold one of the hints, each with the line below, which may hold the secret."""
    found: list[_Range] = []
    for hint in hints:
        at = small.find(hint)
        while at >= 0:
            line_end = small.find("\n", at)
            end = small.find("\n", line_end + 1) if line_end >= 0 else -1
            end = end if end >= 0 else len(small)
            found.append((small.rfind("\n", 0, at) + 1, end))
            at = small.find(hint, end)
    merged: list[_Range] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _find_assigned_values(text: str, small: str) -> Iterator[_Range]:
    """Find what is assigned to the names of secrets."""
    found = NAME_WORD.search(small)
    while found:
        start, end, after = assigned_value(text, found.start())
        if end > start:
            yield start, end
        found = NAME_WORD.search(small, max(after, found.end()))


_STEPS: tuple[_Step, ...] = (
    _find_form(PRIVATE_KEY_BLOCK, hints=("private key", "private-lines")),
    find_keys_without_beginning,
    *map(_find_place, (WEBHOOK_PLACE, *URLS)),
    _find_tokens,
    *map(_find_place, (*URL_PARTS, *HEADERS, *COMMANDS, *PIPED, PROMPT)),
    _find_assigned_values,
    *map(_find_place, (*OPTIONS, XML_ELEMENT)),
    _find_form(CARD_NUMBER, is_card_number),
    find_recovery_phrases,
    _find_form(RANDOM_CANDIDATE, looks_random),
)
"""The steps in order: what needs more of the text around it comes first."""
