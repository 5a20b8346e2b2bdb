"""Which projects a question is for. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from scry.core.errors import BadRequest
from scry.core.projects import Registered, named

MOST_PROJECTS = 1000
"""More names than this in one question are a mistake."""


class Selected(msgspec.Struct, frozen=True):
    """A project that is to be asked. via: how the one asked from is tied to it, such as LEARNS_FROM."""

    project: Registered
    via: str


class Selection(msgspec.Struct, frozen=True):
    """What is to be asked, by name, each once; and the names that nothing is called."""

    projects: tuple[Selected, ...]
    unknown: tuple[str, ...]


class Wanted(msgspec.Struct, frozen=True):
    """What a question says of projects: some by name, all of them, and those that are linked to what it asks."""

    names: Sequence[str] = ()
    everything: bool = False
    linked: bool = False


def wanted_of(params: msgspec.Struct) -> Wanted:
    """What these params say of projects."""
    given = (getattr(params, field, None) for field in ("projects", "all_projects", "linked_projects"))
    names, everything, linked = given
    return Wanted(names or (), bool(everything), bool(linked))


def names_projects(params: msgspec.Struct) -> bool:
    """Whether a question says which projects it is for."""
    return wanted_of(params) != Wanted()


def select(wanted: Wanted, here: Sequence[Registered], registered: Sequence[Registered]) -> Selection:
    """The projects that are to be asked.

    here: those that are asked when a question names none: the open ones, or the one asked from. Raises BadRequest for a
    question that names all and some.
    """
    names, everything = wanted.names, wanted.everything
    if names and everything:
        raise BadRequest("projects", "and all_projects are given both; give one of them")
    if len(names) > MOST_PROJECTS:
        raise BadRequest("projects", f"names {len(names)} projects; at most {MOST_PROJECTS} can be asked at once")
    known = _once((*here, *registered))
    found = [(name, named(known, name)) for name in dict.fromkeys(names)]
    chosen = [project for _, project in found if project is not None]
    if everything or not names:
        chosen = known if everything else list(here)
    if wanted.linked:
        chosen = _once((*chosen, *(to for by in chosen for to in known if by.link_to(to))))
    selected = (Selected(project, _via(project, here, chosen)) for project in _once(chosen))
    ordered = sorted(selected, key=lambda each: each.project.name)
    return Selection(tuple(ordered), tuple(name for name, project in found if project is None))


def _once(projects: Iterable[Registered]) -> list[Registered]:
    """Each root once, and each name: of two that are called the same, the first."""
    kept: dict[str, Registered] = {}
    roots = set[object]()
    for project in projects:
        if project.root not in roots and project.name.lower() not in kept:
            roots.add(project.root)
            kept[project.name.lower()] = project
    return list(kept.values())


def _via(project: Registered, here: Sequence[Registered], chosen: Sequence[Registered]) -> str:
    """The tie by which it is explained: of those asked from, else of another that is asked, which is then named."""
    if project in here:
        return ""
    own = next((tie for other in here if (tie := other.link_to(project))), "")
    others = (f"{other.name} {tie}" for other in chosen if (tie := other.link_to(project)))
    return own or next(others, "")
