"""Select the projects that a question is for: those that it names, all registered ones, or the open ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest, UnknownProject
from scry.core.notices import UnknownProjects
from scry.core.projects import RegisteredProject, find_project
from scry.engine.notices import NoProjectToAsk
from scry.engine.response.answer import RequestedProjects, names_projects, requested_projects
from scry.projects.registration import describe_unknown_project

Params = TypeVar("Params", bound=msgspec.Struct)

MAX_PROJECTS = 1000
"""Largest number of names in one question."""

_PATH_FIELDS = ("path", "file")
"""Parameters whose value may begin with a project's name: `path` of orient, `file` of neighbors."""

TEAM_SCHEME = "scry-team"
"""Scheme of the URIs of a team's files: scry-team:///<repository>/<commit>/<path>."""


def split_off_requested(params: Params) -> tuple[Params, RequestedProjects]:
    """Return the params without a project's name before their path, and the requested projects.

    `lib:./src` requests the project `lib`, unless the params name projects themselves, or ask the team. The URI of a
    team's file asks the team. Raises BadRequest for both.
    """
    is_of_team = getattr(params, "team", False)
    if is_of_team and names_projects(params):
        raise BadRequest("projects", "the team is asked alone: leave out the projects, or the team")
    if is_of_team or names_projects(params):
        return params, requested_projects(params)
    for field in _PATH_FIELDS:
        text = getattr(params, field, "")
        if text.startswith(f"{TEAM_SCHEME}:"):
            return msgspec.structs.replace(params, team=True), RequestedProjects()
        name, inside = split_off_project(text)
        if name:
            named = {"projects": [name]} if "projects" in params.__struct_fields__ else {}
            return msgspec.structs.replace(params, **{field: inside}, **named), RequestedProjects([name])
    return params, RequestedProjects()


class SelectedProject(msgspec.Struct, frozen=True):
    """A project to be asked. via: its link from the project asked from, such as LEARNS_FROM."""

    project: RegisteredProject
    via: str


class ProjectSelection(msgspec.Struct, frozen=True):
    """The projects to ask, ordered by name, each once, and the requested names that no project has."""

    projects: tuple[SelectedProject, ...]
    unknown_names: tuple[str, ...]


def select_projects(
    requested: RequestedProjects, default_projects: Sequence[RegisteredProject], registered: Sequence[RegisteredProject]
) -> ProjectSelection:
    """Return the projects to ask.

    default_projects: those asked when a question names none: the open ones, or the one asked from. Raises BadRequest
    for a question that both names projects and asks for all.
    """
    names, everything = requested.names, requested.all_registered
    if names and everything:
        raise BadRequest("projects", "and all_projects are given both; give one of them")
    if len(names) > MAX_PROJECTS:
        raise BadRequest("projects", f"names {len(names)} projects; at most {MAX_PROJECTS} can be asked at once")
    known = _deduplicate_projects((*default_projects, *registered))
    named = [(name, find_project(known, name)) for name in dict.fromkeys(names)]
    chosen = [project for _, project in named if project is not None]
    if everything or not names:
        chosen = known if everything else list(default_projects)
    if requested.include_linked:
        chosen = _deduplicate_projects((*chosen, *(to for by in chosen for to in known if by.link_kind_to(to))))
    selected = (
        SelectedProject(project, _describe_link(project, default_projects, chosen))
        for project in _deduplicate_projects(chosen)
    )
    ordered = sorted(selected, key=lambda each: each.project.name)
    return ProjectSelection(tuple(ordered), tuple(name for name, project in named if project is None))


def require_projects(selection: ProjectSelection, known: Sequence[RegisteredProject]) -> None:
    """Raise UnknownProject or BadRequest where there is no project to ask. known: the registered ones."""
    if not selection.projects and selection.unknown_names:
        raise UnknownProject("projects", describe_unknown_projects(selection.unknown_names, known))
    if not selection.projects:
        raise BadRequest("projects", NoProjectToAsk())


def _deduplicate_projects(projects: Iterable[RegisteredProject]) -> list[RegisteredProject]:
    """Keep each root and each name once: of two projects with one name, the first."""
    by_name: dict[str, RegisteredProject] = {}
    roots = set[object]()
    for project in projects:
        if project.root not in roots and project.name.lower() not in by_name:
            roots.add(project.root)
            by_name[project.name.lower()] = project
    return list(by_name.values())


def _describe_link(
    project: RegisteredProject, default_projects: Sequence[RegisteredProject], selected: Sequence[RegisteredProject]
) -> str:
    """Return the link from a default project, else from another selected project, with that project's name."""
    if project in default_projects:
        return ""
    own = next((tie for other in default_projects if (tie := other.link_kind_to(project))), "")
    others = (f"{other.name} {tie}" for other in selected if (tie := other.link_kind_to(project)))
    return own or next(others, "")


def describe_unknown_projects(names: Sequence[str], known: Sequence[RegisteredProject]) -> UnknownProjects:
    """Return the notice that no project has these names, each with the closest of the known names."""
    from scry.store.team.membership import has_joined

    known_names = [project.name for project in known]
    described = tuple(each for name in names for each in describe_unknown_project(name, known_names).names)
    return UnknownProjects(described, has_joined())


def describe_missing_folder(project: RegisteredProject) -> str:
    """Return the remedy for a project whose folder does not exist."""
    return (
        f"the folder of {project.name}, {project.root}, is not there; if it has moved, use Scry in it once, or tell "
        f"where it is: scry project update {project.name} --folder FOLDER"
    )
