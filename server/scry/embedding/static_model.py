"""The bundled static embedding model, and the choice of an embedder by the setting `model`.

The model is a table of word-piece vectors, summed with weights; it needs numpy and the standard library only.

A bag of pieces becomes the sum of (1 + log10 tf) * row. A query is that sum. A passage is the sum of five such vectors,
each brought to length 1 and weighted: its text, name, path, container and head. The head is the first two lines of the
text once more, most often a signature or the comment above it. All vectors end at length 1. How the table was made is
in server/training, and its quality in docs/model-card.md.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.settings import BUNDLED_MODEL
from scry.core.text import STOP_WORDS
from scry.embedding.embedder import Embedder, Passage, Vectors
from scry.embedding.tokenizer import Tokenizer

_BUNDLED_FOLDER = Path(__file__).parent / "model"


_BATCH_SIZE = 512
"""Passages pooled at once: large enough to hide numpy's call costs, small enough to stay in the CPU cache."""


PASSAGE_FIELDS = ("text", "name", "path", "container", "head")
"""The fields of a passage in the order of `field_texts` and `field_weights`."""


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


def path_text(path: str) -> str:
    """Return the text of the path field: the last two parts of the path without the extension."""
    folder, _, file = path.replace("\\", "/").rpartition("/")
    return f"{folder.rpartition('/')[2]} {file.rpartition('.')[0] or file}"


def normalize_rows(vectors: Vectors) -> Vectors:
    """Bring each row to length 1; rows of zeros stay."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
