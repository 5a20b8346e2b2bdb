"""Which names a question asks for. Pure."""

from __future__ import annotations

import re
from itertools import pairwise

from scry.core.text import EXACT_NAME_PREFIX, STOP_WORDS, content_terms, normalize_name
from scry.core.types import SearchQuery

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
