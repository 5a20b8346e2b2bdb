"""The command line: `scry "<question>"` and the commands beside it.

questions/        commands that ask a question or use its answer
knowledge/        belief, persona, memory and session
usage/            the log of events and measurements made with it
upkeep/           index, doctor, cache, restore and settings
clients/          configuration files of agents' clients, for `scry mcp install`
project, team, servers, mcp_install        the other groups of commands
run               from an argv to an exit status; asks a plain question without the option parser
commands          table of the commands, each imported on demand
app               the option parser, shell completion
options           options of many commands
engines           finds the project that a command means and opens its engine
output, progress  JSON, text and errors on standard output and error; progress bars
retention         exports, selects and removes stored records, for the log, memory and purge
"""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.surfaces.cli.app import make_app as make_app
    from scry.surfaces.cli.app import run_command as run_command
    from scry.surfaces.cli.commands import COMMANDS as COMMANDS
    from scry.surfaces.cli.output import print_json as print_json
    from scry.surfaces.cli.output import report_error as report_error
    from scry.surfaces.cli.progress import ProgressBars as ProgressBars
    from scry.surfaces.cli.run import BAD_REQUEST as BAD_REQUEST
    from scry.surfaces.cli.run import ask_plain_question as ask_plain_question
    from scry.surfaces.cli.run import parse_plain_question as parse_plain_question
else:
    _MODULES = {
        "BAD_REQUEST": "run",
        "COMMANDS": "commands",
        "ProgressBars": "progress",
        "ask_plain_question": "run",
        "make_app": "app",
        "parse_plain_question": "run",
        "print_json": "output",
        "report_error": "output",
        "run_command": "app",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
