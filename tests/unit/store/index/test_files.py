"""Reading files by path, including unusual paths."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.core import SkippedFile, SkipReason
from scry.store.index import IndexStore, NewFile

PATHS = [
    "a.py",
    "a/b.py",
    "a/b/c.py",
    "a/b/d.py",
    "a-b/c.py",
    "a0/c.py",
    "a.b/c.py",
    "é/ü.py",
    "z",
    os.fsdecode(b"a/\xff.py"),
    os.fsdecode(b"a/b/\xfe/x.py"),
    os.fsdecode(b"\xff/a.py"),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[IndexStore]:
    opened = IndexStore.open(tmp_path, write=True)
    opened.publish([NewFile(path, 1, 1, b"", SkippedFile(SkipReason.BINARY, "")) for path in PATHS])
    yield opened
    opened.close()


def below(path: str) -> set[str]:
    return {known for known in PATHS if known == path or known.startswith(f"{path}/")}


@pytest.mark.parametrize("path", ["a", "a/b", "a.py", "é", "none", os.fsdecode(b"\xff"), os.fsdecode(b"a/b/\xfe")])
def test_files_at_a_path_are_itself_and_what_is_below(store: IndexStore, path: str) -> None:
    assert store.files.files_under([path]).keys() == below(path)
    assert store.files.files_under([path, "z"]).keys() == below(path) | {"z"}


@pytest.mark.parametrize("folder", ["", "a", "a/b", "a-b", "none", os.fsdecode(b"\xff")])
def test_child_names_include_indexed_files_only(store: IndexStore, folder: str) -> None:
    chance = random.Random(7)
    prefix = f"{folder}/" if folder else ""
    for _ in range(20):
        but = frozenset(chance.sample(PATHS, chance.randrange(5)))
        inside = {path[len(prefix) :] for path in PATHS if path.startswith(prefix) and path not in but}
        assert store.files.child_names(folder, but) == {path.partition("/")[0] for path in inside}


def test_index_reports_whether_it_has_files(store: IndexStore, tmp_path: Path) -> None:
    assert store.files.has_files
    store.publish([], PATHS)
    assert not store.files.has_files
