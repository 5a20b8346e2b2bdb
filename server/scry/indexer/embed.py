"""Embed documents and notes, and store their vectors.

A document's vector is made of its symbol's text, name, path and container. Vectors are cached by content, path and
embedder (`store.blobs`), so neither switching back to a branch nor to an embedder used before embeds anything again.
Cached vectors have half precision, and vectors are rounded to it before they are published, so that it makes no
difference whether one came from the cache.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import accumulate, islice, pairwise

import numpy as np
from msgspec import Struct

from scry.core.errors import Cancelled, IndexUnavailable, ScryError
from scry.core.settings import BUNDLED_MODEL
from scry.core.types import DocumentHeader, FileFault, IndexingStage, Symbol
from scry.embedding.embedder import Embedder, Passage, Vectors
from scry.index.parse.documents import assign_doc_ids
from scry.index.parse.parser_version import PARSER_VERSION, reading_version
from scry.index.project_parser import ProjectParser, load_parsed
from scry.projects.project import Project, note_store_locations
from scry.store.blobs import CACHE_LOOKUP_FILES, split_into_batches
from scry.store.index.rows import IndexedFile
from scry.store.index.store import IndexStore
from scry.store.notes.project_notes import EmbedNotes
from scry.store.notes.reader import VectorFaults
from scry.store.notes.store import NoteStore
from scry.store.vector_sets import EmbedderInfo

log = logging.getLogger(__name__)

PUBLISH_INTERVAL_S = 2.0
"""Target time between two publications: the work that a kill may cost, and how often clients see progress."""


MAX_FILES_PER_BATCH = 200


MAX_PARSED_ANEW = 10_000
"""Documents that may have to be parsed again for their vectors, since the cache was cut to its size before. Where more
lack them, the cache stays as large as it has become, to be cut when their vectors are made."""


_FIRST_FILES = 8
"""Files of the first batch of a model that may take seconds for each."""


YIELD_INTERVAL_S = 0.1
"""Target time between two checkpoints, at which a query's vector, a pause or the end may go first."""


_MAX_PASSAGES_PER_CALL = 512


_PASSAGES_PER_CACHE_LOOKUP = 500
"""Passages encoded between two lookups in the cache: 0.03 s of work."""


class AdaptiveBatchSize(Struct):
    """A batch size that adapts to measured time.

    target_seconds: how long one step is to take. max_size: the largest size. size: the next batch's size; set the
    first.
    """

    target_seconds: float
    max_size: int
    size: int

    def record(self, count: int, seconds: float) -> None:
        """Adapt to a step of `count` items that took `seconds`.

        The size at most doubles: the first step is untypical.
        """
        if count:
            fitting = self.target_seconds / max(seconds / count, 1e-9)
            self.size = max(1, min(self.max_size, 2 * self.size, int(fitting)))


_NOTES_PER_BATCH = 256


def embedder_info(model: str, embedder: Embedder) -> EmbedderInfo:
    """Return the store's description of an embedder. model: the setting that chose it."""
    return EmbedderInfo(model, embedder.identity, embedder.dimension)


def embed_missing_documents(
    store: IndexStore,
    contents: ProjectParser,
    embedder: Embedder,
    *,
    model: str,
    report: Callable[[int], None],
    checkpoint: Callable[[], None],
) -> int:
    """Embed the documents without a vector of this embedder, batch by batch; return their number.

    model: the setting that chose the embedder. report: called after every batch with the number of passages encoded so
    far, without those whose vectors were cached. checkpoint: called every YIELD_INTERVAL_S; it may block or raise
    Cancelled, and the vectors published by then stay.
    """
    info = embedder_info(model, embedder)
    encoder = _DocumentEmbedder(store, contents, embedder, checkpoint)
    paths = iter(store.vectors.files_without_vectors(embedder.identity))
    first = MAX_FILES_PER_BATCH if model == BUNDLED_MODEL else _FIRST_FILES  # a file takes it a millisecond
    batch_size, done = AdaptiveBatchSize(PUBLISH_INTERVAL_S, MAX_FILES_PER_BATCH, first), 0
    while batch := list(islice(paths, batch_size.size)):
        checkpoint()
        start = time.monotonic()
        doc_keys, vectors = encoder.embed_files(store.files.get_indexed_files(batch))
        store.vectors.publish(info, doc_keys, vectors)
        if encoder.faults:
            store.files.record_faults(encoder.faults, reading_version())
            encoder.faults.clear()
        batch_size.record(len(batch), time.monotonic() - start)
        report(encoder.encoded)
        done += len(doc_keys)
    store.vectors.compact()
    return done


def make_passages(path: str, symbols: Iterable[Symbol]) -> list[Passage]:
    """Return the passage of each symbol of a file."""
    texts = ((symbol, f"{symbol.doc}\n{symbol.own_text}" if symbol.doc else symbol.own_text) for symbol in symbols)
    return [Passage(symbol.name, path, symbol.container, text) for symbol, text in texts]


def vector_cache_key(path: str, digest: bytes, identity: str) -> bytes:
    """Return the cache key of the vectors of a file's documents, which are in the order of the file."""
    basis = f"{PARSER_VERSION} {identity} {path}".encode("utf-8", "surrogateescape")
    return digest + hashlib.blake2b(basis, digest_size=16).digest()


class _DocumentEmbedder:
    """Embeds the documents of files, except those whose vectors are cached."""

    def __init__(
        self, store: IndexStore, contents: ProjectParser, embedder: Embedder, checkpoint: Callable[[], None]
    ) -> None:
        self._store = store
        self._contents = contents
        self._embedder = embedder
        self._checkpoint = checkpoint
        self._pace = AdaptiveBatchSize(YIELD_INTERVAL_S, _MAX_PASSAGES_PER_CALL, 4)
        self.encoded = 0
        self.faults: dict[int, FileFault] = {}

    def embed_files(self, files: Sequence[IndexedFile]) -> tuple[list[int], Vectors]:
        """Return the doc_keys of all documents of these files and a vector for each. Files that changed since are left
        out.

        The cache is looked up again every few files, since other processes fill it meanwhile.
        """
        doc_keys: list[int] = []
        rows: list[bytes] = []
        for part in split_into_batches(
            files, lambda file: len(file.doc_keys), target_size=_PASSAGES_PER_CACHE_LOOKUP, max_items=CACHE_LOOKUP_FILES
        ):
            packed = self._cached_or_new_rows(part)
            unchanged = [file for file in part if file.file_id in packed]
            doc_keys += (doc_key for file in unchanged for doc_key in file.doc_keys)
            rows += (packed[file.file_id] for file in unchanged)
        data = np.frombuffer(b"".join(rows), np.dtype((np.float16, self._embedder.dimension)))
        return doc_keys, data.astype(np.float32)

    def _cached_or_new_rows(self, files: Sequence[IndexedFile]) -> dict[int, bytes]:
        """Return the packed vectors of files by file id, from the cache where it has them."""
        keys = {file.file_id: vector_cache_key(file.path, file.hash, self._embedder.identity) for file in files}
        blobs = self._contents.blobs
        cached = blobs.get(list(keys.values()))
        rows = {
            file.file_id: data
            for file in files
            if file.fault is None and self._is_complete(file, data := cached.get(keys[file.file_id], b""))
        }
        new_rows = self._embed_uncached([file for file in files if file.file_id not in rows])
        healthy = {file.file_id for file in files if file.fault is None} - self.faults.keys()
        blobs.put({keys[file]: data for file, data in new_rows.items() if file in healthy}, is_incompressible=True)
        return rows | new_rows

    def _is_complete(self, file: IndexedFile, data: bytes) -> bool:
        return len(data) == 2 * self._embedder.dimension * len(file.doc_keys)

    def _embed_uncached(self, files: Sequence[IndexedFile]) -> dict[int, bytes]:
        """Return the packed vectors of files by file id, newly encoded."""
        texts = [(file, text) for file in files if (text := self._store.files.get_text_by_id(file.file_id)) is not None]
        if not texts:
            return {}
        try:
            return self._embed_texts(texts)
        except Cancelled:
            raise
        except Exception as error:
            return self._embed_each(texts, error)

    def _embed_texts(self, texts: Sequence[tuple[IndexedFile, str]]) -> dict[int, bytes]:
        parsed = self._contents.parse_stored_texts([(file.path, file.hash, text, file.fault) for file, text in texts])
        passages = {file.file_id: make_passages(file.path, parsed[file.path].symbols) for file, _ in texts}
        for file, _ in texts:
            if len(passages[file.file_id]) != len(file.doc_keys):
                raise ValueError("the file is not parsed as it was when it was indexed")
        rows = self._encode_passages([passage for each in passages.values() for passage in each])
        ends = accumulate(map(len, passages.values()), initial=0)
        return {file: rows[start:end].tobytes() for file, (start, end) in zip(passages, pairwise(ends), strict=True)}

    def _embed_each(self, texts: Sequence[tuple[IndexedFile, str]], error: Exception) -> dict[int, bytes]:
        """Return the vectors of each file by itself; zeros, by which nothing is found, for one that fails.

        error: of all together. It is raised where the embedder fails for any text.
        """
        found: dict[int, bytes] = {}
        for file, text in texts:
            try:
                found |= self._embed_texts([(file, text)])
            except Cancelled:
                raise
            except Exception as own_error:
                if not self._embedder_works():
                    raise error from own_error
                log.warning("%r gets no vectors", file.path, exc_info=True)
                found[file.file_id] = bytes(2 * self._embedder.dimension * len(file.doc_keys))
                self.faults[file.file_id] = FileFault.from_error(IndexingStage.VECTORS, own_error)
        return found

    def _embedder_works(self) -> bool:
        try:
            self._embedder.encode_passages([Passage("name", "path", "", "text")])
        except Exception:
            return False
        return True

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
    """Return the passage of an indexed document; None where this version of Scry parses no such document from its
    file.
    """
    for file in store.files.get_indexed_files([document.path]):
        parsed = load_parsed(project, file, lambda: store.files.get_text(document.path) or "")
        symbols = [symbol for doc_id, _, symbol in assign_doc_ids(file.path, parsed) if doc_id == document.doc_id]
        return next(iter(make_passages(file.path, symbols)), None)
    return None


def make_note_embedder(info: EmbedderInfo, embedder: Embedder) -> EmbedNotes:
    """Return a function that embeds notes with this embedder while they are written."""
    return lambda entries: (info, *encode_notes(embedder, ((entry.title, entry.text) for entry in entries)))


def embed_missing_notes(
    project: Project, info: EmbedderInfo, embedder: Embedder, checkpoint: Callable[[], None]
) -> int:
    """Embed the notes of all note stores of a project that have no vector of this embedder; return their number.

    checkpoint: called before every batch; it may block or raise Cancelled. A note store that can't be used costs its
    own vectors alone.
    """
    done = 0
    for location in note_store_locations(project):
        if location.path.exists():
            try:
                with closing(location.open(write=True)) as database:
                    done += embed_missing_notes_of(NoteStore(database), info, embedder, checkpoint)
            except IndexUnavailable as error:  # one note store must not cost the vectors of everything else
                log.warning("the notes in %s have no vectors: %s", location.path, error)
    return done


def embed_missing_notes_of(
    store: NoteStore, info: EmbedderInfo, embedder: Embedder, checkpoint: Callable[[], None]
) -> int:
    """Embed the notes of one note store that have no vector of this embedder; return their number.

    Those that another version of Scry could not embed are tried again.
    """
    done = 0
    if store.has_unreadable_vectors:
        with store.database.transaction():
            store.drop_unreadable_vectors()
    if store.reader.vector_faults().version not in ("", reading_version()):
        with store.database.transaction():
            store.forget_vector_faults()
    while lacking := store.documents_without_vector(info.identity, _NOTES_PER_BATCH):
        checkpoint()
        vectors, faults = encode_notes(embedder, ((title, text) for _, title, text in lacking))
        with store.database.transaction():
            store.publish_vectors(info, [doc_key for doc_key, _, _ in lacking], vectors, faults)
        done += len(lacking)
    store.delete_unused_files()
    return done


def encode_notes(embedder: Embedder, notes: Iterable[tuple[str, str]]) -> tuple[Vectors, VectorFaults]:
    """Encode notes; return their vectors, and the faults by the index of the note. notes: title and text of each.

    A note for which that fails gets a vector of zeros, which no query is near to. Raises what the embedder raises when
    it fails for every text.
    """
    passages = [make_note_passage(title, text) for title, text in notes]
    faults: dict[int, str] = {}
    try:
        return embedder.encode_passages(passages), VectorFaults(reading_version(), faults)
    except (Cancelled, ScryError, MemoryError):
        raise
    except Exception:
        nothing = np.zeros_like(embedder.encode_passages([make_note_passage("note", "")])[0])
    rows: list[Vectors] = []
    for index, passage in enumerate(passages):
        try:
            rows.append(embedder.encode_passages([passage])[0])
        except Exception as error:
            log.warning("the note %r is not found by meaning", passage.name, exc_info=True)
            faults[index] = str(FileFault.from_error(IndexingStage.VECTORS, error))
            rows.append(nothing)
    return np.stack(rows), VectorFaults(reading_version(), faults)


def make_note_passage(title: str, text: str) -> Passage:
    """Return the passage of a note."""
    return Passage(title, "", "", text)
