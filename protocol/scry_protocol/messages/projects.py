"""The person's registry of projects: which there are, so that a question can name them."""

from __future__ import annotations

from typing import Literal

from scry_protocol.messages.base import Params, Result


class ProjectsParams(Params, frozen=True):
    """The registered projects, or one more of them.

    action: list shows them; add registers the project in a folder first.
    folder: for add, the URI of a folder, or its path; the first open one when absent.
    """

    action: Literal["list", "add"] = "list"
    folder: str | None = None


class ProjectTie(Result, frozen=True):
    """That a project is tied to another one.

    kind: uses, learns_from, tests_with or sibling.
    project: name of the other one.
    """

    kind: str
    project: str


class KnownProject(Result, frozen=True):
    """A project that questions may name.

    name: what it is called.
    root: path of its folder.
    is_there: whether that folder exists now.
    links: how it is tied to others.
    is_open: whether it is open in the editor that asks; those are listed whether they are registered or not.
    """

    name: str
    root: str
    is_there: bool
    links: list[ProjectTie]
    is_open: bool = False


class Projects(Result, frozen=True):
    """The projects that questions may name.

    projects: they, by name.
    file: path of the file that holds the registered ones.
    note: words for a person, such as what to do where no other project is known; empty when there is nothing to say.
    """

    projects: list[KnownProject]
    file: str
    note: str = ""
