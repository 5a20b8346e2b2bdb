"""Incremental passes: files read, files skipped, and resuming an interrupted pass."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from scry.core import Cancelled, IndexState, load_settings
from scry.core.types import ParsedFile
from scry.index import project_parser
from scry.index.parse.parse import parse
from scry.indexer import refresh as module
from scry.indexer import refresh_index
from scry.projects import Project, open_project
from scry.store import blobs
from scry.store.index import IndexStore


class IndexSample:
    """A project with its index open for writing."""

    def __init__(self, root: Path) -> None:
        root.mkdir()
        self.root = root
        self.store = IndexStore.open(self.project.cache, write=True)
        self.states: list[IndexState] = []

    @property
    def project(self) -> Project:
        return open_project(self.root)

    def write(self, path: str, text: str | bytes) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())

    def update_index(self, *only: str, checkpoint: Callable[[], None] = lambda: None, embed: bool = True) -> IndexState:
        self.states.clear()
        return refresh_index(
            self.project,
            load_settings(self.root, {}),
            self.store,
            only_paths=frozenset(only) or None,
            report=self.states.append,
            checkpoint=checkpoint,
            standalone=embed,
        )

    def names(self) -> list[str]:
        return sorted(
            doc_id
            for path in self.store.files.all_files()
            for _, doc_id in self.store.documents.doc_keys_in_file(path)[1]
        )

    def numbers(self) -> dict[str, int]:
        return {
            doc_id: n
            for path in self.store.files.all_files()
            for n, doc_id in self.store.documents.doc_keys_in_file(path)[1]
        }


@pytest.fixture
def sample(tmp_path: Path) -> IndexSample:
    return IndexSample(tmp_path / "project")


def test_unchanged_files_keep_their_documents(sample: IndexSample) -> None:
    sample.write("a.py", "def one(): pass\n")
    sample.write("b.py", "def two(): pass\n")
    assert sample.update_index().state == "ready"
    before = sample.numbers()
    sample.write("b.py", "def two(): pass\ndef three(): pass\n")
    sample.update_index()
    after = sample.numbers()
    assert after["./a.py::one"] == before["./a.py::one"]
    assert after["./b.py::two"] != before["./b.py::two"]
    assert set(after) == {"./a.py::one", "./b.py::two", "./b.py::three"}


def test_touched_file_with_equal_content_keeps_its_documents(sample: IndexSample) -> None:
    sample.write("a.py", "def one(): pass\n")
    sample.update_index()
    before = sample.numbers()
    os.utime(sample.root / "a.py", ns=(1, 1))
    sample.update_index()
    assert sample.numbers() == before
    assert sample.store.files.all_files()["a.py"].mtime_ns == 1


def test_refresh_can_be_limited_to_paths(sample: IndexSample) -> None:
    sample.write("a.py", "def one(): pass\n")
    sample.update_index()
    sample.write("sub/b.py", "def two(): pass\n")
    sample.write("c.py", "def unseen(): pass\n")
    sample.update_index("sub")
    assert sample.names() == ["./a.py::one", "./sub/b.py::two"]
    (sample.root / "sub/b.py").unlink()
    state = sample.update_index("sub/b.py")
    assert sample.names() == ["./a.py::one"]
    assert (state.files_indexed, state.files_total) == (1, 1)


def test_row_of_a_link_follows_its_target_elsewhere(sample: IndexSample) -> None:
    sample.write("sub/b.py", "def two(): pass\n")
    (sample.root / "link.py").symlink_to("sub/b.py")
    (sample.root / "outside.py").symlink_to("/")
    sample.update_index()

    def reason() -> str:
        skip = sample.store.files.all_files()["link.py"].skip
        return skip.detail if skip else ""

    assert reason() == "a link to sub/b.py"
    (sample.root / "sub/b.py").rename(sample.root / "sub/c.py")
    sample.update_index("sub")
    assert reason() == "a broken link to sub/b.py"
    sample.write("sub/b.py", "def two(): pass\n")
    sample.update_index("sub/b.py")
    assert reason() == "a link to sub/b.py"


def test_index_stays_complete_when_paths_are_compared_before_their_vectors_are_made(sample: IndexSample) -> None:
    sample.write("a.py", "def one(): pass\n")
    sample.update_index()
    for text in ("def two(): pass\n", "def three(): pass\n"):  # the second while the first still lacks its vector
        sample.write("a.py", text)
        sample.update_index("a.py", embed=False)
    assert sample.store.state().state == "starting"
    sample.update_index("a.py")
    assert sample.store.state().state == "ready"


def test_index_of_single_paths_is_not_complete_before_a_whole_pass(sample: IndexSample) -> None:
    sample.write("a.py", "def one(): pass\n")
    sample.write("b.py", "def two(): pass\n")
    sample.update_index("a.py")
    assert sample.store.state().state == "starting"
    sample.update_index()
    assert sample.store.state().state == "ready"


def test_a_changed_rule_is_applied_to_the_whole_tree(sample: IndexSample) -> None:
    sample.write("a.py", "def one(): pass\n")
    sample.write("gen/b.py", "def two(): pass\n")
    sample.update_index()
    sample.write(".scryignore", "gen/\n")
    sample.update_index(".scryignore")
    assert "./gen/b.py::two" not in sample.names()
    (sample.root / ".scryignore").unlink()
    sample.update_index(".scryignore")
    assert "./gen/b.py::two" in sample.names()


def test_disabled_language_can_be_enabled_again(sample: IndexSample) -> None:
    sample.write("a.py", "def one(): pass\n")
    sample.write("b.go", "package b\n\nfunc Two() {}\n")
    sample.update_index()
    sample.write(".scry/config.toml", 'languages = ["go"]\n')
    sample.update_index()
    assert [name for name in sample.names() if "::" in name] == ["./b.go::Two"]
    (sample.root / ".scry/config.toml").unlink()
    sample.update_index()
    assert "./a.py::one" in sample.names()


def test_files_without_text_are_rows_with_a_reason(sample: IndexSample) -> None:
    sample.write("a.png", b"\x89PNG\x00\x00")
    sample.write("latin.py", "# caf\xe9 ol\xe9\ndef one(): pass\n".encode("latin-1"))
    sample.write("wide.py", "def two(): pass\n".encode("utf-16"))
    sample.write("empty.py", "")
    sample.write("big.py", "x = 1\n" * 400_000)
    sample.write("min.js", "var a=1;" * 10_000)
    sample.update_index()
    reasons = {path: file.skip.reason.name for path, file in sample.store.files.all_files().items() if file.skip}
    assert reasons == {"a.png": "BINARY", "big.py": "TOO_LARGE", "min.js": "MINIFIED"}
    assert {"./latin.py::one", "./wide.py::two"} <= set(sample.names())


def test_interrupted_first_pass_resumes(sample: IndexSample, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_FILES", 3)
    for number in range(12):
        sample.write(f"f{number:02}.py", f"def name_{number}(): pass\n")
    left = [3]

    def stop() -> None:
        left[0] -= 1
        if left[0] == 0:
            raise Cancelled("stop here")

    with pytest.raises(Cancelled):
        sample.update_index(checkpoint=stop)
    kept = sample.numbers()
    assert len(kept) == 6
    sample.update_index()
    assert len(sample.numbers()) == 12
    assert {name: number for name, number in sample.numbers().items() if name in kept} == kept


def test_progress_counts_up_to_the_total(sample: IndexSample, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_FILES", 2)
    for number in range(5):
        sample.write(f"f{number}.py", f"def name_{number}(): pass\n")
    sample.update_index()
    counted = [(state.files_indexed, state.files_total) for state in sample.states]
    assert counted == sorted(counted)
    assert counted[-1] == (5, 5)
    assert all(state.state == "indexing" for state in sample.states)


@pytest.mark.parametrize(("files", "found_before_each_batch"), [(9, [0, 1, 6]), (8, [0, 5])])
def test_first_files_of_a_long_pass_are_found_after_a_small_batch(
    sample: IndexSample, monkeypatch: pytest.MonkeyPatch, files: int, found_before_each_batch: list[int]
) -> None:
    size = len("def name_0(): pass\n")
    monkeypatch.setattr(module, "FIRST_BATCH_BYTES", size)
    monkeypatch.setattr(module, "LONG_PASS_BYTES", 9 * size)
    monkeypatch.setattr(module, "BATCH_BYTES", 5 * size)
    for number in range(files):
        sample.write(f"f{number}.py", f"def name_{number}(): pass\n")
    found: list[int] = []
    sample.update_index(checkpoint=lambda: found.append(len(sample.numbers())))
    assert found[: len(found_before_each_batch)] == found_before_each_batch
    assert len(sample.numbers()) == files


def test_content_known_from_another_project_is_not_parsed(
    sample: IndexSample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample.write("a.py", "def one():\n    return 'quite unlike any other test'\n")
    sample.update_index()
    other = IndexSample(tmp_path / "clone")
    other.write("a.py", (sample.root / "a.py").read_text())

    def parse(path: str, text: str) -> None:
        raise AssertionError(f"{path} was parsed again")

    monkeypatch.setattr("scry.index.project_parser.parse", parse)
    other.update_index()
    assert other.names() == ["./a.py::one"]


def test_incremental_index_equals_fresh_after_compaction(sample: IndexSample, tmp_path: Path) -> None:
    for number in range(30):
        sample.write(f"f{number:02}.py", f"def common_{number}():\n    return 'common words {number}'\n")
    sample.update_index()
    for number in range(0, 30, 3):
        sample.write(f"f{number:02}.py", f"def common_{number}():\n    return 'other words'\n")
    (sample.root / "f01.py").unlink()
    sample.update_index()
    fresh = IndexSample(tmp_path / "fresh")
    for path in sorted(sample.root.glob("*.py")):
        fresh.write(path.name, path.read_text())
    fresh.update_index()
    assert _scores(sample.store) == _scores(fresh.store)


def _scores(store: IndexStore) -> list[tuple[str, float]]:
    store.refresh()
    scored = store.lexical.search(["common", "other"], 100)
    outlines = store.documents.headers([number for number, _ in scored])
    return sorted((outlines[number].doc_id, round(score, 4)) for number, score in scored)


def cancel_before_vectors(sample: IndexSample) -> Callable[[], None]:
    """Return a checkpoint that ends the pass once all of its files are read."""

    def checkpoint() -> None:
        if sample.store.vectors.counts()[1] == 50:
            raise Cancelled

    return checkpoint


def test_files_are_parsed_once_where_their_cache_is_larger_than_it_may_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The vectors are made after all files were read, from what was parsed then."""
    parsed: list[str] = []

    def parse_and_count(path: str, text: str, max_seconds: float) -> ParsedFile:
        parsed.append(path)
        return parse(path, text, max_seconds)

    monkeypatch.setattr(project_parser, "parse", parse_and_count)
    monkeypatch.setattr(blobs, "MAX_CACHE_BYTES", 1_000)
    monkeypatch.setattr(module, "MAX_PARSED_ANEW", 30)
    sample = IndexSample(tmp_path / "many")
    for number in range(50):
        sample.write(f"f{number}.py", f"def name_{number}():\n    return {number}\n")
    with pytest.raises(Cancelled):
        sample.update_index(checkpoint=cancel_before_vectors(sample))
    assert sample.store.vectors.counts() == (0, 50)
    assert sample.update_index().vectors == 50
    assert len(parsed) == 50, "nor after an end between reading and vectors"
    with closing(sqlite3.connect(sample.project.cache.parent / "blobs.sqlite")) as cache:
        assert cache.execute("SELECT coalesce(sum(length(data)), 0) FROM parsed").fetchone()[0] <= 1_000
