"""Gives every document a vector: its symbol's text with its name, path and container, by the embedder in use.

Vectors are kept by content, path and embedder (`store.blobs`): a branch switched back to is not embedded again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from scry.core.types import Symbol
from scry.embedding.embedder import Embedder, Passage, Vectors
from scry.index.contents import Contents
from scry.index.documents import make_documents
from scry.store.blobs import BlobCache
from scry.store.index_store import IndexStore

FILES_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class _File:
    """A file's documents: their numbers, in the order of their passages, and the key of their vectors."""

    numbers: tuple[int, ...]
    passages: tuple[Passage, ...]
    key: bytes


def embed_missing(
    store: IndexStore,
    contents: Contents,
    embedder: Embedder,
    blobs: BlobCache,
    *,
    report: Callable[[], None],
    checkpoint: Callable[[], None],
) -> None:
    """Embeds what has no vector of this embedder, batch by batch; then that embedder's vectors answer."""
    paths = iter(store.files_without_vectors(embedder.identity))
    while batch := list(islice(paths, FILES_AT_ONCE)):
        checkpoint()
        files = list(_read(batch, store, contents, embedder))
        vectors = _vectors(files, embedder, blobs)
        store.publish_vectors(embedder.identity, [number for file in files for number in file.numbers], vectors)
        report()
    store.settle_vectors(embedder.identity)


def _read(paths: Sequence[str], store: IndexStore, contents: Contents, embedder: Embedder) -> Iterator[_File]:
    known = store.files()
    texts = [(path, known[path].hash, store.text(path) or "") for path in paths]
    parsed = contents.parse_again(texts)
    for path, digest, _ in texts:
        _, numbered = store.numbers_of(path)
        by_id = {doc_id: number for number, doc_id in numbered}
        made = make_documents(path, parsed[path])
        yield _File(
            tuple(by_id[document.doc_id] for document in made),
            tuple(_passage(path, document.symbol) for document in made),
            _key(path, digest, embedder.identity),
        )


def _passage(path: str, symbol: Symbol) -> Passage:
    text = f"{symbol.doc}\n{symbol.own_text}" if symbol.doc else symbol.own_text
    return Passage(symbol.name, path, symbol.container, text)


def _key(path: str, digest: bytes, identity: str) -> bytes:
    place = f"{identity} {path}".encode("utf-8", "surrogateescape")
    return digest + hashlib.blake2b(place, digest_size=16).digest()


def _vectors(files: Sequence[_File], embedder: Embedder, blobs: BlobCache) -> Vectors:
    cached = blobs.get([file.key for file in files])
    wanted = [file for file in files if file.key not in cached]
    fresh = embedder.encode_passages([passage for file in wanted for passage in file.passages])
    ends = np.cumsum([0, *(len(file.passages) for file in wanted)])
    made = {file.key: fresh[start:end] for file, start, end in zip(wanted, ends, ends[1:], strict=False)}
    blobs.put({key: rows.astype(np.float16).tobytes() for key, rows in made.items()})
    parts = [made[file.key] if file.key in made else _unpack(cached[file.key], embedder) for file in files]
    return np.concatenate([np.zeros((0, embedder.dimension), np.float32), *parts])


def _unpack(data: bytes, embedder: Embedder) -> Vectors:
    rows: Vectors = np.frombuffer(data, np.dtype((np.float16, embedder.dimension))).astype(np.float32)
    return rows
