"""Reading ahead fills the cache and decides nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from scry.core import Settings
from scry.embedding import load_bundled_model
from scry.index import project_parser as contents
from scry.index.scan import FileEntry
from scry.index.scan.walk import walk
from scry.indexer import Prefetcher, embed, refresh_index
from scry.indexer import prefetch as module
from scry.projects import open_project
from scry.store.index import IndexStore

pytestmark = pytest.mark.slow

Indexed = list[tuple[str, str, list[tuple[int, str]]]]


def write_tree(root: Path) -> None:
    for number in range(100):
        body = (
            f'"""File {number}."""\n\n\ndef name_{number}():\n    return {number}\n\n\nclass Kind{number}:\n    pass\n'
        )
        (root / f"part{number % 7}").mkdir(parents=True, exist_ok=True)
        (root / f"part{number % 7}" / f"f{number}.py").write_text(body)
    (root / "odd\udcff.py").write_bytes(b"def odd(): pass\n")


def index(root: Path, folder: Path) -> Indexed:
    """Return all documents, and those nearest to a query."""
    store = IndexStore.open(folder, write=True)
    refresh_index(
        open_project(root), Settings(), store, only_paths=None, report=lambda _: None, checkpoint=lambda: None
    )
    documents = [
        (path, store.files.get_text(path) or "", store.documents.doc_keys_in_file(path)[1])
        for path in sorted(store.files.all_files())
    ]
    near = store.vectors.nearest(load_bundled_model().identity, load_bundled_model().encode_query("name 7"), 1000)
    store.close()
    return [*documents, ("", repr(near), [])]


def forbid(*_: object) -> None:
    raise AssertionError("this was to be read ahead")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_tree(tmp_path / "project")
    return tmp_path / "project"


def prefetch_all(root: Path, monkeypatch: pytest.MonkeyPatch, processes: int) -> None:
    monkeypatch.setattr(module, "MIN_PREFETCH_BYTES", 1)
    monkeypatch.setattr(module, "available_cpus", lambda: processes + 1)
    project = open_project(root)
    project.cache.mkdir(parents=True, exist_ok=True)
    entries: list[FileEntry] = list(walk(root, Settings(), {}))
    one = Prefetcher(project)
    one.start(entries, Settings(), embed=True)
    assert len(one.running) == processes
    assert [process.wait(60) for process in one.running] == [0] * processes


@pytest.mark.parametrize("processes", [1, 3])
def test_prefetched_files_are_not_parsed_or_embedded_again(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    prefetch_all(root, monkeypatch, processes)
    monkeypatch.setattr(contents, "parse", forbid)
    monkeypatch.setattr(embed, "make_passages", forbid)
    prefetched = index(root, tmp_path / "cache" / "one")
    monkeypatch.undo()
    (tmp_path / "alone").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "alone"))
    assert index(root, open_project(root).cache) == prefetched


def test_small_tree_is_not_prefetched(root: Path) -> None:
    one = Prefetcher(open_project(root))
    one.start(list(walk(root, Settings(), {})), Settings(), embed=True)
    assert not one.running


def test_stopped_prefetchers_end(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MIN_PREFETCH_BYTES", 1)
    monkeypatch.setattr(module, "available_cpus", lambda: 2)
    project = open_project(root)
    project.cache.mkdir(parents=True)
    one = Prefetcher(project)
    one.start(list(walk(root, Settings(), {})) * 1000, Settings(), embed=False)
    (process,) = one.running
    one.close()
    assert process.poll() is not None
