"""Tokenize code and prose into terms, the same way for documents and for queries.

Words of code and prose: how text becomes terms, the same way for what is indexed and for what is asked.

An identifier gives its parts and, when it has several, itself as one word: `parseHTTPHeader` and `parse_http_header`
both give parse, http, header, parsehttpheader. A run of Chinese, Japanese or Korean characters, which has no spaces,
gives its characters and its bigrams.

Which names a question asks for. Pure.

Counts and times in words for a person. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import chain, pairwise

from scry.core.types import SearchQuery

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


def normalize_names(names: Iterable[str]) -> list[str]:
    """Return the normalized form of each name."""
    return [normalize_name(name) for name in names]


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


_MAX_QUERY_TERMS = 64
"""A longer question is searched by its first terms: beyond that BM25 sums noise, and time grows."""


EXACT_NAME_REPEATS = 5
"""How often a name that is all of the question is searched for as a whole: as often as a name's words count in the
index (index.terms). A long class holds its name once, and among so much text that BM25 would let all pass that mention
it."""


def is_single_term(question: SearchQuery) -> bool:
    """Whether a single word or quoted text is all that is asked."""
    return len(question.words.split()) + len(question.phrases) == 1


def query_terms(question: SearchQuery) -> list[str]:
    """The terms of what is asked, quoted texts included."""
    return content_terms(" ".join((question.words, *question.phrases)))[:_MAX_QUERY_TERMS]


def expand_query_terms(question: SearchQuery) -> list[str]:
    """The question's terms, and for each name that it surely asks for the term of a definition so named; as often as it
    weighs for one that is all of the question.
    """
    names = [EXACT_NAME_PREFIX + key for key, sure in queried_names(question).items() if sure][:_MAX_QUERY_TERMS]
    times = EXACT_NAME_REPEATS if is_single_term(question) else 1
    return [*query_terms(question), *(names * times)]


def queried_names(question: SearchQuery) -> dict[str, bool]:
    """Keys of the names that a question may ask for, and whether it surely does.

    Sure is a word by itself, and one that only code writes: camelCase, snake_case, a.b, A::b or f().
    """
    words = question.words.split() + [phrase for phrase in question.phrases if " " not in phrase]
    asked: dict[str, bool] = {}
    for word in words:
        name = word.strip("?!.,;:'`()")
        key = normalize_name(name)
        if key and (len(words) == 1 or key not in STOP_WORDS):
            asked[key] = asked.get(key, False) or len(words) == 1 or _is_code_name(name, word)
    return asked


def queried_spellings(question: SearchQuery) -> frozenset[str]:
    """The last parts of the names that a question holds, as they are written."""
    words = question.words.split() + list(question.phrases)
    return frozenset(re.split(r"\.|::|#", word.strip("?!.,;:'`()"))[-1] for word in words)


def _is_code_name(name: str, written: str) -> bool:
    bare = name.strip("_")
    camel = any(a.islower() and b.isupper() for a, b in pairwise(bare))
    parts = name.split(".")
    dotted = len(parts) > 1 and all(len(part) > 1 and part.isidentifier() for part in parts)
    return camel or dotted or "_" in bare or "::" in name or written.rstrip("?!.,;:").endswith("()")


_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_DURATION_STEPS = ((2 * 365 * _DAY, 365 * _DAY, "year"), (60 * _DAY, 30 * _DAY, "month"), (2 * _DAY, _DAY, "day"))
_SHORT_DURATION_STEPS = ((2 * _HOUR, _HOUR, "hour"), (2 * _MINUTE, _MINUTE, "minute"))


def format_count(number: int, noun: str) -> str:
    """`1 importer`, `12 importers`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def format_age(seconds: float) -> str:
    """`3 days ago`: how long something is past."""
    past = format_duration(seconds)
    return f"{past} ago" if past else "just now"


def format_duration(seconds: float) -> str:
    """`3 days`: in the largest unit of which there are two at least; empty for a moment."""
    for least, unit, name in (*_DURATION_STEPS, *_SHORT_DURATION_STEPS):
        if seconds >= least:
            return f"{int(seconds // unit)} {name}s"
    return ""
