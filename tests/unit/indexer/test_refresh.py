"""One pass after another: what it reads, what it leaves alone, and where it goes on when it was cut short."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from scry.core import Cancelled, IndexState, load_settings
from scry.indexer import refresh as module
from scry.indexer import refresh_index
from scry.projects import Project, open_project
from scry.store.index import IndexStore


class Place:
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
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())

    def bring(self, *only: str, checkpoint: Callable[[], None] = lambda: None) -> IndexState:
        self.states.clear()
        return refresh_index(
            self.project,
            load_settings(self.root, {}),
            self.store,
            only_paths=frozenset(only) or None,
            report=self.states.append,
            checkpoint=checkpoint,
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
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "project")


def test_unchanged_files_keep_their_documents(place: Place) -> None:
    place.write("a.py", "def one(): pass\n")
    place.write("b.py", "def two(): pass\n")
    assert place.bring().state == "ready"
    before = place.numbers()
    place.write("b.py", "def two(): pass\ndef three(): pass\n")
    place.bring()
    after = place.numbers()
    assert after["./a.py::one"] == before["./a.py::one"]
    assert after["./b.py::two"] != before["./b.py::two"]
    assert set(after) == {"./a.py::one", "./b.py::two", "./b.py::three"}


def test_touched_file_with_equal_content_keeps_its_documents(place: Place) -> None:
    place.write("a.py", "def one(): pass\n")
    place.bring()
    before = place.numbers()
    os.utime(place.root / "a.py", ns=(1, 1))
    place.bring()
    assert place.numbers() == before
    assert place.store.files.all_files()["a.py"].mtime_ns == 1


def test_refresh_can_be_limited_to_paths(place: Place) -> None:
    place.write("a.py", "def one(): pass\n")
    place.bring()
    place.write("sub/b.py", "def two(): pass\n")
    place.write("c.py", "def unseen(): pass\n")
    place.bring("sub")
    assert place.names() == ["./a.py::one", "./sub/b.py::two"]
    (place.root / "sub/b.py").unlink()
    state = place.bring("sub/b.py")
    assert place.names() == ["./a.py::one"]
    assert (state.files_indexed, state.files_total) == (1, 1)


def test_a_changed_rule_is_applied_to_the_whole_tree(place: Place) -> None:
    place.write("a.py", "def one(): pass\n")
    place.write("gen/b.py", "def two(): pass\n")
    place.bring()
    place.write(".scryignore", "gen/\n")
    place.bring(".scryignore")
    assert "./gen/b.py::two" not in place.names()
    (place.root / ".scryignore").unlink()
    place.bring(".scryignore")
    assert "./gen/b.py::two" in place.names()


def test_disabled_language_can_be_enabled_again(place: Place) -> None:
    place.write("a.py", "def one(): pass\n")
    place.write("b.go", "package b\n\nfunc Two() {}\n")
    place.bring()
    place.write(".scry/config.toml", 'languages = ["go"]\n')
    place.bring()
    assert [name for name in place.names() if "::" in name] == ["./b.go::Two"]
    (place.root / ".scry/config.toml").unlink()
    place.bring()
    assert "./a.py::one" in place.names()


def test_files_without_text_are_rows_with_a_reason(place: Place) -> None:
    place.write("a.png", b"\x89PNG\x00\x00")
    place.write("latin.py", "# caf\xe9 ol\xe9\ndef one(): pass\n".encode("latin-1"))
    place.write("wide.py", "def two(): pass\n".encode("utf-16"))
    place.write("empty.py", "")
    place.write("big.py", "x = 1\n" * 400_000)
    place.write("min.js", "var a=1;" * 10_000)
    place.bring()
    reasons = {path: file.skip.reason.name for path, file in place.store.files.all_files().items() if file.skip}
    assert reasons == {"a.png": "BINARY", "big.py": "TOO_LARGE", "min.js": "MINIFIED"}
    assert {"./latin.py::one", "./wide.py::two"} <= set(place.names())


def test_interrupted_first_pass_resumes(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_FILES", 3)
    for number in range(12):
        place.write(f"f{number:02}.py", f"def name_{number}(): pass\n")
    left = [3]

    def stop() -> None:
        left[0] -= 1
        if left[0] == 0:
            raise Cancelled("stop here")

    with pytest.raises(Cancelled):
        place.bring(checkpoint=stop)
    kept = place.numbers()
    assert len(kept) == 6
    place.bring()
    assert len(place.numbers()) == 12
    assert {name: number for name, number in place.numbers().items() if name in kept} == kept


def test_progress_counts_up_to_the_total(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_FILES", 2)
    for number in range(5):
        place.write(f"f{number}.py", f"def name_{number}(): pass\n")
    place.bring()
    counted = [(state.files_indexed, state.files_total) for state in place.states]
    assert counted == sorted(counted)
    assert counted[-1] == (5, 5)
    assert all(state.state == "indexing" for state in place.states)


def test_content_known_from_another_project_is_not_parsed(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("a.py", "def one():\n    return 'quite unlike any other test'\n")
    place.bring()
    other = Place(tmp_path / "clone")
    other.write("a.py", (place.root / "a.py").read_text())

    def parse(path: str, text: str) -> None:
        raise AssertionError(f"{path} was parsed again")

    monkeypatch.setattr("scry.index.project_parser.parse", parse)
    other.bring()
    assert other.names() == ["./a.py::one"]


def test_incremental_index_equals_fresh_after_compaction(place: Place, tmp_path: Path) -> None:
    for number in range(30):
        place.write(f"f{number:02}.py", f"def common_{number}():\n    return 'common words {number}'\n")
    place.bring()
    for number in range(0, 30, 3):
        place.write(f"f{number:02}.py", f"def common_{number}():\n    return 'other words'\n")
    (place.root / "f01.py").unlink()
    place.bring()
    fresh = Place(tmp_path / "fresh")
    for path in sorted(place.root.glob("*.py")):
        fresh.write(path.name, path.read_text())
    fresh.bring()
    assert _scores(place.store) == _scores(fresh.store)


def _scores(store: IndexStore) -> list[tuple[str, float]]:
    store.refresh()
    scored = store.lexical.search(["common", "other"], 100)
    outlines = store.documents.headers([number for number, _ in scored])
    return sorted((outlines[number].doc_id, round(score, 4)) for number, score in scored)
