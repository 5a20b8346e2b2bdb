"""The commands, and from the words of a command line to an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TextIO

from cyclopts import App, CycloptsError, Parameter
from cyclopts.exceptions import UnknownOptionError, UnusedCliTokensError

from scry import __version__
from scry.core.errors import BadRequest, ScryError
from scry.surfaces.cli.output import report_error

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "find": "scry.surfaces.cli.find:find",
        "orient": "scry.surfaces.cli.orient:orient",
        "recent": "scry.surfaces.cli.recent:recent",
        "neighbors": "scry.surfaces.cli.neighbors:neighbors",
        "why": "scry.surfaces.cli.why:why",
        "detail": "scry.surfaces.cli.detail:detail",
        "index": "scry.surfaces.cli.index:index",
        "status": "scry.surfaces.cli.status:status",
        "open": "scry.surfaces.cli.open:open",
        "copy": "scry.surfaces.cli.copy:copy",
        "feedback": "scry.surfaces.cli.feedback:feedback",
        "belief": "scry.surfaces.cli.belief:belief",
        "persona": "scry.surfaces.cli.persona:persona",
        "project": "scry.surfaces.cli.project:project",
        "log": "scry.surfaces.cli.log:log",
        "lab": "scry.surfaces.cli.lab:lab",
        "session": "scry.surfaces.cli.session:session",
        "observe": "scry.surfaces.cli.observe:observe",
        "memory": "scry.surfaces.cli.memory:memory",
        "hook": "scry.surfaces.cli.hook:hook",
        "settings": "scry.surfaces.cli.settings:settings",
        "cache": "scry.surfaces.cli.cache:cache",
        "purge": "scry.surfaces.cli.purge:purge",
        "doctor": "scry.surfaces.cli.doctor:doctor",
        "lsp": "scry.surfaces.cli.sidecar:lsp",
        "mcp": "scry.surfaces.cli.mcp:mcp",
        "serve": "scry.surfaces.cli.serve:serve",
        "completion": "scry.surfaces.cli.completion:completion",
    }
)
"""Every command and the function that does it, in the order of the help. Only the one that is called is imported."""

_HELP = """Answers questions about a code base, and shows why it answered so.

scry "where is the retry limit" is the same as scry find "where is the retry limit"."""

_ASKED_FOR_HELP = frozenset({"--help", "-h", "--version"})

BAD_REQUEST = 2
FAILED = 1
INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""

PIPE_CLOSED = 141
"""128 + SIGPIPE."""


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


def run(words: Sequence[str]) -> int:
    """Runs the command line `scry <words>`; returns its exit status."""
    _accept_any_text(sys.stdout)
    _accept_any_text(sys.stderr)
    try:
        result = _call(words)
        sys.stdout.flush()
    except ScryError as error:
        return _fail(error, words)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return PIPE_CLOSED
    return result


def _accept_any_text(stream: TextIO) -> None:
    """What the terminal's encoding can't hold is written out, not an error."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _call(words: Sequence[str]) -> int:
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


def _fail(error: ScryError, words: Sequence[str]) -> int:
    options = words[: words.index("--")] if "--" in words else words
    try:
        report_error(error, as_json="--json" in options)
    except BrokenPipeError:
        _discard_output()
    return BAD_REQUEST if isinstance(error, BadRequest) else FAILED


def _discard_output() -> None:
    """Python would complain at its end about what it can't write to a closed pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
