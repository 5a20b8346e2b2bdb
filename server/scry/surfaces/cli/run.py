"""Run a command line and return its exit status; a plain question skips the option parser.

Importing the option parser takes a quarter of the time of `scry "where is the retry limit"`. A question without options
is therefore asked without the parser, which would understand it in the same way; a test compares the two.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from scry.core.errors import BadRequest, ScryError
from scry.surfaces.cli.commands import COMMANDS
from scry.surfaces.cli.engines import (
    DefaultQuestionOptions,
    ask,
    make_request_context,
    replace_undecodable,
)
from scry.surfaces.cli.output import report_error
from scry.surfaces.serving.params import parse_params
from scry_protocol.messages import FindParams

_FIND_COMMAND = "find"


def parse_plain_question(arguments: Sequence[str]) -> str | None:
    """Return the question that the arguments consist of; None where they hold an option or another command."""
    if not arguments or (arguments[0] in COMMANDS and arguments[0] != _FIND_COMMAND):
        return None
    for word in arguments:
        if word.startswith("-"):
            return None
    words = arguments[1:] if arguments[0] == _FIND_COMMAND else arguments
    return " ".join(words) if words else None


def ask_plain_question(question: str) -> int:
    """Search as `scry find` does without options, and return the exit status. Raises ScryError."""
    first, _, rest = question.partition(" ")
    if not rest or os.path.exists(rest):  # noqa: PTH110 (pathlib is not imported on this way)
        print(suggest_command(first), end="", file=sys.stderr)
    params, options = parse_params(FindParams, {"query": replace_undecodable(question)}), DefaultQuestionOptions()
    return ask(lambda engine: engine.find(params, make_request_context(wait=options.wait)), options)


def suggest_command(word: str) -> str:
    """Return a line about the command that a word may have been meant as: one letter is missing, added, or wrong, or
    two are swapped, or an option of this program is a command of others. Empty where it is like no command.
    """
    if word in ("help", "version"):
        return f"scry: this searched for the word {word}; the option is scry --{word}\n"
    for command in COMMANDS if word.isalpha() else ():
        rest, meant = _without_common_start(*_without_common_start(word, command))
        is_slip = max(len(rest), len(meant)) == 1 or (len(rest) == 2 and rest == meant[::-1])
        if is_slip and len(command) > 3:
            return f"scry: this searched for the word {word}; the command is scry {command}\n"
    return ""


def _without_common_start(left: str, right: str) -> tuple[str, str]:
    """Return two texts without their common start, reversed, so that a second call takes their common end away."""
    count = next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    return left[count:][::-1], right[count:][::-1]


BAD_REQUEST = 2
FAILED = 1
INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""

PIPE_CLOSED = 141
"""128 + SIGPIPE."""


def run(arguments: Sequence[str]) -> int:
    """Run the command line `scry <arguments>` and return its exit status."""
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):  # characters outside its encoding are written as escapes: no error
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    try:
        question = parse_plain_question(arguments)
        if question is not None:
            result = ask_plain_question(question)
        else:
            from scry.surfaces.cli.app import run_command

            result = run_command(arguments)
        sys.stdout.flush()
    except ScryError as error:
        return _report_failure(error, arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return PIPE_CLOSED
    return result


def _report_failure(error: ScryError, arguments: Sequence[str]) -> int:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    try:
        report_error(error, as_json="--json" in options)
        sys.stdout.flush()
    except (ScryError, OSError):  # nobody reads the output, or the error is that it can't be written
        _discard_output()
    return BAD_REQUEST if isinstance(error, BadRequest) else FAILED


def _replace_closed_streams() -> None:
    """Open the null device in place of standard streams that were closed, as by `>&-`: Python has None for these, and
    the next file that is opened would get their number and with it what is printed.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 (no pathlib; open until the end)


def _discard_output() -> None:
    """Send the rest of standard output to the null device: Python, at its end, would report the closed pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
