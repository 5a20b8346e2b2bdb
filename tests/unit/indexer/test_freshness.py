"""Which of two indexers keeps an index."""

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
    refresh_index,
    remove_fingerprint,
    write_fingerprint,
)
from scry.projects import Project, open_project
from scry.store.index import IndexStore


class Place:
    """A project and its index, brought up to the files when told."""

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
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def refresh(self, only: frozenset[str] | None = None) -> None:
        remove_fingerprint(self.project)
        refresh_index(
            self.project, self.settings, self.store, only_paths=only, report=lambda _: None, checkpoint=lambda: None
        )
        write_fingerprint(self.project, self.settings)

    def current(self) -> bool:
        return is_index_current(self.project, self.settings, self.store.files)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path)
    yield place
    place.store.close()


def test_index_is_current_after_a_pass(place: Place) -> None:
    assert place.current()


def _change(place: Place) -> None:
    place.write("src/b.py", "def other():\n    pass\n")


def _change_keeping_the_size(place: Place) -> None:
    place.write("src/b.py", (place.root / "src/b.py").read_text().replace("b", "x"))


def _change_keeping_the_time(place: Place) -> None:
    before = (place.root / "a.py").stat()
    place.write("a.py", "def a_longer_one():\n    pass\n")
    os.utime(place.root / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))


def _add(place: Place) -> None:
    place.write("src/deep/new.py", "x = 1\n")


def _add_folder(place: Place) -> None:
    place.write("fresh/new.py", "x = 1\n")


def _remove(place: Place) -> None:
    (place.root / "a.py").unlink()


def _rename(place: Place) -> None:
    (place.root / "src/b.py").rename(place.root / "src/z.py")


def _remove_folder(place: Place) -> None:
    (place.root / "src/deep/c.py").unlink()
    (place.root / "src/deep").rmdir()


def _restore_an_older_file(place: Place) -> None:
    os.utime(place.root / "a.py", ns=(0, 0))


@pytest.mark.parametrize(
    "act",
    [
        _change,
        _change_keeping_the_size,
        _change_keeping_the_time,
        _add,
        _add_folder,
        _remove,
        _rename,
        _remove_folder,
        _restore_an_older_file,
    ],
)
def test_every_kind_of_change_is_detected_and_refreshed(place: Place, act: object) -> None:
    assert callable(act)
    act(place)
    assert not place.current()
    place.refresh()
    assert place.current()


def test_changed_ignored_file_keeps_the_index_current(place: Place) -> None:
    place.write("run.log", "22")
    assert place.current()


def test_new_name_beside_a_compared_file_is_seen(place: Place) -> None:
    place.write("src/unseen.py", "x = 1\n")
    place.write("src/b.py", "def other():\n    pass\n")
    place.refresh(frozenset(["src/b.py"]))
    assert not place.current()
    place.refresh(frozenset(["src/unseen.py"]))
    assert place.current()


def test_changed_settings_make_the_index_stale(place: Place) -> None:
    for change in ({"ignore": ("x",)}, {"languages": ("go",)}, {"max_file_bytes": 5}, {"model": "other"}):
        assert not is_index_current(place.project, replace(place.settings, **change), place.store)  # pyright: ignore[reportArgumentType]
    assert is_index_current(place.project, replace(place.settings, warnings=("told",)), place.store.files)


def test_interrupted_pass_leaves_the_index_stale(place: Place) -> None:
    remove_fingerprint(place.project)
    assert not place.current()


def test_an_empty_index_is_not_current(place: Place) -> None:
    place.store.reset()
    assert not place.current()


def test_change_within_a_tick_after_reading_is_seen(place: Place) -> None:
    for number in range(6):
        place.write("a.py", f"def n_{number:03}a():\n    pass\n")
        place.refresh(frozenset(["a.py"]))
        place.write("a.py", f"def n_{number:03}b():\n    pass\n")
        assert not place.current()


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
