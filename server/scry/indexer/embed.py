"""Embed documents and notes, and store their vectors.

Gives every document a vector: its symbol's text with its name, path and container, by one embedder.

Vectors are kept by content, path and embedder (`store.blobs`): a branch switched back to is not embedded again, nor is
anything when an embedder is taken that was in use before. What is kept is of half precision, and what is published is
rounded to it first, so that it makes no difference whether a vector was kept.

What an embedder was given of a document, for those who explain its score. Writes nothing.

Gives what stands on shelves its vectors, by the embedder whose vectors answer for the code.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import accumulate, islice, pairwise

import numpy as np

from scry.core.types import DocumentHeader, Symbol
from scry.embedding.embedder import Embedder, Passage, Vectors
from scry.index.batches import CACHE_LOOKUP_FILES, AdaptiveBatchSize, split_into_batches
from scry.index.parse.documents import assign_doc_ids
from scry.index.parse.parser_version import PARSER_VERSION
from scry.index.project_parser import ProjectParser, load_parsed
from scry.projects.note_stores import note_store_locations
from scry.projects.project import Project
from scry.store.index.rows import IndexedFile
from scry.store.index.store import IndexStore
from scry.store.notes.project_notes import EmbedNotes
from scry.store.notes.store import NoteDatabase
from scry.store.vector_sets import EmbedderInfo

PUBLISH_INTERVAL_S = 2.0
"""How much work a kill may cost, and how often others see that it goes on."""

MAX_FILES_PER_BATCH = 200

YIELD_INTERVAL_S = 0.1
"""So long at most, but for a single passage, before others get their turn: a question's vector, a pause, the end."""

_MAX_PASSAGES_PER_CALL = 512

_PASSAGES_PER_CACHE_LOOKUP = 500
"""So many are encoded between two looks into the cache: 0.03 s of work."""


def embedder_info(model: str, embedder: Embedder) -> EmbedderInfo:
    """How the store names the vectors of an embedder. model: the setting that chose it."""
    return EmbedderInfo(model, embedder.identity, embedder.dimension)


def embed_missing_documents(
    store: IndexStore,
    contents: ProjectParser,
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
    maker = embedder_info(model, embedder)
    encoder = _DocumentEmbedder(store, contents, embedder, checkpoint)
    paths = iter(store.vectors.files_without_vectors(embedder.identity))
    pace = AdaptiveBatchSize(PUBLISH_INTERVAL_S, MAX_FILES_PER_BATCH, 8)
    while batch := list(islice(paths, pace.size)):
        checkpoint()
        start = time.monotonic()
        numbers, vectors = encoder.embed_files(store.files.get_indexed_files(batch))
        store.vectors.publish(maker, numbers, vectors)
        pace.record(len(batch), time.monotonic() - start)
        report(encoder.encoded)
    store.vectors.compact()


def make_passages(path: str, symbols: Iterable[Symbol]) -> list[Passage]:
    """What is encoded of each symbol of a file."""
    texts = ((symbol, f"{symbol.doc}\n{symbol.own_text}" if symbol.doc else symbol.own_text) for symbol in symbols)
    return [Passage(symbol.name, path, symbol.container, text) for symbol, text in texts]


def vector_cache_key(path: str, digest: bytes, identity: str) -> bytes:
    """The key under which the vectors of a file's documents are kept, in the order of the file."""
    place = f"{PARSER_VERSION} {identity} {path}".encode("utf-8", "surrogateescape")
    return digest + hashlib.blake2b(place, digest_size=16).digest()


class _DocumentEmbedder:
    """Files to vectors, those that are kept already left out."""

    def __init__(
        self, store: IndexStore, contents: ProjectParser, embedder: Embedder, checkpoint: Callable[[], None]
    ) -> None:
        self._store = store
        self._contents = contents
        self._embedder = embedder
        self._checkpoint = checkpoint
        self._pace = AdaptiveBatchSize(YIELD_INTERVAL_S, _MAX_PASSAGES_PER_CALL, 4)
        self.encoded = 0

    def embed_files(self, files: Sequence[IndexedFile]) -> tuple[list[int], Vectors]:
        """The numbers of all documents of these files, and a row for each. Files that changed since are left out.

        What is kept is looked up anew every few files: others fill the cache meanwhile.
        """
        numbers: list[int] = []
        rows: list[bytes] = []
        for part in split_into_batches(
            files, lambda file: len(file.doc_keys), target_size=_PASSAGES_PER_CACHE_LOOKUP, max_items=CACHE_LOOKUP_FILES
        ):
            packed = self._cached_or_new_rows(part)
            known = [file for file in part if file.file_id in packed]
            numbers += (number for file in known for number in file.doc_keys)
            rows += (packed[file.file_id] for file in known)
        data = np.frombuffer(b"".join(rows), np.dtype((np.float16, self._embedder.dimension)))
        return numbers, data.astype(np.float32)

    def _cached_or_new_rows(self, files: Sequence[IndexedFile]) -> dict[int, bytes]:
        """The rows of files by id, out of the cache where they are there."""
        keys = {file.file_id: vector_cache_key(file.path, file.hash, self._embedder.identity) for file in files}
        blobs = self._contents.blobs
        cached = blobs.get(list(keys.values()))
        rows = {
            file.file_id: data for file in files if self._is_complete(file, data := cached.get(keys[file.file_id], b""))
        }
        made = self._embed_uncached([file for file in files if file.file_id not in rows])
        blobs.put({keys[file]: data for file, data in made.items()}, is_incompressible=True)
        return rows | made

    def _is_complete(self, file: IndexedFile, data: bytes) -> bool:
        return len(data) == 2 * self._embedder.dimension * len(file.doc_keys)

    def _embed_uncached(self, files: Sequence[IndexedFile]) -> dict[int, bytes]:
        """The packed rows of files by id."""
        texts = [(file, text) for file in files if (text := self._store.files.get_text_by_id(file.file_id)) is not None]
        parsed = self._contents.parse_stored_texts([(file.path, file.hash, text) for file, text in texts])
        passages = {file.file_id: make_passages(file.path, parsed[file.path].symbols) for file, _ in texts}
        rows = self._encode_passages([passage for each in passages.values() for passage in each])
        ends = accumulate(map(len, passages.values()), initial=0)
        return {file: rows[start:end].tobytes() for file, (start, end) in zip(passages, pairwise(ends), strict=True)}

    def _encode_passages(self, passages: Sequence[Passage]) -> np.ndarray[tuple[int, int], np.dtype[np.float16]]:
        rows = np.zeros((len(passages), self._embedder.dimension), np.float16)
        done = 0
        while done < len(passages):
            self._checkpoint()
            start = time.monotonic()
            part = passages[done : done + self._pace.size]
            rows[done : done + len(part)] = self._embedder.encode_passages(part)
            self._pace.record(len(part), time.monotonic() - start)
            done += len(part)
        self.encoded += len(passages)
        return rows


def make_document_passage(project: Project, store: IndexStore, document: DocumentHeader) -> Passage | None:
    """The passage of an indexed document; None where this version of Scry reads no such document out of its file."""
    for file in store.files.get_indexed_files([document.path]):
        parsed = load_parsed(project, file.path, file.hash, lambda: store.files.get_text(document.path) or "")
        symbols = [symbol for doc_id, _, symbol in assign_doc_ids(file.path, parsed) if doc_id == document.doc_id]
        return next(iter(make_passages(file.path, symbols)), None)
    return None


_NOTES_PER_BATCH = 256


def make_note_embedder(maker: EmbedderInfo, embedder: Embedder) -> EmbedNotes:
    """What gives knowledge its vectors by this embedder while it is written."""
    return lambda entries: (maker, _encode_notes(embedder, ((entry.title, entry.text) for entry in entries)))


def embed_missing_notes(
    project: Project, maker: EmbedderInfo, embedder: Embedder, checkpoint: Callable[[], None]
) -> int:
    """Embeds what has no vector of this embedder; returns how much that was.

    checkpoint: called before every batch; it may block, or raise Cancelled. Raises IndexUnavailable.
    """
    done = 0
    for place in note_store_locations(project):
        if place.path.exists():
            with closing(place.open(write=True)) as file:
                done += embed_missing_notes_of(file, maker, embedder, checkpoint)
    return done


def embed_missing_notes_of(
    file: NoteDatabase, maker: EmbedderInfo, embedder: Embedder, checkpoint: Callable[[], None]
) -> int:
    """The same for one shelf."""
    done = 0
    if file.notes.has_unreadable_vectors:
        with file.transaction():
            file.notes.drop_unreadable_vectors()
    while lacking := file.notes.documents_without_vector(maker.identity, _NOTES_PER_BATCH):
        checkpoint()
        vectors = _encode_notes(embedder, ((title, text) for _, title, text in lacking))
        with file.transaction():
            file.notes.publish_vectors(maker, [number for number, _, _ in lacking], vectors)
        done += len(lacking)
    file.notes.delete_unused_files()
    return done


def _encode_notes(embedder: Embedder, notes: Iterable[tuple[str, str]]) -> Vectors:
    """notes: title and text of each."""
    return embedder.encode_passages([make_note_passage(title, text) for title, text in notes])


def make_note_passage(title: str, text: str) -> Passage:
    """What an embedder is given of knowledge."""
    return Passage(title, "", "", text)
