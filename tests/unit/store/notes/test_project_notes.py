"""The notes of a project: written with their vectors where an embedder is at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from scry.core import KnowledgeDocument, NoteFile
from scry.index.notes import make_note_entry
from scry.store import EmbedderInfo, FloatRows
from scry.store.notes import NO_FAULTS, NewNote, ProjectNoteDatabase, VectorFaults

MAKER = EmbedderInfo("bundled", "bundled@1/8", 8)


def belief(name: str, statement: str, status: str = "active") -> NewNote:
    path = f".scry/beliefs/{name}.md"
    note = NoteFile("belief", name, statement, "", status=status)
    return NewNote(path, note, make_note_entry(note, path))


def direction(word: str) -> FloatRows:
    """Return a vector of its own for each first letter."""
    return np.eye(8, dtype=np.float32)[ord(word[0].lower()) % 8]


def embed(entries: Sequence[KnowledgeDocument]) -> tuple[EmbedderInfo, FloatRows, VectorFaults]:
    return MAKER, np.stack([direction(entry.title) for entry in entries]), NO_FAULTS


@pytest.fixture
def file(tmp_path: Path) -> Iterator[ProjectNoteDatabase]:
    with closing(ProjectNoteDatabase.open(tmp_path, write=True)) as opened:
        yield opened


def near(file: ProjectNoteDatabase, word: str) -> list[str]:
    """Return what means that, by doc_id."""
    numbers = file.notes.search_vectors(MAKER.identity, direction(word)).with_min_score(0.9).doc_keys.tolist()
    return sorted(outline.doc_id for outline in file.notes.headers(numbers).values())


def test_published_note_is_found_by_meaning_at_once(file: ProjectNoteDatabase) -> None:
    file.publish([belief("a", "Apples fall"), belief("b", "Bees fly"), belief("r", "Worms", "retracted")], (), embed)
    assert near(file, "Apples") == ["belief:a"]
    assert near(file, "Worms") == []
    file.publish([belief("a", "Cats purr")], [".scry/beliefs/b.md"], embed)
    assert near(file, "Apples") == near(file, "Bees") == []
    assert near(file, "Cats") == ["belief:a"]
    assert file.store.documents_without_vector(MAKER.identity, 10) == []


def test_many_edits_leave_few_dead_vectors(file: ProjectNoteDatabase, tmp_path: Path) -> None:
    for number in range(200):
        file.publish([belief("a", f"Apple {number}")], (), embed)
    file.store.delete_unused_files()
    (vectors,) = (tmp_path / "knowledge").glob("vectors-*")
    assert vectors.stat().st_size < 100 * (8 + MAKER.dimension)
    assert near(file, "Apples") == ["belief:a"]


def test_note_without_an_embedder_waits_for_its_vector(file: ProjectNoteDatabase) -> None:
    file.publish([belief("a", "Apples fall")])
    assert near(file, "Apples") == []
    assert [title for _, title, _ in file.store.documents_without_vector(MAKER.identity, 10)] == ["Apples fall"]
