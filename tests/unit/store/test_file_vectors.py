"""The vectors of files, which are means of those of their documents."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from scry.core import Point, Span, Symbol, symbol_doc_id
from scry.store import FULL_LENGTH_LINES, EmbedderInfo
from scry.store.index import IndexStore, NewDocument, NewFile
from tests.unit.store.test_vectors import BUNDLED, unit_vectors


def file_of(path: str, *line_counts: int) -> NewFile:
    """Return a file with a function of each of these numbers of lines."""
    documents: list[NewDocument] = []
    start = 0
    for at, count in enumerate(line_counts):
        span = Span(Point(start, 0, 0), Point(start + count - 1, 1, 1))
        name = f"f{at}"
        symbol = Symbol(name, "function", "", name, "", span, span, "")
        documents.append(NewDocument(symbol_doc_id(path, name, 0), 0, symbol, name))
        start += count
    return NewFile(path, 1, 7, path.encode(), text="x", documents=tuple(documents))


def test_cosine_of_a_file_is_that_of_its_documents_mean_by_lines(tmp_path: Path) -> None:
    vectors, query = unit_vectors(1, 5, 64), unit_vectors(2, 1, 64)[0]
    maker = EmbedderInfo("bundled", "bundled@1/64", 64)
    with closing(IndexStore.open(tmp_path, write=True)) as store:
        store.publish([file_of("a.py", 1, 30, 1000), file_of("b.py", 2), file_of("empty.py")])
        assert store.vectors.file_cosines(maker.identity, query, ["a.py"]) == {}
        store.vectors.publish(maker, [1, 2, 3, 4], vectors[:4])
        found = store.vectors.file_cosines(maker.identity, query, ["b.py", "empty.py", "a.py", "gone.py"])
        mean = (vectors[:3] * np.array([[1], [30], [FULL_LENGTH_LINES]])).sum(axis=0)
        assert list(found) == ["b.py", "a.py"]
        assert found["a.py"] == pytest.approx(float(mean @ query / np.linalg.norm(mean)), abs=0.003)
        assert found["b.py"] == store.vectors.cosine_of(maker.identity, query, 4), "of a single document"
        assert store.vectors.file_cosines("other@1/64", query, ["a.py"]) == {}
        store.publish([file_of("b.py", 2)], removed_paths=["a.py"])
        assert store.vectors.file_cosines(maker.identity, query, ["a.py", "b.py"]) == {}, "the text is another one"
        store.vectors.publish(maker, [5], vectors[4:])
        assert list(store.vectors.file_cosines(maker.identity, query, ["a.py", "b.py"])) == ["b.py"]


def test_file_without_any_word_has_no_cosine_and_a_damaged_vector_costs_its_own(tmp_path: Path) -> None:
    vectors, query = unit_vectors(1, 2, 8), unit_vectors(2, 1, 8)[0]
    vectors[0] = 0
    with closing(IndexStore.open(tmp_path, write=True)) as store:
        store.publish([file_of("a.py", 1), file_of("b.py", 1)])
        store.vectors.publish(BUNDLED, [1, 2], vectors)
        store.publish([file_of("c.py", 1)])
        store.vectors.publish(BUNDLED, [3], vectors[1:])
    with closing(sqlite3.connect(tmp_path / "index.sqlite")) as db, db:
        db.execute("UPDATE file_vectors SET vector = x'00' WHERE file = (SELECT id FROM files WHERE path = 'b.py')")
    with closing(IndexStore.open(tmp_path, write=False)) as store:
        assert list(store.vectors.file_cosines(BUNDLED.identity, query, ["a.py", "b.py", "c.py"])) == ["c.py"]
        assert [store.vectors.similar_files(path) for path in ("a.py", "b.py", "c.py")] == [[], [], []]


def test_similar_files_come_nearest_first_and_equal_ones_by_path(tmp_path: Path) -> None:
    vectors = unit_vectors(1, 3, 64)
    near = vectors[0] + vectors[1]
    rows = np.array([vectors[0], near / np.linalg.norm(near), vectors[1], vectors[1], np.zeros(64)], np.float32)
    with closing(IndexStore.open(tmp_path, write=True)) as store:
        assert store.vectors.similar_files("a.py") == []
        store.publish([file_of(path, 1) for path in ("a.py", "b.py", "d.py", "c.py", "wordless.py")])
        store.vectors.publish(EmbedderInfo("bundled", "bundled@1/64", 64), [1, 2, 3, 4, 5], rows)
        found = store.vectors.similar_files("a.py")
        assert [path for path, _ in found] == ["b.py", "c.py", "d.py"]
        assert [cosine for _, cosine in found] == pytest.approx([float(rows[0] @ row) for row in rows[1:4]], abs=0.01)
