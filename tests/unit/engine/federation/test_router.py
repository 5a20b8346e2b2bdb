"""Selection of the projects of a query."""

from __future__ import annotations

from pathlib import Path

import pytest

from scry.core import BadRequest, ProjectLink, RegisteredProject
from scry.engine.federation import ProjectSelection, select_projects
from scry.engine.response import RequestedProjects, names_projects, requested_projects
from scry_protocol.messages import FindParams, NeighborsParams

LIB = RegisteredProject("lib", Path("/lib"), links=(ProjectLink("uses", "core"),))
CORE = RegisteredProject("core", Path("/core"))
APP = RegisteredProject(
    "app", Path("/app"), links=(ProjectLink("learns_from", "lib"), ProjectLink("tests_with", "lib"))
)
WEB = RegisteredProject("web", Path("/web"), links=(ProjectLink("sibling", "app"),))
ALL = (APP, CORE, LIB, WEB)


def params_for(*names: str, all_projects: bool = False, linked: bool = False) -> FindParams:
    return FindParams("q", projects=list(names), all_projects=all_projects, linked_projects=linked)


def requested(*names: str, all_projects: bool = False, linked: bool = False) -> RequestedProjects:
    return requested_projects(params_for(*names, all_projects=all_projects, linked=linked))


def names_and_links(selection: ProjectSelection) -> list[tuple[str, str]]:
    return [(each.project.name, each.via) for each in selection.projects]


def test_project_parameters_are_recognised() -> None:
    assert [
        names_projects(params)
        for params in (params_for(), params_for("a"), params_for(all_projects=True), params_for(linked=True))
    ] == [
        False,
        True,
        True,
        True,
    ]
    assert not names_projects(NeighborsParams("a.py"))


@pytest.mark.acceptance("P1")
def test_named_projects_are_searched_once_with_their_link() -> None:
    selection = select_projects(requested("web", "LIB", "app", "lib"), [APP], ALL)
    assert names_and_links(selection) == [("app", ""), ("lib", "LEARNS_FROM"), ("web", "SIBLING")]
    assert select_projects(requested("app", "lib", "web"), [APP], ALL) == selection


@pytest.mark.acceptance("P1")
def test_unknown_project_is_reported_and_others_answer() -> None:
    selection = select_projects(requested("nope", "lib", "nope", "neither"), [APP], ALL)
    assert (names_and_links(selection), selection.unknown_names) == ([("lib", "LEARNS_FROM")], ("nope", "neither"))


def test_all_projects_are_registered_ones_and_the_current_one() -> None:
    here = RegisteredProject("here", Path("/here"))
    assert [name for name, _ in names_and_links(select_projects(requested(all_projects=True), [here], ALL))] == [
        "app",
        "core",
        "here",
        "lib",
        "web",
    ]


def test_linked_selects_projects_linked_to_the_searched_ones() -> None:
    assert names_and_links(select_projects(requested(linked=True), [APP], ALL)) == [
        ("app", ""),
        ("lib", "LEARNS_FROM"),
        ("web", "SIBLING"),
    ]
    assert names_and_links(select_projects(requested("lib", linked=True), [APP], ALL)) == [
        ("core", "lib USES"),
        ("lib", "LEARNS_FROM"),
    ]
    assert names_and_links(select_projects(requested(linked=True), [CORE], ALL)) == [("core", "")]


def test_an_open_project_that_is_not_registered_can_be_named() -> None:
    here = RegisteredProject("here", Path("/here"))
    assert names_and_links(select_projects(requested("here"), [here], ALL)) == [("here", "")]


def test_projects_and_all_projects_together_are_refused() -> None:
    with pytest.raises(BadRequest, match="projects: and all_projects"):
        select_projects(requested("lib", all_projects=True), [APP], ALL)
