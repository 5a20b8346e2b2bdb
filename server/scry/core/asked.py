"""Which names a question asks for. Pure."""

from __future__ import annotations

import re
from itertools import pairwise

from scry.core.text import EXACT_NAME, STOP_WORDS, content_terms, name_key
from scry.core.types import Question

_MOST_TERMS = 64
"""A longer question is searched by its first terms: beyond that BM25 sums noise, and time grows."""


NAME_TIMES = 5
"""How often a name that is all of the question is searched for as a whole: as often as a name's words count in the
index (index.terms). A long class holds its name once, and among so much text that BM25 would let all pass that mention
it."""


def is_alone(question: Question) -> bool:
    """Whether a single word or quoted text is all that is asked."""
    return len(question.words.split()) + len(question.phrases) == 1


def searched_words(question: Question) -> list[str]:
    """The terms of what is asked, quoted texts included."""
    return content_terms(" ".join((question.words, *question.phrases)))[:_MOST_TERMS]


def searched_terms(question: Question) -> list[str]:
    """The question's terms, and for each name that it surely asks for the term of a definition so named; as often as it
    weighs for one that is all of the question.
    """
    names = [EXACT_NAME + key for key, sure in asked_names(question).items() if sure][:_MOST_TERMS]
    times = NAME_TIMES if is_alone(question) else 1
    return [*searched_words(question), *(names * times)]


def asked_names(question: Question) -> dict[str, bool]:
    """Keys of the names that a question may ask for, and whether it surely does.

    Sure is a word by itself, and one that only code writes: camelCase, snake_case, a.b, A::b or f().
    """
    words = question.words.split() + [phrase for phrase in question.phrases if " " not in phrase]
    asked: dict[str, bool] = {}
    for word in words:
        name = word.strip("?!.,;:'`()")
        key = name_key(name)
        if key and (len(words) == 1 or key not in STOP_WORDS):
            asked[key] = asked.get(key, False) or len(words) == 1 or _is_code(name, word)
    return asked


def spellings(question: Question) -> frozenset[str]:
    """The last parts of the names that a question holds, as they are written."""
    words = question.words.split() + list(question.phrases)
    return frozenset(re.split(r"\.|::|#", word.strip("?!.,;:'`()"))[-1] for word in words)


def _is_code(name: str, written: str) -> bool:
    bare = name.strip("_")
    camel = any(a.islower() and b.isupper() for a, b in pairwise(bare))
    parts = name.split(".")
    dotted = len(parts) > 1 and all(len(part) > 1 and part.isidentifier() for part in parts)
    return camel or dotted or "_" in bare or "::" in name or written.rstrip("?!.,;:").endswith("()")
