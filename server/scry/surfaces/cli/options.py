"""Options that several commands have, each with its words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

ROOT = Parameter(
    name="--root",
    help="The project's folder, just as it is. By default the git work tree around the current folder, or that folder.",
)
FORCE = Parameter(name="--force", help="Also take a home folder or the top of a file system for a project.")
JSON = Parameter(name="--json", help="Print JSON, and nothing else on standard output.")

Root = Annotated[Path | None, ROOT]
Force = Annotated[bool, FORCE]
Json = Annotated[bool, JSON]
