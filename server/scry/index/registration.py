"""What the person does with the registry: adds, changes and removes projects, and ties them to each other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from scry.core.errors import BadRequest, UnknownProject
from scry.core.places import data_home
from scry.core.projects import ProjectLink, Registered, bad_name, name_for, named, registered_at
from scry.index.moves import first_commits, place_in_work_tree
from scry.index.project import data_owner, open_project, project_key
from scry.store.registry import RegistryStore


def registry() -> RegistryStore:
    """The person's registry."""
    return RegistryStore(data_home())


def register(folder: Path, name: str | None, links: Sequence[ProjectLink], *, force: bool = False) -> Registered:
    """Registers the project in a folder, by its folder's name unless another is given, and returns it.

    Raises ProjectMissing, ProjectRefused, RegistryUnavailable, and BadRequest naming what is wrong.
    """
    root = open_project(folder, force=force).root  # has a project that moved here found again
    known = registry().all()
    there = registered_at(known, root)
    if there is not None:
        raise BadRequest("folder", f"{root} is registered already, as {there.name}")
    added = _described(_good_name(name_for(root) if name is None else name), root)
    added = replace(added, links=_good_links(links, added, known))
    registry().add(added)
    return added


def change(
    name: str,
    *,
    new_name: str | None = None,
    folder: Path | None = None,
    links: Sequence[ProjectLink] = (),
    unlinked: Sequence[str] = (),
) -> Registered:
    """Gives a project another name or folder, adds links, takes away all links to some projects; returns it.

    Raises as `register`, and UnknownProject.
    """
    known = registry().all()
    before = require(name, known)
    root = before.root if folder is None else open_project(folder).root
    gone = {require(other, known).name for other in unlinked}
    kept = [link for link in before.links if link.target not in gone]
    if unlinked and len(kept) == len(before.links):
        raise BadRequest("unlink", f"{before.name} is not linked to {', '.join(sorted(gone))}")
    after = _described(_good_name(before.name if new_name is None else new_name), root)
    wanted = _good_links(links, before, known)
    after = replace(after, links=tuple(dict.fromkeys((*kept, *wanted))))
    registry().replace(before.name, after)
    return after


def unregister(name: str) -> Registered:
    """Removes a project from the registry, and from nothing else; returns what it was. Raises as `change`."""
    before = require(name, registry().all())
    registry().remove(before.name)
    return before


def forget(folder: Path) -> str:
    """Removes the project in a folder, which may be gone, from the registry, if it is there; returns its name.

    Raises RegistryUnavailable.
    """
    root = Path(os.path.abspath(folder.expanduser()))  # noqa: PTH100 — what is gone can't be resolved
    known = registry().all()
    found = registered_at(known, root) or registered_at(known, folder.resolve())
    if found is None:
        return ""
    registry().remove(found.name)
    return found.name


def require(name: str, known: Sequence[Registered]) -> Registered:
    """The project of this name. Raises UnknownProject, which says what there is."""
    found = named(known, name)
    if found is None:
        raise UnknownProject("project", explain_unknown(name, [project.name for project in known]))
    return found


def explain_unknown(name: str, known: Sequence[str]) -> str:
    """That no project is called so, in words for a person, and what it may have been meant for."""
    import difflib

    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}" if known else "there are none yet"
    return f"no project is called {name!r}; {hint} (scry project list; scry project add FOLDER)"


def _described(name: str, root: Path) -> Registered:
    return Registered(name, root, first_commits(root), place_in_work_tree(root), project_key(data_owner(root)))


def _good_name(name: str) -> str:
    wrong = bad_name(name)
    if wrong:
        raise BadRequest("name", f"{name!r} {wrong}")
    return name


def _good_links(links: Sequence[ProjectLink], own: Registered, known: Sequence[Registered]) -> tuple[ProjectLink, ...]:
    """The links with their targets spelled as they are registered."""
    found = [ProjectLink(link.kind, require(link.target, known).name) for link in links]
    if any(link.target == own.name for link in found):
        raise BadRequest("link", f"{own.name} can't be linked to itself")
    return tuple(dict.fromkeys(found))
