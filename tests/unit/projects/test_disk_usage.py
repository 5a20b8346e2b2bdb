"""Finding and removing the files that Scry has written."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.core import cache_home, config_home, data_home
from scry.projects import (
    DiskItemKind,
    IndexerAddress,
    Project,
    disk_size,
    list_all_items,
    list_cache_items,
    list_index_items,
    list_project_items,
    open_project,
    publish_address,
    remove_items,
    write_owner_file,
)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Places of its own; they hold nothing yet."""
    for name in ("CACHE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    return tmp_path


def _used(root: Path) -> Project:
    """Return a project that Scry wrote for."""
    root.mkdir()
    (root / "a.py").write_text("a = 1\n")
    project = open_project(root)
    for folder in (project.cache, project.data):
        write_owner_file(folder, project.root)
        (folder / "deep").mkdir()
        (folder / "deep" / "rows").write_bytes(b"x" * 1_000)
    (cache_home() / "blobs.sqlite").write_bytes(b"x" * 500)
    return project


def _kinds(root: Path) -> list[tuple[DiskItemKind, Path]]:
    return [(item.kind, item.path) for item in list_project_items(root)]


@pytest.mark.acceptance("S2")
def test_project_data_is_listed_and_removed(places: Path) -> None:
    one, other = _used(places / "one"), _used(places / "other")
    items = list_project_items(one.root)
    shared = cache_home() / "blobs.sqlite"
    assert _kinds(one.root) == [
        (DiskItemKind.INDEX, one.cache),
        (DiskItemKind.DATA, one.data),
        (DiskItemKind.SHARED, shared),
    ]
    assert [item.size for item in items] == [disk_size(one.cache), disk_size(one.data), 500]
    assert disk_size(one.cache) == 1_000 + len(os.fsencode(one.root))
    assert remove_items(items) == ()
    assert list_project_items(one.root) == ()
    assert (one.root / "a.py").exists()
    assert {path for path in places.rglob("*") if path.name == "rows"} == {
        folder / "deep" / "rows" for folder in (other.cache, other.data)
    }


@pytest.mark.acceptance("S2")
def test_person_data_is_removed_without_a_trace(places: Path) -> None:
    for name in ("one", "other"):
        _used(places / name)
    config_home().mkdir(parents=True)
    (config_home() / "config.toml").write_text("")
    (data_home() / "persona").mkdir()
    assert {item.kind for item in list_all_items()} == {
        DiskItemKind.INDEX,
        DiskItemKind.SHARED,
        DiskItemKind.DATA,
        DiskItemKind.SETTINGS,
    }
    assert remove_items(list_all_items()) == ()
    assert [path for path in places.rglob("*") if "scry" in path.parts] == []


@pytest.mark.acceptance("S2")
def test_clearing_an_index_keeps_unrebuildable_data(places: Path) -> None:
    project = _used(places / "one")
    remove_items(list_index_items(project.root))
    assert _kinds(project.root)[0] == (DiskItemKind.DATA, project.data)
    assert all(item.kind == DiskItemKind.SHARED for item in list_cache_items())


def test_project_with_a_removed_folder_can_be_purged(places: Path) -> None:
    project = _used(places / "one")
    shutil.rmtree(project.root)
    assert set(_kinds(places / "x" / ".." / "one")) == {
        (DiskItemKind.INDEX, project.cache),
        (DiskItemKind.DATA, project.data),
    }
    assert list_project_items(places / "never") == ()


def test_removal_does_not_follow_symlinks(places: Path) -> None:
    project = _used(places / "one")
    mine = places / "mine"
    mine.mkdir()
    (mine / "precious").write_text("x")
    (project.cache / "link").symlink_to(mine)
    (cache_home() / "linked").symlink_to(mine)
    assert sum(item.size for item in list_cache_items()) < 2_000
    assert remove_items(list_all_items()) == ()
    assert (mine / "precious").read_text() == "x"


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """Return a folder outside the places, named as Scry's own, with a path short enough for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="scry-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are no such sockets")
def test_socket_outside_the_cache_is_removed(places: Path, short_folder: Path) -> None:
    project = _used(places / "one")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(short_folder / "s"))
        publish_address(project.cache, IndexerAddress(1, "1", socket=os.fsencode(short_folder / "s")))
        assert (DiskItemKind.SOCKET, short_folder / "s") in _kinds(project.root)
        assert DiskItemKind.SOCKET in {item.kind for item in list_all_items()}
        remove_items(list_index_items(project.root))
    assert not short_folder.exists()


def test_address_naming_another_file_removes_nothing(places: Path) -> None:
    project = _used(places / "one")
    publish_address(project.cache, IndexerAddress(1, "1", socket=os.fsencode(project.root / "a.py")))
    remove_items(list_project_items(project.root))
    assert (project.root / "a.py").exists()


def test_failed_removal_is_reported(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = _used(places / "one")

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(shutil, "rmtree", refuse)
    assert remove_items(list_index_items(project.root)) == (f"{project.cache}: Permission denied",)
