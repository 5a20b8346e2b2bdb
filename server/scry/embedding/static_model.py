"""The bundled static embedding model with its tokenizer, and the choice of an embedder by the setting `model`.

The model is a table of word-piece vectors, summed with weights; it needs numpy and the standard library only.

Identifiers are split at changes of case and between letters and digits, and each word by greedy longest match. For
ASCII text this equals a Hugging Face WordPiece tokenizer with the same splitting. Characters that the vocabulary lacks,
such as those of another script, are hashed into one of HASH_BUCKETS rows, so that equal characters still match.

A bag of pieces becomes the sum of (1 + log10 tf) * row. A query is that sum. A passage is the sum of five such vectors,
each brought to length 1 and weighted: its text, name, path, container and head. The head is the first two lines of the
text once more, most often a signature or the comment above it. All vectors end at length 1. How the table was made is
in server/training, and its quality in docs/model-card.md.
"""

from __future__ import annotations

import json
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.settings import BUNDLED_MODEL
from scry.core.text import STOP_WORDS, find_identifiers
from scry.embedding.embedder import Embedder, Passage, Vectors

_BUNDLED_FOLDER = Path(__file__).parent / "model"

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
"""Maximum number of cached identifiers, some 40 MB; a project of a million lines has about 100,000 distinct ones, of
fewer distinct words.
"""

_BATCH_SIZE = 512
"""Passages pooled at once: large enough to hide numpy's call costs, small enough to stay in the CPU cache."""


PASSAGE_FIELDS = ("text", "name", "path", "container", "head")
"""The fields of a passage in the order of `field_texts` and `field_weights`."""


# Tokenizer ------------------------------------------------------------------------------------------------------------


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


class _IdCache(dict[str, tuple[int, ...]]):
    """The ids of recently split texts. A lookup that finds them costs no Python call."""

    def __init__(self, ids_of: Callable[[str], tuple[int, ...]]) -> None:
        """ids_of: returns the ids of a text that is not in the cache."""
        super().__init__()
        self._ids_of = ids_of

    def __missing__(self, text: str) -> tuple[int, ...]:
        if len(self) >= _CACHE_LIMIT:
            self.clear()
        ids = self[text] = self._ids_of(text)
        return ids


class Tokenizer:
    """WordPiece over a fixed vocabulary. Safe to share between threads: the cache only ever gains equal entries."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._ids = dict(zip(pieces, range(len(pieces)), strict=True))
        self._longest = max(map(len, pieces), default=0)
        self._words = _IdCache(self._pieces)
        self._identifiers = _IdCache(
            lambda identifier: tuple(chain.from_iterable(map(self._words.__getitem__, split_words(identifier))))
        )
        self.size = len(pieces) + HASH_BUCKETS
        """Number of distinct ids."""

    @classmethod
    def load(cls, vocabulary: Path) -> Tokenizer:
        """Read a vocabulary of one piece per line, the line number being its id."""
        return cls(vocabulary.read_text(encoding="utf-8").split("\n"))

    def encode(self, text: str) -> list[int]:
        """Return the ids of all pieces in order; empty where the text holds no letter or digit."""
        return list(chain.from_iterable(map(self._identifiers.__getitem__, find_identifiers(text))))

    def encode_words(self, words: Iterable[str]) -> list[tuple[int, ...]]:
        """Return the ids of each word that `split_words` gave."""
        return [self._words[word] for word in words]

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


# Model ----------------------------------------------------------------------------------------------------------------


class FieldWeights(Struct, frozen=True):
    """The weights of the unit vectors of a passage's fields beside its text's, which is 1."""

    name: float
    path: float
    container: float
    head: float


class StaticModel:
    """An `Embedder` read from a folder of table.npy (i8), scales.npy (one per row), vocabulary.txt and meta.json."""

    def __init__(self, table: NDArray[np.int8], scales: Vectors, tokenizer: Tokenizer, meta: dict[str, object]) -> None:
        self.tokenizer = tokenizer
        self.weights = FieldWeights(*(float(str(meta[f"{field}_weight"])) for field in PASSAGE_FIELDS[1:]))
        self._table = table
        self._scales = scales
        self._rows: Vectors | None = None
        self.dimension = int(table.shape[1])
        """Length of every vector."""
        self.identity = f"{meta['name']}@{str(meta['sha256'])[:16]}/{table.shape[1]}"
        """Name, content hash and dimension; the model takes no prefixes."""

    @classmethod
    def load(cls, folder: Path | None = None) -> StaticModel:
        """Map the table of `folder` (default: the bundled model) into memory; raises OSError where it is missing."""
        folder = folder or _BUNDLED_FOLDER
        meta: dict[str, object] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        table: NDArray[np.int8] = np.load(folder / "table.npy", mmap_mode="r").view(np.ndarray)  # cheaper to index
        return cls(table, np.load(folder / "scales.npy"), Tokenizer.load(folder / "vocabulary.txt"), meta)

    def encode_query(self, query: str) -> Vectors:
        """Return the query's unit vector; zeros where it holds no word."""
        return normalize_rows(self._pool_bags([self.tokenizer.encode(query)]))[0]

    def encode_passages(self, passages: Sequence[Passage]) -> Vectors:
        """Return one unit row for each passage; a row does not depend on the batch it came in."""
        vectors = np.zeros((len(passages), self.dimension), np.float32)
        for start in range(0, len(passages), _BATCH_SIZE):
            vectors[start : start + _BATCH_SIZE] = self._encode_batch(passages[start : start + _BATCH_SIZE])
        return vectors

    def row_vectors(self, ids: NDArray[np.intp]) -> Vectors:
        """Return the table's rows of these ids as float32."""
        return np.multiply(self._table[ids], self._scales[ids, None], dtype=np.float32)

    def _encode_batch(self, passages: Sequence[Passage]) -> Vectors:
        mixed = np.zeros((len(passages), self.dimension), np.float32)
        fields = [field_texts(passage) for passage in passages]
        for texts, weight in zip(zip(*fields, strict=True), field_weights(self.weights), strict=True):
            mixed += np.multiply(self._embed_texts(texts), weight, dtype=np.float32)
        return normalize_rows(mixed)

    def _embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vector of each text. A repeated text, such as the path of a file's symbols, is pooled
        once.
        """
        index_of = {text: index for index, text in enumerate(dict.fromkeys(texts))}
        units = normalize_rows(self._pool_bags([self.tokenizer.encode(text) for text in index_of]))
        return units[np.fromiter((index_of[text] for text in texts), np.intp, len(texts))]

    def _pool_bags(self, bags: Sequence[list[int]]) -> Vectors:
        """Return the weighted sum of each bag's rows: the weight of an id is 1 + log10(tf).

        The pieces of all bags are counted at once: most bags are short, and a numpy call for each costs more than the
        sum.
        """
        pooled = np.zeros((len(bags), self.dimension), np.float32)
        lengths = np.fromiter(map(len, bags), np.intp, len(bags))
        all_ids = np.fromiter(chain.from_iterable(bags), np.intp, int(lengths.sum()))
        keys = np.repeat(np.arange(len(bags)), lengths) * len(self._table) + all_ids
        distinct, counts = np.unique(keys, return_counts=True)
        rows, ids = np.divmod(distinct, len(self._table))
        weights = (1.0 + np.log10(counts)).astype(np.float32)
        weights *= self._scales[ids]
        ends = np.searchsorted(rows, np.arange(len(bags)), side="right").tolist()
        start = 0
        for row, end in enumerate(ends):
            if end > start:  # a copy of the weights: their alignment in memory must not decide the order of addition
                pooled[row] = np.array(weights[start:end]) @ self._table[ids[start:end]].astype(np.float32)
            start = end
        return pooled


@lru_cache(maxsize=1)
def load_bundled_model() -> StaticModel:
    """Return the model inside the package, loaded once per process. Raises OSError where the package is damaged."""
    return StaticModel.load()


def load_embedder(setting: str) -> Embedder:
    """Return the embedder that the setting names.

    Any but the bundled one takes seconds and hundreds of megabytes, so only the indexer process may ask for it. Raises
    ModelUnavailable with the remedy, and OSError where the package is damaged.
    """
    if setting == BUNDLED_MODEL:
        return load_bundled_model()
    from scry.embedding.transformer_model import TransformerModel

    return TransformerModel.load(setting)


def field_texts(passage: Passage) -> tuple[str, ...]:
    """Return the text of each field of a passage."""
    return passage.text, passage.name, path_text(passage.path), passage.container, head_text(passage.text)


def field_weights(weights: FieldWeights) -> tuple[float, ...]:
    """Return the weight of each field."""
    return 1.0, weights.name, weights.path, weights.container, weights.head


def content_words(query: str) -> str:
    """Return a query without its stop words, unless it has no others.

    A sum of word vectors has no grammar: "is" in "where is the default resolved" would only add `isDefault` and
    `is_leaf` to what is near.
    """
    words = query.split()
    return " ".join(word for word in words if word.strip("?!.,;:'`()").lower() not in STOP_WORDS) or query


def head_text(text: str) -> str:
    """Return the first two lines of a text, counted from the first that is not blank."""
    return "\n".join(text.lstrip().split("\n", 2)[:2])


@lru_cache(maxsize=1000)
def path_text(path: str) -> str:
    """Return the text of the path field: the last two parts of the path without the extension."""
    folder, _, file = path.replace("\\", "/").rpartition("/")
    return f"{folder.rpartition('/')[2]} {file.rpartition('.')[0] or file}"


def normalize_rows(vectors: Vectors) -> Vectors:
    """Bring each row to length 1; rows of zeros stay."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
