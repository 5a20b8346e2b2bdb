"""Build the option parser, run the command that it selects, and print shell completion scripts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Annotated, Literal

from cyclopts import App, CycloptsError, Parameter
from cyclopts.exceptions import MissingArgumentError, UnknownOptionError, UnusedCliTokensError

from scry import __version__
from scry.core.errors import BadRequest
from scry.surfaces.cli.commands import COMMANDS
from scry.surfaces.cli.output import print_text, reporting_failed_writes
from scry.surfaces.cli.run import suggest_command

_HELP_TEXT = """Answers questions about a code base, and shows why it answered so.

scry "where is the retry limit" is the same as scry find "where is the retry limit".

The exit status is 0 when something was found or done, 1 when nothing was found or something failed, 2 for a wrong
argument, and 130 after Ctrl-C."""

_HELP_FLAGS = frozenset({"--help", "-h", "--version"})

_SEARCH_COMMANDS = ("find", "recent", "why")
_EXCLUDING_FILTERS = ("-lang:", "-path:", "-type:", "-source:", "-domain:")


def make_app() -> App:
    """Return the parser of the command line, with all commands registered but not imported."""
    app = App(
        name="scry",
        help=_HELP_TEXT,
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


def run_command(arguments: Sequence[str]) -> int:
    """Run the command that the arguments select and return its exit status. Raises ScryError."""
    app = make_app()
    names_command = not arguments or arguments[0] in COMMANDS or arguments[0] in _HELP_FLAGS
    if not arguments or arguments[0] in _HELP_FLAGS:
        for name in COMMANDS:
            app[name]  # imports the command, whose docstring the help shows
    if not names_command and all(word.startswith("-") for word in arguments[1:]):
        print(suggest_command(arguments[0]), end="", file=sys.stderr)
    words = _separate_excluding_filters(arguments if names_command else ["find", *arguments])
    try:
        with reporting_failed_writes() if _HELP_FLAGS.intersection(words) else nullcontext():
            return app(words) or 0
    except CycloptsError as error:
        raise _to_bad_request(error, arguments) from error


def _separate_excluding_filters(arguments: Sequence[str]) -> Sequence[str]:
    """Return the arguments of a search with its filters such as -path:tests after two dashes: they are no options."""
    if not arguments or arguments[0] not in _SEARCH_COMMANDS:
        return arguments
    end = arguments.index("--") if "--" in arguments else len(arguments)
    filters = [word for word in arguments[:end] if word.startswith(_EXCLUDING_FILTERS)]
    if not filters:
        return arguments
    return [*(word for word in arguments[:end] if word not in filters), "--", *arguments[end + 1 :], *filters]


def _to_bad_request(error: CycloptsError, arguments: Sequence[str]) -> BadRequest:
    argument = getattr(error, "argument", None)
    name = argument.name if argument is not None else ""
    message = str(error)
    command = " ".join(error.command_chain or arguments[:1])
    if isinstance(error, MissingArgumentError) and error.keyword is None:
        message = f"is missing; scry {command} --help shows where it belongs"
    elif isinstance(error, UnusedCliTokensError):
        message = f"{' '.join(error.unused_tokens or ())!r} is not understood here; --help says what is"
        message += f".{suggested}" if (suggested := _suggest_find_command(arguments)) else ""
    elif isinstance(error, UnknownOptionError):
        advice = "To search for words that begin with a dash, put them after two dashes: scry -- -x"
        if arguments[0] in COMMANDS and arguments[0] != "find":
            advice = f"scry {command} --help lists those that there are"
        message = f"{message}{'' if message.endswith(('.', '?')) else '.'} {advice}"
        message += f".{suggested}" if (suggested := _suggest_find_command(arguments)) else ""
    return BadRequest(name.lstrip("-").replace("-", "_").lower() or "arguments", message)


def _suggest_find_command(arguments: Sequence[str]) -> str:
    """Return advice to put `find` first, where the first argument names a command and all of them make a search."""
    if arguments[0] not in COMMANDS or arguments[0] == "find":
        return ""
    search = ["find", *arguments]
    try:
        make_app().parse_args(search, print_error=False, exit_on_error=False)
    except CycloptsError:
        return ""
    import shlex

    return f" {arguments[0]} is a command; to search for it, put find before it: {shlex.join(['scry', *search])}"


_ZSH_START = """
if [[ $funcstack[1] == _scry ]]; then  # a file of fpath, called to complete
  _cyclopts_scry "$@"
elif (( $+functions[compdef] )); then  # evaluated
  compdef _cyclopts_scry scry
fi
"""
"""Completes at once in a file named _scry, and registers itself where the script is evaluated after compinit: cyclopts
only defines the function. It also offers nothing for arguments that are no paths by type, though many may name one."""


def _offer_files(line: str) -> str:
    """Return a line of the zsh script with files offered for an argument without an action, such as `'1:A folder.'`."""
    text = line.strip()
    is_argument = text[:2] in ("'*", "'1", "'2") and text.endswith("' \\")
    return (
        line.removesuffix("' \\") + ":_files' \\" if is_argument and text.replace("\\:", "").count(":") == 1 else line
    )


def completion(shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="Your shell.")]) -> int:
    """Prints a script that completes commands and options, for your shell to read when it starts.

    For example: scry completion bash > ~/.local/share/bash-completion/completions/scry
    """
    script = make_app().generate_completion(shell=shell)
    if shell == "zsh":
        script = "\n".join(map(_offer_files, script.split("\n"))) + _ZSH_START
    elif shell == "bash":  # where no word fits, the names of files do
        script = script.replace("complete -F ", "complete -o default -F ")
    print_text(script)
    return 0
