"""Split text into WordPiece ids.

Identifiers are split at changes of case and between letters and digits, and each word by greedy longest match. For
ASCII text this equals a Hugging Face WordPiece tokenizer with the same splitting. Characters that the vocabulary lacks,
such as those of another script, are hashed into one of HASH_BUCKETS rows, so that equal characters still match.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

from scry.core.text import find_identifiers

HASH_BUCKETS = 512
"""Rows behind the vocabulary for characters that it lacks."""

CONTINUATION_PREFIX = "##"
"""Prefix of a piece that continues a word."""

_IDENTIFIER = re.compile(r"\w+")
_UNSPACED_SCRIPTS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_ASCII_WORD_PATTERN = r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,4}"
_ASCII_WORD = re.compile(_ASCII_WORD_PATTERN)
_CACHE_LIMIT = 200_000
"""Maximum number of cached identifiers, some 40 MB; a project of a million lines has about 100,000 distinct ones."""


def split_words(text: str) -> list[str]:
    """Split text into lower-case words: `parseHTTPHeader_v2` gives parse, http, header, v, 2; CJK text gives
    characters.
    """
    if text.isascii():
        return list(map(str.lower, _ASCII_WORD.findall(text)))
    plain = (_without_accents(identifier) for identifier in _IDENTIFIER.findall(text))
    return [word.lower() for identifier in plain for word in _word_pattern().findall(identifier)]


@cache
def _word_pattern() -> re.Pattern[str]:
    """Return the pattern of a word of any script. It takes milliseconds to compile, and most queries are ASCII."""
    return re.compile(
        rf"{_ASCII_WORD_PATTERN}|(?=\w)[{_UNSPACED_SCRIPTS}]|[^\W\d_A-Za-z{_UNSPACED_SCRIPTS}]+|[^\W0-9_A-Za-z]"
    )


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFKC", "".join(char for char in decomposed if not unicodedata.combining(char)))


class _IdentifierCache(dict[str, tuple[int, ...]]):
    """The ids of recently split identifiers. A lookup that finds them costs no Python call."""

    def __init__(self, pieces_of: Callable[[str], tuple[int, ...]]) -> None:
        """pieces_of: returns the ids of a word's pieces."""
        super().__init__()
        self._pieces_of = pieces_of

    def __missing__(self, identifier: str) -> tuple[int, ...]:
        if len(self) >= _CACHE_LIMIT:
            self.clear()
        ids = self[identifier] = tuple(chain.from_iterable(map(self._pieces_of, split_words(identifier))))
        return ids


class Tokenizer:
    """WordPiece over a fixed vocabulary. Safe to share between threads: the cache only ever gains equal entries."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._ids = dict(zip(pieces, range(len(pieces)), strict=True))
        self._longest = max(map(len, pieces), default=0)
        self._cache = _IdentifierCache(self._pieces)
        self.size = len(pieces) + HASH_BUCKETS
        """Number of distinct ids."""

    @classmethod
    def load(cls, vocabulary: Path) -> Tokenizer:
        """Read a vocabulary of one piece per line, the line number being its id."""
        return cls(vocabulary.read_text(encoding="utf-8").split("\n"))

    def encode(self, text: str) -> list[int]:
        """Return the ids of all pieces in order; empty where the text holds no letter or digit."""
        return list(chain.from_iterable(map(self._cache.__getitem__, find_identifiers(text))))

    def encode_words(self, words: Iterable[str]) -> list[tuple[int, ...]]:
        """Return the ids of each word that `split_words` gave."""
        return [self._pieces(word) for word in words]

    def _pieces(self, word: str) -> tuple[int, ...]:
        ids: list[int] = []
        start = 0
        while start < len(word):
            prefix = CONTINUATION_PREFIX if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):  # the longest piece first
                index = self._ids.get(prefix + word[start:end])
                if index is not None:
                    ids.append(index)
                    start = end
                    break
            else:  # no piece: the bucket of one character
                bucket = zlib.crc32(word[start].encode("utf-8", "surrogatepass")) % HASH_BUCKETS
                ids.append(len(self._ids) + bucket)
                start += 1
        return tuple(ids)
