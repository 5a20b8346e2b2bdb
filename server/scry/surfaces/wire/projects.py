"""The registry as clients are told of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scry.core.projects import Registered
from scry.core.text import encodable
from scry_protocol.messages import KnownProject, Projects, ProjectTie

_NO_OTHER = "No other project is known yet. Register one: scry project add FOLDER."


def known_projects(opened: Sequence[Registered] = ()) -> Projects:
    """The registered projects, and those that are open where this is asked. Raises RegistryUnavailable."""
    from scry.index.registration import registry

    registered = registry().all()
    roots = {each.root for each in opened}
    known = {each.root: each for each in (*opened, *registered)}  # a registered one is called as it is registered
    listed = [known_project(each, is_open=each.root in roots) for each in known.values()]
    note = "" if known.keys() - roots else _NO_OTHER
    return Projects(sorted(listed, key=lambda each: each.name), encodable(str(registry().path)), note)


def register_project(folder: Path) -> None:
    """Registers the project in a folder, called as the folder is. Raises as scry.index.registration.register."""
    from scry.index.registration import register

    register(folder, None, ())


def known_project(found: Registered, *, is_open: bool = False) -> KnownProject:
    """A project, as it is told."""
    links = [ProjectTie(link.kind, link.target) for link in found.links]
    return KnownProject(found.name, encodable(str(found.root)), found.root.is_dir(), links, is_open)
