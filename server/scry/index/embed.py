"""Gives every document a vector: its symbol's text with its name, path and container, by one embedder.

Vectors are kept by content, path and embedder (`store.blobs`): a branch switched back to is not embedded again, nor is
anything when an embedder is taken that was in use before. What is kept is of half precision, and what is published is
rounded to it first, so that it makes no difference whether a vector was kept.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, islice, pairwise

import numpy as np

from scry.core.types import Symbol
from scry.embedding.embedder import Embedder, Passage, Vectors
from scry.index.contents import Contents
from scry.index.pace import Pace
from scry.index.parser_version import PARSER_VERSION
from scry.index.portions import LOOK_UP_FILES, portions
from scry.store.index_store import IndexStore
from scry.store.rows import IndexedFile
from scry.store.vector_sets import Maker

PUBLISH_EVERY_S = 2.0
"""How much work a kill may cost, and how often others see that it goes on."""

FILES_AT_ONCE = 200

BREATH_S = 0.1
"""So long at most, but for a single passage, before others get their turn: a question's vector, a pause, the end."""

_PASSAGES_AT_ONCE = 512

_LOOK_UP_PASSAGES = 500
"""So many are encoded between two looks into the cache: 0.03 s of work."""


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
    encoder = _Encoder(store, contents, embedder, checkpoint)
    paths = iter(store.files_without_vectors(embedder.identity))
    pace = Pace(PUBLISH_EVERY_S, FILES_AT_ONCE, 8)
    while batch := list(islice(paths, pace.size)):
        checkpoint()
        start = time.monotonic()
        numbers, vectors = encoder.encode(store.indexed(batch))
        store.publish_vectors(maker, numbers, vectors)
        pace.took(len(batch), time.monotonic() - start)
        report(encoder.encoded)
    store.drop_dead_vectors()


def make_passages(path: str, symbols: Iterable[Symbol]) -> list[Passage]:
    """What is encoded of each symbol of a file."""
    texts = ((symbol, f"{symbol.doc}\n{symbol.own_text}" if symbol.doc else symbol.own_text) for symbol in symbols)
    return [Passage(symbol.name, path, symbol.container, text) for symbol, text in texts]


def vectors_key(path: str, digest: bytes, identity: str) -> bytes:
    """The key under which the vectors of a file's documents are kept, in the order of the file."""
    place = f"{PARSER_VERSION} {identity} {path}".encode("utf-8", "surrogateescape")
    return digest + hashlib.blake2b(place, digest_size=16).digest()


class _Encoder:
    """Files to vectors, those that are kept already left out."""

    def __init__(
        self, store: IndexStore, contents: Contents, embedder: Embedder, checkpoint: Callable[[], None]
    ) -> None:
        self._store = store
        self._contents = contents
        self._embedder = embedder
        self._checkpoint = checkpoint
        self._pace = Pace(BREATH_S, _PASSAGES_AT_ONCE, 4)
        self.encoded = 0

    def encode(self, files: Sequence[IndexedFile]) -> tuple[list[int], Vectors]:
        """The numbers of all documents of these files, and a row for each. Files that changed since are left out.

        What is kept is looked up anew every few files: others fill the cache meanwhile.
        """
        numbers: list[int] = []
        rows: list[bytes] = []
        for part in portions(files, lambda file: len(file.numbers), full=_LOOK_UP_PASSAGES, most=LOOK_UP_FILES):
            packed = self._packed(part)
            known = [file for file in part if file.id in packed]
            numbers += (number for file in known for number in file.numbers)
            rows += (packed[file.id] for file in known)
        data = np.frombuffer(b"".join(rows), np.dtype((np.float16, self._embedder.dimension)))
        return numbers, data.astype(np.float32)

    def _packed(self, files: Sequence[IndexedFile]) -> dict[int, bytes]:
        """The rows of files by id, out of the cache where they are there."""
        keys = {file.id: vectors_key(file.path, file.hash, self._embedder.identity) for file in files}
        blobs = self._contents.blobs
        cached = blobs.get(list(keys.values()))
        rows = {file.id: data for file in files if self._fits(file, data := cached.get(keys[file.id], b""))}
        made = self._make([file for file in files if file.id not in rows])
        blobs.put({keys[file]: data for file, data in made.items()}, dense=True)
        return rows | made

    def _fits(self, file: IndexedFile, data: bytes) -> bool:
        return len(data) == 2 * self._embedder.dimension * len(file.numbers)

    def _make(self, files: Sequence[IndexedFile]) -> dict[int, bytes]:
        """The packed rows of files by id."""
        texts = [(file, text) for file in files if (text := self._store.text_of(file.id)) is not None]
        parsed = self._contents.parse_again([(file.path, file.hash, text) for file, text in texts])
        passages = {file.id: make_passages(file.path, parsed[file.path].symbols) for file, _ in texts}
        rows = self._encode_all([passage for each in passages.values() for passage in each])
        ends = accumulate(map(len, passages.values()), initial=0)
        return {file: rows[start:end].tobytes() for file, (start, end) in zip(passages, pairwise(ends), strict=True)}

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
