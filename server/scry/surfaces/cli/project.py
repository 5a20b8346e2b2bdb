"""`scry project`: the projects that can be searched together, and how they are tied to each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from scry.core.projects import ProjectLink, Registered
from scry.core.text import encodable
from scry.surfaces.cli.options import Force, Json
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.text.line import Line, line
from scry.surfaces.wire.projects import known_project, known_projects

project = App(
    name="project",
    help="Shows, adds, changes and removes the projects that can be searched together.",
    default_parameter=Parameter(negative=(), show_default=False),
)

Names = tuple[str, ...]
Uses = Annotated[Names, Parameter(help="A registered project that this one uses; may be repeated.")]
LearnsFrom = Annotated[Names, Parameter(help="One that it learns from, such as an older version of it.")]
TestsWith = Annotated[Names, Parameter(help="One that it is tested with.")]
Sibling = Annotated[Names, Parameter(help="One that stands beside it, such as another client of one service.")]


@project.default
def show(*, as_json: Json = False) -> int:
    """Shows the registered projects, where they lie and how they are tied to each other."""
    return show_all(as_json=as_json)


@project.command(name="list")
def show_all(*, as_json: Json = False) -> int:
    """Shows the registered projects, where they lie and how they are tied to each other."""
    from scry.index.registration import registry

    if as_json:
        print_json(known_projects())
    else:
        print_lines([each for one in registry().all() for each in _lines(one)] or [line((_NONE, "quiet"))])
    return 0


_NONE = "No project is registered; scry project add FOLDER does it."


@project.command
def add(
    folder: Annotated[Path, Parameter(help="The project's folder.")] = Path(),
    /,
    *,
    name: Annotated[str | None, Parameter(help="What to call it; by default as its folder is called.")] = None,
    uses: Uses = (),
    learns_from: LearnsFrom = (),
    tests_with: TestsWith = (),
    sibling: Sibling = (),
    force: Force = False,
    as_json: Json = False,
) -> int:
    """Registers a project, so that it can be searched from elsewhere: scry "…" --projects NAME,OTHER.

    In its folder, and in all folders inside, it is then the project that commands mean.
    """
    from scry.index.registration import register

    links = _links(uses, learns_from, tests_with, sibling)
    return _show_one(register(folder, name, links, force=force), as_json=as_json)


@project.command
def update(
    name: Annotated[str, Parameter(help="What the project is called.")],
    /,
    *,
    new_name: Annotated[str | None, Parameter(name="--name", help="Call it this from now on.")] = None,
    folder: Annotated[Path | None, Parameter(help="It lies in this folder now.")] = None,
    uses: Uses = (),
    learns_from: LearnsFrom = (),
    tests_with: TestsWith = (),
    sibling: Sibling = (),
    unlink: Annotated[Names, Parameter(help="Take all ties to this project away; may be repeated.")] = (),
    as_json: Json = False,
) -> int:
    """Gives a project another name, folder or ties to others.

    One that was moved is known again by its history, without this, as soon as Scry is used in it.
    """
    from scry.index.registration import change

    links = _links(uses, learns_from, tests_with, sibling)
    return _show_one(change(name, new_name=new_name, folder=folder, links=links, unlinked=unlink), as_json=as_json)


@project.command
def remove(name: Annotated[str, Parameter(help="What the project is called.")], /, *, as_json: Json = False) -> int:
    """Removes a project from the registry. Its folder, its index and its log stay; scry purge removes those."""
    from scry.index.registration import unregister

    return _show_one(unregister(name), as_json=as_json, said="is no longer registered")


def _links(uses: Names, learns_from: Names, tests_with: Names, sibling: Names) -> list[ProjectLink]:
    given = {"uses": uses, "learns_from": learns_from, "tests_with": tests_with, "sibling": sibling}
    return [ProjectLink(kind, target) for kind, targets in given.items() for target in targets]


def _show_one(found: Registered, *, as_json: bool, said: str = "") -> int:
    if as_json:
        print_json(known_project(found))
    else:
        print_lines([line((found.name, "strong"), f" {said}")] if said else _lines(found))
    return 0


def _lines(found: Registered) -> list[Line]:
    gone = "" if found.root.is_dir() else "  is not there: scry project update or remove"
    head = line((found.name, "strong"), "  ", (encodable(str(found.root)), "place"), (gone, "warning"))
    return [head, *(line("    ", (f"{each.kind} {each.target}".replace("_", " "), "quiet")) for each in found.links)]
