"""`scry open`, `scry copy` and `scry feedback`: use or rate a result of an earlier answer."""

from __future__ import annotations

import secrets
import subprocess
import sys
from typing import Annotated, Literal

import msgspec
from cyclopts import Parameter

from scry.core.decoding import convert
from scry.core.errors import BadRequest
from scry.core.text import escape_unencodable
from scry.projects.programs import find_program
from scry.surfaces.cli.options import ForceOption, FurtherOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_text
from scry_protocol.messages import FeedbackParams, Recorded, ResultItem, UseParams

QueryIdArgument = Annotated[str, Parameter(help="The answer's name, which it says itself: q_…")]
RankArgument = Annotated[
    int | None, Parameter(help="The result's number in it; a number alone is that in this terminal's last answer.")
]


class OpenReport(msgspec.Struct, frozen=True):
    """Outcome of `scry open`. command: the editor's command line. result: the result with its present location."""

    result: ResultItem
    command: list[str]
    recorded: Recorded


def open(  # noqa: A001 — a command is named as its function
    query_id: QueryIdArgument,
    rank: RankArgument = None,
    /,
    *,
    doc_id: FurtherOption = None,
    root: RootOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Shows a result of an earlier answer in your editor, where it is now.

    Inside a terminal of Neovim or VS Code that editor shows it; elsewhere $VISUAL or $EDITOR is started. For example:
    scry open 2 for the second result of the last answer in this terminal.
    """
    from scry.surfaces.cli.engines import complete_reference, open_projects
    from scry.surfaces.cli.questions.desktop import editor_command

    name, place = complete_reference(query_id, rank, root, force=force, command="open")
    with open_projects(root, force=force) as projects:
        location = projects.locate_result(name, place, doc_id)
        command = editor_command(location.path, location.line, location.column)
        program = find_program(command.arguments[0])
        if program is None:
            raise BadRequest(
                "editor", f"there is no program {command.arguments[0]}; the place is {location.path}:{location.line}"
            )
        recorded = projects.use(UseParams(name, place, "open", f"cli-{secrets.token_hex(8)}", doc_id=doc_id))
    if recorded.note:
        print(f"scry: {recorded.note}", file=sys.stderr)
    status = _run_editor((program, *command.arguments[1:]), discard_output=not command.runs_in_terminal)
    if as_json:
        print_json(OpenReport(location.result, [escape_unencodable(word) for word in command.arguments], recorded))
    return 1 if status else 0


def _run_editor(arguments: tuple[str, ...], *, discard_output: bool) -> int:
    """Run the editor and return its exit status. Raises BadRequest when it can't be started.

    Standard output is for JSON: the editor draws on the terminal by standard error.
    """
    try:
        output = subprocess.DEVNULL if discard_output else None if sys.stdout.isatty() else sys.stderr
        return subprocess.run(arguments, stdout=output, check=False).returncode
    except OSError as error:
        raise BadRequest("editor", f"{arguments[0]} can't be started: {error.strerror}") from error


def copy(
    query_id: QueryIdArgument,
    rank: RankArgument = None,
    /,
    *,
    doc_id: FurtherOption = None,
    root: RootOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Copies a code reference such as src/app.py:12-40, or a commit's name, and prints it.

    Its lines are those of the file as it is now. It goes to the platform's clipboard, or to that of your terminal, also
    over ssh (OSC 52).
    """
    from scry.surfaces.cli.engines import complete_reference, open_projects
    from scry.surfaces.cli.questions.desktop import copy_to_clipboard
    from scry.surfaces.render.prompt import result_clipboard_text

    name, place = complete_reference(query_id, rank, root, force=force, command="copy")
    with open_projects(root, force=force) as projects:
        params = UseParams(name, place, "copy", f"cli-{secrets.token_hex(8)}", doc_id=doc_id)
        recorded = projects.use(params, result_clipboard_text)
        copied_by = copy_to_clipboard(recorded.text)
    if as_json:
        print_json(recorded)
    else:
        print_text(recorded.text + "\n")
    for note in (recorded.note, "" if copied_by else "there is no clipboard here; it is only printed"):
        if note:
            print(f"scry: {note}", file=sys.stderr)
    return 0


def feedback(
    query_id: QueryIdArgument,
    signal: Annotated[
        Literal["good", "bad"] | None, Parameter(help="What you think of it; alone: of this terminal's last answer.")
    ] = None,
    /,
    *,
    comment: Annotated[str, Parameter(help="Why, in your words.")] = "",
    rank: Annotated[int | None, Parameter(help="The one result that it is about.")] = None,
    doc_id: FurtherOption = None,
    root: RootOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Notes in the log whether an answer was good or bad. Nothing leaves this machine."""
    from scry.surfaces.cli.engines import find_last_answer, open_projects

    name, opinion = query_id, signal
    if signal is None:
        if query_id not in ("good", "bad"):
            raise BadRequest("signal", f"good or bad? Say which, such as scry feedback {query_id} good")
        name, opinion = find_last_answer(root, force=force, example=f"scry feedback q_… {query_id}"), query_id
    values = {
        "query_id": escape_unencodable(name),
        "signal": opinion,
        "comment": escape_unencodable(comment),
        "rank": rank,
        "doc_id": doc_id,
    }
    try:
        params = convert(values, FeedbackParams)
    except msgspec.ValidationError as error:
        raise BadRequest("comment" if "comment" in str(error) else "rank", str(error)) from error
    with open_projects(root, force=force) as projects:
        recorded = projects.feedback(params)
    if as_json:
        print_json(recorded)
    else:
        print_text(f"{f'Noted: {opinion}.' if recorded.recorded else recorded.note}\n")
    return 0 if recorded.recorded else 1
