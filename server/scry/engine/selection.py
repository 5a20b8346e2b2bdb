"""Which projects a question is for. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from scry.core.errors import BadRequest
from scry.core.projects import RegisteredProject, find_project

MAX_PROJECTS = 1000
"""More names than this in one question are a mistake."""


class SelectedProject(msgspec.Struct, frozen=True):
    """A project that is to be asked. via: how the one asked from is tied to it, such as LEARNS_FROM."""

    project: RegisteredProject
    via: str


class ProjectSelection(msgspec.Struct, frozen=True):
    """What is to be asked, by name, each once; and the names that nothing is called."""

    projects: tuple[SelectedProject, ...]
    unknown_names: tuple[str, ...]


class RequestedProjects(msgspec.Struct, frozen=True):
    """What a question says of projects: some by name, all of them, and those that are linked to what it asks."""

    names: Sequence[str] = ()
    all_registered: bool = False
    include_linked: bool = False


def requested_projects(params: msgspec.Struct) -> RequestedProjects:
    """What these params say of projects."""
    given = (getattr(params, field, None) for field in ("projects", "all_projects", "linked_projects"))
    names, everything, linked = given
    return RequestedProjects(names or (), bool(everything), bool(linked))


def names_projects(params: msgspec.Struct) -> bool:
    """Whether a question says which projects it is for."""
    return requested_projects(params) != RequestedProjects()


def select_projects(requested: RequestedProjects, default_projects: Sequence[RegisteredProject], registered: Sequence[RegisteredProject]) -> ProjectSelection:
    """The projects that are to be asked.

    here: those that are asked when a question names none: the open ones, or the one asked from. Raises BadRequest for a
    question that names all and some.
    """
    names, everything = requested.names, requested.all_registered
    if names and everything:
        raise BadRequest("projects", "and all_projects are given both; give one of them")
    if len(names) > MAX_PROJECTS:
        raise BadRequest("projects", f"names {len(names)} projects; at most {MAX_PROJECTS} can be asked at once")
    known = _deduplicate_projects((*default_projects, *registered))
    found = [(name, find_project(known, name)) for name in dict.fromkeys(names)]
    chosen = [project for _, project in found if project is not None]
    if everything or not names:
        chosen = known if everything else list(default_projects)
    if requested.include_linked:
        chosen = _deduplicate_projects((*chosen, *(to for by in chosen for to in known if by.link_kind_to(to))))
    selected = (SelectedProject(project, _describe_link(project, default_projects, chosen)) for project in _deduplicate_projects(chosen))
    ordered = sorted(selected, key=lambda each: each.project.name)
    return ProjectSelection(tuple(ordered), tuple(name for name, project in found if project is None))


def _deduplicate_projects(projects: Iterable[RegisteredProject]) -> list[RegisteredProject]:
    """Each root once, and each name: of two that are called the same, the first."""
    kept: dict[str, RegisteredProject] = {}
    roots = set[object]()
    for project in projects:
        if project.root not in roots and project.name.lower() not in kept:
            roots.add(project.root)
            kept[project.name.lower()] = project
    return list(kept.values())


def _describe_link(project: RegisteredProject, default_projects: Sequence[RegisteredProject], selected: Sequence[RegisteredProject]) -> str:
    """The tie by which it is explained: of those asked from, else of another that is asked, which is then named."""
    if project in default_projects:
        return ""
    own = next((tie for other in default_projects if (tie := other.link_kind_to(project))), "")
    others = (f"{other.name} {tie}" for other in selected if (tie := other.link_kind_to(project)))
    return own or next(others, "")
