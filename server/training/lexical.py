"""BM25, the baseline of the evaluation: stemmed words, queries without stop words, an optional field of names.

Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework", equations 3.14 and 3.15, with k1 = 1.2, b = 0.75.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scry.embedding.static_model import split_words

_K1 = 1.2
_B = 0.75
_SUFFIX = re.compile(r"(?:izations?|ations?|ingly|edly|ings?|i?ed|ies|ers?|es|s|e|y)$")
_FUNCTION_WORDS = (
    "a an the of to in on for and or is are be by with from this that it as at if not into which given when"
)
_STOP_WORDS = frozenset(f"{_FUNCTION_WORDS} will can all any used use using returns return".split())


@lru_cache(maxsize=500_000)
def stem(word: str) -> str:
    """Strip an English suffix from a word if at least three letters stay."""
    shorter = _SUFFIX.sub("", word)
    return shorter if len(shorter) >= 3 and not word.endswith("ss") else word


def terms(text: str) -> list[str]:
    """Return a text's stemmed words in order."""
    return [stem(word) for word in split_words(text)]


def query_terms(query: str) -> list[str]:
    """Return a query's distinct stemmed words without stop words (unless there are no others)."""
    words = split_words(query)
    return list(dict.fromkeys(stem(word) for word in words if word not in _STOP_WORDS)) or terms(query)


class Bm25:
    """An index over one field of some documents."""

    def __init__(self, documents: Iterable[Sequence[str]]) -> None:
        counts = [Counter(document) for document in documents]
        lengths = np.array([sum(count.values()) for count in counts], np.float64)
        norms = _K1 * (1 - _B + _B * lengths / max(1.0, float(lengths.mean())))
        postings: dict[str, list[int]] = {}
        for number, count in enumerate(counts):
            for term in count:
                postings.setdefault(term, []).append(number)
        self._size = len(counts)
        self._weights = {term: self._weigh(term, numbers, counts, norms) for term, numbers in postings.items()}

    def scores(self, query: Sequence[str]) -> NDArray[np.float64]:
        """Return every document's score; 0 where no term occurs."""
        scores = np.zeros(self._size)
        for term in query:
            if term in self._weights:
                numbers, weights = self._weights[term]
                scores[numbers] += weights
        return scores

    def _weigh(
        self, term: str, numbers: list[int], counts: list[Counter[str]], norms: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        found = np.array(numbers)
        frequencies = np.array([counts[number][term] for number in numbers], np.float64)
        rarity = np.log(1 + (self._size - len(found) + 0.5) / (len(found) + 0.5))
        return found, rarity * frequencies * (_K1 + 1) / (frequencies + norms[found])
