"""The registry's file: atomic, shared by processes, and clear about what is wrong with it."""

from __future__ import annotations

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scry.core import BadRequest, ProjectLink, RegisteredProject, RegistryUnavailable
from scry.store import RegistryStore
from scry.store.precious import list_kept_files


@pytest.fixture
def registry(tmp_path: Path) -> RegistryStore:
    return RegistryStore(tmp_path / "data")


def project(name: str, *links: ProjectLink) -> RegisteredProject:
    return RegisteredProject(name, Path("/code", name), ("c0ffee", "decade"), "inner/folder", f"{name}-1", links)


def test_registered_project_is_found_by_name(registry: RegistryStore) -> None:
    assert registry.list_projects() == ()
    assert not registry.path.exists(), "reading makes no file"
    app, lib = project("app", ProjectLink("uses", "lib")), project("lib")
    registry.add(lib)
    registry.add(app)
    assert registry.list_projects() == (app, lib)


def test_undecodable_folder_name_is_kept(registry: RegistryStore) -> None:
    odd = RegisteredProject("odd", Path(os.fsdecode(b"/code/caf\xe9")))
    registry.add(odd)
    assert registry.list_projects() == (odd,)


def test_project_names_and_folders_are_unique(registry: RegistryStore) -> None:
    registry.add(project("app"))
    with pytest.raises(BadRequest, match="name: another project is called 'APP'"):
        registry.add(RegisteredProject("APP", Path("/elsewhere")))
    with pytest.raises(BadRequest, match="folder: /code/app is registered already"):
        registry.add(RegisteredProject("other", Path("/code/app")))
    registry.add(project("lib"))
    with pytest.raises(BadRequest, match="name: another"):
        registry.replace("lib", RegisteredProject("app", Path("/code/lib")))
    assert registry.list_projects() == (project("app"), project("lib"))


def test_links_follow_renames_and_removals(registry: RegistryStore) -> None:
    registry.add(project("lib"))
    registry.add(project("app", ProjectLink("learns_from", "lib")))
    registry.replace("lib", project("core"))
    assert registry.list_projects()[0].links == (ProjectLink("learns_from", "core"),)
    registry.remove("core")
    assert registry.list_projects() == (project("app"),)


def test_link_to_an_unknown_project_is_refused(registry: RegistryStore) -> None:
    with pytest.raises(BadRequest, match="link: leads to a project that is not registered"):
        registry.add(project("app", ProjectLink("uses", "nothing")))
    assert registry.list_projects() == ()


@pytest.mark.parametrize("content", [b"junk" * 5000, b"SQLite format 3\0" + b"\xff" * 5000, b""])
def test_damaged_registry_is_kept_and_begun_anew(registry: RegistryStore, content: bytes) -> None:
    registry.folder.mkdir()
    registry.path.write_bytes(content)
    assert registry.list_projects() == (), "an empty file is an empty registry"
    registry.add(project("app"))
    assert registry.list_projects() == (project("app"),)
    assert [kept.path.read_bytes() for kept in list_kept_files(registry.path)] == ([content] if content else [])


def test_registry_of_a_newer_version_is_left_unchanged(registry: RegistryStore) -> None:
    registry.add(project("app"))
    database = sqlite3.connect(registry.path)
    database.execute("PRAGMA user_version=99")
    database.close()
    with pytest.raises(RegistryUnavailable, match="newer Scry"):
        registry.list_projects()


def test_unwritable_registry_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RegistryUnavailable, match="can't be"):
        RegistryStore(tmp_path / "file" / "data").add(project("app"))


def test_concurrent_registry_writes_lose_nothing(registry: RegistryStore) -> None:
    names = [f"p{number:02}" for number in range(24)]

    def add(name: str) -> None:
        registry.add(project(name))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(add, names))
    assert [each.name for each in registry.list_projects()] == names
