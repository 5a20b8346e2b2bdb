"""Freshness of an index, and the format versions of two indexers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

import scry
from scry.core import Settings
from scry.indexer import (
    describe_other_version,
    index_format_version,
    is_index_current,
    is_newer_format,
    read_outside_rules,
    refresh_index,
    remove_fingerprint,
    write_fingerprint,
)
from scry.projects import Project, open_project
from scry.store.index import IndexStore
from tests.sample.project import SampleProject, git

CACHE_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n"


class IndexSample:
    """A project and its index, updated by `refresh` alone."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        for path in ("a.py", "src/b.py", "src/deep/c.py"):
            self.write(path, f"def {Path(path).stem}():\n    pass\n")
        self.write(".gitignore", "*.log\n")
        self.write("run.log", "1")
        opened = open_project(self.root)
        self.project = Project(opened.root, opened.name, opened.key, folder / "cache", folder / "data")
        self.settings = Settings()
        self.store = IndexStore.open(self.project.cache, write=True)
        self.refresh()

    def write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def refresh(self, only: frozenset[str] | None = None) -> None:
        remove_fingerprint(self.project)
        refresh_index(
            self.project, self.settings, self.store, only_paths=only, report=lambda _: None, checkpoint=lambda: None
        )
        write_fingerprint(self.project, self.settings, read_outside_rules(self.root))

    def indexed(self) -> set[str]:
        return {path for path, file in self.store.files.all_files().items() if file.skip is None}

    def current(self) -> bool:
        return is_index_current(self.project, self.settings, self.store.files)


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[IndexSample]:
    sample = IndexSample(tmp_path)
    yield sample
    sample.store.close()


def test_index_is_current_after_a_pass(sample: IndexSample) -> None:
    assert sample.current()


def _change(sample: IndexSample) -> None:
    sample.write("src/b.py", "def other():\n    pass\n")


def _change_keeping_the_size(sample: IndexSample) -> None:
    sample.write("src/b.py", (sample.root / "src/b.py").read_text().replace("b", "x"))


def _change_keeping_the_time(sample: IndexSample) -> None:
    before = (sample.root / "a.py").stat()
    sample.write("a.py", "def a_longer_one():\n    pass\n")
    os.utime(sample.root / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))


def _change_keeping_size_and_time(sample: IndexSample) -> None:
    """As archives with one time for all files, `cp -p` and `touch -r` do."""
    before = (sample.root / "src/b.py").stat()
    sample.write("src/b.py", "def x():\n    pass\n")
    os.utime(sample.root / "src/b.py", ns=(before.st_atime_ns, before.st_mtime_ns))


def _add(sample: IndexSample) -> None:
    sample.write("src/deep/new.py", "x = 1\n")


def _add_folder(sample: IndexSample) -> None:
    sample.write("fresh/new.py", "x = 1\n")


def _remove(sample: IndexSample) -> None:
    (sample.root / "a.py").unlink()


def _rename(sample: IndexSample) -> None:
    (sample.root / "src/b.py").rename(sample.root / "src/z.py")


def _remove_folder(sample: IndexSample) -> None:
    (sample.root / "src/deep/c.py").unlink()
    (sample.root / "src/deep").rmdir()


def _restore_an_older_file(sample: IndexSample) -> None:
    os.utime(sample.root / "a.py", ns=(0, 0))


@pytest.mark.parametrize(
    "act",
    [
        _change,
        _change_keeping_the_size,
        _change_keeping_the_time,
        _change_keeping_size_and_time,
        _add,
        _add_folder,
        _remove,
        _rename,
        _remove_folder,
        _restore_an_older_file,
    ],
)
def test_every_kind_of_change_is_detected_and_refreshed(sample: IndexSample, act: object) -> None:
    assert callable(act)
    act(sample)
    assert not sample.current()
    sample.refresh()
    assert sample.current()


@pytest.fixture
def outer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexSample]:
    """Return a project in a folder of a repository, with ignored files of rules, in a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    git(tmp_path, "init", "-q")
    ignored = {"part/pyvenv.cfg": "", "part/d.py": "", "src/.gitignore": ".scryignore\n", "src/.scryignore": ""}
    SampleProject(tmp_path / "project").write({**ignored, "tags/CACHEDIR.TAG": "", "tags/e.py": ""})
    sample = IndexSample(tmp_path)
    yield sample
    sample.store.close()


@pytest.mark.parametrize(
    ("path", "text", "changed"),
    [
        ("../.git/info/exclude", "a.*\n", {"a.py"}),
        ("../.gitignore", "a.*\n", {"a.py"}),
        ("../.scryignore", "a.*\n", {"a.py"}),
        ("../home/git/ignore", "a.*\n", {"a.py"}),
        ("src/.scryignore", "b.py\n", {"src/b.py"}),
        ("tags/CACHEDIR.TAG", CACHE_TAG, {"tags/CACHEDIR.TAG", "tags/e.py"}),
        ("part/pyvenv.cfg", None, {"part/d.py"}),
    ],
)
def test_changed_rules_that_are_no_row_are_detected(
    outer: IndexSample, path: str, text: str | None, changed: set[str]
) -> None:
    before = outer.indexed()
    assert outer.current()
    if text is None:
        (outer.root / path).unlink()
    else:
        outer.write(path, text)
    assert not outer.current()
    outer.refresh()
    assert outer.current()
    assert outer.indexed() ^ before == changed


def test_repository_made_around_the_project_is_detected(sample: IndexSample) -> None:
    SampleProject(sample.root.parent).write({".gitignore": "a.py\n"})
    assert sample.current()
    git(sample.root.parent, "init", "-q")
    assert not sample.current()
    sample.refresh()
    assert "a.py" not in sample.indexed()


def test_changed_ignored_file_keeps_the_index_current(sample: IndexSample) -> None:
    sample.write("run.log", "22")
    assert sample.current()


def test_new_name_beside_a_compared_file_is_seen(sample: IndexSample) -> None:
    sample.write("src/unseen.py", "x = 1\n")
    sample.write("src/b.py", "def other():\n    pass\n")
    sample.refresh(frozenset(["src/b.py"]))
    assert not sample.current()
    sample.refresh(frozenset(["src/unseen.py"]))
    assert sample.current()


def test_changed_settings_make_the_index_stale(sample: IndexSample) -> None:
    for change in ({"ignore": ("x",)}, {"languages": ("go",)}, {"max_file_bytes": 5}, {"model": "other"}):
        assert not is_index_current(sample.project, replace(sample.settings, **change), sample.store)  # pyright: ignore[reportArgumentType]
    assert is_index_current(sample.project, replace(sample.settings, warnings=("told",)), sample.store.files)


def test_interrupted_pass_leaves_the_index_stale(sample: IndexSample) -> None:
    remove_fingerprint(sample.project)
    assert not sample.current()


@pytest.mark.parametrize("content", [b"", b"0123abcd", b"{}", b'{"settings":"\xff"}', None])
def test_damaged_basis_of_the_last_pass_leaves_the_index_stale(sample: IndexSample, content: bytes | None) -> None:
    file = sample.project.cache / "indexed-with"
    file.write_bytes(
        file.read_text().replace('"files":{"', '"files":{"\u0416').encode() if content is None else content
    )
    assert not sample.current()
    sample.refresh()
    assert sample.current()


def test_an_empty_index_is_not_current(sample: IndexSample) -> None:
    sample.store.reset()
    assert not sample.current()


@pytest.mark.parametrize("mtime", [None, 1_000_000_000, 4_000_000_000])
def test_change_within_a_tick_after_reading_is_seen(sample: IndexSample, mtime: int | None) -> None:
    """mtime: what a program sets, in the past and in the future."""

    def write(name: str) -> None:
        sample.write("a.py", f"def {name}():\n    pass\n")
        if mtime is not None:
            os.utime(sample.root / "a.py", (mtime, mtime))

    for number in range(6):
        write(f"n_{number:03}a")
        sample.refresh(frozenset(["a.py"]))
        write(f"n_{number:03}b")
        assert not sample.current()


def test_index_format_version_joins_release_and_schema_numbers() -> None:
    version, _, shapes = index_format_version().partition("+")
    assert version == scry.__version__
    assert all(number.isdecimal() for number in shapes.split("."))


def test_format_versions_are_compared_numerically(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scry, "__version__", "0.9.0")
    shapes = index_format_version().partition("+")[2]
    later = f"{int(shapes.split('.')[0]) + 100}.{shapes.partition('.')[2]}"
    assert is_newer_format(f"0.10.0+{shapes}")
    assert is_newer_format(f"0.9.0+{later}")
    assert not is_newer_format(index_format_version())
    assert not is_newer_format("0.9.0")  # of before there were editions


def test_version_message_names_both_versions() -> None:
    assert describe_other_version("9.9+1.2.3.4") == (
        f"This project is indexed by Scry 9.9+1.2.3.4, and this is Scry {index_format_version()}: restart to update it."
    )
