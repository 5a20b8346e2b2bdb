"""Complete the last word of a query that is being typed into a picker, from the words of the index.

Only a word that occurs nowhere is completed, to the word of most documents that begins with it. The answer is that of
the completed query, so that it is explained, logged and asked again as such.
"""

from __future__ import annotations

from collections.abc import Iterator

from scry.core.text import tokenize
from scry.store.index.store import IndexStore

MIN_PREFIX = 3
"""Fewer letters begin too many words."""

MAX_CUT = 4
"""Letters by which a prefix may be longer than the stem that the index holds: `initializ` finds `initi`."""

MAX_DOCUMENTS = 30
"""Documents in whose text the word is looked for: those in which few words begin like this are enough."""


def complete_last_word(query: str, store: IndexStore) -> str:
    """Return the query with its last word completed; the query itself where that is not possible.

    A word that is followed by a blank, stands in open quotes or is part of a filter or a name is left as it is.
    """
    words = query.split()
    prefix = words[-1].lower() if words else ""
    is_word = prefix.isascii() and prefix.isalpha() and len(prefix) >= MIN_PREFIX and query.endswith(words[-1])
    if not is_word or query.count('"') % 2 or store.lexical.document_frequency(prefix):
        return query
    frequencies: dict[str, int] = {}
    for word in _words_that_begin_with(prefix, store):
        if word not in frequencies:
            frequencies[word] = store.lexical.document_frequency(word)
    if not frequencies:
        return query
    best = min(frequencies, key=lambda word: (-frequencies[word], len(word), word))
    return query[: -len(prefix)] + best


def _words_that_begin_with(prefix: str, store: IndexStore) -> Iterator[str]:
    """Yield words of documents that hold a stem with this beginning, or else with a slightly shorter one."""
    for length in range(len(prefix), max(MIN_PREFIX, len(prefix) - MAX_CUT) - 1, -1):
        headers = store.documents.headers(store.lexical.documents_by_prefix(prefix[:length], MAX_DOCUMENTS))
        found = False
        for path in sorted({header.path for header in headers.values()}):
            for word in set(tokenize(f"{path} {store.files.get_text(path) or ''}")):
                if word.startswith(prefix):
                    found = True
                    yield word
        if found:
            return
