"""`scry project`: list, add, update and remove registered projects and the links between them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from scry.core.projects import ProjectLink, RegisteredProject
from scry.core.text import escape_unencodable
from scry.surfaces.cli.options import ForceOption, JsonOption
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.render.styled_text import StyledLine, styled_line
from scry.surfaces.serving.methods import list_known_projects, to_known_project

project = App(
    name="project",
    help="Shows, adds, changes and removes the projects that can be searched together.",
    default_parameter=Parameter(negative=(), show_default=False),
)

ProjectNames = tuple[str, ...]
UsesOption = Annotated[ProjectNames, Parameter(help="A registered project that this one uses; may be repeated.")]
LearnsFromOption = Annotated[ProjectNames, Parameter(help="One that it learns from, such as an older version of it.")]
TestsWithOption = Annotated[ProjectNames, Parameter(help="One that it is tested with.")]
SiblingOption = Annotated[
    ProjectNames, Parameter(help="One that stands beside it, such as another client of one service.")
]


@project.default
@project.command(name="list")
def list_projects(*, as_json: JsonOption = False) -> int:
    """Shows the registered projects, where they lie and how they are tied to each other."""
    from scry.projects.registration import open_registry

    if as_json:
        print_json(list_known_projects())
    else:
        print_lines(
            [line for each in open_registry().list_projects() for line in _project_lines(each)]
            or [styled_line((_NONE_REGISTERED, "quiet"))]
        )
    return 0


_NONE_REGISTERED = "No project is registered; scry project add FOLDER does it."


@project.command
def add(
    folder: Annotated[Path, Parameter(help="The project's folder.")] = Path(),
    /,
    *,
    name: Annotated[str | None, Parameter(help="What to call it; by default as its folder is called.")] = None,
    uses: UsesOption = (),
    learns_from: LearnsFromOption = (),
    tests_with: TestsWithOption = (),
    sibling: SiblingOption = (),
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Registers a project, so that it can be searched from elsewhere: scry "…" --projects NAME,OTHER.

    In its folder, and in all folders inside, it is then the project that commands mean.
    """
    from scry.projects.registration import add_project

    links = _build_links(uses, learns_from, tests_with, sibling)
    return _print_project(add_project(folder, name, links, force=force), as_json=as_json)


@project.command
def update(
    name: Annotated[str, Parameter(help="What the project is called.")],
    /,
    *,
    new_name: Annotated[str | None, Parameter(name="--name", help="Call it this from now on.")] = None,
    folder: Annotated[Path | None, Parameter(help="It lies in this folder now.")] = None,
    uses: UsesOption = (),
    learns_from: LearnsFromOption = (),
    tests_with: TestsWithOption = (),
    sibling: SiblingOption = (),
    unlink: Annotated[ProjectNames, Parameter(help="Take all ties to this project away; may be repeated.")] = (),
    as_json: JsonOption = False,
) -> int:
    """Gives a project another name, folder or ties to others.

    One that was moved is known again by its history, without this, as soon as Scry is used in it.
    """
    from scry.projects.registration import update_project

    links = _build_links(uses, learns_from, tests_with, sibling)
    return _print_project(
        update_project(name, new_name=new_name, folder=folder, links=links, unlinked=unlink), as_json=as_json
    )


@project.command
def remove(
    name: Annotated[str, Parameter(help="What the project is called.")], /, *, as_json: JsonOption = False
) -> int:
    """Removes a project from the registry. Its folder, its index and its log stay; scry purge removes those."""
    from scry.projects.registration import remove_project

    return _print_project(remove_project(name), as_json=as_json, remark="is no longer registered")


def _build_links(
    uses: ProjectNames, learns_from: ProjectNames, tests_with: ProjectNames, sibling: ProjectNames
) -> list[ProjectLink]:
    targets_of = {"uses": uses, "learns_from": learns_from, "tests_with": tests_with, "sibling": sibling}
    return [ProjectLink(kind, target) for kind, targets in targets_of.items() for target in targets]


def _print_project(registered: RegisteredProject, *, as_json: bool, remark: str = "") -> int:
    if as_json:
        print_json(to_known_project(registered))
    else:
        print_lines([styled_line((registered.name, "strong"), f" {remark}")] if remark else _project_lines(registered))
    return 0


def _project_lines(registered: RegisteredProject) -> list[StyledLine]:
    missing = "" if registered.root.is_dir() else "  is not there: scry project update or remove"
    head = styled_line(
        (registered.name, "strong"), "  ", (escape_unencodable(str(registered.root)), "place"), (missing, "warning")
    )
    return [
        head,
        *(styled_line("    ", (f"{each.kind} {each.target}".replace("_", " "), "quiet")) for each in registered.links),
    ]
