"""Registered projects: named, tied to each other, found from inside, and known again where they were moved to."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scry.core import (
    BadRequest,
    ProjectLink,
    ProjectMissing,
    ProjectRefused,
    UnknownProject,
    describe_bad_name,
    suggest_project_name,
)
from scry.projects import (
    add_project,
    create_data_folder,
    find_project_root,
    open_project,
    open_registry,
    remove_project,
    update_project,
)


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def folder(place: Path) -> Path:
    place.mkdir(parents=True)
    return place


def repository(place: Path) -> Path:
    folder(place)
    (place / "a.py").write_text(f"name = {place.name!r}\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run(["git", *words], cwd=place, check=True)
    return place


@pytest.mark.acceptance("P1")
def test_project_is_named_after_its_folder_by_default(tmp_path: Path) -> None:
    assert add_project(folder(tmp_path / "api"), None, ()).name == "api"
    assert add_project(folder(tmp_path / "x" / "api"), "old api", ()).name == "old api"
    assert open_project(tmp_path / "x" / "api").name == "old api"
    assert [(each.name, each.root) for each in open_registry().list_projects()] == [
        ("api", tmp_path / "api"),
        ("old api", tmp_path / "x" / "api"),
    ]


def test_invalid_registration_is_refused_by_field(tmp_path: Path) -> None:
    add_project(folder(tmp_path / "api"), None, ())
    with pytest.raises(
        BadRequest, match=r"folder: .*already, as api \(to rename it: scry project update api --name NAME\)"
    ):
        add_project(tmp_path / "api", "again", ())
    with pytest.raises(BadRequest, match="name: another project is called 'API'"):
        add_project(folder(tmp_path / "two"), "API", ())
    with pytest.raises(ProjectMissing):
        add_project(tmp_path / "gone", None, ())
    with pytest.raises(ProjectRefused, match="--force"):
        add_project(Path("/"), None, ())
    with pytest.raises(UnknownProject, match=r"project: no project is called 'ap'; did you mean api\?"):
        remove_project("ap")
    with pytest.raises(UnknownProject, match="no project is called 'lib'"):
        add_project(tmp_path / "two", None, [ProjectLink("uses", "lib")])
    with pytest.raises(BadRequest, match="link: api can't be linked to itself"):
        update_project("api", links=[ProjectLink("uses", "Api")])
    assert [each.name for each in open_registry().list_projects()] == ["api"]


@pytest.mark.parametrize("name", ["", " a", "a,b", "a:b", "a/b", "a\\b", "a#b", "a\nb", "commit", "Persona", "x" * 101])
def test_ambiguous_project_name_is_refused(name: str, tmp_path: Path) -> None:
    assert describe_bad_name(name)
    with pytest.raises(BadRequest, match="name:"):
        add_project(folder(tmp_path / "a"), name, ())


@pytest.mark.parametrize("name", ["a,b", "commit", "a:b#c", " ", "x" * 200, "語"])
def test_any_folder_name_gives_a_valid_project_name(name: str) -> None:
    assert not describe_bad_name(suggest_project_name(Path("/", name)))


def test_links_are_added_and_taken_away(tmp_path: Path) -> None:
    for name in ("app", "lib", "web"):
        add_project(folder(tmp_path / name), None, ())
    update_project("app", links=[ProjectLink("learns_from", "LIB"), ProjectLink("sibling", "web")])
    app, lib, web = open_registry().list_projects()
    assert (app.link_kind_to(lib), app.link_kind_to(web), web.link_kind_to(app), lib.link_kind_to(app)) == (
        "LEARNS_FROM",
        "SIBLING",
        "SIBLING",
        "",
    )
    assert update_project("app", unlinked=["lib"]).links == (ProjectLink("sibling", "web"),)
    with pytest.raises(BadRequest, match="unlink: app is not linked to lib"):
        update_project("app", unlinked=["lib"])
    remove_project("web")
    assert [each.links for each in open_registry().list_projects()] == [(), ()]


@pytest.mark.acceptance("P1")
def test_nearest_enclosing_registered_folder_is_the_project(tmp_path: Path) -> None:
    mono = repository(tmp_path / "mono")
    inner = folder(mono / "packages" / "api" / "src")
    assert find_project_root(inner, open_registry().list_projects()) == mono
    add_project(mono / "packages", None, ())
    assert find_project_root(inner, open_registry().list_projects()) == mono / "packages"
    add_project(mono / "packages" / "api", None, ())
    assert find_project_root(inner, open_registry().list_projects()) == mono / "packages" / "api"
    nested = repository(mono / "packages" / "api" / "vendored")
    assert find_project_root(nested, open_registry().list_projects()) == mono / "packages" / "api"
    assert find_project_root(mono, open_registry().list_projects()) == mono


@pytest.mark.acceptance("P1")
def test_moved_project_keeps_name_links_and_log(tmp_path: Path) -> None:
    add_project(folder(tmp_path / "lib"), None, ())
    old = repository(tmp_path / "old")
    add_project(old, "app", [ProjectLink("uses", "lib")])
    before = open_project(old)
    create_data_folder(before)
    (before.data / "events.sqlite").write_text("precious")

    new = tmp_path / "elsewhere" / "new"
    new.parent.mkdir()
    old.rename(new)
    project = open_project(new)

    assert (project.name, project.root) == ("app", new)
    assert [(each.name, each.root) for each in open_registry().list_projects()] == [
        ("app", new),
        ("lib", tmp_path / "lib"),
    ]
    assert open_registry().list_projects()[0].links == (ProjectLink("uses", "lib"),)
    assert (project.data / "events.sqlite").read_text() == "precious"
    assert (project.data / "project.txt").read_text() == str(new)


def test_a_folder_inside_a_repository_moves_with_it(tmp_path: Path) -> None:
    old = repository(tmp_path / "mono")
    add_project(folder(old / "api"), None, ())
    add_project(folder(old / "web"), None, ())
    old.rename(tmp_path / "moved")
    assert open_project(tmp_path / "moved").name == "moved", "the whole of it was not registered"
    assert open_project(tmp_path / "moved" / "web").name == "web"
    assert [each.root for each in open_registry().list_projects()] == [old / "api", tmp_path / "moved" / "web"]


def test_copies_and_strangers_are_not_moved_projects(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    add_project(app, None, ())
    subprocess.run(["git", "clone", "-q", str(app), str(tmp_path / "clone")], check=True)
    assert open_project(tmp_path / "clone").name == "clone"
    app.rename(tmp_path / "hidden")
    stranger = repository(tmp_path / "stranger")
    assert open_project(stranger).name == "stranger"
    assert open_project(folder(tmp_path / "plain")).name == "plain"
    assert open_registry().list_projects()[0].root == app


def test_project_can_be_renamed_and_moved(tmp_path: Path) -> None:
    add_project(repository(tmp_path / "app"), None, ())
    add_project(folder(tmp_path / "lib"), None, [ProjectLink("uses", "app")])
    other = repository(tmp_path / "other")
    changed = update_project("app", new_name="core", folder=other)
    assert (changed.name, changed.root) == ("core", other)
    assert open_registry().list_projects()[0].commits == changed.commits != ()
    assert open_registry().list_projects()[1].links == (ProjectLink("uses", "core"),)


def test_project_opens_without_a_readable_registry(tmp_path: Path) -> None:
    add_project(folder(tmp_path / "app"), "named", ())
    open_registry().path.write_bytes(b"junk" * 1000)
    assert open_project(tmp_path / "app").name == "app"
