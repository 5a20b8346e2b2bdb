"""Convert the project registry to its wire form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scry.core.notices import COMMAND_LINE, CommandNames, NoOtherProject
from scry.core.projects import RegisteredProject
from scry.core.text import escape_unencodable
from scry_protocol.messages import KnownProject, Projects, ProjectTie


def list_known_projects(opened: Sequence[RegisteredProject] = (), commands: CommandNames = COMMAND_LINE) -> Projects:
    """Return the registered projects, and those that are open where this is asked. Raises RegistryUnavailable."""
    from scry.projects.registration import open_registry

    registered = open_registry().list_projects()
    roots = {each.root for each in opened}
    known = {each.root: each for each in (*opened, *registered)}  # the registered name wins
    listed = [to_known_project(each, is_open=each.root in roots) for each in known.values()]
    note = "" if known.keys() - roots else NoOtherProject().render(commands)
    return Projects(sorted(listed, key=lambda each: each.name), escape_unencodable(str(open_registry().path)), note)


def register_project(folder: Path) -> None:
    """Register the project in a folder under the folder's name. Raises as scry.projects.registration.add_project."""
    from scry.projects.registration import add_project

    add_project(folder, None, ())


def to_known_project(registered: RegisteredProject, *, is_open: bool = False) -> KnownProject:
    """Return a registered project in its wire form. is_open: whether the asker has it open."""
    links = [ProjectTie(link.kind, link.target) for link in registered.links]
    return KnownProject(
        registered.name, escape_unencodable(str(registered.root)), registered.root.is_dir(), links, is_open
    )
