"""Write the trained table as the product's files: i8 rows with a scale each, the vocabulary, and meta.json.

Also as a sentence-transformers folder: one custom module, since their StaticEmbedding pools by a plain mean. The folder
holds the model's files, and the module's code, which needs `scry` installed: it tokenises with the product's tokenizer
and pools with torch. A query is encoded from a string; a passage from a string too (its text alone), or from a
dictionary with the keys text, name, path and container.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import asdict
from numpy.typing import NDArray

from scry.embedding.static_model import HASH_BUCKETS, FieldWeights
from training.vocabulary import write_vocabulary

_STEPS = 127
"""Largest absolute value of an i8 entry; -128 is unused, so that the range is symmetric."""


TEMPER = 0.7
"""Power to which rows' lengths are raised: training makes some too long, which separates the code of its own packages
and not that of others. The best of 1, 0.7, 0.5 and 0.4 on validation packages.
"""


def temper(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """Reduce the differences between the lengths of rows; directions stay."""
    lengths = np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12)
    return np.multiply(table, lengths ** (TEMPER - 1), dtype=np.float32)


def merge(
    tables: Sequence[NDArray[np.float32]],
    counts: NDArray[np.int64],
    dimension: int,
    count_power: float = 1.0,
    lengths: Sequence[float] | None = None,
) -> NDArray[np.float32]:
    """Return one table whose products of rows come near the sums of those of several tables, trained from other seeds.

    What one table has learnt by heart the others have not, so that the sums are better on code that none has seen.
    counts: of each piece. lengths: of the tables, by default equal. The tables stand side by side, of these lengths in
    the mean over all pieces, and are rotated to their principal axes, of which the first `dimension` are kept. A row
    is weighted by a power of its piece's count. Eckart & Young 1936; no mean is subtracted.
    """
    weights = (counts + 1).astype(np.float64) ** count_power
    scaled = [
        np.multiply(_scaled(table, weights), length, dtype=np.float32)
        for table, length in zip(tables, lengths or [1.0] * len(tables), strict=True)
    ]
    whole = np.concatenate(scaled, axis=1)
    weighted = np.multiply(whole, weights[:, None], dtype=np.float64)
    _, axes = np.linalg.eigh(np.matmul(np.transpose(weighted), whole.astype(np.float64)))
    return np.matmul(whole, axes[:, ::-1][:, :dimension].astype(np.float32))


def _scaled(table: NDArray[np.float32], weights: NDArray[np.float64]) -> NDArray[np.float32]:
    square = float(np.average(np.square(table, dtype=np.float64).sum(1), weights=weights))
    return np.divide(table, np.sqrt(square), dtype=np.float32)


def quantise(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return i8 rows and the factor that restores each; the error of an entry is at most half the row's factor."""
    scales = (np.abs(table).max(1) / _STEPS).astype(np.float32)
    return np.rint(table / np.maximum(scales, 1e-12)[:, None]).astype(np.int8), scales


def restored(rows: NDArray[np.int8], scales: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the table that `quantise` stored, each entry to within half of its row's factor."""
    return np.multiply(rows, scales[:, None], dtype=np.float32)


def with_buckets(table: NDArray[np.float32], vocabulary_size: int, seed: int) -> NDArray[np.float32]:
    """Fill the rows for characters outside of the vocabulary: random directions, as long as the median trained row."""
    lengths = np.linalg.norm(table[:vocabulary_size], axis=1)
    buckets = np.random.default_rng(seed).standard_normal((HASH_BUCKETS, table.shape[1]))
    buckets *= np.median(lengths) / np.linalg.norm(buckets, axis=1, keepdims=True)
    return np.concatenate([table[:vocabulary_size], buckets.astype(np.float32)])


def export_model(table: NDArray[np.float32], pieces: list[str], weights: FieldWeights, name: str, folder: Path) -> None:
    """Write table.npy, scales.npy, vocabulary.txt and meta.json."""
    folder.mkdir(parents=True, exist_ok=True)
    rows, scales = quantise(table)
    np.save(folder / "table.npy", rows)
    np.save(folder / "scales.npy", scales)
    write_vocabulary(pieces, folder / "vocabulary.txt")
    meta: dict[str, str | float] = {"name": name, "sha256": content_hash(folder, weights)}
    meta |= {f"{field}_weight": weight for field, weight in asdict(weights).items()}
    (folder / "meta.json").write_text(json.dumps(meta, indent=2) + "\n", encoding="utf-8")


def content_hash(folder: Path, weights: FieldWeights) -> str:
    """Return the hash that identifies a model: of its table, scales, vocabulary and field weights."""
    digest = hashlib.sha256(repr(weights).encode())
    for file in ("table.npy", "scales.npy", "vocabulary.txt"):
        digest.update((folder / file).read_bytes())
    return digest.hexdigest()


_MODULE = "scry_static_module"


def export_sentence_transformers(model: Path, folder: Path) -> None:
    """Write the sentence-transformers folder; `SentenceTransformer(str(folder), trust_remote_code=True)` loads it."""
    part = folder / "0_ScryStatic"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(model, part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(__file__).with_name("sentence_transformers_module.py"), folder / f"{_MODULE}.py")
    module = {"idx": 0, "name": "0", "path": part.name, "type": f"{_MODULE}.ScryStatic"}
    _write_json(folder / "modules.json", [module])
    _write_json(folder / "config_sentence_transformers.json", {"prompts": {}, "similarity_fn_name": "cosine"})


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
