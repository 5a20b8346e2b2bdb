"""Gives what stands on shelves its vectors, by the embedder whose vectors answer for the code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing

from scry.embedding.embedder import Embedder, Passage, Vectors
from scry.index.project import Project
from scry.index.shelf_places import note_store_locations
from scry.store.knowledge_file import EmbedNotes
from scry.store.shelf_file import NoteDatabase
from scry.store.vector_sets import EmbedderInfo

_NOTES_PER_BATCH = 256


def make_note_embedder(maker: EmbedderInfo, embedder: Embedder) -> EmbedNotes:
    """What gives knowledge its vectors by this embedder while it is written."""
    return lambda entries: (maker, _encode_notes(embedder, ((entry.title, entry.text) for entry in entries)))


def embed_missing_notes(project: Project, maker: EmbedderInfo, embedder: Embedder, checkpoint: Callable[[], None]) -> int:
    """Embeds what has no vector of this embedder; returns how much that was.

    checkpoint: called before every batch; it may block, or raise Cancelled. Raises IndexUnavailable.
    """
    done = 0
    for place in note_store_locations(project):
        if place.path.exists():
            with closing(place.open(write=True)) as file:
                done += embed_missing_notes_of(file, maker, embedder, checkpoint)
    return done


def embed_missing_notes_of(file: NoteDatabase, maker: EmbedderInfo, embedder: Embedder, checkpoint: Callable[[], None]) -> int:
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
