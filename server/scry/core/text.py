"""Words of code and prose: how text becomes terms, the same way for what is indexed and for what is asked.

An identifier gives its parts and, when it has several, itself as one word: `parseHTTPHeader` and `parse_http_header`
both give parse, http, header, parsehttpheader. A run of Chinese, Japanese or Korean characters, which has no spaces,
gives its characters and its bigrams.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from itertools import chain

_WORD_RUN = re.compile(r"\w+")
_ASCII_WORD_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_ANY_SCRIPT_PART = re.compile(r"[^\W\d_]+|\d+")
_KEEP_WORD_CHARACTERS = bytes(byte if _WORD_RUN.match(chr(byte)) else ord(" ") for byte in range(128)) + bytes(128)
_MAX_TERM_LENGTH = 64
"""A longer word is data (a hash, base64), not language; it is left out."""

_CACHE_LIMIT = 500_000

STOP_WORDS = frozenset(
    """
    a about an and any are as at be been being but by can could did do does doing done for from get gets had has
    have having how i if in into is it its just me my no not of on or our should so some that the their them then
    there these they this those to up us used using was we were what when where which while who why will with would
    you your
    """.split()
)
"""Words that a question is phrased with, not what it is about. `get` is among them: in code it is everywhere."""


class _TermCache(dict[str, tuple[str, ...]]):
    """The terms of each run that was split of late. A lookup that finds them costs no call of Python's."""

    def __missing__(self, run: str) -> tuple[str, ...]:
        if len(self) >= _CACHE_LIMIT:
            self.clear()
        found = self[run] = _split_uncached(run)
        return found


_term_cache = _TermCache()


def split_identifier(identifier: str) -> tuple[str, ...]:
    """The terms of one run of word characters, lower-case: its parts, then, if there are several, the whole."""
    return _term_cache[identifier]


def _split_uncached(run: str) -> tuple[str, ...]:
    plain = run if run.isascii() else unicodedata.normalize("NFKC", run)
    if not plain.isascii() and _cjk_pattern().search(plain):
        return tuple(_split_cjk(plain))
    found = _ASCII_WORD_PART.findall(plain) if plain.isascii() else _split_any_script(plain)
    parts = [part.lower() for part in found if len(part) <= _MAX_TERM_LENGTH]
    whole = plain.replace("_", "").lower()
    if len(parts) > 1 and len(whole) <= _MAX_TERM_LENGTH:
        parts.append(whole)
    return tuple(parts)


def _split_any_script(run: str) -> list[str]:
    """Parts of a run in any script: letters apart from digits, and a capital after a small letter begins a new one."""
    parts: list[str] = []
    for letters in _ANY_SCRIPT_PART.findall(run):
        start = 0
        for place in range(1, len(letters)):
            if letters[place].isupper() and letters[place - 1].islower():
                parts.append(letters[start:place])
                start = place
        parts.append(letters[start:])
    return parts


@cache
def _cjk_pattern() -> re.Pattern[str]:
    """A run without spaces. It takes a millisecond to compile, and most questions are ASCII."""
    return re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]+")


def _split_cjk(run: str) -> list[str]:
    terms: list[str] = []
    place = 0
    for match in _cjk_pattern().finditer(run):
        terms += split_identifier(run[place : match.start()])
        text = match.group()
        terms += text
        terms += (text[i : i + 2] for i in range(len(text) - 1))
        place = match.end()
    return [*terms, *split_identifier(run[place:])]


def tokenize(text: str) -> list[str]:
    """All terms of a text, in order, repeated as often as they occur."""
    return list(chain.from_iterable(map(_term_cache.__getitem__, find_identifiers(text))))


def find_identifiers(text: str) -> list[str]:
    """The runs of word characters of a text, as written: its identifiers and words."""
    if text.isascii():  # the same in less than half the time, which a cold index notices
        return text.encode().translate(_KEEP_WORD_CHARACTERS).decode().split()
    return _WORD_RUN.findall(text)


def content_terms(text: str) -> list[str]:
    """The distinct terms of a question in order, without stop words unless there is nothing else."""
    distinct = list(dict.fromkeys(tokenize(text)))
    return [term for term in distinct if term not in STOP_WORDS] or distinct


@lru_cache(maxsize=200_000)
def normalize_name(name: str) -> str:
    """A name as it is compared to a queried one: lower-case, without underscores and punctuation.

    `RRF_fusion`, `rrfFusion` and `rrf-fusion` have the same key.
    """
    return "".join(_WORD_RUN.findall(name)).replace("_", "").lower()


EXACT_NAME_PREFIX = "="
"""Marks the term of a whole name, so that an exact identifier finds its definition among all that merely mention it."""


def exact_name_term(name: str) -> str:
    """The term that only a definition of this name holds; empty for a name without word characters."""
    key = normalize_name(name)
    return EXACT_NAME_PREFIX + key if key else ""


def split_source_lines(text: str) -> list[str]:
    """The lines of a text as places count them; `str.splitlines` would also break at form feeds and U+2028."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def escape_unencodable(text: str) -> str:
    """The text with what UTF-8 can't write (half a surrogate pair, an undecodable byte of a path) as an escape."""
    return text.encode("utf-8", "backslashreplace").decode()
