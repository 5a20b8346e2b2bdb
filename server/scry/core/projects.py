"""Values of the project registry: registered projects, their names and links."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

LINK_KINDS = ("uses", "learns_from", "tests_with", "sibling")
"""Kinds of links from a project to another one; `sibling` holds both ways."""

_MAX_NAME_LENGTH = 100
_FORBIDDEN_IN_NAME = r"[\x00-\x1f\x7f/\\:#,\ud800-\udfff\u2028\u2029]"
_RESERVED_NAMES = frozenset(
    ("belief", "commit", "file", "http", "https", "memory", "pattern", "persona", "session", "untitled", "*")
)
"""Words that begin a doc_id or a URI before a colon."""


class ProjectLink(Struct, frozen=True):
    """A link from a project to another one, by name."""

    kind: str
    target: str


class RegisteredProject(Struct, frozen=True):
    """A project in the registry.

    root: resolved. commits: the first commits of its history, which identify it after a move; empty without any.
    path_in_repository: its root relative to its git work tree's top. data: name of its data folder.
    """

    name: str
    root: Path
    commits: tuple[str, ...] = ()
    path_in_repository: str = ""
    data: str = ""
    links: tuple[ProjectLink, ...] = ()

    def link_kind_to(self, other: RegisteredProject) -> str:
        """Return the kind of the link between two projects, in capitals (LEARNS_FROM); empty without a link."""
        own = [link.kind for link in self.links if link.target == other.name]
        siblings = [link.kind for link in other.links if link.target == self.name and link.kind == "sibling"]
        return next((kind.upper() for kind in LINK_KINDS if kind in (*own, *siblings)), "")


def describe_bad_name(name: str) -> str:
    """Return the error in a project's name, for a person; empty for a valid name.

    A name stands before doc_ids and in lists, so it can't hold the characters that end it there.
    """
    if not name.strip() or name != name.strip():
        return "is empty, or begins or ends with a space"
    if len(name) > _MAX_NAME_LENGTH:
        return f"is over {_MAX_NAME_LENGTH} characters long"
    if name.lower() in _RESERVED_NAMES:
        return "means something else before a colon"
    match = re.search(_FORBIDDEN_IN_NAME, name)
    return f"must not hold {match[0]!r}" if match else ""


def suggest_project_name(folder: Path) -> str:
    """Return a valid name for the project in a folder: the folder's, without forbidden characters."""
    name = re.sub(_FORBIDDEN_IN_NAME, "-", folder.name).strip()[:_MAX_NAME_LENGTH].strip()
    return name if name and not describe_bad_name(name) else f"project-{name}" if name else "project"


def describe_place(folder: Path, others: Iterable[Path]) -> str:
    """Return the folders above a folder, as few as tell it from others with its name; empty where none has it."""
    same = [each for each in others if each != folder and each.name.lower() == folder.name.lower()]
    above: tuple[str, ...] = ()
    for depth in range(1, len(folder.parts) if same else 0):
        above = folder.parts[-1 - depth : -1]
        if all(each.parts[-1 - depth : -1] != above for each in same):
            break
    return "-".join([suggest_project_name(Path(part)) for part in above if part != folder.anchor])


def name_beside(folder: Path, other: Path) -> str:
    """Return the name of the project in a folder where the one in another folder has its name, as `app (server)`."""
    place = describe_place(folder, [other.with_name(folder.name)]) or suggest_project_name(folder.parent)
    return f"{suggest_project_name(folder)} ({place})"


def may_be_named(folder: Path, name: str) -> bool:
    """Return whether a name is one that the project in a folder has beside others of its name, as `app (server)`."""
    own, _, place = name.partition(" (")
    above = "-".join(["", *[suggest_project_name(Path(part)) for part in folder.parent.parts if part != folder.anchor]])
    return own == suggest_project_name(folder) and len(place) > 1 and above.endswith(f"-{place[:-1]}")


def find_project(projects: Iterable[RegisteredProject], name: str) -> RegisteredProject | None:
    """Return the project of this name, ignoring case; None when there is none."""
    return next((project for project in projects if project.name.lower() == name.lower()), None)


def find_project_at(projects: Iterable[RegisteredProject], root: Path) -> RegisteredProject | None:
    """Return the project with exactly this root; None when there is none."""
    return next((project for project in projects if project.root == root), None)


def find_enclosing_project(projects: Iterable[RegisteredProject], folder: Path) -> RegisteredProject | None:
    """Return the innermost project that contains the folder; None when none does."""
    holding = [project for project in projects if folder.is_relative_to(project.root)]
    return max(holding, key=lambda project: len(project.root.parts), default=None)
