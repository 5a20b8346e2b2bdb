"""Words to the form in which word indexes hold them: one analyzer for all of them."""

from __future__ import annotations

import tantivy

_MAX_TERM_BYTES = 200
_MAX_CACHED_STEMS = 100_000


def make_analyzer() -> tantivy.TextAnalyzer:
    """Splits at blanks, drops what is too long to be a word, and stems."""
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
        .filter(tantivy.Filter.remove_long(_MAX_TERM_BYTES))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


class Stemmer:
    """Remembers what each term becomes."""

    def __init__(self) -> None:
        self._analyzer = make_analyzer()
        self._known: dict[str, str] = {}

    def stem(self, term: str) -> str:
        """The term as an index holds it; empty for one that no index ever holds."""
        known = self._known.get(term)
        if known is None:
            if len(self._known) > _MAX_CACHED_STEMS:
                self._known.clear()
            known = self._known[term] = "".join(self._analyzer.analyze(term)[:1])
        return known
