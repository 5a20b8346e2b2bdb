"""Command line options that many commands share, each with its help text.

They are annotated types alone: the groups of options in question_options cost 5 ms to import, which `scry observe`,
run by a shell's hook, does not pay.
"""

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

FurtherOption = Annotated[
    str | None,
    Parameter(name="--doc-id", help="Instead of it a further place of its file, as find --explain and --json name it."),
]

SinceOption = Annotated[str | None, Parameter(help="From then on: 2026-11-21, 2026-11-21T09:30, or 90m, 3h, 7d ago.")]

UntilOption = Annotated[str | None, Parameter(help="Before then; a day is not included.")]

YesOption = Annotated[bool, Parameter(name="--yes", alias="-y", help="Do not ask.")]

NewFileArgument = Annotated[
    Path | None, Parameter(help="A new file for them; standard output when left out.", allow_leading_hyphen=False)
]

AgentOption = Annotated[str, Parameter(help="The agent whose memory it is; yours when left out.")]

DomainOption = Annotated[tuple[str, ...], Parameter(name="--domain", help="What it is about; may be repeated.")]
