"""Store records as flat arrays of piece ids, with the package and language of each, which the sampler needs."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scry.embedding.embedder import Passage
from scry.embedding.static_model import Tokenizer, head_text, path_text
from training.docs import first_sentence
from training.records import Record

Ids = NDArray[np.int64]
FIELDS = {"first": 48, "doc": 96, "name": 12, "path": 24, "container": 12, "head": 48, "code": 300}
"""The fields, and the number of pieces of each that are stored: `first` is the documentation's first sentence."""


HISTORY_KINDS = frozenset({"commit", "added"})
"""Kinds of records whose documentation is the subject of a commit."""


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of different lengths: row i is ids[offsets[i] : offsets[i + 1]]."""

    ids: NDArray[np.uint16]
    offsets: Ids

    def lengths(self) -> Ids:
        """Return each row's length."""
        return np.diff(self.offsets)

    def gather(self, rows: Ids) -> tuple[Ids, Ids]:
        """Return the ids of the rows, flat, and for each the position in `rows` that it belongs to."""
        starts, lengths = self.offsets[rows], self.offsets[rows + 1] - self.offsets[rows]
        segments = np.repeat(np.arange(len(rows)), lengths)
        within: Ids = np.arange(len(segments)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return self.ids[np.repeat(starts, lengths) + within].astype(np.int64), segments


@dataclass(frozen=True, slots=True)
class Dataset:
    """All training records: their fields, and the number of each one's group and language.

    A group is a package, the files of a repository, or its commits.
    """

    fields: dict[str, Ragged]
    package: Ids
    language: Ids
    history: NDArray[np.bool_]
    """Whether the record is of a commit: its documentation is the commit's subject."""

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.package)

    def occurrences(self, size: int) -> Ids:
        """Return how often each of `size` pieces, or more, occurs in code and documentation."""
        code, doc = (np.bincount(self.fields[field].ids, minlength=size) for field in ("code", "doc"))
        return code + doc


def without_copies(records: Iterable[Record], seen: set[bytes]) -> Iterator[Record]:
    """Drop records whose code, white space aside, was seen before; give the held-out ones first."""
    for record in records:
        digest = hashlib.sha1("".join(record.code.split()).encode("utf-8", "surrogatepass")).digest()[:10]
        if digest not in seen:
            seen.add(digest)
            yield record


def passage_of(record: Record) -> Passage:
    """Return a record as the index would pass it to an embedder, without its documentation."""
    return Passage(record.name, record.path, record.container, record.code)


def build_dataset(records: Iterable[Record], tokenizer: Tokenizer, folder: Path) -> None:
    """Tokenise records into arrays in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    ids = {field: array("H") for field in FIELDS}
    offsets = {field: array("q", [0]) for field in FIELDS}
    groups: dict[tuple[str, bool], int] = {}
    languages: dict[str, int] = {}
    numbers = array("q")
    for record in records:
        for field, text in _texts(record).items():
            ids[field].extend(tokenizer.encode(text)[: FIELDS[field]])
            offsets[field].append(len(ids[field]))
        group = (record.package, record.kind in HISTORY_KINDS)
        numbers.append(groups.setdefault(group, len(groups)))
        numbers.append(languages.setdefault(record.language, len(languages)))
        numbers.append(group[1])
    for field in FIELDS:
        np.save(folder / f"{field}-ids.npy", np.frombuffer(ids[field], np.uint16))
        np.save(folder / f"{field}-offsets.npy", np.frombuffer(offsets[field], np.int64))
    np.save(folder / "numbers.npy", np.reshape(np.frombuffer(numbers, np.int64), (-1, 3)))
    (folder / "names.json").write_text(
        json.dumps({"groups": list(groups), "languages": list(languages)}), encoding="utf-8"
    )


def load_dataset(folder: Path) -> Dataset:
    """Load the arrays that `build_dataset` wrote."""
    fields = {
        field: Ragged(np.load(folder / f"{field}-ids.npy"), np.load(folder / f"{field}-offsets.npy"))
        for field in FIELDS
    }
    numbers: Ids = np.load(folder / "numbers.npy")
    return Dataset(fields, np.copy(numbers[:, 0]), np.copy(numbers[:, 1]), numbers[:, 2] > 0)


def _texts(record: Record) -> dict[str, str]:
    return {
        "first": first_sentence(record.doc) if record.doc else "",
        "doc": record.doc[:600],
        "name": record.name,
        "path": path_text(record.path),
        "container": record.container,
        "head": head_text(record.code),
        "code": record.code[:2500],
    }
