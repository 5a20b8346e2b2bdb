"""The parser of the command line."""

from __future__ import annotations

from collections.abc import Sequence

from cyclopts import App, CycloptsError, Parameter
from cyclopts.exceptions import UnknownOptionError, UnusedCliTokensError

from scry import __version__
from scry.core.errors import BadRequest
from scry.surfaces.cli.commands import COMMANDS

_HELP = """Answers questions about a code base, and shows why it answered so.

scry "where is the retry limit" is the same as scry find "where is the retry limit"."""

_ASKED_FOR_HELP = frozenset({"--help", "-h", "--version"})


def make_app() -> App:
    """The parser of the command line, with all commands."""
    app = App(
        name="scry",
        help=_HELP,
        usage="Usage: scry QUESTION [OPTIONS], or scry COMMAND [OPTIONS]",
        version=f"scry {__version__}",
        help_format="markdown",
        default_parameter=Parameter(negative=(), show_default=False),
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
    )
    for position, (name, function) in enumerate(COMMANDS.items()):
        app.command(function, name=name, sort_key=position)
    return app


def call(words: Sequence[str]) -> int:
    """Runs the command that the words mean; returns its exit status. Raises ScryError."""
    app = make_app()
    if not words or words[0] in _ASKED_FOR_HELP:
        for name in COMMANDS:
            app[name]  # imports it, so that the help can show its words
    try:
        return app(_with_command(words)) or 0
    except CycloptsError as error:
        raise _explained(error, words) from error


def _with_command(words: Sequence[str]) -> list[str]:
    """A question may stand where a command does."""
    first = words[0] if words else "--help"
    return [*words] if first in COMMANDS or first in _ASKED_FOR_HELP else ["find", *words]


def _explained(error: CycloptsError, words: Sequence[str]) -> BadRequest:
    argument = getattr(error, "argument", None)
    name = argument.name if argument is not None else ""
    message = str(error)
    if isinstance(error, UnusedCliTokensError):
        message = f"{' '.join(error.unused_tokens or ())!r} is not understood here; --help says what is"
        message += _as_a_question(words)
    elif isinstance(error, UnknownOptionError):
        dashed = ". To search for words that begin with a dash, put them after two dashes: scry -- -x"
        message = message.removesuffix(".") + (_as_a_question(words) or dashed)
    return BadRequest(name.lstrip("-").replace("-", "_").lower() or "arguments", message)


def _as_a_question(words: Sequence[str]) -> str:
    """What to do where the first word is a command's name and all of them make a search; else nothing."""
    if words[0] not in COMMANDS or words[0] == "find":
        return ""
    asked = ["find", *words]
    try:
        make_app().parse_args(asked, print_error=False, exit_on_error=False)
    except CycloptsError:
        return ""
    import shlex

    return f". {words[0]} is a command; to search for it, put find before it: {shlex.join(['scry', *asked])}"
