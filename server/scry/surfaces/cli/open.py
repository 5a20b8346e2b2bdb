"""`scry open`: shows a result of an earlier answer in an editor."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import sys
from typing import Annotated

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.core.text import escape_unencodable
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json
from scry_protocol.messages import Recorded, ResultItem, UseParams

QueryIdArgument = Annotated[str, Parameter(help="The answer's name, which it says itself: q_…")]
RankArgument = Annotated[int, Parameter(help="The result's number in it.")]


class OpenReport(msgspec.Struct, frozen=True):
    """What was opened. command: the editor's command line. result: with its location as it is now."""

    result: ResultItem
    command: list[str]
    recorded: Recorded


def open(  # noqa: A001 — a command is named as its function
    query_id: QueryIdArgument, rank: RankArgument, /, *, root: RootOption = None, force: ForceOption = False, as_json: JsonOption = False
) -> int:
    """Shows a result of an earlier answer in your editor, where it is now.

    Inside a terminal of Neovim or VS Code that editor shows it; elsewhere $VISUAL or $EDITOR is started.
    """
    from scry.surfaces.cli.editors import editor_command
    from scry.surfaces.cli.opening import open_projects

    with open_projects(root, force=force) as projects:
        spot = projects.locate_result(query_id, rank)
        command = editor_command(spot.path, spot.line, spot.column)
        if shutil.which(command.arguments[0]) is None:
            raise BadRequest("editor", f"there is no program {command.arguments[0]}; the place is {spot.path}:{spot.line}")
        recorded = projects.use(UseParams(query_id, rank, "open", f"cli-{secrets.token_hex(8)}"))
    if recorded.note:
        print(f"scry: {recorded.note}", file=sys.stderr)
    status = _run_editor(command.arguments, discard_output=not command.runs_in_terminal)
    if as_json:
        print_json(OpenReport(spot.result, [escape_unencodable(word) for word in command.arguments], recorded))
    return 1 if status else 0


def _run_editor(arguments: tuple[str, ...], *, discard_output: bool) -> int:
    """Standard output is for JSON: what the editor draws goes to the terminal by standard error.

    Raises BadRequest when it can't be started.
    """
    try:
        output = subprocess.DEVNULL if discard_output else None if sys.stdout.isatty() else sys.stderr
        return subprocess.run(arguments, stdout=output, check=False).returncode
    except OSError as error:
        raise BadRequest("editor", f"{arguments[0]} can't be started: {error.strerror}") from error
