"""A document's fields as one weighted stream of terms for the word index (BM25F in its simple form)."""

from __future__ import annotations

from functools import lru_cache

from scry.core.text import exact_name_term, tokenize
from scry.core.types import Symbol

NAME_WEIGHT = 5
CONTAINER_WEIGHT = 2
PATH_WEIGHT = 2
SIGNATURE_WEIGHT = 1
DOC_WEIGHT = 2
BODY_WEIGHT = 1
"""How often a field's terms are repeated. What a thing is called says most, what is written about it more than its
code."""


def weighted_terms(path: str, symbol: Symbol) -> str:
    """The terms of all fields, each repeated as often as it weighs, between spaces."""
    stream = tokenize(symbol.own_text) * BODY_WEIGHT
    stream += tokenize(symbol.doc) * DOC_WEIGHT
    stream += tokenize(symbol.signature) * SIGNATURE_WEIGHT
    stream += _cached_terms(path) * PATH_WEIGHT
    stream += _cached_terms(symbol.container) * CONTAINER_WEIGHT
    stream += _cached_terms(symbol.name) * NAME_WEIGHT
    exact = exact_name_term(symbol.name)
    if exact:
        stream.append(exact)
    return " ".join(stream)


@lru_cache(maxsize=1000)
def _cached_terms(text: str) -> tuple[str, ...]:
    """The terms of what many documents of a file share."""
    return tuple(tokenize(text))
