"""Tokenize code and prose into terms, the same way for documents and for queries.

An identifier gives its parts and, when it has several, itself as one word: `parseHTTPHeader` and `parse_http_header`
both give parse, http, header, parsehttpheader. A run of Chinese, Japanese or Korean characters, which has no spaces,
gives its characters and its bigrams.

Also the terms and names that a query asks for, and counts and durations in words. Pure.
"""

from __future__ import annotations

import math
import re
import unicodedata
import zlib
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import chain, pairwise

from scry.core.types import QueryIntent, SearchQuery

_WORD_RUN = re.compile(r"\w+")
_HYPHENATED_NAME = re.compile(r"(?<![\w-])[^\W\d_]+(?:-[^\W\d_]+)+(?![\w-])")
_ASCII_WORD_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_ANY_SCRIPT_PART = re.compile(r"[^\W\d_]+|\d+")
_KEEP_WORD_CHARACTERS = bytes([byte if _WORD_RUN.match(chr(byte)) else ord(" ") for byte in range(128)]) + bytes(128)
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
"""Words that phrase a query but are not its subject. `get` is among them: in code it is everywhere."""


class _TermCache(dict[str, tuple[str, ...]]):
    """The terms of recently split runs: the parts, and the whole of several. A hit costs no Python call."""

    def __missing__(self, run: str) -> tuple[str, ...]:
        if len(self) >= _CACHE_LIMIT:
            self.clear()
        plain = run if run.isascii() else unicodedata.normalize("NFKC", run)
        if not plain.isascii() and _cjk_pattern().search(plain):
            terms = tuple(_split_cjk(plain))
        else:
            words = _ASCII_WORD_PART.findall(plain) if plain.isascii() else _split_any_script(plain)
            parts = [word.lower() for word in words if len(word) <= _MAX_TERM_LENGTH]
            whole = plain.replace("_", "").lower()
            terms = (*parts, whole) if len(parts) > 1 and len(whole) <= _MAX_TERM_LENGTH else tuple(parts)
        self[run] = terms
        return terms


_term_cache = _TermCache()


def split_identifier(identifier: str) -> tuple[str, ...]:
    """Return the terms of one run of word characters, lower-case: its parts, and the whole if it has several."""
    return _term_cache[identifier]


def _split_any_script(run: str) -> list[str]:
    """Split a run in any script: letters from digits, and before a capital that follows a small letter."""
    parts: list[str] = []
    for letters in _ANY_SCRIPT_PART.findall(run):
        start = 0
        for index in range(1, len(letters)):
            if letters[index].isupper() and letters[index - 1].islower():
                parts.append(letters[start:index])
                start = index
        parts.append(letters[start:])
    return parts


@cache
def _cjk_pattern() -> re.Pattern[str]:
    """Return the pattern of CJK runs. It takes a millisecond to compile, and most queries are ASCII."""
    return re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]+")


def _split_cjk(run: str) -> list[str]:
    terms: list[str] = []
    end = 0
    for match in _cjk_pattern().finditer(run):
        terms += split_identifier(run[end : match.start()])
        text = match.group()
        terms += text
        terms += (text[i : i + 2] for i in range(len(text) - 1))
        end = match.end()
    return [*terms, *split_identifier(run[end:])]


def tokenize(text: str) -> list[str]:
    """Return all terms of a text, in order, repeated as often as they occur."""
    return list(chain.from_iterable(map(_term_cache.__getitem__, find_identifiers(text))))


@lru_cache(maxsize=100_000)
def name_words(name: str) -> tuple[str, ...]:
    """Return the terms of a name, in order."""
    return tuple(tokenize(name))


def find_identifiers(text: str) -> list[str]:
    """Return the runs of word characters of a text, as written: its identifiers and words."""
    if text.isascii():  # the same in less than half the time, which shows when a project is indexed
        return text.encode().translate(_KEEP_WORD_CHARACTERS).decode().split()
    return _WORD_RUN.findall(text)


@lru_cache(maxsize=20_000)  # also of the subjects of commits, which recur
def content_terms(text: str) -> tuple[str, ...]:
    """Return the distinct terms of a query in order, without stop words unless there is nothing else.

    A hyphenated name of which only single letters are left (`v-for`) also gives itself as one word, as `vFor` does.
    """
    distinct = tuple(dict.fromkeys(tokenize(text)))
    kept = [term for term in distinct if term not in STOP_WORDS] or list(distinct)
    for name in _HYPHENATED_NAME.findall(text) if "-" in text else ():
        left = [part for part in tokenize(name) if part not in STOP_WORDS]
        if left and max(map(len, left)) == 1:
            kept.append(normalize_name(name))
    return tuple(dict.fromkeys(kept))


@lru_cache(maxsize=200_000)
def normalize_name(name: str) -> str:
    """Return a name's key for comparison with queried names: lower-case, without underscores and punctuation.

    `RRF_fusion`, `rrfFusion` and `rrf-fusion` have the same key.
    """
    return "".join(_WORD_RUN.findall(name)).replace("_", "").lower()


EXACT_NAME_PREFIX = "="
"""Marks the term of a whole name, so that an exact identifier finds its definition among its mentions."""


def exact_name_term(name: str) -> str:
    """Return the term that only a definition of this name holds; empty for a name without word characters."""
    key = normalize_name(name)
    return EXACT_NAME_PREFIX + key if key else ""


_MIN_FINGERPRINTED = 20
"""Characters of a document's words below which they are no sign of it: too many documents hold the same."""


def text_fingerprint(text: str, name: str) -> str:
    """Return a digest of the words of a document without its own name; "" for a short text.

    A document that was renamed, and is otherwise the same, has the same one.
    """
    words = " ".join([word for word in _WORD_RUN.findall(text) if word != name])
    if len(words) < _MIN_FINGERPRINTED:
        return ""
    return f"{zlib.crc32(words.encode('utf-8', 'replace')):08x}{len(words):x}"


def split_source_lines(text: str) -> list[str]:
    """Return the lines of a text as positions count them; `str.splitlines` also breaks at form feeds and U+2028."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def escape_unencodable(text: str) -> str:
    """Return the text with characters that UTF-8 can't encode (lone surrogates, undecodable bytes) as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


_MAX_QUERY_TERMS = 64
"""A longer question is searched by its first terms: beyond that BM25 sums noise, and time grows."""


EXACT_NAME_REPEATS = 5
"""Repetitions of the exact-name term of a query that is one name: as often as a name's words count in the index. A long
class holds its name once among much text, so that BM25 would rank all that merely mention it higher."""


def is_single_term(question: SearchQuery) -> bool:
    """Return whether a query is a single word or quoted text."""
    return len(question.words.split()) + len(question.phrases) == 1


_PHRASING_WORDS = STOP_WORDS | frozenset(
    """
    class constant declaration declared defined definition enum field function interface macro method module object
    struct trait type variable
    """.split()
)
"""Stop words, and words that say what kind of thing a name in a query is, or that its definition is meant."""


def names_one_thing(question: SearchQuery) -> bool:
    """Return whether a query is a single name: by itself, or as in "where is the class x defined"."""
    words = [normalize_name(word) for word in (*question.words.split(), *question.phrases)]
    return len(words) == 1 or len([word for word in words if word and word not in _PHRASING_WORDS]) == 1


def asks_for_definition(question: SearchQuery) -> bool:
    """Return whether a query surely asks for the names in it: by itself, or as in "where is x"."""
    return is_single_term(question) or question.intent is QueryIntent.DEFINITION


def search_text(question: SearchQuery) -> str:
    """Return the words and the quoted phrases of a query as one text: the query without its filters."""
    return " ".join((question.words, *question.phrases))


def query_terms(question: SearchQuery) -> list[str]:
    """Return the terms of a query, quoted phrases included."""
    return list(content_terms(search_text(question))[:_MAX_QUERY_TERMS])


def expand_query_terms(question: SearchQuery) -> list[str]:
    """Return the query's terms and the exact-name term of each name that it surely asks for.

    The name of a query that is nothing else is repeated EXACT_NAME_REPEATS times.
    """
    names = [EXACT_NAME_PREFIX + key for key, sure in queried_names(question.words, question.phrases).items() if sure][
        :_MAX_QUERY_TERMS
    ]
    times = EXACT_NAME_REPEATS if is_single_term(question) else 1
    return [*query_terms(question), *(names * times)]


@lru_cache(maxsize=100)
def queried_names(words_of_question: str, phrases: tuple[str, ...]) -> Mapping[str, bool]:
    """Return the keys of the names that a query may ask for, each with whether it surely does.

    Sure are a word by itself and a spelling that only code has: camelCase, snake_case, a.b, A::b or f().
    """
    words = words_of_question.split() + [phrase for phrase in phrases if " " not in phrase]
    names: dict[str, bool] = {}
    for word in words:
        name = word.strip("?!.,;:'`()")
        key = normalize_name(name)
        if key and (len(words) == 1 or key not in STOP_WORDS):
            bare, parts = name.strip("_"), name.split(".")
            camel = True in [a.islower() and b.isupper() for a, b in pairwise(bare)]
            dotted = len(parts) > 1 and False not in [len(part) > 1 and part.isidentifier() for part in parts]
            called = word.rstrip("?!.,;:").endswith("()")
            is_sure = len(words) == 1 or camel or dotted or called or "_" in bare or "::" in name
            names[key] = names.get(key, False) or is_sure
    return names


def queried_spellings(question: SearchQuery) -> frozenset[str]:
    """Return the last parts of the names that a query holds, as written."""
    words = question.words.split() + list(question.phrases)
    return frozenset([re.split(r"\.|::|#", word.strip("?!.,;:'`()"))[-1] for word in words])


_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_DURATION_STEPS = ((2 * 365 * _DAY, 365 * _DAY, "year"), (60 * _DAY, 30 * _DAY, "month"), (2 * _DAY, _DAY, "day"))
_SHORT_DURATION_STEPS = ((2 * _HOUR, _HOUR, "hour"), (2 * _MINUTE, _MINUTE, "minute"))


def format_count(count: int, noun: str) -> str:
    """Format a number with its noun: `1 importer`, `12 importers`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def format_down(share: float) -> str:
    """Format a number from 0 to 1 with two decimals, rounded down: what lies below a floor is shown below it."""
    return f"{math.floor(100 * share) / 100:.2f}"


def format_age(seconds: float) -> str:
    """Format the age of something: `3 days ago`."""
    past = format_duration(seconds)
    return f"{past} ago" if past else "just now"


def format_duration(seconds: float) -> str:
    """Format a duration in the largest unit of which it has at least two: `3 days`; empty for under two minutes."""
    for minimum, unit, name in (*_DURATION_STEPS, *_SHORT_DURATION_STEPS):
        if seconds >= minimum:
            return f"{int(seconds // unit)} {name}s"
    return ""
