"""Options that several commands have, each with its words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

ROOT_PARAMETER = Parameter(
    name="--root",
    help="The project's folder, just as it is. By default the git work tree around the current folder, or that folder.",
)
FORCE_PARAMETER = Parameter(name="--force", help="Also take a home folder or the top of a file system for a project.")
JSON_PARAMETER = Parameter(name="--json", help="Print JSON, and nothing else on standard output.")

RootOption = Annotated[Path | None, ROOT_PARAMETER]
ForceOption = Annotated[bool, FORCE_PARAMETER]
JsonOption = Annotated[bool, JSON_PARAMETER]
