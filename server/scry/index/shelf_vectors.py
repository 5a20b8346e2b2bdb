"""Gives what stands on shelves its vectors, by the embedder whose vectors answer for the code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing

from scry.embedding.embedder import Embedder, Passage, Vectors
from scry.index.project import Project
from scry.index.shelf_places import shelf_places
from scry.store.knowledge_file import Embed
from scry.store.shelf_file import ShelfFile
from scry.store.vector_sets import Maker

_AT_ONCE = 256


def embedding(maker: Maker, embedder: Embedder) -> Embed:
    """What gives knowledge its vectors by this embedder while it is written."""
    return lambda entries: (maker, _encode(embedder, ((entry.title, entry.text) for entry in entries)))


def fill_shelves(project: Project, maker: Maker, embedder: Embedder, checkpoint: Callable[[], None]) -> int:
    """Embeds what has no vector of this embedder; returns how much that was.

    checkpoint: called before every batch; it may block, or raise Cancelled. Raises IndexUnavailable.
    """
    done = 0
    for place in shelf_places(project):
        if place.path.exists():
            with closing(place.open(write=True)) as file:
                done += fill_shelf(file, maker, embedder, checkpoint)
    return done


def fill_shelf(file: ShelfFile, maker: Maker, embedder: Embedder, checkpoint: Callable[[], None]) -> int:
    """The same for one shelf."""
    done = 0
    if file.shelf.has_unreadable_vectors:
        with file.transaction():
            file.shelf.drop_unreadable_vectors()
    while lacking := file.shelf.lacking(maker.identity, _AT_ONCE):
        checkpoint()
        vectors = _encode(embedder, ((title, text) for _, title, text in lacking))
        with file.transaction():
            file.shelf.publish_vectors(maker, [number for number, _, _ in lacking], vectors)
        done += len(lacking)
    file.shelf.tidy()
    return done


def _encode(embedder: Embedder, notes: Iterable[tuple[str, str]]) -> Vectors:
    """notes: title and text of each."""
    return embedder.encode_passages([note_passage(title, text) for title, text in notes])


def note_passage(title: str, text: str) -> Passage:
    """What an embedder is given of knowledge."""
    return Passage(title, "", "", text)
