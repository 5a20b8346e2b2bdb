"""The person's registry of projects, whose names a query can use."""

from __future__ import annotations

from typing import Literal

from scry_protocol.messages.base import Params, Result


class ProjectsParams(Params, frozen=True):
    """A request for the known projects, or to register one.

    action: list returns the projects; add registers the project in a folder first.
    folder: for add, the URI of a folder, or its path; the first open one when absent.
    name: for add, the name to register it by; that of the folder when absent.
    """

    action: Literal["list", "add"] = "list"
    folder: str | None = None
    name: str | None = None


class ProjectTie(Result, frozen=True):
    """A link from one project to another.

    kind: uses, learns_from, tests_with or sibling.
    project: name of the other project.
    """

    kind: str
    project: str


class KnownProject(Result, frozen=True):
    """A project that a query may name.

    name: its name.
    root: path of its folder.
    is_there: whether that folder exists now.
    links: its links to other projects.
    is_open: whether it is open in the client's editor; open projects are listed whether they are registered or not.
    """

    name: str
    root: str
    is_there: bool
    links: list[ProjectTie]
    is_open: bool = False


class Projects(Result, frozen=True):
    """The projects that a query may name.

    projects: the projects, by name.
    file: path of the file with the registered ones.
    note: words for a person, such as how to register a project where none is known; empty when there is nothing to say.
    team: whether a team is joined, whose index a find can search.
    """

    projects: list[KnownProject]
    file: str
    note: str = ""
    team: bool = False
