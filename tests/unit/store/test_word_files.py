"""Damage of a word index is damage of its committed files; what a killed writer left half written is none."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from scry.core import IndexUnavailable
from scry.store import LexicalEntry, LexicalIndex
from scry.store.word_files import describe_word_damage


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    index = LexicalIndex(tmp_path / "words", write=True)
    index.write([], [LexicalEntry(number, number, f"alpha word{number}") for number in range(1, 50)])
    index.write([7], [LexicalEntry(90, 90, "beta")])
    index.close()
    return tmp_path / "words"


def test_files_that_a_killed_writer_left_are_no_damage(folder: Path) -> None:
    segment = next(path.name.partition(".")[0] for path in folder.glob("*.store"))
    for name in (".tmpeHZpPt", f"{'0' * 32}.store", f"{segment}.999.del"):
        (folder / name).write_bytes(b"half written")
    assert describe_word_damage(folder) == ""


def test_each_committed_file_is_checked(folder: Path) -> None:
    files = [path for path in folder.iterdir() if len(path.name.partition(".")[0]) == 32]
    assert {path.suffix for path in files} >= {".store", ".term", ".idx", ".del"}
    for path in files:
        content = path.read_bytes()
        _replace(path, bytes([content[0] ^ 1]) + content[1:])
        with suppress(IndexUnavailable):  # tantivy itself can't open it
            assert path.name in describe_word_damage(folder)
        _replace(path, content)


def _replace(path: Path, content: bytes) -> None:
    """Put another file in its place: tantivy's threads still read the one that they mapped, and end with its end."""
    other = path.with_suffix(".new")
    other.write_bytes(content)
    other.replace(path)
