"""Recognize secrets by what they are made of: card numbers, recovery phrases of wallets, random characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

_FIRST_FOUR = r"(?:4\d{3}|5[0-5]\d{2}|2[2-7]\d{2}|6\d{3}|35\d{2}|3[0689]\d{2})"
CARD_NUMBER = re.compile(
    r"(?<![\w.+/-])(?:3[47]\d{2}([ -]?)\d{6}\1\d{5}"
    rf"|{_FIRST_FOUR}([ -]?)\d{{4}}\2\d{{4}}\2\d{{2,4}}(?:\2\d{{1,3}})?)(?![\w-]|\.\d)"
)
"""Candidates for numbers of payment cards (ISO/IEC 7812): issuers' first digits, groups that one sign separates."""

_WORDS_OF_A_PHRASE = 12
"""Least number of words in a recovery phrase."""

_SHORT_WORDS = re.compile(
    r"(?<![a-z])[a-z]{3,8}(?:[\s,;]{1,3}(?:\d{1,2}[.):]?[ \t]{0,2})?[a-z]{3,8}(?![a-z])){11,}(?![a-z])"
)
"""Twelve words or more of three to eight small letters, also numbered ones."""

_RECOVERY_WORDS_FILE = Path(__file__).with_name("recovery_words.txt")
"""The 2,048 English words of BIP 39, of which wallets make phrases (MIT licence)."""

RANDOM_CANDIDATE = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{32,4096}={0,2}(?![A-Za-z0-9+/_-])")

_MIN_CLASS_CHANGES = 0.45
"""Least share of neighbouring characters of different classes (small letter, capital, digit) in a random value: in
random base 62 the share is 0.62, in names of code, however long, below 0.35."""

_LETTERS = re.compile("[a-z]+")


def is_card_number(written: str) -> bool:
    """Return whether the digits have the length and the check digit (Luhn) of a card's number, and vary."""
    digits = [int(c) for c in written if c.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    return 14 <= len(digits) <= 19 and sum(doubled) % 10 == 0 and len(set(digits)) > 2


def find_recovery_phrases(text: str, _: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the recovery phrases in a text: at least twelve words of BIP 39 in a row."""
    for run in _SHORT_WORDS.finditer(text):
        found: list[re.Match[str]] = []
        for word in _LETTERS.finditer(text, *run.span()):
            if word.group() in _recovery_words():
                found.append(word)
                continue
            if len(found) >= _WORDS_OF_A_PHRASE:
                yield found[0].start(), found[-1].end()
            found = []
        if len(found) >= _WORDS_OF_A_PHRASE:
            yield found[0].start(), found[-1].end()


@cache
def _recovery_words() -> frozenset[str]:
    return frozenset(_RECOVERY_WORDS_FILE.read_text(encoding="ascii").split())


def looks_random(value: str) -> bool:
    """Return whether the small letters, capitals and digits of a value alternate as in random characters."""
    letters = [c for c in value if c.isalnum()]
    kinds = [(c.isdigit(), c.isupper()) for c in letters]
    if len(letters) < 20 or min(map(kinds.count, ((True, False), (False, True), (False, False)))) < 2:
        return False
    changes = sum(before != after for before, after in pairwise(kinds))
    return changes / (len(kinds) - 1) >= _MIN_CLASS_CHANGES
