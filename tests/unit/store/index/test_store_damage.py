"""Damaged values in the index and the blob cache: only they are lost, and the damage is reported."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from scry.core import IndexDamaged, Point, Span, Symbol, symbol_doc_id
from scry.store import BlobCache, EmbedderInfo, read_cached_blob
from scry.store.index import IndexStore, NewDocument, NewFile, describe_damage


def _file(path: str, name: str) -> NewFile:
    span = Span(Point(0, 0, 0), Point(0, 9, 9))
    symbol = Symbol(name, "function", "", f"def {name}()", "Says what.", span, span, "")
    document = NewDocument(symbol_doc_id(path, name, 0), 0, symbol, name)
    return NewFile(path, 9, 7, path.encode(), language="python", text=f"def {name}", documents=(document,))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an index of two whole files."""
    with closing(IndexStore.open(tmp_path, write=True)) as store:
        store.publish([_file("a.py", "one"), _file("b.py", "two")])
    assert describe_damage(tmp_path) == ""
    return tmp_path


def _damage(folder: Path, column: str, value: bytes) -> None:
    with closing(sqlite3.connect(folder / "index.sqlite")) as db, db:
        db.execute(f"UPDATE files SET {column} = ? WHERE path = 'a.py'", (value,))


@pytest.mark.parametrize("value", [b"\0", b"x\x9cnothing like it", bytes.fromhex("789c03000000 0001")])
def test_damaged_description_loses_only_itself(folder: Path, value: bytes) -> None:
    _damage(folder, "text", value)
    with closing(IndexStore.open(folder, write=False)) as store:
        found = {document.path: document.symbol for document in store.documents.get_documents([1, 2]).values()}
        assert (found["a.py"].name, found["a.py"].signature, found["a.py"].doc) == ("one", "", "")
        assert (found["b.py"].signature, found["b.py"].doc) == ("def two()", "Says what.")
        assert store.damaged_files == {1}
    assert "the index is damaged" in describe_damage(folder)


def test_damaged_text_is_none_and_reported_to_writers(folder: Path) -> None:
    _damage(folder, "text", b"\0\1\2")
    with closing(IndexStore.open(folder, write=False)) as store:
        assert (store.files.get_text("a.py"), store.files.get_text("b.py"), store.damaged_files) == (
            None,
            "def two",
            {1},
        )
        with pytest.raises(IndexDamaged):
            store.files.get_text_by_id(1)
    assert "the index is damaged" in describe_damage(folder)


def test_damaged_vectors_are_reported_and_recorded(folder: Path) -> None:
    maker, vectors = EmbedderInfo("bundled", "bundled@1/8", 8), np.eye(2, 8, dtype=np.float32)
    with closing(IndexStore.open(folder, write=True)) as store:
        store.vectors.publish(maker, [1, 2], vectors)
        assert store.vectors.nearest(maker.identity, vectors[1], 1)[0][0] == 2
    assert describe_damage(folder) == ""
    (file,) = folder.glob("vectors-*")
    file.write_bytes(b"\xff" * file.stat().st_size)
    with closing(IndexStore.open(folder, write=False)) as store:
        with pytest.raises(IndexDamaged, match="damaged; rebuild the index"):
            store.vectors.nearest(maker.identity, vectors[1], 1)
        assert (store.damaged_files, store.files.get_text("a.py")) == ({-1}, "def one")
    assert "is damaged" in describe_damage(folder)


def test_damaged_blob_is_treated_as_missing(tmp_path: Path) -> None:
    BlobCache(tmp_path, today=1).put({b"a": b"first", b"b": b"second"})
    with closing(sqlite3.connect(tmp_path / "blobs.sqlite")) as db, db:
        db.execute("UPDATE parsed SET data = ? WHERE key = ?", (b"\0\1", b"a"))
    assert BlobCache(tmp_path, today=1).get([b"a", b"b"]) == {b"b": b"second"}
    assert (read_cached_blob(tmp_path, b"a"), read_cached_blob(tmp_path, b"b")) == (None, b"second")
