"""Gives every document a vector: its symbol's text with its name, path and container, by one embedder.

Vectors are kept by content, path and embedder (`store.blobs`): a branch switched back to is not embedded again, nor is
anything when an embedder is taken that was in use before. What is kept is of half precision, and what is published is
rounded to it first, so that it makes no difference whether a vector was kept.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from scry.core.types import Symbol
from scry.embedding.embedder import Embedder, Passage, Vectors
from scry.index.contents import Contents
from scry.index.documents import make_documents
from scry.index.pace import Pace
from scry.store.blobs import BlobCache
from scry.store.index_store import IndexStore
from scry.store.vector_sets import Maker

PUBLISH_EVERY_S = 2.0
"""How much work a kill may cost, and how often others see that it goes on."""

FILES_AT_ONCE = 200

BREATH_S = 0.1
"""So long at most, but for a single passage, before others get their turn: a question's vector, a pause, the end."""

_PASSAGES_AT_ONCE = 512


@dataclass(frozen=True, slots=True)
class _File:
    """A file's documents: their numbers, in the order of their passages, and the key of their vectors."""

    numbers: tuple[int, ...]
    passages: tuple[Passage, ...]
    key: bytes


def maker_of(model: str, embedder: Embedder) -> Maker:
    """How the store names the vectors of an embedder. model: the setting that chose it."""
    return Maker(model, embedder.identity, embedder.dimension)


def embed_missing(
    store: IndexStore,
    contents: Contents,
    embedder: Embedder,
    *,
    model: str,
    report: Callable[[int], None],
    checkpoint: Callable[[], None],
) -> None:
    """Embeds what has no vector of this embedder, batch by batch.

    model: the setting that chose the embedder. report: told after every batch how many passages were encoded, those
    left out whose vectors were kept. checkpoint: called every `BREATH_S`; it may block, or raise Cancelled, and what is
    published by then stays.
    """
    maker = maker_of(model, embedder)
    encoder = _Encoder(embedder, contents.blobs, checkpoint)
    paths = iter(store.files_without_vectors(embedder.identity))
    pace = Pace(PUBLISH_EVERY_S, FILES_AT_ONCE, 8)
    while batch := list(islice(paths, pace.size)):
        checkpoint()
        start = time.monotonic()
        files = list(_read(batch, store, contents, embedder))
        vectors = encoder.encode(files)
        store.publish_vectors(maker, [number for file in files for number in file.numbers], vectors)
        pace.took(len(batch), time.monotonic() - start)
        report(encoder.encoded)
    store.drop_dead_vectors()


def _read(paths: Sequence[str], store: IndexStore, contents: Contents, embedder: Embedder) -> Iterator[_File]:
    files = store.indexed(paths)
    parsed = contents.parse_again([(file.path, file.hash, file.text) for file in files])
    for file in files:
        made = make_documents(file.path, parsed[file.path])
        yield _File(
            tuple(file.numbers[document.doc_id] for document in made),
            tuple(_passage(file.path, document.symbol) for document in made),
            _key(file.path, file.hash, embedder.identity),
        )


def _passage(path: str, symbol: Symbol) -> Passage:
    text = f"{symbol.doc}\n{symbol.own_text}" if symbol.doc else symbol.own_text
    return Passage(symbol.name, path, symbol.container, text)


def _key(path: str, digest: bytes, identity: str) -> bytes:
    place = f"{identity} {path}".encode("utf-8", "surrogateescape")
    return digest + hashlib.blake2b(place, digest_size=16).digest()


class _Encoder:
    """Files to vectors, those that are kept already left out."""

    def __init__(self, embedder: Embedder, blobs: BlobCache, checkpoint: Callable[[], None]) -> None:
        self._embedder = embedder
        self._blobs = blobs
        self._checkpoint = checkpoint
        self._pace = Pace(BREATH_S, _PASSAGES_AT_ONCE, 4)
        self.encoded = 0

    def encode(self, files: Sequence[_File]) -> Vectors:
        """One row for each document of these files, in their order."""
        cached = self._blobs.get([file.key for file in files])
        wanted = [file for file in files if not self._fits(file, cached.get(file.key))]
        fresh = self._encode_all([passage for file in wanted for passage in file.passages])
        ends = np.cumsum([0, *(len(file.passages) for file in wanted)])
        made = {file.key: fresh[start:end].tobytes() for file, start, end in zip(wanted, ends, ends[1:], strict=False)}
        self._blobs.put(made)
        data = b"".join(made.get(file.key) or cached.get(file.key, b"") for file in files)
        rows: Vectors = np.frombuffer(data, np.dtype((np.float16, self._embedder.dimension))).astype(np.float32)
        return rows

    def _fits(self, file: _File, data: bytes | None) -> bool:
        return data is not None and len(data) == 2 * self._embedder.dimension * len(file.passages)

    def _encode_all(self, passages: Sequence[Passage]) -> np.ndarray[tuple[int, int], np.dtype[np.float16]]:
        rows = np.zeros((len(passages), self._embedder.dimension), np.float16)
        done = 0
        while done < len(passages):
            self._checkpoint()
            start = time.monotonic()
            part = passages[done : done + self._pace.size]
            rows[done : done + len(part)] = self._embedder.encode_passages(part)
            self._pace.took(len(part), time.monotonic() - start)
            done += len(part)
        self.encoded += len(passages)
        return rows
