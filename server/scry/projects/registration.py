"""Register, change and remove projects in the person's registry, and link them to each other."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from scry.core.errors import BadRequest, UnknownProject
from scry.core.notices import UnknownProjects
from scry.core.platform import data_home
from scry.core.projects import (
    ProjectLink,
    RegisteredProject,
    describe_bad_name,
    find_project,
    find_project_at,
    suggest_project_name,
)
from scry.projects.project import data_folder_owner, open_project, path_in_work_tree, project_key, root_commits
from scry.store.registry import RegistryStore


def open_registry() -> RegistryStore:
    """Return the person's registry."""
    return RegistryStore(data_home())


def add_project(
    folder: Path, name: str | None, links: Sequence[ProjectLink], *, force: bool = False
) -> RegisteredProject:
    """Register the project in a folder, by its folder's name unless another is given, and return it.

    Raises ProjectMissing, ProjectRefused, RegistryUnavailable, and BadRequest with the wrong argument.
    """
    root = open_project(folder, force=force).root  # recognises a project that was moved here
    known = open_registry().list_projects()
    existing = find_project_at(known, root)
    if existing is not None:
        rename = f"scry project update {shlex.quote(existing.name)} --name NAME"
        raise BadRequest("folder", f"{root} is registered already, as {existing.name} (to rename it: {rename})")
    added = _make_registered(_valid_name(suggest_project_name(root) if name is None else name), root)
    added = replace(added, links=_resolve_links(links, added, known))
    open_registry().add(added)
    return added


def update_project(
    name: str,
    *,
    new_name: str | None = None,
    folder: Path | None = None,
    links: Sequence[ProjectLink] = (),
    unlinked: Sequence[str] = (),
) -> RegisteredProject:
    """Change the name or folder of a project, add `links`, remove all links to the projects in `unlinked`; return the
    project.

    Raises as `add_project`, and UnknownProject.
    """
    known = open_registry().list_projects()
    before = require_project(name, known)
    root = before.root if folder is None else open_project(folder).root
    unlinked_names = {require_project(other, known).name for other in unlinked}
    remaining = [link for link in before.links if link.target not in unlinked_names]
    if unlinked and len(remaining) == len(before.links):
        raise BadRequest("unlink", f"{before.name} is not linked to {', '.join(sorted(unlinked_names))}")
    after = _make_registered(_valid_name(before.name if new_name is None else new_name), root)
    added = _resolve_links(links, before, known)
    after = replace(after, links=tuple(dict.fromkeys((*remaining, *added))))
    open_registry().replace(before.name, after)
    return after


def remove_project(name: str) -> RegisteredProject:
    """Remove a project from the registry, and from nothing else; return its registration. Raises as
    `update_project`.
    """
    before = require_project(name, open_registry().list_projects())
    open_registry().remove(before.name)
    return before


def unregister_folder(folder: Path) -> str:
    """Remove the project in a folder, which may be gone, from the registry; return its name, empty where it was not
    there.

    Raises RegistryUnavailable.
    """
    root = Path(os.path.abspath(folder.expanduser()))  # noqa: PTH100 — a folder that is gone can't be resolved
    known = open_registry().list_projects()
    registered = find_project_at(known, root) or find_project_at(known, folder.resolve())
    if registered is None:
        return ""
    open_registry().remove(registered.name)
    return registered.name


def require_project(name: str, known: Sequence[RegisteredProject]) -> RegisteredProject:
    """Return the project of this name. Raises UnknownProject, whose message lists the names."""
    project = find_project(known, name)
    if project is None:
        raise UnknownProject("project", describe_unknown_project(name, [project.name for project in known]))
    return project


def describe_unknown_project(name: str, known: Sequence[str]) -> UnknownProjects:
    """Return that no project has this name, with the closest of the known names."""
    import difflib

    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}" if known else "there are none yet"
    return UnknownProjects(((name, hint),))


def _make_registered(name: str, root: Path) -> RegisteredProject:
    return RegisteredProject(
        name, root, root_commits(root), path_in_work_tree(root), project_key(data_folder_owner(root))
    )


def _valid_name(name: str) -> str:
    problem = describe_bad_name(name)
    if problem:
        raise BadRequest("name", f"{name!r} {problem}")
    return name


def _resolve_links(
    links: Sequence[ProjectLink], own: RegisteredProject, known: Sequence[RegisteredProject]
) -> tuple[ProjectLink, ...]:
    """Return the links with the names of their targets as they are registered."""
    resolved = [ProjectLink(link.kind, require_project(link.target, known).name) for link in links]
    if any(link.target == own.name for link in resolved):
        raise BadRequest("link", f"{own.name} can't be linked to itself")
    return tuple(dict.fromkeys(resolved))
