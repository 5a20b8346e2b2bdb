"""The notes of a project: written with their vectors where an embedder is at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from scry.core.knowledge import Entry
from scry.core.notes import Note
from scry.index.notes import make_entry
from scry.store.knowledge_file import KnowledgeFile, NewNote
from scry.store.vector_sets import Maker
from scry.store.vectors import Vectors

MAKER = Maker("bundled", "bundled@1/8", 8)


def belief(name: str, statement: str, status: str = "active") -> NewNote:
    path = f".scry/beliefs/{name}.md"
    note = Note("belief", name, statement, "", status=status)
    return NewNote(path, note, make_entry(note, path))


def direction(word: str) -> Vectors:
    """A vector of its own for each first letter."""
    return np.eye(8, dtype=np.float32)[ord(word[0].lower()) % 8]


def embed(entries: Sequence[Entry]) -> tuple[Maker, Vectors]:
    return MAKER, np.stack([direction(entry.title) for entry in entries])


@pytest.fixture
def file(tmp_path: Path) -> Iterator[KnowledgeFile]:
    with closing(KnowledgeFile.open(tmp_path, write=True)) as opened:
        yield opened


def near(file: KnowledgeFile, word: str) -> list[str]:
    """What means that, by doc_id."""
    numbers = file.shelf.by_meaning(MAKER.identity, direction(word)).at_least(0.9).numbers.tolist()
    return sorted(outline.doc_id for outline in file.shelf.outlines(numbers).values())


def test_what_is_written_is_found_by_its_meaning_at_once(file: KnowledgeFile) -> None:
    file.publish([belief("a", "Apples fall"), belief("b", "Bees fly"), belief("r", "Worms", "retracted")], (), embed)
    assert near(file, "Apples") == ["belief:a"]
    assert near(file, "Worms") == []
    file.publish([belief("a", "Cats purr")], [".scry/beliefs/b.md"], embed)
    assert near(file, "Apples") == near(file, "Bees") == []
    assert near(file, "Cats") == ["belief:a"]
    assert file.shelf.lacking(MAKER.identity, 10) == []


def test_many_edits_leave_no_more_than_a_few_vectors_behind(file: KnowledgeFile, tmp_path: Path) -> None:
    for number in range(200):
        file.publish([belief("a", f"Apple {number}")], (), embed)
    file.shelf.tidy()
    (vectors,) = (tmp_path / "knowledge").glob("vectors-*")
    assert vectors.stat().st_size < 100 * (8 + MAKER.dimension)
    assert near(file, "Apples") == ["belief:a"]


def test_without_an_embedder_it_waits_for_its_vector(file: KnowledgeFile) -> None:
    file.publish([belief("a", "Apples fall")])
    assert near(file, "Apples") == []
    assert [title for _, title, _ in file.shelf.lacking(MAKER.identity, 10)] == ["Apples fall"]
