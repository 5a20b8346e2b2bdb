"""The projects that a question is for: options of the commands that can ask several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from scry.core.errors import BadRequest


@Parameter(name="*")
@dataclass(frozen=True)
class ProjectOptions:
    """Which projects are asked."""

    projects: Annotated[
        tuple[str, ...], Parameter(help="Ask these registered projects, by name with commas between, as one.")
    ] = ()
    all_projects: Annotated[bool, Parameter(help="Ask all registered projects and this one.")] = False
    linked_projects: Annotated[bool, Parameter(help="Ask also the projects that these are linked to.")] = False

    def to_params(self) -> dict[str, object]:
        """As the protocol has them. Raises BadRequest."""
        names = list(self._project_names())
        if self.projects and not names:
            raise BadRequest("projects", "names no project; for example: --projects app,lib")
        return {"projects": names, "all_projects": self.all_projects, "linked_projects": self.linked_projects}

    def _project_names(self) -> Iterator[str]:
        for given in self.projects:
            yield from (name.strip() for name in given.split(",") if name.strip())


CURRENT_PROJECT = ProjectOptions()
