"""Values of the project registry: registered projects, their names and links.

Projects that the person registered: plain values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

LINK_KINDS = ("uses", "learns_from", "tests_with", "sibling")
"""How a project may be tied to another one; a sibling is one both ways."""

_MAX_NAME_LENGTH = 100
_FORBIDDEN_IN_NAME = r"[\x00-\x1f\x7f/\\:#,\ud800-\udfff\u2028\u2029]"
_RESERVED_NAMES = frozenset(
    ("belief", "commit", "file", "http", "https", "memory", "pattern", "persona", "session", "untitled", "*")
)
"""Before a colon these begin a doc_id or a URI."""


class ProjectLink(Struct, frozen=True):
    """That a project is tied to another one, by name."""

    kind: str
    target: str


class RegisteredProject(Struct, frozen=True):
    """A project in the registry.

    root: resolved. commits: the first commits of its history, by which it is known again after a move; empty where it
    has none. inside: its root relative to its git work tree's top. data: name of its data folder.
    """

    name: str
    root: Path
    commits: tuple[str, ...] = ()
    path_in_repository: str = ""
    data: str = ""
    links: tuple[ProjectLink, ...] = ()

    def link_kind_to(self, other: RegisteredProject) -> str:
        """How it is tied to the other one, in capitals as people are told: LEARNS_FROM; empty where it is not."""
        ahead = [link.kind for link in self.links if link.target == other.name]
        back = [link.kind for link in other.links if link.target == self.name and link.kind == "sibling"]
        return next((kind.upper() for kind in LINK_KINDS if kind in (*ahead, *back)), "")


def describe_bad_name(name: str) -> str:
    """What is wrong with a name for a project, in words for a person; empty when nothing is.

    It stands before doc_ids and in lists, so it can't hold what ends it there.
    """
    if not name.strip() or name != name.strip():
        return "is empty, or begins or ends with a space"
    if len(name) > _MAX_NAME_LENGTH:
        return f"is over {_MAX_NAME_LENGTH} characters long"
    if name.lower() in _RESERVED_NAMES:
        return "means something else before a colon"
    found = re.search(_FORBIDDEN_IN_NAME, name)
    return f"must not hold {found[0]!r}" if found else ""


def suggest_project_name(folder: Path) -> str:
    """A name for the project in a folder that it may have: the folder's, without what no name may hold."""
    name = re.sub(_FORBIDDEN_IN_NAME, "-", folder.name).strip()[:_MAX_NAME_LENGTH].strip()
    return name if name and not describe_bad_name(name) else f"project-{name}" if name else "project"


def find_project(projects: Iterable[RegisteredProject], name: str) -> RegisteredProject | None:
    """The project of this name, in any case of letters; None when there is none."""
    return next((project for project in projects if project.name.lower() == name.lower()), None)


def find_project_at(projects: Iterable[RegisteredProject], root: Path) -> RegisteredProject | None:
    """The project whose folder is just this one."""
    return next((project for project in projects if project.root == root), None)


def find_enclosing_project(projects: Iterable[RegisteredProject], folder: Path) -> RegisteredProject | None:
    """The innermost project that holds the folder, or is it; None when none does."""
    holding = [project for project in projects if folder.is_relative_to(project.root)]
    return max(holding, key=lambda project: len(project.root.parts), default=None)
